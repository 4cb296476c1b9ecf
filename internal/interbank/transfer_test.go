package interbank_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// transaction is the one payment of an order.
func transaction(order *iso20022.CustomerCreditTransferInitiation) *iso20022.CreditTransferTransaction34 {
	return &order.PaymentInformation[0].CreditTransferTransactionInformation[0]
}

func paid(t *testing.T, in interbank.CreditTransferInput) *iso20022.CreditTransferTransaction39 {
	t.Helper()
	made, err := interbank.CreditTransfer(in)
	if err != nil {
		t.Fatal(err)
	}
	text(t, made)
	return &made.CreditTransferTransactionInformation[0]
}

// The LEI travels where the payer gave it (Regulation (EU) 2023/1113, article 4), beside the other identifications (EPC122-16 2025).
func TestEveryIdentificationOfAnOrganisationIsSent(t *testing.T) {
	t.Parallel()
	other := []iso20022.GenericOrganisationIdentification1{{ID: "CHE-1"}}
	const lei = "529900T8BM49AURSDO55"
	for _, c := range chains() {
		for _, given := range []iso20022.OrganisationIdentification29{
			{AnyBIC: "DEUTDEFF", LEI: lei, Other: other}, {LEI: lei, Other: other}, {Other: other},
		} {
			in := c.input(t)
			transaction(in.Order).Creditor.ID = &iso20022.Party38Choice{OrganisationID: &given}
			if sent := paid(t, in).Creditor.ID.OrganisationID; !reflect.DeepEqual(*sent, given) {
				t.Errorf("%s: sent %+v, want %+v", c.scheme, sent, given)
			}
		}
	}
}

func TestNamesFitTheScheme(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		in := c.input(t)
		in.From.Holder.Name = strings.Repeat("Müller ", 20) // 140 characters of the bank's own data
		transaction(in.Order).Creditor.Name = strings.Repeat("ü", 70)
		sent := paid(t, in)
		wantDebtor, wantCreditor := in.From.Holder.Name, strings.Repeat("ü", 70)
		if c.scheme == rulebook.SchemeSCT {
			wantDebtor, wantCreditor = strings.Repeat("Muller ", 10), strings.Repeat("u", 70)
		}
		if sent.Debtor.Name != wantDebtor || sent.Creditor.Name != wantCreditor {
			t.Errorf("%s: debtor %q, creditor %q", c.scheme, sent.Debtor.Name, sent.Creditor.Name)
		}
		in.From.Holder.Name = "GROẞ AG"
		if sent = paid(t, in); sent.Debtor.Name != "GROSS AG" {
			t.Errorf("%s: the holder GROẞ AG is sent as %q", c.scheme, sent.Debtor.Name)
		}
	}
}

func TestMomentsAreWrittenInUTCWithoutAZeroAtTheEnd(t *testing.T) {
	t.Parallel()
	zurich := time.FixedZone("CET", 3600)
	cases := map[time.Time]iso20022.ISODateTime{
		time.Date(2026, time.March, 2, 10, 0, 1, 0, zurich):           "2026-03-02T09:00:01Z",
		time.Date(2026, time.March, 2, 10, 0, 1, 50_000_000, zurich):  "2026-03-02T09:00:01.05Z",
		time.Date(2026, time.March, 2, 10, 0, 1, 999_999_999, zurich): "2026-03-02T09:00:01.999Z",
		time.Date(2026, time.March, 2, 10, 0, 1, 999, zurich):         "2026-03-02T09:00:01Z",
		time.Date(2026, time.March, 2, 0, 30, 0, 123_456_789, zurich): "2026-03-01T23:30:00.123Z",
	}
	for at, want := range cases {
		in := chains()[1].input(t)
		in.AcceptedAt, in.Day = at, at
		sent := paid(t, in)
		if sent.AcceptanceDateTime != want {
			t.Errorf("%v is written %s, want %s", at, sent.AcceptanceDateTime, want)
		}
		made, err := interbank.CreditTransfer(in)
		if err != nil || made.GroupHeader.InterbankSettlementDate != "2026-03-02" {
			t.Errorf("settlement day of %v: %s, %v", at, made.GroupHeader.InterbankSettlementDate, err)
		}
	}
}

func TestTheCreditorsBank(t *testing.T) {
	t.Parallel()
	named := &iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: "RAIFCH22XXX"},
	}
	cases := []struct {
		name        string
		chain       chain
		iban        string
		named       *iso20022.BranchAndFinancialInstitutionIdentification6
		routed      string
		bic, member string
		err         error
	}{
		{name: "SIC: the IBAN wins over the named bank", chain: chains()[0], iban: "CH7280005000088877766", named: named, member: "80005"},
		{name: "SIC: no leading zeros", chain: chains()[0], iban: "CH9300762011623852957", member: "762"},
		{name: "SEPA: the named bank", chain: chains()[1], iban: "DE62007620110623852957", named: named, bic: "RAIFCH22XXX"},
		{name: "SEPA: a Swiss account tells its bank", chain: chains()[1], iban: "CH7280005000088877766", bic: "RAIFCH22005"},
		{name: "SEPA: the directory's bank", chain: chains()[1], iban: "DE62007620110623852957", routed: "AAAADEFFXXX", bic: "AAAADEFFXXX"},
		{
			name: "SEPA: the named bank goes before the directory's", chain: chains()[1], iban: "DE62007620110623852957", named: named,
			routed: "AAAADEFFXXX", bic: "RAIFCH22XXX",
		},
		{name: "SEPA: unknown", chain: chains()[1], iban: "DE62007620110623852957", err: interbank.ErrIncomplete},
	}
	for _, test := range cases {
		in := test.chain.input(t)
		transaction(in.Order).CreditorAgent = test.named
		transaction(in.Order).CreditorAccount.ID.IBAN = test.iban
		in.CreditorAgent = test.routed
		if test.err != nil {
			_, err := interbank.CreditTransfer(in)
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v, want %v", test.name, err, test.err)
			}
			continue
		}
		sent := paid(t, in).CreditorAgent.FinancialInstitutionID
		member := ""
		if sent.ClearingSystemMemberID != nil {
			member = sent.ClearingSystemMemberID.MemberID
		}
		if sent.BICFI != test.bic || member != test.member || sent.Other != nil {
			t.Errorf("%s: %+v", test.name, sent)
		}
	}
}

func TestTheUETROfTheOrderGoesFirst(t *testing.T) {
	t.Parallel()
	const ours = "0a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"
	in := chains()[0].input(t)
	in.UETR = ours
	if got := paid(t, in).PaymentID.UETR; got != "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10" {
		t.Errorf("UETR %s instead of the order's", got)
	}
	transaction(in.Order).PaymentID.UETR = ""
	if got := paid(t, in).PaymentID.UETR; got != ours {
		t.Errorf("UETR %s instead of ours", got)
	}
}

func TestWhatCannotBeMade(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(in *interbank.CreditTransferInput)
		want   error
	}{
		{"unknown scheme", func(in *interbank.CreditTransferInput) { in.Scheme = "sepa" }, interbank.ErrScheme},
		{"no order", func(in *interbank.CreditTransferInput) { in.Order = nil }, interbank.ErrTransactions},
		{"two payments", func(in *interbank.CreditTransferInput) {
			information := &in.Order.PaymentInformation[0]
			information.CreditTransferTransactionInformation = append(information.CreditTransferTransactionInformation, *transaction(in.Order))
		}, interbank.ErrTransactions},
		{"no creditor", func(in *interbank.CreditTransferInput) { transaction(in.Order).Creditor = nil }, interbank.ErrIncomplete},
		{"no account", func(in *interbank.CreditTransferInput) { transaction(in.Order).CreditorAccount = nil }, interbank.ErrIncomplete},
		{"no amount", func(in *interbank.CreditTransferInput) { transaction(in.Order).Amount.InstructedAmount = nil }, interbank.ErrIncomplete},
		{"no UETR", func(in *interbank.CreditTransferInput) { transaction(in.Order).PaymentID.UETR = "" }, interbank.ErrIncomplete},
	}
	for _, test := range cases {
		in := chains()[0].input(t)
		test.change(&in)
		_, err := interbank.CreditTransfer(in)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestIdentifiersAreNeverRewritten(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		order := c.order(t)
		transaction(order).Creditor.Name = "Jürg & Söhne"
		transaction(order).Creditor.ID = &iso20022.Party38Choice{OrganisationID: &iso20022.OrganisationIdentification29{
			Other: []iso20022.GenericOrganisationIdentification1{{ID: "Nummer_Ä"}},
		}}
		transaction(order).Tax = &iso20022.TaxInformation8{Method: "x"}
		findings := interbank.Check(c.scheme, order)
		want := map[string]string{"/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Tax": rulebook.RuleNotForwarded}
		if c.scheme == rulebook.SchemeSCT {
			want["/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Cdtr/Id/OrgId/Othr/0/Id"] = rulebook.RuleIdentifierCharacters
		}
		for _, finding := range findings {
			if want[finding.Pointer] != finding.Rule {
				t.Errorf("%s: %+v", c.scheme, finding)
			}
			delete(want, finding.Pointer)
		}
		if len(want) > 0 {
			t.Errorf("%s: not found: %v", c.scheme, want)
		}
	}
}
