package views

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Shown is a value of the document to clearing that a row of its own shows: the end of its place, and the value as the document has it. An
// element with another value at the same place is not shown by that row.
type Shown struct{ Place, Value string }

// in reports whether a row shows the statement.
func (s Shown) in(statement interbank.Statement) bool {
	return s.Value != "" && s.Value == statement.Value && strings.HasSuffix("/"+statement.Place, "/"+s.Place)
}

// AlsoSentTitle heads what AlsoSent lists.
const AlsoSentTitle i18n.Text = "Other details sent"

// alsoTitle is the heading of the elements of the document beyond the rows of the message.
func (m Message) alsoTitle() i18n.Text {
	if m.Direction == payment.DirectionIn {
		return "Other details received"
	}
	return AlsoSentTitle
}

// AlsoSent lists all content of the document to clearing without a row of its own. It is the only place that decides what may be missing
// from a page: nothing.
func AlsoSent(content interbank.Content, shown []Shown) []ui.Row {
	var rows []ui.Row
	for _, statement := range content.Statements() {
		if !slices.ContainsFunc(shown, func(s Shown) bool { return s.in(statement) }) {
			rows = append(rows, ui.Row{Term: ElementName(statement.Place), Value: readable(statement.Value, statement.Amount)})
		}
	}
	return rows
}

// readable groups the digits of an amount; any other value stays unchanged.
func readable(value string, isAmount bool) string {
	if !isAmount {
		return value
	}
	currency, number, _ := strings.Cut(value, " ")
	amount, err := money.ParseInput(money.Currency(currency), number)
	if err != nil || AmountStatement(amount) != value {
		return value
	}
	return amount.Format()
}

// ChangedElements are the differences between the documents to clearing of two versions.
func ChangedElements(earlier, later interbank.Content) []Change {
	var changes []Change
	for _, d := range interbank.Differences(earlier, later) {
		changes = append(changes, Change{Field: ElementName(d.Place), Before: readable(d.Before, d.Amount), After: readable(d.After, d.Amount)})
	}
	return changes
}

// ChangedDay is the difference between the execution dates of two versions of an order, which no document to clearing has.
func ChangedDay(earlier, later time.Time) []Change {
	if earlier.Equal(later) {
		return nil
	}
	return []Change{{Field: "Execution date", Before: ui.Day(earlier), After: ui.Day(later)}}
}

// Sent is the content of the document to clearing, as the rows of a page.
type Sent struct {
	Content         interbank.Content
	CreditorAddress []i18n.Text
	DebtorAddress   []i18n.Text
	Remittance      ui.Row   // empty for none
	Also            []ui.Row // what no other row shows
	// Banks names the banks of the accounts; nil where the Swiss list names them.
	Banks *account.Directory
}

// SentOf reads the document to clearing of a message. further names what other rows of the page show.
func SentOf(document iso20022.Document, m payment.Message, further ...Shown) Sent {
	sent := Sent{Content: interbank.ContentOf(document)}
	shown := slices.Concat(shownOf(m), shownBanks(m), further)
	add := func(at []Shown) { shown = append(shown, at...) }
	var at []Shown
	if transaction, is := transferIn(document); is {
		sent.Remittance, at = remittanceIn(transaction.RemittanceInformation)
		add(at)
		sent.CreditorAddress, at = addressIn("Cdtr/PstlAdr/", transaction.Creditor.PostalAddress)
		add(at)
		sent.DebtorAddress, at = addressIn("Dbtr/PstlAdr/", transaction.Debtor.PostalAddress)
		add(at)
	} else if about := m.Summary.Remittance; about != "" {
		sent.Remittance = ui.Row{Term: "Message to the creditor", Value: about}
		add([]Shown{{"RmtInf/Ustrd", about}, {"CdtrRefInf/Ref", about}})
	}
	if m.Direction != payment.DirectionIn || m.Kind == payment.KindPayment { // what else came in is about a payment that has its own page
		sent.Also = AlsoSent(sent.Content, shown)
	}
	return sent
}

// LineRows returns the rows of a message among several: those of its page, without the account number that its line has, and without a row
// for no remittance. What else an R-transaction sends is mostly about its payment, and folded.
func LineRows(m payment.Message, sent Sent) (rows, folded []ui.Row) {
	_, number := Facing(m)
	rows = slices.DeleteFunc(Message{Message: m, Sent: sent}.rows(), func(r ui.Row) bool {
		return r.Copy == number || r.Term == "Message to the creditor" && r.Value == ""
	})
	if kinds[m.Kind].toDebtor { // its money goes the other way
		for i := range rows {
			switch rows[i].Term {
			case "From":
				rows[i].Term = "To"
			case "Account":
				rows[i].Term = "From"
			}
		}
	}
	if m.Kind != payment.KindInstruction {
		return rows, sent.Also
	}
	return append(rows, sent.Also...), nil
}

func transferIn(document iso20022.Document) (*iso20022.CreditTransferTransaction39, bool) {
	transfer, is := document.(*iso20022.FIToFICustomerCreditTransfer)
	if !is {
		return nil, false
	}
	return transfer.SinglePayment()
}

// shownOf returns the values that every page of a message shows beside its document: amount, names, accounts, references.
func shownOf(m payment.Message) []Shown {
	s, amount := m.Summary, AmountStatement(m.Summary.Amount)
	shown := []Shown{
		{"CdtrAcct/Id/IBAN", s.CreditorAccount},
		{"DbtrAcct/Id/IBAN", s.DebtorAccount},
		{"PmtId/EndToEndId", s.EndToEndID},
		{"OrgnlEndToEndId", s.EndToEndID},
		{"Dbtr/Nm", s.DebtorName},
		{"Dbtr/Pty/Nm", s.DebtorName},
		{"Rsn/Cd", m.Reason},
	}
	for _, place := range []string{
		"IntrBkSttlmAmt", "TtlIntrBkSttlmAmt", "RtrdIntrBkSttlmAmt", "TtlRtrdIntrBkSttlmAmt", "OrgnlIntrBkSttlmAmt",
	} {
		shown = append(shown, Shown{place, amount})
	}
	if !kinds[m.Kind].toDebtor {
		shown = append(shown, Shown{"Cdtr/Nm", s.CreditorName}, Shown{"Cdtr/Pty/Nm", s.CreditorName})
	}
	return shown
}

// AmountStatement formats an amount as in a content.
func AmountStatement(amount money.Amount) string {
	return string(amount.Currency()) + " " + amount.String()
}

// shownBanks are the banks that the rows of the accounts name, by their roles in a document.
func shownBanks(m payment.Message) []Shown {
	creditor := []string{"CdtrAgt", "InstdAgt", "Assgne/Agt"}
	debtor := []string{"DbtrAgt", "InstgAgt", "Assgnr/Agt"}
	if m.Kind == payment.KindReturn || m.Kind == payment.KindResolution { // the creditor's bank sends it
		creditor, debtor = []string{"CdtrAgt", "InstgAgt", "Assgnr/Agt", "ChrgsInf/Agt"}, []string{"DbtrAgt", "InstdAgt", "Assgne/Agt"}
	}
	return append(shownBank(creditor, m.Summary.CreditorAccount, m.Summary.CreditorAgent),
		shownBank(debtor, m.Summary.DebtorAccount, m.Summary.DebtorAgent)...)
}

// shownBank is the bank of one account: its BIC where the row has it, or its clearing number, which is part of the account number.
func shownBank(roles []string, iban, agent string) []Shown {
	named := BankName(iban, agent, nil)
	parsed, err := account.Parse(iban)
	var shown []Shown
	for _, role := range roles {
		at := role + "/FinInstnId/"
		if agent != "" && strings.Contains(named, agent) {
			shown = append(shown, Shown{at + "BICFI", agent})
		}
		if err != nil {
			continue
		}
		if bank, found := account.BankOf(parsed); found && !bank.BIC.IsZero() {
			shown = append(shown, Shown{at + "BICFI", bank.BIC.String()})
		}
		if iid, found := parsed.IID(); found {
			shown = append(shown, Shown{at + "ClrSysMmbId/MmbId", iid.Short()}, Shown{at + "ClrSysMmbId/ClrSysId/Cd", "CHBCC"})
		}
	}
	return shown
}

// remittanceIn is the row of the remittance information.
func remittanceIn(information *iso20022.RemittanceInformation16) (ui.Row, []Shown) {
	row := RemittanceRow(information)
	_, text := orderform.RemittanceOf(information)
	shown := []Shown{{"RmtInf/Ustrd", text}, {"CdtrRefInf/Ref", text}}
	switch row.Term {
	case "QR reference":
		shown = append(shown, Shown{"CdtrRefInf/Tp/CdOrPrtry/Prtry", "QRR"})
	case "Creditor reference":
		shown = append(shown, Shown{"CdtrRefInf/Tp/CdOrPrtry/Cd", "SCOR"})
	}
	return row, shown
}

// addressIn returns the lines of an address as on an envelope, and the elements below the place that they show. AlsoSent shows an element
// that no envelope has.
func addressIn(place string, address *iso20022.PostalAddress24) (lines []i18n.Text, shown []Shown) {
	if address == nil {
		return nil, nil
	}
	add := func(parts ...Shown) {
		var words []string
		for _, part := range parts {
			if part.Value != "" {
				words = append(words, part.Value)
				shown = append(shown, Shown{place + part.Place, part.Value})
			}
		}
		if len(words) > 0 {
			lines = append(lines, i18n.Data(strings.Join(words, " ")))
		}
	}
	add(Shown{"Dept", address.Department})
	add(Shown{"BldgNm", address.BuildingName})
	add(Shown{"StrtNm", address.StreetName}, Shown{"BldgNb", address.BuildingNumber})
	add(Shown{"PstBx", address.PostBox})
	for _, line := range address.AddressLine {
		add(Shown{"AdrLine", line})
	}
	add(Shown{"PstCd", address.PostCode}, Shown{"TwnNm", address.TownName})
	if address.Country != "" {
		lines = append(lines, i18n.Country(address.Country))
		shown = append(shown, Shown{place + "Ctry", address.Country})
	}
	return lines, shown
}
