package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
)

// repeats sends a form twice, as the page after a broken connection lets people do. Both are answered alike, down to the sentence on the
// page that follows.
func (w *browser) repeats(path string, form url.Values) {
	w.b.t.Helper()
	var answers [2]string
	for i := range answers {
		where := w.post(path, form).is(http.StatusSeeOther).location
		said := strings.TrimSpace(w.get(where).is(http.StatusOK).page.Find("#status").Text())
		if said == "" {
			w.b.t.Errorf("%s leads to %s, which says nothing", path, where)
		}
		answers[i] = where + " " + said
	}
	if answers[0] != answers[1] {
		w.b.t.Errorf("%s is answered with %q, and sent again with %q", path, answers[0], answers[1])
	}
}

// TestADecisionSentTwiceIsToldAsDone: an approval, the first one of two, a rejection, the approval of a recall; by htmx too.
func TestADecisionSentTwiceIsToldAsDone(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	maker, checker := o.as("maker1"), o.as("checker1")
	recall := maker.requests("/payments/"+original.InternalID.String()+"/recall", "reason", "DUPL").InternalID.String()
	ids := maker.priced("10.00", "12000.00", "20.00", "30.00", "13000.00")
	decide := func(id, how string, more ...string) {
		path := "/queue/" + id
		checker.repeats(path+how, with(checker.get(path).is(http.StatusOK).fields(path+how), more...))
	}
	decide(ids[0], "/approve")
	decide(ids[1], "/approve")
	decide(ids[2], "/reject", "category", "duplicate", "reason", "Paid\r\non Monday")
	decide(recall, "/approve")

	// Who sends the first of two approvals again after the second one is told of their own.
	path := "/queue/" + ids[4]
	form, rival := checker.get(path).fields(path+"/approve"), o.as("checker2")
	checker.post(path+"/approve", form).goesTo("/queue/" + ids[3])
	rival.post(path+"/approve", rival.get(path).fields(path+"/approve")).goesTo("/queue")
	for range 2 {
		told := checker.withHTMX().post(path+"/approve", form).is(http.StatusOK).says("1 of 2 approvals given, by Checker 1")
		if next := told.page.Find(".detail").AttrOr("data-message", ""); next != ids[3] {
			t.Errorf("message %q opens next, want %s", next, ids[3])
		}
	}
	for i, want := range []payment.State{
		payment.StateApproved, payment.StateApprovalPending, payment.StateRejected, payment.StateApprovalPending, payment.StateApproved,
	} {
		if got := o.state(ids[i]); got != want {
			t.Errorf("message %d is %s, want %s", i, got, want)
		}
	}
	if n := o.count("SELECT count(*) FROM audit_event WHERE event LIKE '%-refused'"); n != 0 {
		t.Errorf("%d refusals are written for the auditor", n)
	}
}

// TestADecisionThatContradictsOnesOwnIsToldAsLost: only the same decision with the same words is a repeat.
func TestADecisionThatContradictsOnesOwnIsToldAsLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, path := b.as("checker1"), "/queue/"+b.as("maker1").priced("10.00")[0]
	page := checker.get(path).is(http.StatusOK)
	checker.post(path+"/approve", page.fields(path+"/approve")).goesTo("/queue")
	reject := with(page.fields(path+"/reject"), "category", "other", "reason", "No")
	checker.post(path+"/reject", reject).is(http.StatusConflict).says("was already approved by Checker 1").says("was not stored")
}

// TestAWithdrawalSentTwiceIsToldAsDone, with a reason and without; with another reason it is not, nor is it said not to be withdrawn.
func TestAWithdrawalSentTwiceIsToldAsDone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	ids := maker.priced("10.00", "20.00")
	for i, reason := range []string{"", "Paid\r\nby hand"} {
		path := "/payments/" + ids[i] + "/withdraw"
		form := with(maker.get(path).is(http.StatusOK).fields(path), "reason", reason)
		maker.repeats(path, form)
		other := maker.post(path, with(form, "reason", "Another")).is(http.StatusConflict).says("It is withdrawn already.")
		if said := other.main(); strings.Contains(said, "It was not withdrawn") {
			t.Errorf("of a withdrawn payment is said %q", said)
		}
	}
}

// TestAnAmendmentSentTwiceAtOnceIsOneVersion: the second one, which waited for the first, is told as done.
func TestAnAmendmentSentTwiceAtOnceIsOneVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	id := maker.priced("10.00")[0]
	amend := maker.get("/payments/" + id + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "5.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	send, shown := strings.TrimSuffix(check, "check")+"submit", maker.shown(check)

	// Both have read the payment before either may change it.
	conn := b.DB.Connect(t)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), "SELECT FROM message WHERE message_id = $1 FOR UPDATE", id)
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan answer)
	for range 2 {
		go func() { answers <- maker.post(send, shown) }()
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 2 {
			break
		}
	}
	err = tx.Rollback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		(<-answers).goesTo("/payments/" + id + "/submitted")
	}
	if m := b.message("demo", id); m.Version != 2 {
		t.Errorf("version %d", m.Version)
	}
}
