package administration

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Webhook is an address that gets the events of the realm.
type Webhook struct {
	ID     string `field:"webhookId"`
	URL    string `field:"url"`
	Events string `field:"events"` // types, as Words writes them; "" for all
	Status string `field:"status"`
}

// The kinds of changes of webhooks.
const (
	KindWebhookCreate Kind = "webhook.create"
	KindWebhookSecret Kind = "webhook.secret"
	KindWebhookRetire Kind = "webhook.retire"
)

// EventTypes are the types of events that a webhook can get and a client can read, in the order of the table of moves of messages.
var EventTypes = []string{
	"message.created", "message.approval_pending", "message.approved", "message.scheduled", "message.rejected", "message.withdrawn",
	"message.amended", "message.expired", "message.question", "message.processing", "message.settled", "message.failed",
	"message.unconfirmed", "message.acknowledged", "recall.answered", "message.overdue", "message.communicated", "payment.received",
	"message.booked", "recall.received", "change.applied",
}

const webhookURLLimit = 255

var webhookNoun = Noun{
	Name: "webhook", Plural: "webhooks", Key: "webhookId",
	Fields: []Field{
		{Key: "webhookId", Label: "Webhook", Hidden: true},
		{
			Key: "url", Label: "Address", Min: 1, Max: webhookURLLimit, Exact: true, Required: true,
			Hint: "For example, https://erp.bank.example/events",
		},
		{Key: "events", Label: "Events", Type: TypeList, Hint: "Event types such as message.settled and message.failed. Leave empty for all " +
			"types"},
		{Key: "secret", Label: "Secret"},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindWebhookCreate, Fields: []string{"url", "events"}, Label: "New webhook", Heading: "Create a webhook",
			Words: "Once the webhook is approved, events of the realm are sent to its address. The secret for checking their signatures is " +
				"shown only once, to the administrator who approves the webhook.",
		},
		{
			Kind: KindWebhookSecret, Label: "New secret", Heading: "Create a new secret for a webhook",
			Words: "For 24 hours, events are signed with both the old and the new secret. The administrator who approves the new secret sees " +
				"it only once.",
		},
		{
			Kind: KindWebhookRetire, Status: StatusRetired, Label: "Retire", Heading: "Retire a webhook",
			Words: "The webhook will no longer receive events. You cannot undo this.",
		},
	},
}

// Values are the fields of the webhook.
func (w Webhook) Values() Values { return ValuesOf(w) }

// WebhookOf reads a webhook from its fields. Error: iso20022.FieldError.
func WebhookOf(values Values, prefix string) (Webhook, error) {
	f, w := &findings{prefix: prefix}, Webhook{}
	Fill(&w, values)
	w.Events = Words(WordsOf[string](w.Events))
	f.check(&webhookNoun, values)
	if w.URL != "" && !webhookAddress(w.URL) {
		f.add("url", codeFormat, "Enter an address that starts with https and has no user name, such as https://erp.bank.example/events.")
	}
	for _, name := range WordsOf[string](w.Events) {
		if !slices.Contains(EventTypes, name) {
			f.add("events", codeUnknown, "Enter valid event types, such as message.settled.")
			break
		}
	}
	return w, f.err()
}

// webhookAddress reports whether an address is of https, or of http on this machine. The network is checked when it is dialled.
func webhookAddress(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || strings.ContainsAny(text, " \\") {
		return false
	}
	if u.Scheme == "http" {
		address, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
	}
	return u.Scheme == "https"
}

func (r Request) afterWebhook(known Facts) (Values, error) {
	if known.Before["status"] == StatusRetired {
		return nil, refuse("/subject", codeFormat, "Create a new webhook. The webhook you chose is permanently retired.")
	}
	switch r.Kind { //nolint:exhaustive // the others are of other nouns
	case KindWebhookSecret:
		return known.Before.with(Values{"secret": SecretAnew}), nil
	case KindWebhookRetire:
		return known.Before.with(Values{"status": StatusRetired}), nil
	}
	w, err := WebhookOf(r.Values, valuesPrefix)
	w.ID, w.Status = r.ID.String(), StatusInForce
	return w.Values().with(Values{"secret": SecretAnew}), err
}
