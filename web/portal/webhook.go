package portal

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/views"
)

const webhooksPath = "/admin/webhooks"

var webhookList = adminList{
	noun: "webhook", path: webhooksPath, label: "Webhooks",
	words:   "Addresses of programs that receive this realm's events. Each event is signed with a secret.",
	make:    []administration.Kind{administration.KindWebhookCreate},
	columns: []i18n.Text{"Address", "Events", "Status", "Actions"},
	fill: rowsOf("webhook", func(_ *Request, w administration.Webhook) views.AdministrationRow {
		row := views.AdministrationRow{
			URL: webhooksPath + "/" + w.ID, Cells: []i18n.Text{i18n.Data(w.URL), cmp.Or(i18n.Data(w.Events), "all"), FieldValue("", w.Status)},
		}
		if w.Status == administration.StatusInForce {
			row.Links = links(w.ID, administration.KindWebhookSecret, administration.KindWebhookRetire)
		}
		return row
	}),
}

// webhook finds the webhook of the path.
func (v *Request) webhook() (administration.Webhook, uuid.UUID, error) {
	id, err := v.ID("id")
	if err != nil {
		return administration.Webhook{}, id, err
	}
	webhooks, err := subjectsOf[administration.Webhook](v, "webhook")
	for _, w := range webhooks {
		if w.ID == id.String() {
			return w, id, nil
		}
	}
	if err == nil {
		err = payment.ErrNotFound
	}
	return administration.Webhook{}, id, err
}

// showWebhook lists the last attempts of a webhook.
func showWebhook(v *Request) error {
	w, id, err := v.webhook()
	if err != nil {
		return err
	}
	attempts, err := v.Config.Webhooks.Attempts(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	model := views.Webhook{
		Layout: v.layout("Webhook", views.PlaceAdministration), URL: w.URL, InForce: w.Status == administration.StatusInForce,
		SendURL: webhooksPath + "/" + w.ID + "/send",
	}
	for _, a := range attempts {
		shown := views.WebhookAttempt{Type: string(a.Type), At: a.At, Failure: i18n.Kept(a.Failure), Answer: "none"}
		if a.Status > 0 {
			shown.Answer = i18n.Data(strconv.Itoa(a.Status))
		}
		if a.Type != service.TypeTest {
			shown.EventID = a.EventID.String()
		}
		model.Attempts = append(model.Attempts, shown)
	}
	return v.Render(http.StatusOK, views.WebhookPage(model))
}

// sendWebhook sends an event to a webhook again, or a test.
func sendWebhook(v *Request) error {
	w, id, err := v.webhook()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	event := uuid.Nil
	if text := form.Get("event"); text != "" {
		event, err = uuid.Parse(text)
		if err != nil {
			return payment.ErrNotFound
		}
	}
	attempt, err := v.Config.Webhooks.Try(v.Context(), v.By, id, event)
	if err != nil {
		return err
	}
	status := i18n.Text("The event was sent, and the receiver accepted it.")
	if attempt.Failure != "" {
		status = "The event was sent, but the receiver did not accept it."
	}
	return v.GoTo(webhooksPath+"/"+w.ID, status)
}
