package clearing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
)

// statementOf is a camt.053 of one day with a line for each message that is settled here.
func statementOf(t *testing.T, scheme rulebook.Scheme, ledger []payment.LedgerItem) string {
	t.Helper()
	var entries strings.Builder
	for _, item := range ledger {
		way := "DBIT"
		if item.Direction == payment.DirectionIn {
			way = "CRDT"
		}
		fmt.Fprintf(&entries, `<Ntry><Amt Ccy="%s">%s</Amt><CdtDbtInd>%s</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt>`+
			`<NtryDtls><TxDtls><Refs><InstrId>%s</InstrId><TxId>%s</TxId></Refs></TxDtls></NtryDtls></Ntry>`,
			profileOf(scheme).Currency, item.Amount.Decimal().String(), way, item.GlobalID, item.TransactionID)
	}
	return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><FrToDt><FrDtTm>2026-03-02T00:00:00+01:00</FrDtTm>` +
		`<ToDtTm>2026-03-03T00:00:00+01:00</ToDtTm></FrToDt>` + entries.String() + `</Stmt></BkToCstmrStmt></Document>`
}

// A statement of clearing about payments, returns and what came in fits the database; each line taken away or added is named.
func TestAStatementOfClearingIsReconciled(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		settled(t, h, scheme)
		settled(t, h, scheme) // comes back
		was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
		receive(t, h, inbound(t, scheme, "RET1", returnOf(t, h, scheme, was, "AC04", "RET1"), nil))
		open := approved(t, h, scheme)
		send(t, h, open)
		in, _ := booked(t, h, scheme, "TX1")
		booked(t, h, scheme, "TX2")
		back := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: in.InternalID,
		})
		send(t, h, back)
		receive(t, h, answer(t, back, "ST-"+string(back.GlobalID), "ACSC", ""))
		snapshot, err := integrity.Open(ctx, h.DB.OwnerURL)
		must(t, err)
		zone, err := time.LoadLocation("Europe/Zurich")
		must(t, err)
		ledger, err := snapshot.Ledger(ctx, scheme, time.Time{}, zone)
		must(t, err)
		snapshot.Close(ctx)
		var settledHere []payment.LedgerItem
		for _, item := range ledger {
			if item.State == payment.StateSettled || item.State == payment.StateBooked {
				settledHere = append(settledHere, item)
			}
		}
		if len(ledger) != 7 || len(settledHere) != 6 {
			t.Fatalf("%s: %d messages, %d settled", scheme, len(ledger), len(settledHere))
		}
		content := statementOf(t, scheme, settledHere)
		statement, err := interbank.ReadClearingStatement([]byte(content), zone)
		must(t, err)
		if found := payment.Reconcile(statement, ledger); len(found) > 0 {
			t.Errorf("%s: a statement that fits has differences: %+v", scheme, found)
		}
		for i := range settledHere {
			less, err := interbank.ReadClearingStatement([]byte(statementOf(t, scheme, append(append([]payment.LedgerItem{}, settledHere[:i]...),
				settledHere[i+1:]...))), zone)
			must(t, err)
			found := payment.Reconcile(less, ledger)
			if len(found) != 1 || found[0].Kind != payment.NotOnStatement || !strings.Contains(found[0].Here, string(settledHere[i].GlobalID)) {
				t.Errorf("%s: without %s: %+v", scheme, settledHere[i].GlobalID, found)
			}
		}
		for _, item := range ledger {
			if item.GlobalID == open.GlobalID {
				settledHere = append(settledHere, item)
			}
		}
		more, err := interbank.ReadClearingStatement([]byte(statementOf(t, scheme, settledHere)), zone)
		must(t, err)
		if found := payment.Reconcile(more, ledger); len(found) != 1 || found[0].Kind != payment.NotSettledHere || found[0].Reference != string(open.GlobalID) {
			t.Errorf("%s: with a payment that is open here: %+v", scheme, found)
		}
	}
	for _, content := range []string{"", "<x/>", `<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="CHF">1.00</Amt></Ntry></Stmt></BkToCstmrStmt></Document>`} {
		if _, err := interbank.ReadClearingStatement([]byte(content), time.UTC); err == nil {
			t.Errorf("%q is taken as a statement", content)
		}
	}
}
