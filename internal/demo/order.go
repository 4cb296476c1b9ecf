package demo

import (
	"fmt"
	"strings"
	"time"
)

// end is the last state to which the day brings a payment.
type end int

const (
	endReleased  end = iota // approved; the rest is up to clearing
	endPending              // waits for its checkers
	endHalf                 // has the first of two approvals
	endRejected             // by a checker
	endWithdrawn            // by its maker
	endExpired              // nobody decides it in the minute it has
)

// order is one payment of the day.
type order struct {
	scheme                  string
	amount                  string // its cents tell the simulator what to do
	creditor, town, account string
	text                    string
	end                     end
	large                   bool   // two approvals
	recall                  string // reason of a recall once it is settled, "" for none
}

// orders are the payments of the day. Names are those of public samples. Each creditor has an account of its own, made up at a bank of the
// samples.
var orders = []order{
	{
		scheme: "sic-inst", amount: "66.60", creditor: "Petra Muster", town: "Luzern", account: "CH2621966000009613396", text: "Nobody looked",
		end: endExpired,
	},
	{
		scheme: "sic-inst", amount: "1250.00", creditor: "Peter Haller", town: "Zuerich", account: "CH4821966000009613388",
		text: "Salary advance",
	},
	{
		scheme: "sct-inst", amount: "890.40", creditor: "Societe Exemple SARL", town: "Paris", account: "FR1420041010050500013M02606",
		text: "Facture 2026-114",
	},
	{
		scheme: "sic-inst", amount: "18400.00", creditor: "Beispiel Bau AG", town: "Bern", account: "CH0421966000009613404",
		text: "Instalment 2 of 3", large: true,
	},
	{scheme: "sic-inst", amount: "312.91", creditor: "Petra Muster", town: "Luzern", account: "CH2621966000009613396", text: "Refund 4711"},
	{scheme: "sct-inst", amount: "75.92", creditor: "Voorbeeld BV", town: "Amsterdam", account: "NL91ABNA0417164300", text: "Order 5520"},
	{scheme: "sct-inst", amount: "431.93", creditor: "Muster GmbH", town: "Wien", account: "AT611904300234573201", text: "Rechnung 88"},
	{
		scheme: "sic-inst", amount: "540.20", creditor: "Peter Haller", town: "Zuerich", account: "CH4821966000009613388", text: "Paid twice",
		recall: "DUPL",
	},
	{
		scheme: "sct-inst", amount: "610.60", creditor: "Societe Exemple SARL", town: "Lyon", account: "FR1420041010050500013M02606",
		text: "Facture 2026-90", recall: "DUPL",
	},
	{
		scheme: "sic-inst", amount: "99.85", creditor: "Petra Muster", town: "Luzern", account: "CH2621966000009613396", text: "Expenses May",
		recall: "DUPL",
	},
	{
		scheme: "sct-inst", amount: "215.00", creditor: "Beispiel GmbH", town: "Berlin", account: "DE08370400440532013100", text: "Rechnung 102",
		recall: "DUPL",
	},
	{
		scheme: "sic-inst", amount: "4800.00", creditor: "Treuhand Muster AG", town: "Basel", account: "CH5721966000009613420",
		text: "Audit 2026", end: endRejected,
	},
	{
		scheme: "sct-inst", amount: "66.00", creditor: "Voorbeeld BV", town: "Amsterdam", account: "NL91ABNA0417164300", text: "Order 5521",
		end: endWithdrawn,
	},
	{
		scheme: "sct-inst", amount: "24500.00", creditor: "Maschinen Muster GmbH", town: "Stuttgart", account: "DE24370400440532013200",
		text: "Deposit", end: endHalf, large: true,
	},
	{
		scheme: "sic-inst", amount: "725.35", creditor: "Druckerei Beispiel AG", town: "St. Gallen", account: "CH7921966000009613412",
		text: "Invoice 2026-118", end: endPending,
	},
	{
		scheme: "sct-inst", amount: "2380.00", creditor: "Societe Exemple SARL", town: "Paris", account: "FR1420041010050500013M02606",
		text: "Facture 2026-121", end: endPending,
	},
	{
		scheme: "sic-inst", amount: "13750.00", creditor: "Beispiel Bau AG", town: "Bern", account: "CH0421966000009613404",
		text: "Instalment 3 of 3", end: endPending, large: true,
	},
}

// body is the order as JSON.
func (o order) body(number int, now time.Time) string {
	return o.fill(`{"identifiers":{"externalId":"PAY-NUMBER"},"Document":`+documentText+`}`, int64(number), now)
}

// fill writes the order into a text.
func (o order) fill(text string, number int64, now time.Time) string {
	debtor, debtorAccount, agent, currency := "Muster AG", "CH5021977000004331346",
		`{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}`, "CHF"
	kind := `{"LclInstrm":{"Cd":"INST"}}`
	if o.scheme == "sct-inst" {
		debtor, debtorAccount, agent, currency = "Muster GmbH", "DE62007620110623852957", `{"BICFI":"AAAADEFFXXX"}`, "EUR"
		kind = `{"SvcLvl":{"Cd":"SEPA"},"LclInstrm":{"Cd":"INST"}}`
	}
	return strings.NewReplacer(
		"NUMBER", fmt.Sprintf("%02d", number), "NOW", now.Format(time.RFC3339), "TODAY", now.Format(time.DateOnly),
		"DEBTORACCOUNT", debtorAccount, "DEBTOR", debtor, "AGENT", agent, "KIND", kind, "AMOUNT", o.amount, "CURRENCY", currency,
		"CREDITOR", o.creditor, "TOWN", o.town, "COUNTRY", o.account[:2], "ACCOUNT", o.account, "TEXT", o.text,
	).Replace(text)
}

const documentText = `{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"PAY-NUMBER","CreDtTm":"NOW","NbOfTxs":"1","CtrlSum":"AMOUNT","InitgPty":{"Nm":"DEBTOR"}},
"PmtInf":{"PmtInfId":"PAY-NUMBER","PmtMtd":"TRF","BtchBookg":false,"PmtTpInf":KIND,"ReqdExctnDt":{"Dt":"TODAY"},
"Dbtr":{"Nm":"DEBTOR"},"DbtrAcct":{"Id":{"IBAN":"DEBTORACCOUNT"}},"DbtrAgt":{"FinInstnId":AGENT},
"CdtTrfTxInf":{"PmtId":{"InstrId":"PAY-NUMBER","EndToEndId":"PAY-NUMBER"},"Amt":{"InstdAmt":{"Ccy":"CURRENCY","value":"AMOUNT"}},
"Cdtr":{"Nm":"CREDITOR","PstlAdr":{"TwnNm":"TOWN","Ctry":"COUNTRY"}},"CdtrAcct":{"Id":{"IBAN":"ACCOUNT"}},"RmtInf":{"Ustrd":"TEXT"}}}}}`

// SampleOrder is an order of the demo's realm: a Swiss instant payment that one approval releases. The number is part of its references and
// comes once; now is a time in the banks' zone, whose day it is to be paid on.
func SampleOrder(number int64, now time.Time) (externalID, document string) {
	sample := order{
		scheme: "sic-inst", amount: "200.00", creditor: "Peter Haller", town: "Zuerich", account: "CH4821966000009613388", text: "Salary advance",
	}
	return fmt.Sprintf("PAY-%02d", number), sample.fill(documentText, number, now)
}
