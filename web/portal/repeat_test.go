package portal_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	checker.post(path+"/reject", reject).is(http.StatusConflict).says("was already approved by Checker 1").says("was not saved")
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
		other := maker.post(path, with(form, "reason", "Another")).is(http.StatusConflict).says("The payment or request has already been " +
			"withdrawn.")
		if said := other.main(); strings.Contains(said, "Nothing was withdrawn") {
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

// TestTwoWhoSubmitTheSameAtOnce: the second one, who waited for the first, is asked whether it is a duplicate, with each payment of a file and
// with an amendment too. Neither saw the other's payment on the page with the button.
func TestTwoWhoSubmitTheSameAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	makers := []*browser{b.as("maker1"), b.as("maker2")}
	file := []byte(strings.ReplaceAll(strings.ReplaceAll(strings.Join(table(2), "\r\n"), "CH48 0900 0000 8700 1234 "+
		"0", filled().Get("creditorIban")),
		"CH48 0900 0000 8700 1234 1", filled().Get("creditorIban")))
	for _, c := range []struct {
		name    string
		stored  int // messages, of both together
		prepare func(w *browser, nth string) (path string, form url.Values)
	}{
		{"a payment", 1, func(w *browser, nth string) (string, url.Values) {
			check := w.post("/payments/new", with(filled(), "endToEndId", nth)).goesTo("/payments/")
			return strings.TrimSuffix(check, "check") + "submit", w.shown(check)
		}},
		{"a file", 2, func(w *browser, _ string) (string, url.Values) {
			path := w.upload("Lohn.csv", file).goesTo("/payments/batches/")
			return path + "/submit", w.get(path).is(http.StatusOK).fields(path + "/submit")
		}},
		{"an amendment", 2, func(w *browser, nth string) (string, url.Values) {
			m := w.submit(with(filled(), "endToEndId", "A"+nth, "amount", "7"+nth))
			check := w.amends(m.InternalID.String(), "amount", "77.00", "amendReason", "typo")
			return strings.TrimSuffix(check, "check") + "submit", w.shown(check)
		}},
	} {
		before := b.count("SELECT count(*) FROM message")
		answers := b.atOnce(makers, c.prepare)
		if n := b.count("SELECT count(*) FROM message") - before; n != c.stored {
			t.Errorf("%s: %d messages, want %d", c.name, n, c.stored)
		}
		if c.name == "a file" {
			if n := strings.Count(answers[0].main()+answers[1].main(), "Explain why this payment is also needed"); n != 2 {
				t.Errorf("a file: %d lines ask, want 2", n)
			}
			continue
		}
		if answers[0].status == http.StatusUnprocessableEntity {
			slices.Reverse(answers)
		}
		answers[0].goesTo("/payments/")
		answers[1].is(http.StatusUnprocessableEntity).says("This is not a duplicate. Make this payment as well.")
		if ticked := answers[1].page.Find("#duplicateAcknowledged[checked]").Length(); ticked != 0 {
			t.Errorf("%s: the tick is there before its question", c.name)
		}
	}
	if n := b.count("SELECT count(*) FROM message_version WHERE amount = 7700"); n != 1 {
		t.Errorf("%d amendments, want 1", n)
	}
}

// atOnce lets makers send what each prepared when both have read what is stored, and returns the answers; of a file, its page.
func (b *bench) atOnce(makers []*browser, prepare func(w *browser, nth string) (string, url.Values)) []answer {
	b.t.Helper()
	sent := make(chan answer, len(makers))
	var wait []func()
	for i, w := range makers {
		path, form := prepare(w, strconv.Itoa(i+1))
		wait = append(wait, func() {
			got := w.post(path, form)
			if strings.Contains(path, "/batches/") {
				got = w.get(got.goesTo("/payments/batches/")).is(http.StatusOK)
			}
			sent <- got
		})
	}
	tx, err := b.DB.Connect(b.t).Begin(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = tx.Exec(b.t.Context(), "SELECT FROM realm WHERE realm = 'demo' FOR NO KEY UPDATE")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, send := range wait {
		go send()
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == len(makers) {
			break
		}
	}
	err = tx.Rollback(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var answers []answer
	for range makers {
		answers = append(answers, <-sent)
	}
	return answers
}
