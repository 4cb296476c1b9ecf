package rulebook_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

const rows = `edition;2026-10-01
prefix;bic;name;instant
DE37040044;AAAADEFFXXX;Bank one;yes
NLABNA;BBBBNL2A;Bank two;no
CH00762;;Bank three;yes
CH21966;;Bank four;no
;CCCCFRPPXXX;Bank five;yes
;DDDDFRPPXXX;Bank six;no
`

var reachToday = time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)

func inForce(t *testing.T) *account.Directory {
	t.Helper()
	d, err := account.ParseDirectory([]byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// order is a document with one payment, as far as the rule looks.
func order(iban, bic string) *iso20022.CustomerCreditTransferInitiation {
	tx := iso20022.CreditTransferTransaction34{CreditorAccount: &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}}}
	if bic != "" {
		tx.CreditorAgent = &iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
		}
	}
	return &iso20022.CustomerCreditTransferInitiation{PaymentInformation: []iso20022.PaymentInstruction30{
		{CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{tx}},
	}}
}

const (
	german  = "DE89370400440532013000"
	french  = "FR1420041010050500013M02606"
	dutch   = "NL91ABNA0417164300"
	austria = "AT611904300234573201"
	swiss   = "CH9300762011623852957"
	other   = "CH4821966000009613388"
	unknown = "CH5021977000004331346"
	listed  = "CH7280005000088877766" // its bank has a BIC in the program's list
)

func TestTheCreditorsBankIsKnownAndReached(t *testing.T) {
	t.Parallel()
	loaded, none := inForce(t), &account.Directory{}
	const atAccount, atBank = "/CdtrAcct/Id/IBAN", "/CdtrAgt/FinInstnId/BICFI"
	cases := []struct {
		name      string
		scheme    rulebook.Scheme
		iban, bic string
		directory *account.Directory
		at, says  string // "" for nothing to say
	}{
		{name: "known and reached", scheme: rulebook.SchemeSCT, iban: german, directory: loaded},
		{name: "the bank of the account is named", scheme: rulebook.SchemeSCT, iban: german, bic: "AAAADEFF", directory: loaded},
		{name: "a branch of it is named", scheme: rulebook.SchemeSCT, iban: german, bic: "AAAADEFF100", directory: loaded},
		{
			name: "another bank is named", scheme: rulebook.SchemeSCT, iban: german, bic: "CCCCFRPPXXX", directory: loaded,
			at: atBank, says: "the bank that holds the account: AAAADEFFXXX",
		},
		{
			name: "not reached", scheme: rulebook.SchemeSCT, iban: dutch, directory: loaded,
			at: atAccount, says: "Bank two does not accept instant payments",
		},
		{name: "not known", scheme: rulebook.SchemeSCT, iban: austria, directory: loaded, at: atAccount, says: "of 2026-10-01 has no bank"},
		{name: "known by the BIC named", scheme: rulebook.SchemeSCT, iban: french, bic: "CCCCFRPP", directory: loaded},
		{
			name: "not reached by the BIC named", scheme: rulebook.SchemeSCT, iban: french, bic: "DDDDFRPPXXX", directory: loaded,
			at: atAccount, says: "Bank six does not accept instant payments",
		},
		{
			name: "not known by the BIC named", scheme: rulebook.SchemeSCT, iban: french, bic: "EEEEFRPP", directory: loaded,
			at: atAccount, says: "has no bank",
		},
		{name: "no country of SEPA is another rule's matter", scheme: rulebook.SchemeSCT, iban: "TR330006100519786457841326", directory: loaded},
		{name: "a QR-IBAN in SEPA too", scheme: rulebook.SchemeSCT, iban: "CH4431999123000889012", directory: loaded},
		{name: "no IBAN too", scheme: rulebook.SchemeSCT, iban: "DE00", directory: loaded},
		{name: "SIC: reached", scheme: rulebook.SchemeSIC, iban: swiss, directory: loaded},
		{name: "SIC: the IBAN wins over the bank that is named", scheme: rulebook.SchemeSIC, iban: swiss, bic: "RAIFCH22", directory: loaded},
		{
			name: "SIC: not reached", scheme: rulebook.SchemeSIC, iban: other, directory: loaded,
			at: atAccount, says: "Bank four does not accept instant payments",
		},
		{name: "SIC: not known", scheme: rulebook.SchemeSIC, iban: unknown, directory: loaded, at: atAccount, says: "has no bank"},
		{name: "SIC: no Swiss account is another rule's matter", scheme: rulebook.SchemeSIC, iban: german, directory: loaded},
		{name: "none loaded, nothing named", scheme: rulebook.SchemeSCT, iban: german, directory: none, at: "/CdtrAgt", says: "Enter the BIC"},
		{name: "none loaded, a bank named", scheme: rulebook.SchemeSCT, iban: german, bic: "EEEEDEFF", directory: none},
		{name: "none loaded, the program's list", scheme: rulebook.SchemeSCT, iban: listed, directory: none},
		{name: "SIC: none loaded", scheme: rulebook.SchemeSIC, iban: unknown, directory: none},
		{name: "broken", scheme: rulebook.SchemeSIC, iban: swiss, directory: account.Broken(), at: atAccount, says: "bank directory cannot be " +
			"used because it differs from the imported directory"},
		{name: "not asked", scheme: rulebook.SchemeSCT, iban: german},
	}
	for _, test := range cases {
		findings := rulebook.CheckReach(rulebook.ReachInput{Scheme: test.scheme, Document: order(test.iban, test.bic), Today: reachToday, Directory: test.directory})
		if test.says == "" {
			if len(findings) > 0 {
				t.Errorf("%s: %+v", test.name, findings)
			}
			continue
		}
		if len(findings) != 1 || findings[0].Code != "AGNT" || findings[0].Rule != rulebook.RuleCreditorBankReached ||
			findings[0].Pointer != "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0"+test.at || !strings.Contains(findings[0].Text.String(), test.says) {
			t.Errorf("%s: %+v, want %q at %s", test.name, findings, test.says, test.at)
		}
	}
}

func TestWhatIsWrongAlreadyIsSaidOnce(t *testing.T) {
	t.Parallel()
	in := rulebook.ReachInput{Scheme: rulebook.SchemeSCT, Document: order(austria, ""), Today: reachToday, Directory: inForce(t)}
	in.Found = []iso20022.Finding{{Pointer: "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/CdtrAcct/Id/IBAN"}}
	if findings := rulebook.CheckReach(in); len(findings) > 0 {
		t.Errorf("%+v", findings)
	}
	in.Found = []iso20022.Finding{{Pointer: "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Amt"}}
	if findings := rulebook.CheckReach(in); len(findings) != 1 {
		t.Errorf("%+v", findings)
	}
}

func TestTheRouteOfAPayment(t *testing.T) {
	t.Parallel()
	loaded, none := inForce(t), &account.Directory{}
	for _, test := range []struct {
		scheme    rulebook.Scheme
		iban      string
		directory *account.Directory
		want      string
	}{
		{rulebook.SchemeSCT, german, loaded, "AAAADEFFXXX"},
		{rulebook.SchemeSCT, austria, loaded, ""},
		{rulebook.SchemeSCT, german, none, ""},
		{rulebook.SchemeSCT, listed, none, "RAIFCH22005"},
		{rulebook.SchemeSCT, listed, nil, "RAIFCH22005"},
		{rulebook.SchemeSIC, swiss, loaded, "762"},
		{rulebook.SchemeSIC, swiss, nil, "762"},
		{rulebook.SchemeSIC, "CH00", nil, ""},
	} {
		if got := rulebook.RouteOf(test.scheme, test.iban, test.directory); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.scheme, test.iban, got, test.want)
		}
	}
}

func TestTheRouteIsAskedAgainAtAnApproval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		iban, agent, says string
		directory         *account.Directory
	}{
		"as it was": {german, "AAAADEFFXXX", "", inForce(t)},
		"the bank moved": {
			german, "ZZZZDEFFXXX",
			"entered for the bank ZZZZDEFFXXX, but the bank directory dated 2026-10-01 shows that the account is at the bank AAAADEFFXXX", inForce(t),
		},
		"not reached any more":     {dutch, "BBBBNL2AXXX", "Bank two does not accept instant payments", inForce(t)},
		"entered without a bank":   {german, "", "entered without the creditor's bank", inForce(t)},
		"none loaded":              {german, "AAAADEFFXXX", "", &account.Directory{}},
		"none loaded, and no bank": {german, "", "entered without the creditor's bank", &account.Directory{}},
		"broken":                   {german, "AAAADEFFXXX", "differs from the imported directory", account.Broken()},
		"not asked":                {german, "", "", nil},
	} {
		findings := rulebook.RecheckReach(
			rulebook.ReachEntered{Scheme: rulebook.SchemeSCT, IBAN: test.iban, Agent: test.agent, Today: reachToday, Against: test.directory},
		)
		if (test.says == "") != (len(findings) == 0) || len(findings) > 0 && !strings.Contains(findings[0].Text.String(), test.says) {
			t.Errorf("%s: %+v, want %q", name, findings, test.says)
		}
	}
}
