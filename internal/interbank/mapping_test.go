package interbank_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

const (
	information         = "/Document/CstmrCdtTrfInitn/PmtInf/0"
	carriageTransaction = information + "/CdtTrfTxInf/0"
)

// order is an order that says nothing but what a case adds.
func order(change func(*iso20022.PaymentInstruction30, *iso20022.CreditTransferTransaction34)) *iso20022.CustomerCreditTransferInitiation {
	made := &iso20022.CustomerCreditTransferInitiation{PaymentInformation: []iso20022.PaymentInstruction30{{
		CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{{
			CreditorAccount: &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: "CH7280005000088877766"}},
		}},
	}}}
	change(&made.PaymentInformation[0], &made.PaymentInformation[0].CreditTransferTransactionInformation[0])
	return made
}

type (
	infoType = iso20022.PaymentInstruction30
	txType   = iso20022.CreditTransferTransaction34
)

func bank(bic, iid string) *iso20022.BranchAndFinancialInstitutionIdentification6 {
	made := &iso20022.BranchAndFinancialInstitutionIdentification6{}
	made.FinancialInstitutionID.BICFI = bic
	if iid != "" {
		made.FinancialInstitutionID.ClearingSystemMemberID = &iso20022.ClearingSystemMemberIdentification2{MemberID: iid}
	}
	return made
}

func organisation(made iso20022.OrganisationIdentification29) *iso20022.PartyIdentification135 {
	return &iso20022.PartyIdentification135{ID: &iso20022.Party38Choice{OrganisationID: &made}}
}

// A note is made where something stays behind, and not where the pacs.008 says the same.
func TestNotes(t *testing.T) {
	t.Parallel()
	const sic, sct = rulebook.SchemeSIC, rulebook.SchemeSCT
	yes, no := true, false
	others := []iso20022.GenericOrganisationIdentification1{{ID: "4711"}}
	for _, test := range []struct {
		name   string
		scheme rulebook.Scheme
		change func(*infoType, *txType)
		want   []string
	}{
		{"nothing", sic, func(*infoType, *txType) {}, nil},
		{"charges shared", sic, func(i *infoType, _ *txType) { i.ChargeBearer = "SHAR" }, []string{information + "/ChrgBr"}},
		{"charges by service level", sic, func(i *infoType, _ *txType) { i.ChargeBearer = "SLEV" }, nil},
		{"collective booking", sct, func(i *infoType, _ *txType) { i.BatchBooking = &yes }, []string{information + "/BtchBookg"}},
		{"single booking", sct, func(i *infoType, _ *txType) { i.BatchBooking = &no }, nil},
		{"urgent", sic, func(i *infoType, _ *txType) {
			i.PaymentTypeInformation = &iso20022.PaymentTypeInformation26{
				InstructionPriority: "HIGH", ServiceLevel: []iso20022.ServiceLevel8Choice{{Code: "URGP"}},
			}
		}, []string{information + "/PmtTpInf/InstrPrty", information + "/PmtTpInf/SvcLvl/0"}},
		{"a fall back", sic, func(i *infoType, _ *txType) {
			i.PaymentTypeInformation = &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "ITP"}}
		}, []string{information + "/PmtTpInf/LclInstrm/Cd"}},
		{
			"another bank than the IBAN's", sic, func(_ *infoType, t *txType) { t.CreditorAgent = bank("POFICHBEXXX", "") },
			[]string{carriageTransaction + "/CdtrAgt"},
		},
		{"the IBAN's bank by BIC", sic, func(_ *infoType, t *txType) { t.CreditorAgent = bank("RAIFCH22005", "") }, nil},
		{"the IBAN's bank by its code", sic, func(_ *infoType, t *txType) { t.CreditorAgent = bank("", "80005") }, nil},
		{"BIC and LEI in SEPA", sct, func(_ *infoType, t *txType) {
			t.Creditor = organisation(iso20022.OrganisationIdentification29{AnyBIC: "BBBBFRPP", LEI: "529900T8BM49AURSDO55"})
		}, nil},
		{"LEI and number in SEPA", sct, func(i *infoType, _ *txType) {
			i.Debtor = *organisation(iso20022.OrganisationIdentification29{LEI: "529900T8BM49AURSDO55", Other: others})
		}, nil},
		{"a number alone in SEPA", sct, func(_ *infoType, t *txType) {
			t.UltimateCreditor = organisation(iso20022.OrganisationIdentification29{Other: others})
		}, nil},
		{"LEI and number in SIC", sic, func(_ *infoType, t *txType) {
			t.Creditor = organisation(iso20022.OrganisationIdentification29{LEI: "529900T8BM49AURSDO55", Other: others})
		}, nil},
	} {
		var got []string
		for _, note := range interbank.Notes(test.scheme, order(test.change)) {
			got = append(got, note.Pointer)
			if !strings.HasSuffix(note.Text.String(), ".") || !strings.Contains(note.Text.String(), " is not forwarded to the creditor's bank: ") {
				t.Errorf("%s: the note says %q", test.name, note.Text)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: notes at %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	many := order(func(*infoType, *txType) {})
	one := many.PaymentInformation[0]
	one.ChargeBearer = "DEBT"
	many.PaymentInformation = slices.Repeat([]iso20022.PaymentInstruction30{one}, 1000)
	if got := len(interbank.Notes(rulebook.SchemeSIC, many)); got != 100 {
		t.Errorf("%d notes", got)
	}
	if notes := interbank.Notes("x", many); notes != nil {
		t.Errorf("a scheme that does not exist has notes: %v", notes)
	}
	if notes := interbank.Notes(rulebook.SchemeSCT, nil); notes != nil {
		t.Errorf("no order has notes: %v", notes)
	}
}

// Each row says enough to be shown, and no place stands twice for a scheme.
func TestTheTableIsComplete(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		seen := map[string]bool{}
		for _, row := range interbank.Rows(scheme) {
			carried := row.Fate == interbank.Carried
			if seen[row.Place] || carried != (row.To != "") || !carried && row.Reason == "" ||
				row.Fate != interbank.Kept && !carried && row.Name == "" {
				t.Errorf("%s: %+v stands twice or has an empty column", scheme, row)
			}
			seen[row.Place] = true
		}
	}
}
