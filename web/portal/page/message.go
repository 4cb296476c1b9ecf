package page

import (
	"encoding/hex"
	"strings"

	"countersign/internal/account"
	"countersign/internal/entry"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/language"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// MessageView converts a message for lists and pages. FillDocument, FillIncoming and rtransaction.FillRequest add the fields that only the
// document holds.
func MessageView(m payment.Message) views.Message {
	detail := ""
	if m.State == payment.StateFailed {
		_, detail = Failure(m)
	}
	return views.Message{
		StatusDetail: detail, ExpiresAt: m.ExpiresAt,
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, EndToEndID: m.Summary.EndToEndID,
		FollowUp: FollowUp(m), UETR: m.Summary.UETR, Kind: m.Kind, Scheme: m.Scheme, State: m.State,
		Amount:     AmountView(m.Summary.Amount),
		DebtorName: m.Summary.DebtorName, OrderedDebtor: m.Summary.OrderedDebtorName, DebtorAccount: m.Summary.DebtorAccount,
		CreditorName: m.Summary.CreditorName, CreditorAccount: m.Summary.CreditorAccount,
		CreditorBank: BankName(m.Summary.CreditorAccount, m.Summary.CreditorAgent), StatusReason: StatusReason(m),
		Maker: m.MakerName, SubmittedAt: m.CreatedAt, Channel: ChannelName(string(m.Channel), m.ClientID),
		ContentHash: hex.EncodeToString(m.ContentHash[:]), Payee: PayeeView(m.Payee),
	}
}

// toward are the words before the name in lists, for those kinds whose money does not go to a creditor.
var toward = map[payment.Kind]language.Text{
	payment.KindRecall: "back from", payment.KindReturn: "back to", payment.KindResolution: "stays with",
	payment.KindPayment:        "from (a debtor)",
	payment.KindReceivedRecall: "asked back for",
}

// Toward says which way the money of a message goes, before the name a list shows; "" for a payment to a creditor.
func Toward(m payment.Message) language.Text { return toward[m.Kind] }

// Facing is whose name and account a list shows: the creditor's, or the debtor's when the money came from there or goes back there.
func Facing(m payment.Message) (name, account string) {
	switch m.Kind {
	case payment.KindReturn, payment.KindPayment, payment.KindReceivedRecall:
		return m.Summary.DebtorName, m.Summary.DebtorAccount
	case payment.KindInstruction, payment.KindRecall, payment.KindResolution:
	}
	return m.Summary.CreditorName, m.Summary.CreditorAccount
}

// FillDocument adds what only the document says.
func FillDocument(view *views.Message, document *iso20022.CustomerCreditTransferInitiation) {
	_, tx, single := document.SinglePayment()
	if !single {
		return
	}
	if tx.Creditor != nil {
		view.CreditorAddress = AddressLines(tx.Creditor.PostalAddress)
	}
	kind, text := entry.RemittanceOf(tx.RemittanceInformation)
	view.RemittanceKind, view.Remittance = RemittanceName(kind), RemittanceShown(kind, text)
}

// FillIncoming adds what only the pacs.008 of an incoming payment says.
func FillIncoming(view *views.Message, m payment.Message) {
	document, _ := m.Document()
	transfer, ok := document.(*iso20022.FIToFICustomerCreditTransfer)
	if !ok {
		return
	}
	transaction, ok := transfer.SinglePayment()
	if !ok {
		return
	}
	kind, text := entry.RemittanceOf(transaction.RemittanceInformation)
	view.RemittanceKind, view.Remittance = RemittanceName(kind), RemittanceShown(kind, text)
}

// AmountView is an amount as pages show it.
func AmountView(amount money.Amount) ui.Amount {
	return ui.Amount{Currency: string(amount.Currency()), Value: amount.Swiss()}
}

// BankName is the bank that holds an account, as far as it is known: from the Swiss list, or as the document names it.
func BankName(iban, agent string) string {
	parsed, err := account.Parse(iban)
	if err == nil {
		bank, found := account.BankOf(parsed)
		switch {
		case found && !bank.BIC.IsZero():
			return bank.Name + ", " + bank.BIC.String()
		case found:
			return bank.Name
		}
	}
	return agent
}

// AddressLines are the lines of an address as an envelope has them; none for nil.
func AddressLines(address *iso20022.PostalAddress24) []language.Text {
	if address == nil {
		return nil
	}
	var lines []language.Text
	add := func(parts ...string) {
		line := strings.TrimSpace(strings.Join(parts, " "))
		if line != "" {
			lines = append(lines, language.Data(line))
		}
	}
	add(address.Department)
	add(address.BuildingName)
	add(address.StreetName, address.BuildingNumber)
	add(address.PostBox)
	for _, line := range address.AddressLine {
		add(line)
	}
	add(address.PostCode, address.TownName)
	if address.Country != "" {
		lines = append(lines, language.Country(address.Country))
	}
	return lines
}

// RemittanceName names a kind of remittance; "" for none.
func RemittanceName(kind string) language.Text {
	switch kind {
	case entry.RemittanceQR:
		return "QR reference"
	case entry.RemittanceReference:
		return "Creditor reference"
	case entry.RemittanceText:
		return "Message"
	}
	return ""
}

// RemittanceShown groups a reference as invoices print it.
func RemittanceShown(kind, text string) string {
	switch kind {
	case entry.RemittanceQR:
		reference, err := account.ParseQRReference(text)
		if err == nil {
			return reference.Grouped()
		}
	case entry.RemittanceReference:
		reference, err := account.ParseCreditorReference(text)
		if err == nil {
			return reference.Grouped()
		}
	}
	return text
}

// ChangesView are texts that were written differently, or that differ between versions.
func ChangesView(changes []entry.Change) []views.Change {
	var shown []views.Change
	for _, c := range changes {
		shown = append(shown, views.Change{Field: language.Sentence(c.Field), Before: c.Before, After: c.After})
	}
	return shown
}

// StatusReason explains a rejection, a failure, a refused recall, or an unknown outcome with the next step. A rejection is explained only
// for a message that was loaded with its decisions.
func StatusReason(m payment.Message) language.Text {
	decision, decided := m.LastDecision()
	switch {
	case m.State == payment.StateRejected && decided && decision.Action == payment.ActionReject:
		return language.Text("Rejected by %s: %s").With(decision.Name, decision.Reason)
	case m.State == payment.StateFailed:
		words, _ := Failure(m)
		return words
	case m.State == payment.StateRefused:
		return Refusal(m)
	case m.State == payment.StateUnconfirmed:
		return "Do not pay again yet: clearing has it and has not answered. It is asked again, and its answer still counts."
	}
	return ""
}

// ChannelName names the channel of a message: "Portal", "API, client demo-backoffice".
func ChannelName(channel, client string) language.Text {
	switch identity.Channel(channel) {
	case identity.ChannelPortal:
		return "Portal"
	case identity.ChannelAPI:
		return language.Text("API, client %s").With(client)
	case identity.ChannelClearing:
		return "Clearing"
	case identity.ChannelClock:
		return "Time limit"
	case identity.ChannelOperator:
		return "Command line"
	}
	return language.Data(channel)
}

// Withheld is the mark of a message that nobody may decide because its stored content failed verification.
const Withheld = ui.Withheld

// FollowUp returns the second state of a payment: withheld, or the state of its recall or return; "" for none.
func FollowUp(m payment.Message) string {
	if m.Withheld != "" {
		return Withheld
	}
	switch m.Kind {
	case payment.KindInstruction:
		return string(payment.RecallStatusOf(m.RecallState))
	case payment.KindPayment:
		return string(payment.ReturnStatusOf(m.ReturnState))
	default: // the other kinds have no second state
		return ""
	}
}

// AgainLabel is the label of the link to a new payment filled from this one; "" for no link. There is no link while the payment is in
// progress or its outcome is unknown.
func AgainLabel(m payment.Message) language.Text {
	if m.Kind != payment.KindInstruction || m.Withheld != "" {
		return ""
	}
	switch m.State {
	case payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed:
		return ""
	case payment.StateRejected, payment.StateFailed, payment.StateExpired, payment.StateWithdrawn:
		return "Correct and submit again"
	default:
		return "New payment like this"
	}
}

// MayAmend reports whether the state table, the person's roles and the time to decide leave room for an amendment.
func MayAmend(v *Visit, m payment.Message) bool {
	step := payment.Move{Kind: m.Kind, From: m.State, Action: payment.ActionAmend, To: payment.StateApprovalPending}
	return payment.Legal(step) && m.MayChange(v.By) == nil && v.At.Before(m.ExpiresAt)
}

// DataLines are lines of text that are the same in every language.
func DataLines(lines []string) []language.Text {
	texts := make([]language.Text, len(lines))
	for i, line := range lines {
		texts[i] = language.Data(line)
	}
	return texts
}
