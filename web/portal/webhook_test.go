package portal_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAdministratorsSeeTheAttemptsOfAWebhookAndSendAgain: a test, the event of an attempt, and what the receiver answered.
func TestAdministratorsSeeTheAttemptsOfAWebhookAndSendAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var status atomic.Int64
	status.Store(http.StatusNoContent)
	var received atomic.Value
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received.Store(r.Header.Get("webhook-id"))
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(receiver.Close)
	change := b.as("admin1").post("/admin/ask/webhook.create", url.Values{"url": {receiver.URL}, "events": {"change.applied, message.settled"}}).
		goesTo("/admin/changes/")
	b.as("admin2").post(change+"/approve", nil).is(http.StatusOK).says("whsec_")
	id := b.text("SELECT webhook_id::text FROM webhook")
	admin := b.as("admin1")
	admin.get("/admin/webhooks").is(http.StatusOK).says(receiver.URL).says("change.applied, message.settled")
	page := "/admin/webhooks/" + id
	admin.post(page+"/send", nil).goesTo(page)
	admin.get(page).is(http.StatusOK).says("webhook.test").says("204")
	event := b.text("SELECT event_id::text FROM audit_event WHERE event = 'change.approve'")
	status.Store(http.StatusTeapot)
	admin.post(page+"/send", url.Values{"event": {event}}).goesTo(page)
	admin.get(page).is(http.StatusOK).says("418").says("change.applied")
	if received.Load() != event {
		t.Errorf("%v was sent instead of %s", received.Load(), event)
	}
	sent := b.text("SELECT string_agg(actor_name || ' ' || detail, E'\\n' ORDER BY event_id) FROM audit_event WHERE event = 'webhook.send'")
	if want := receiver.URL + `","reason":"change.applied ` + event; strings.Count(sent, "Admin 1") != 2 || !strings.Contains(sent, want) {
		t.Errorf("the audit trail says of what was sent by hand: %s", sent)
	}
	admin.post(page+"/send", url.Values{"event": {"x"}}).is(http.StatusNotFound)
	b.as("maker1").get(page).is(http.StatusForbidden)
	b.as("maker1").post(page+"/send", nil).is(http.StatusForbidden)
}
