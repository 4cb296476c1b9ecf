package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
)

// TestAQuestionGoesFromTheQueueToItsMakerAndBack without a script: asked, found, answered and approved.
func TestAQuestionGoesFromTheQueueToItsMakerAndBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	ref, at := string(m.GlobalID), "/queue/"+m.InternalID.String()
	checker.get(at).is(http.StatusOK).says("Ask the maker")
	form := checker.get(at + "/ask").is(http.StatusOK).says("Nobody can approve it before then").fields(at + "/ask")
	empty := checker.post(at+"/ask", form).is(http.StatusUnprocessableEntity)
	if got := empty.problems(); len(got) != 1 || !strings.Contains(got[0], "Enter your question") {
		t.Errorf("without a question: %v", got)
	}
	form.Set("question", "Why is invoice 1107 paid twice?")
	checker.get(checker.post(at+"/ask", form).goesTo("/queue")).is(http.StatusOK).says("Your question about " +
		"" + ref + " was sent").says("Questions")
	if m = b.message("demo", m.InternalID.String()); m.State != payment.StateQuestion {
		t.Fatalf("it is %s", m.State)
	}
	checker.get("/queue?tab=questions").is(http.StatusOK).says(ref)
	open := checker.get(at).is(http.StatusOK).says("The payment is waiting for the maker’s " +
		"answer").says("Why is invoice 1107 paid twice?").says("Reject")
	if open.page.Find("#approve").Length() != 0 {
		t.Error("an open question has a button to approve")
	}
	approval := url.Values{"looked": {"First payment"}, "version": {"1"}, "contentHash": {hash(m)}}
	checker.post(at+"/approve", approval).is(http.StatusConflict).says("waiting for the maker's answer")
	checker.get("/payments?state=Question").is(http.StatusOK).says(ref)

	answerAt := "/payments/" + m.InternalID.String() + "/answer"
	maker.get("/").is(http.StatusOK).says("Questions for you").says("Why is invoice 1107 paid twice?")
	maker.get("/mine").is(http.StatusOK).says("Checker 1: Why is invoice 1107 paid twice?").says("Answer")
	maker.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("Answer the question")
	maker.get(answerAt).is(http.StatusOK).says(m.Summary.CreditorName).says(m.Summary.Amount.Swiss())
	form = maker.get(answerAt).is(http.StatusOK).says("Why is invoice 1107 paid twice?").says("Amend the payment instead").fields(answerAt)
	form.Set("answer", "It has two instalments.")
	b.as("maker2").get(answerAt).is(http.StatusForbidden)
	maker.get(maker.post(answerAt, form).goesTo("/mine")).is(http.StatusOK).says("Your answer to the question about " + ref + " was sent")
	b.as("checker2").get(chosen(m.InternalID.String())).says("Why is invoice 1107 paid twice?").says("It has two instalments.")
	maker.get(answerAt).is(http.StatusConflict).says("There are no open questions about " + ref)

	pane := checker.get(at).is(http.StatusOK).says("It has two instalments.").says("Maker 1 answered on")
	checker.post(at+"/approve", pane.fields(at+"/approve")).goesTo("/queue")
	maker.get("/payments/" + m.InternalID.String() + "/timeline").is(http.StatusOK).says("Question for the maker").says("Answered")
	if m = b.message("demo", m.InternalID.String()); m.State != payment.StateApproved {
		t.Errorf("it is %s", m.State)
	}
	if n := b.count("SELECT count(*) FROM audit_event WHERE event IN ('instruction.ask', 'instruction.answer') AND channel = " +
		"'portal'"); n != 2 {
		t.Errorf("%d audit rows", n)
	}
}

// TestAQuestionIsAboutWhatItsAskerSaw: an amendment in between stops it, and nothing typed is lost.
func TestAQuestionIsAboutWhatItsAskerSaw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	at := "/queue/" + m.InternalID.String()
	form := checker.get(at + "/ask").is(http.StatusOK).fields(at + "/ask")
	form.Set("question", "Is the amount right?")
	form.Set("version", "2")
	checker.post(at+"/ask", form).is(http.StatusConflict).says("Your question was not sent.").says("Is the amount right?")
	form.Set("version", "1")
	checker.post(at+"/ask/keep", form).is(http.StatusOK)
	checker.get(at + "/ask").is(http.StatusOK).says("Is the amount right?")
	b.as("checker2").post(at+"/reject", url.Values{
		"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {"No."},
	})
	checker.post(at+"/ask", form).is(http.StatusConflict).says("already rejected by Checker 2").says("Is the amount right?")
	maker.get(at + "/ask").is(http.StatusForbidden)
}
