package views

import (
	"cmp"
	"strings"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Toward returns the words before the name in lists that give the direction of the money; "" for a payment to a creditor.
func Toward(m payment.Message) i18n.Text {
	if m.Kind == payment.KindInstruction {
		return ""
	}
	return kinds[m.Kind].toward
}

// Facing returns the name and account that a list shows: the creditor's, or the debtor's when the money came from there or goes back there.
func Facing(m payment.Message) (name, account string) {
	if kinds[m.Kind].toDebtor {
		return m.Summary.DebtorName, m.Summary.DebtorAccount
	}
	return m.Summary.CreditorName, m.Summary.CreditorAccount
}

// BankName names the bank of an account, as far as known: from the Swiss list, from a directory, which may be nil, or from the document.
func BankName(iban, agent string, banks *account.Directory) string {
	parsed, err := account.Parse(iban)
	if err != nil {
		return agent
	}
	bank, found := account.BankOf(parsed)
	switch {
	case found && !bank.BIC.IsZero():
		return bank.Name + ", " + bank.BIC.String()
	case found:
		return bank.Name
	case banks == nil:
		return agent
	}
	if listed, found := banks.BankOf(parsed); found && listed.Name != "" {
		return strings.TrimSuffix(listed.Name+", "+cmp.Or(agent, listed.BIC), ", ")
	}
	return agent
}

// RemittanceRow returns the purpose of a payment; a reference is grouped as invoices print it. It is empty for a payment without one.
func RemittanceRow(information *iso20022.RemittanceInformation16) ui.Row {
	kind, text := orderform.RemittanceOf(information)
	row := ui.Row{Value: text, Numeric: true}
	switch kind {
	case orderform.RemittanceQR:
		row.Term = "QR reference"
		if reference, err := account.ParseQRReference(text); err == nil {
			row.Value = reference.Grouped()
		}
	case orderform.RemittanceReference:
		row.Term = "Creditor reference"
		if reference, err := account.ParseCreditorReference(text); err == nil && reference.String() == text {
			row.Value = reference.Grouped()
		} else {
			row.Value = strings.ReplaceAll(text, " ", "␣") // not the spaces of a group
		}
	case orderform.RemittanceText:
		row.Term, row.Numeric = "Message (remittance)", false
	default:
		return ui.Row{}
	}
	return row
}

// ChangesView are texts that were written differently, or that differ between versions.
func ChangesView(changes []orderform.Change) []Change {
	var shown []Change
	for _, c := range changes {
		shown = append(shown, Change{Field: i18n.Kept(c.Field), Before: c.Before, After: c.After})
	}
	return shown
}

// StatusReason explains a rejection, a failure, a refused recall, or an unknown outcome with the next step. A rejection is explained only
// for a message that was loaded with its decisions.
func StatusReason(m payment.Message) i18n.Text {
	decision, decided := m.LastDecision()
	switch {
	case m.State == payment.StateRejected && decided && decision.Action == payment.ActionReject:
		return i18n.Text("Rejected by %s. %s").With(decision.Name, RejectReason(decision.Reason))
	case m.State == payment.StateFailed:
		words, _ := Failure(m)
		return words
	case m.State == payment.StateRefused:
		return Refusal(m)
	case m.State == payment.StateUnconfirmed:
		return "Do not pay again yet. Clearing has not answered. The gateway will ask clearing again, and a late answer still counts."
	}
	return ""
}

// ChannelName names the channel of a message: "Portal", "API, client demo-backoffice".
func ChannelName(channel, client string) i18n.Text {
	switch identity.Channel(channel) {
	case identity.ChannelPortal:
		return "Portal"
	case identity.ChannelAPI:
		return i18n.Text("API, client %s").With(client)
	case identity.ChannelClearing:
		return "Clearing"
	case identity.ChannelClock:
		return "Time limit"
	case identity.ChannelOperator:
		return "Command line"
	}
	return i18n.Data(channel)
}

// FollowUp returns the second state of a payment: withheld, or the state of its recall or return; "" for none.
func FollowUp(m payment.Message) string {
	if m.Withheld != "" {
		return ui.Withheld
	}
	switch {
	case payment.ShowsReturn(m) && m.ReturnState.Pending():
		return ui.ReturnWaiting
	case payment.ShowsReturn(m):
		return string(payment.ReturnStatusOf(m.ReturnState))
	case m.Kind == payment.KindInstruction && m.RecallState.Pending():
		return ui.RecallWaiting
	case m.Kind == payment.KindInstruction:
		return string(payment.RecallStatusOf(m.RecallState))
	}
	return "" // the other kinds have no second state
}

// AgainLabel is the label of the link to a new payment filled from this one; "" for no link. There is no link while the payment is in
// progress or its outcome is unknown.
func AgainLabel(m payment.Message) i18n.Text {
	if m.Kind != payment.KindInstruction || m.Withheld != "" {
		return ""
	}
	switch {
	case m.State == payment.StateApproved, m.State == payment.StateProcessing, m.State == payment.StateUnconfirmed:
		return ""
	case IsCorrected(m):
		return "Correct and submit again"
	}
	return "Create a similar payment"
}

// IsCorrected reports whether a payment ended without a payment, so that a new one corrects it.
func IsCorrected(m payment.Message) bool {
	switch m.State { //nolint:exhaustive // the others go on or were paid
	case payment.StateRejected, payment.StateFailed, payment.StateExpired, payment.StateWithdrawn:
		return m.Kind == payment.KindInstruction && m.Withheld == ""
	}
	return false
}

// Purpose returns the purpose of a message for a list: the text to the creditor, or the reason of an R-transaction with its code.
func Purpose(m payment.Message) i18n.Text {
	if m.Reason == "" {
		return i18n.Data(m.Summary.Remittance)
	}
	return ReasonText(m.Kind, m.Scheme, m.Reason)
}
