package clearing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

type incomingDocument = iso20022.FIToFICustomerCreditTransfer

// incomingCase is a payment of another bank with one thing changed, and the code it is refused with; "" is accepted.
type incomingCase struct {
	name   string
	scheme rulebook.Scheme // "" for both
	code   string
	change func(*incomingDocument, *iso20022.CreditTransferTransaction39)
}

func ago(h *servicetest.Env, d time.Duration) iso20022.ISODateTime {
	return iso20022.ISODateTime(h.Clock.Now().Add(-d).UTC().Format("2006-01-02T15:04:05.000Z"))
}

func setIncoming(d *incomingDocument, tx *iso20022.CreditTransferTransaction39, currency, value string) {
	amount := iso20022.Amount{Currency: currency, Value: decimal.MustParse(value)}
	tx.InterbankSettlementAmount, d.GroupHeader.TotalInterbankSettlementAmount = amount, &amount
}

// A row that leads an account to another realm, written without the key, books nobody's money there.
func TestAnAccountLedToAnotherRealmReceivesNothing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	accounts := store.NewAccounts(h.Messages)
	iban := receiving[rulebook.SchemeSIC]
	realm, kept, err := accounts.Incoming(ctx, iban)
	if err != nil || realm != "demo" || kept != iban {
		t.Fatalf("%q, %q, %v", realm, kept, err)
	}
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE incoming_account SET realm = 'demo2' WHERE iban = $1", iban)
	if err != nil {
		t.Fatal(err)
	}
	realm, _, err = accounts.Incoming(ctx, iban)
	if !errors.Is(err, payment.ErrNotFound) || realm != "" {
		t.Errorf("it receives for %q: %v", realm, err)
	}
}

func incomingCases(h *servicetest.Env) []incomingCase {
	type tx = iso20022.CreditTransferTransaction39
	const sic, sct = rulebook.SchemeSIC, rulebook.SchemeSCT
	sum := decimal.MustParse("100.01")
	equal := decimal.MustParse("100")
	system := func(code string) *iso20022.ClearingSystemIdentification3Choice {
		return &iso20022.ClearingSystemIdentification3Choice{Code: code}
	}
	return []incomingCase{
		{"as it should be", "", "", func(*incomingDocument, *tx) {}},
		{"control sum as it should be", "", "", func(d *incomingDocument, _ *tx) { d.GroupHeader.ControlSum = &equal }},
		{"two by the count", "", "AM18", func(d *incomingDocument, _ *tx) { d.GroupHeader.NumberOfTransactions = "2" }},
		{"control sum of another amount", "", "AM10", func(d *incomingDocument, _ *tx) { d.GroupHeader.ControlSum = &sum }},
		{"total of another amount", "", "AM10", func(d *incomingDocument, _ *tx) { d.GroupHeader.TotalInterbankSettlementAmount.Value = sum }},
		{
			"total of another currency", "", "AM10",
			func(d *incomingDocument, _ *tx) { d.GroupHeader.TotalInterbankSettlementAmount.Currency = "USD" },
		},
		{
			"another settlement method", "", "CH16",
			func(d *incomingDocument, _ *tx) { d.GroupHeader.SettlementInformation.SettlementMethod = "INDA" },
		},
		{"SIC RTGS", "", "CH16", func(d *incomingDocument, _ *tx) { d.GroupHeader.SettlementInformation.ClearingSystem = system("SIC") }},
		{"TARGET in SIC", sic, "CH16", func(d *incomingDocument, _ *tx) { d.GroupHeader.SettlementInformation.ClearingSystem = system("TGT") }},
		{"TARGET in SEPA", sct, "", func(d *incomingDocument, _ *tx) { d.GroupHeader.SettlementInformation.ClearingSystem = system("TGT") }},
		{"without payment type", sct, "FF04", func(d *incomingDocument, _ *tx) { d.GroupHeader.PaymentTypeInformation = nil }},
		{"without payment type", sic, "FF05", func(d *incomingDocument, _ *tx) { d.GroupHeader.PaymentTypeInformation = nil }},
		{"not instant", "", "FF05", func(d *incomingDocument, _ *tx) { d.GroupHeader.PaymentTypeInformation.LocalInstrument.Code = "CORE" }},
		{"charges on the debtor", "", "CH16", func(_ *incomingDocument, t *tx) { t.ChargeBearer = "DEBT" }},
		{"charges shared", sct, "CH16", func(_ *incomingDocument, t *tx) { t.ChargeBearer = "SHAR" }},
		{"charges shared", sic, "", func(_ *incomingDocument, t *tx) { t.ChargeBearer = "SHAR" }},
		{"charges taken", "", "CH17", func(_ *incomingDocument, t *tx) {
			t.ChargesInformation = []iso20022.Charges7{{Amount: t.InterbankSettlementAmount, Agent: t.DebtorAgent}}
		}},
		{"euro", sic, "AM03", func(d *incomingDocument, t *tx) { setIncoming(d, t, "EUR", "100.00") }},
		{"francs", sct, "AM03", func(d *incomingDocument, t *tx) { setIncoming(d, t, "CHF", "100.00") }},
		{"dollars", "", "AM03", func(d *incomingDocument, t *tx) { setIncoming(d, t, "USD", "100.00") }},
		{"nothing", sic, "AM01", func(d *incomingDocument, t *tx) { setIncoming(d, t, "CHF", "0.00") }},
		{"a fraction of a cent", sct, "CH20", func(d *incomingDocument, t *tx) { setIncoming(d, t, "EUR", "1.005") }},
		{"the limit", sic, "", func(d *incomingDocument, t *tx) { setIncoming(d, t, "CHF", "20000.00") }},
		{"above the limit", sic, "AM02", func(d *incomingDocument, t *tx) { setIncoming(d, t, "CHF", "20000.01") }},
		{"above the limit", sct, "AM23", func(d *incomingDocument, t *tx) { setIncoming(d, t, "EUR", "1000000000.00") }},
		{"another bank by BIC", "", "AGNT", func(_ *incomingDocument, t *tx) {
			t.CreditorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{BICFI: "BBBBCHZZXXX"}
		}},
		{"another bank by number", sic, "AGNT", func(_ *incomingDocument, t *tx) {
			t.CreditorAgent.FinancialInstitutionID.ClearingSystemMemberID.MemberID = "762"
		}},
		{"its branch", "", "", func(_ *incomingDocument, t *tx) {
			t.CreditorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{
				BICFI: map[bool]string{true: "AAAACHBB123", false: "AAAADEFF123"}[t.InterbankSettlementAmount.Currency == "CHF"],
			}
		}},
		{"no such account", "", "AC01", func(_ *incomingDocument, t *tx) { t.CreditorAccount.ID.IBAN = "CH9300762011623852957" }},
		{"an account of the other scheme", sct, "AC01", func(_ *incomingDocument, t *tx) { t.CreditorAccount.ID.IBAN = receiving[sic] }},
		{"without time", sct, "CH21", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = "" }},
		{"without time", sic, "", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = "" }},
		{"without time, made too late", sic, "AB05", func(d *incomingDocument, t *tx) {
			t.AcceptanceDateTime, d.GroupHeader.CreationDateTime = "", ago(h, 9500*time.Millisecond)
		}},
		{"in the last moment", sic, "", func(_ *incomingDocument, t *tx) {
			t.AcceptanceDateTime = ago(h, 9500*time.Millisecond-time.Millisecond)
		}},
		{"in the last moment", sct, "", func(_ *incomingDocument, t *tx) {
			t.AcceptanceDateTime = ago(h, 6500*time.Millisecond-time.Millisecond)
		}},
		{"too late", sic, "AB05", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, 9500*time.Millisecond) }},
		{"too late for the way back", sct, "AB05", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, 6500*time.Millisecond) }},
		{"after the hard time-out", sct, "AB05", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, 8*time.Second) }},
		{"hours late", "", "AB05", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, 6*time.Hour) }},
		{"by a clock a little ahead", "", "", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, -5*time.Second) }},
		{"from the future", "", "DT01", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = ago(h, -time.Hour) }},
	}
}

// incompleteCases leave out what the schema lets be left out, or say a day that cannot be.
func incompleteCases(h *servicetest.Env) []incomingCase {
	type tx = iso20022.CreditTransferTransaction39
	return []incomingCase{
		{"settled in nine days", "", "DT01", func(_ *incomingDocument, t *tx) {
			t.InterbankSettlementDate = iso20022.DateOf(h.Clock.Now().AddDate(0, 0, 9))
		}},
		{"settled long ago", "", "DT01", func(d *incomingDocument, t *tx) {
			t.InterbankSettlementDate, d.GroupHeader.InterbankSettlementDate = "", "1999-12-31"
		}},
		{"settled after Easter", "", "", func(_ *incomingDocument, t *tx) {
			t.InterbankSettlementDate = iso20022.DateOf(h.Clock.Now().AddDate(0, 0, 5))
		}},
		{"an address in lines", "", "", func(_ *incomingDocument, t *tx) {
			t.Debtor.PostalAddress = &iso20022.PostalAddress24{AddressLine: []string{"Weg 4", "8036 Zürich"}}
		}},
		{"a debtor without account", "", "", func(_ *incomingDocument, t *tx) { t.DebtorAccount = nil }},
		{"a long name", "", "", func(_ *incomingDocument, t *tx) { t.Debtor.Name = strings.Repeat("n", 140) }},
		{"settled tomorrow", "", "", func(_ *incomingDocument, t *tx) {
			t.InterbankSettlementDate = iso20022.DateOf(h.Clock.Now().AddDate(0, 0, 1))
		}},
		{"without a settlement day", "", "", func(d *incomingDocument, t *tx) {
			t.InterbankSettlementDate, d.GroupHeader.InterbankSettlementDate = "", ""
		}},
		{"instructed to another bank", "", "", func(d *incomingDocument, _ *tx) {
			other := bankNamed("COBADEFFXXX")
			d.GroupHeader.InstructedAgent = &other
		}},
		{"ordered in dollars", "", "", func(_ *incomingDocument, t *tx) {
			rate := decimal.MustParse("0.9")
			t.InstructedAmount, t.ExchangeRate = &iso20022.Amount{Currency: "USD", Value: decimal.MustParse("111.11")}, &rate
		}},
		{"five entities", "", "", func(_ *incomingDocument, t *tx) {
			t.RemittanceInformation = &iso20022.RemittanceInformation16{Structured: make([]iso20022.StructuredRemittanceInformation16, 5)}
			for i := range t.RemittanceInformation.Structured {
				t.RemittanceInformation.Structured[i].AdditionalRemittanceInformation = []string{"x"}
			}
		}},
		{"a blank end-to-end id", "", "CH21", func(_ *incomingDocument, t *tx) { t.PaymentID.EndToEndID = " " }},
		{"a debtor without name", "", "BE21", func(_ *incomingDocument, t *tx) { t.Debtor.Name = "" }},
		{"an empty creditor", "", "BE22", func(_ *incomingDocument, t *tx) { t.Creditor = iso20022.PartyIdentification135{} }},
		{"a debtor's bank without name", "", "RC03", func(_ *incomingDocument, t *tx) {
			t.DebtorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{}
		}},
		{"a creditor's bank without name", "", "RC04", func(_ *incomingDocument, t *tx) {
			t.CreditorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{}
		}},
	}
}

func TestAnIncomingPaymentIsHeldAgainstTheRulesOfItsScheme(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		for i, c := range append(incomingCases(h), incompleteCases(h)...) {
			if c.scheme != "" && c.scheme != scheme {
				continue
			}
			id := fmt.Sprintf("CASE%d", i)
			document := transfer(t, h, scheme, id, receiving[scheme])
			c.change(document, &document.CreditTransferTransactionInformation[0])
			came := inbound(t, scheme, "IN-"+id, document, nil)
			if _, findings := codec.DecodeXML(came.Content); len(findings) > 0 {
				t.Fatalf("%s: not valid by its schema: %+v", c.name, findings)
			}
			receive(t, h, came)
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			answer := answerTo(t, h)
			h.Clock.Add(-3 * time.Second)
			want := map[bool]string{true: "ACCP", false: "RJCT"}[c.code == ""]
			if said := [3]string{answer.OriginalTransactionID, answer.TransactionStatus, reasonIn(answer)}; said != [3]string{id, want, c.code} {
				t.Errorf("%s, %s: answered %q, want %s %s", scheme, c.name, said, want, c.code)
				continue
			}
			found, err := h.Messages.IncomingByTransaction(ctx, scheme, id, "")
			if err != nil || len(found) == 0 {
				continue // answered, but nobody's payment
			}
			m := current(t, h, payment.Message{Realm: found[0].Realm, InternalID: found[0].ID})
			if booked := m.State == payment.StateBooked; booked != (c.code == "") || m.StatusCode != c.code {
				t.Errorf("%s, %s: the payment is %s %s", scheme, c.name, m.State, m.StatusCode)
			}
		}
		h.CheckInvariants(t)
	}
}

// answerTo is what the last answer says of its payment, read without the rules of payments: it repeats what was refused.
func answerTo(t *testing.T, h *servicetest.Env) *iso20022.PaymentTransaction110 {
	t.Helper()
	document := lastSent(t, h, "pacs.002").(*iso20022.FIToFIPaymentStatusReport)
	if len(document.TransactionInformationAndStatus) != 1 {
		t.Fatalf("the answer is about %d payments", len(document.TransactionInformationAndStatus))
	}
	return &document.TransactionInformationAndStatus[0]
}

// reasonIn is the code of the reason of an answer, "" without one.
func reasonIn(answer *iso20022.PaymentTransaction110) string {
	for _, reason := range answer.StatusReasonInformation {
		if reason.Reason != nil {
			return reason.Reason.Code
		}
	}
	return ""
}

func TestAMessageThatIsNotOnePaymentIsRefusedAsAWholeAndKeptForAnOperator(t *testing.T) {
	t.Parallel()
	type tx = iso20022.CreditTransferTransaction39
	cases := map[string]struct {
		code   string
		change func(*incomingDocument, *tx)
	}{
		"two payments": {"AM18", func(d *incomingDocument, t *tx) {
			second := *t
			second.PaymentID.TransactionID = "SECOND"
			d.CreditTransferTransactionInformation = append(d.CreditTransferTransactionInformation, second)
			d.GroupHeader.NumberOfTransactions = "2"
		}},
		"accepted in the first moment": {"DT01", func(_ *incomingDocument, t *tx) { t.AcceptanceDateTime = "0001-01-01T00:00:00Z" }},
		"no transaction ID":            {"CH21", func(_ *incomingDocument, t *tx) { t.PaymentID.TransactionID = "" }},
	}
	for name, c := range cases {
		for _, scheme := range rulebook.Schemes() {
			h := servicetest.New(t)
			document := transfer(t, h, scheme, "WHOLE", receiving[scheme])
			c.change(document, &document.CreditTransferTransactionInformation[0])
			came := inbound(t, scheme, "IN-WHOLE", document, nil)
			receive(t, h, came)
			if err := h.Clearing.Receive(ctx, came); !errors.Is(err, clearing.ErrDuplicate) {
				t.Errorf("%s, %s: again: %v", scheme, name, err)
			}
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			h.Clearing.RunOnce(ctx)
			if sent := h.Network.Delivered(); len(sent) != 1 {
				t.Fatalf("%s, %s: %d documents were sent", scheme, name, len(sent))
			}
			report := lastSent(t, h, "pacs.002").(*iso20022.FIToFIPaymentStatusReport)
			group := report.OriginalGroupInformationAndStatus[0]
			if len(report.TransactionInformationAndStatus) != 0 || group.GroupStatus != "RJCT" || group.OriginalMessageID != "IN-WHOLE" ||
				group.StatusReasonInformation[0].Reason.Code != c.code {
				t.Errorf("%s, %s: answered %+v", scheme, name, group)
			}
			if outcome, reason := inboxOf(t, h, "IN-WHOLE"); outcome != "quarantined" || !strings.Contains(reason, c.code) {
				t.Errorf("%s, %s: %s %s", scheme, name, outcome, reason)
			}
			found, err := h.Messages.IncomingByTransaction(ctx, scheme, "WHOLE", "")
			if err != nil || len(found) > 0 {
				t.Errorf("%s, %s: a payment was made of it: %v", scheme, name, err)
			}
			h.CheckInvariants(t)
		}
	}
}

// A refusal is sent in the name of the bank that keeps the account, and not of another bank that the payment names: clearing takes a message only from the
// bank that it names as its sender.
func TestARefusalIsSentInOurName(t *testing.T) {
	t.Parallel()
	type tx = iso20022.CreditTransferTransaction39
	const other, ours = "DEUTDEFFXXX", "AAAADEFFXXX"
	byBIC := func(bic string) iso20022.BranchAndFinancialInstitutionIdentification6 {
		return iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
		}
	}
	cases := map[string]struct {
		code   string
		change func(*incomingDocument, *tx)
	}{
		"another bank's agent": {"AGNT", func(_ *incomingDocument, t *tx) { t.CreditorAgent = byBIC(other) }},
		"no account, instructed in the header": {"AC01", func(d *incomingDocument, t *tx) {
			instructed := byBIC(ours)
			d.GroupHeader.InstructedAgent, t.CreditorAgent, t.CreditorAccount.ID.IBAN = &instructed, byBIC(other), "CH9300762011623852957"
		}},
		"no account, instructed with the payment": {"AC01", func(_ *incomingDocument, t *tx) {
			instructed := byBIC(ours)
			t.InstructedAgent, t.CreditorAgent, t.CreditorAccount.ID.IBAN = &instructed, byBIC(other), "CH9300762011623852957"
		}},
	}
	for name, c := range cases {
		h := servicetest.New(t)
		document := transfer(t, h, rulebook.SchemeSCT, "NAME", receiving[rulebook.SchemeSCT])
		c.change(document, &document.CreditTransferTransactionInformation[0])
		receive(t, h, inbound(t, rulebook.SchemeSCT, "IN-NAME", document, nil))
		h.Clock.Add(3 * time.Second)
		h.Clearing.RunOnce(ctx)
		report := lastSent(t, h, "pacs.002").(*iso20022.FIToFIPaymentStatusReport)
		said := answerTo(t, h)
		by, sender := said.StatusReasonInformation[0].Originator.ID.OrganisationID.AnyBIC, report.GroupHeader.InstructingAgent.Code()
		if reasonIn(said) != c.code || by != ours || sender != ours {
			t.Errorf("%s: refused with %s by %s, sent by %s", name, reasonIn(said), by, sender)
		}
	}
}
