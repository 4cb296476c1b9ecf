package views

import (
	"time"

	"countersign/internal/i18n"
)

// Webhook is the page of a webhook with its last attempts.
type Webhook struct {
	Layout   Layout
	URL      string
	InForce  bool
	SendURL  string // POST sends the event of the field event again, or a test
	Attempts []WebhookAttempt
}

// WebhookAttempt is a try to deliver an event.
type WebhookAttempt struct {
	Type    string
	At      time.Time
	Answer  i18n.Text // the status of the answer
	Failure i18n.Text
	EventID string // "" for a test
}
