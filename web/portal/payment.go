package portal

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showPayment shows the first part of a payment's page.
func showPayment(v *Request) error { return v.renderPayment(views.TabOverview) }

// showPaymentPart shows one of the other parts.
func showPaymentPart(v *Request) error {
	part := views.PaymentTab(v.Echo.Param("part"))
	if part == views.TabOverview || !isPart(part) {
		return payment.ErrNotFound
	}
	return v.renderPayment(part)
}

func isPart(part views.PaymentTab) bool {
	switch part {
	case views.TabOverview, views.TabTimeline, views.TabMessages, views.TabRelated, views.TabAudit, views.TabPrint:
		return true
	}
	return false
}

func (v *Request) renderPayment(tab views.PaymentTab) error {
	m, err := v.Readable()
	if err != nil {
		return err
	}
	model, err := v.paymentModel(m, tab)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.PaymentPage(model))
}

func (v *Request) paymentModel(m payment.Message, tab views.PaymentTab) (views.Payment, error) {
	model := views.Payment{Layout: v.layout(i18n.Data(string(m.GlobalID)), views.PlacePayments), Tab: tab}
	documents, err := v.documents(m)
	if err != nil {
		return model, err
	}
	model.Message, err = fullMessage(v, m, documents)
	if err != nil {
		return model, err
	}
	model.Back = v.ListBehind()
	s, err := Around(v, m)
	if err != nil {
		return model, err
	}
	model.Actions, model.Barred, err = v.actions(m)
	if err != nil {
		return model, err
	}
	requests, sentences := v.requests(s, m)
	model.Actions, model.Barred = append(model.Actions, requests...), append(model.Barred, sentences...)
	model.Message.Warnings = append(v.noticeOfRecall(s, m), model.Message.Warnings...)
	model.Layout.Place, model.Flight, model.UnansweredURL = placeOf(m), v.flightOf(m, tab), unansweredURL(m, tab)
	switch tab {
	case views.TabMessages:
		err = v.listDocuments(&model, m, documents)
	case views.TabAudit:
		model.Audit, err = v.auditTrail(m)
	case views.TabPrint:
		model.Audit, err = v.auditTrail(m)
		err = errors.Join(err, v.listDocuments(&model, m, documents))
	case views.TabRelated:
		model.Related, err = v.related(s, m)
	case views.TabOverview, views.TabTimeline:
	}
	return model, err
}

// places maps kinds of messages to entries of the navigation; other kinds belong to the payments.
var places = map[payment.Kind]views.Place{payment.KindPayment: views.PlaceIncoming, payment.KindReceivedRecall: views.PlaceRecalls}

// placeOf returns the entry of the navigation that a message belongs to.
func placeOf(m payment.Message) views.Place { return cmp.Or(places[m.Kind], views.PlacePayments) }

// actions returns the steps the domain allows this person, each tried without being stored, and sentences about the expected ones that are
// barred.
func (v *Request) actions(m payment.Message) (actions []views.Action, barred []i18n.Text, err error) {
	path, amount := "/payments/"+m.InternalID.String(), m.Summary.Amount.Format()
	_, refusal := m.Reject(payment.Verdict{By: v.By, At: v.At}, "-")
	var fourEyes *payment.FourEyesError
	switch {
	case refusal == nil:
		actions = append(actions, views.Action{
			Label: i18n.Text("Approve or reject %s").With(amount), URL: "/queue/" + m.InternalID.String(),
			Primary: true,
		})
	case errors.As(refusal, &fourEyes) && m.State.Pending():
		barred = append(barred, i18n.OfError(refusal))
	}
	if m.Withheld == "" && mayAnswer(v, m) {
		actions = append(actions, views.Action{Label: "Answer the question", URL: path + "/answer", Primary: true})
	}
	if MayAmend(v, m) {
		actions = append(actions, views.Action{Label: i18n.Text("Amend %s").With(amount), URL: path + "/amend"})
	}
	if _, err := m.Withdraw(v.By, "-", v.At); err == nil {
		actions = append(actions, views.Action{Label: i18n.Text("Withdraw %s").With(amount), URL: path + "/withdraw"})
	}
	if MayMake(v.By) == nil {
		again, err := v.copySteps(m)
		if err != nil {
			return nil, nil, err
		}
		for _, step := range again {
			actions = append(actions, views.Action{Label: step.Label, URL: step.URL})
		}
	}
	if v.Config.Evidence != nil && v.By.Has(identity.RoleSupervisor) {
		actions = append(actions, views.Action{
			Label: "Download evidence of this payment", URL: path + "/evidence",
			Hint: "The evidence proves each step of this payment so far and who carried it out. The evidence is signed with the audit key of " +
				"this gateway.",
			Help: ui.Step{Label: "Verify an evidence file", URL: "/help#evidence"},
		})
	}
	return actions, barred, nil
}

func documentView(m payment.Message, d store.OutboundDocument) views.Document {
	of := m.InternalID
	if d.MessageID != uuid.Nil {
		of = d.MessageID // a recall's list shows its answer too, which is a message of its own
	}
	path := "/payments/" + of.String() + "/messages/" + d.ID.String()
	status := ""
	if d.Withheld != "" {
		status = "Withheld"
	}
	return views.Document{
		Status: i18n.Kept(status),
		ID:     d.ID.String(), Type: string(d.Name), Name: documentName(d.Name), At: d.At, Size: d.Size,
		Outgoing: d.Direction == payment.DocumentOut, Draft: d.Direction == payment.DocumentDraft,
		URL: path, DownloadURL: path + "/download",
	}
}

// documentName names the purpose of a kind of document.
func documentName(name iso20022.MessageName) i18n.Text {
	names := []struct {
		prefix string
		name   i18n.Text
	}{
		{"pain.001", "Payment order"},
		{"pain.002", "Status report to the client"},
		{"pacs.008", "Credit transfer"},
		{"pacs.002", "Status report from clearing"},
		{"pacs.004", "Return"},
		{"pacs.028", "Status request"},
		{"camt.056", "Recall"},
		{"camt.029", "Refusal of a recall"},
		{"camt.025", "Receipt"},
	}
	for _, known := range names {
		if strings.HasPrefix(string(name), known.prefix) {
			return known.name
		}
	}
	return "Message"
}

func (v *Request) auditTrail(m payment.Message) ([]views.AuditEntry, error) {
	events, err := v.Config.Reader.Audit(v.Context(), v.By.Realm, m.InternalID)
	entries := make([]views.AuditEntry, 0, len(events))
	for _, e := range events {
		entries = append(entries, auditEntry(e))
	}
	return entries, err
}

func auditEntry(e store.HistoryEvent) views.AuditEntry {
	return views.AuditEntry{
		At: e.At, Actor: e.Actor, Action: eventWords(e.Event), Refused: e.Refused, Channel: views.ChannelName(e.Channel, e.ClientID),
		Address: e.SourceAddress, RequestID: e.RequestID, Detail: detailWords(e),
	}
}
