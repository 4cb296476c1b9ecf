package portal_test

import (
	"net/http"
	"net/url"
	"testing"
)

// looked is what the row and the open message say of who else has it open.
func (a answer) looked(id string) string {
	return a.page.Find("#row-" + id + " [data-looked]").Text()
}

func TestCheckersSeeWhoElseHasAMessageOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("10.00", "20.00")
	first, second := b.as("checker1"), b.as("checker2")
	first.get("/queue/" + ids[1]).is(http.StatusOK)
	const said = "Checker 1 is viewing this item"
	page := second.get("/queue/" + ids[1]).is(http.StatusOK)
	if text := page.looked(ids[1]); text != said {
		t.Errorf("the row says %q", text)
	}
	if text := page.page.Find("#pane [data-looked]").Text(); text != said {
		t.Errorf("the open message says %q", text)
	}
	if text := page.looked(ids[0]); text != "" {
		t.Errorf("the other row says %q", text)
	}
	// One's own presence is no news, and somebody who may not decide is not told of.
	b.as("supervisor1").get("/queue/" + ids[0]).is(http.StatusOK)
	if text := first.get("/queue?tab=all").looked(ids[0]); text != "" {
		t.Errorf("of a supervisor the row says %q", text)
	}
	first.get("/queue/" + ids[0]).is(http.StatusOK) // moves on
	if text := second.get("/queue/" + ids[1]).looked(ids[1]); text != "" {
		t.Errorf("after they went on the row says %q", text)
	}
	b.change("UPDATE presence SET seen_at = seen_at - interval '31 seconds'")
	if text := second.get("/queue/" + ids[1]).looked(ids[0]); text != "" {
		t.Errorf("long after the row says %q", text)
	}
	if n := b.count("SELECT count(*) FROM presence"); n != 2 {
		t.Errorf("%d people are kept, want the two checkers", n)
	}
	if n := b.count("SELECT count(*) FROM presence p JOIN message m USING (realm, message_id) WHERE m.state_sequence > 1"); n != 0 {
		t.Errorf("%d messages were touched", n)
	}

	supervisor, decided := b.as("supervisor1"), b.message("demo", ids[0])
	first.get("/queue/" + ids[0]).is(http.StatusOK)
	if text := supervisor.get("/queue/" + ids[0]).looked(ids[0]); text != said {
		t.Errorf("before the decision the row says %q", text)
	}
	second.post("/queue/"+ids[0]+"/approve", url.Values{"looked": {"First payment"}, "version": {"1"}, "contentHash": {hash(decided)}})
	first.get("/queue/" + ids[0]).is(http.StatusOK) // reads what became of it
	if text := supervisor.get("/queue/" + ids[0]).page.Find(`[data-looked="` + ids[0] + `"]`).Text(); text != "" {
		t.Errorf("of what was decided the page says %q", text)
	}
}
