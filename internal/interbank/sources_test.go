package interbank_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/govalues/decimal"
	"pgregory.net/rapid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

// told are the documents a person makes about a payment, as they are told element by element: the R-transactions with all they can say.
func (c chain) told(t *testing.T, order *iso20022.CustomerCreditTransferInitiation, recall, resolution string) []iso20022.Document {
	t.Helper()
	life := c.life(t, order, recall, resolution)
	paid := life[0].(*iso20022.FIToFICustomerCreditTransfer)
	asked := life[3].(*iso20022.FIToFIPaymentCancellationRequest)
	ours := interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "FRAD", Information: []string{"We were told"}},
		Scheme:  c.scheme, Original: paid, Bank: c.debtorBank, MessageID: "R2", ID: "R2", At: accepted, Day: answerDay,
	}
	informed, err := interbank.CancellationRequest(ours)
	must(t, err)
	amount := paid.CreditTransferTransactionInformation[0].InterbankSettlementAmount
	ours.Reason, ours.Information, ours.Recall, ours.Bank = "FOCR", nil, asked, c.creditorBank
	if amount.Value.Cmp(decimal.One) > 0 {
		ours.Charge, err = money.FromDecimal(money.Currency(amount.Currency), decimal.MustParse("0.01"))
		must(t, err)
	}
	charged, err := interbank.Return(ours)
	must(t, err)
	all := append(life, informed, charged)
	return slices.DeleteFunc(all, func(d iso20022.Document) bool { return !interbank.Known(string(d.MessageName())) })
}

// TestInEveryProfileEachElementSaysWhereItCameFrom draws payments, writes each document of theirs in every profile shipped, and asks for
// the sources of what is sent.
func TestInEveryProfileEachElementSaysWhereItCameFrom(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		orders := rapid.Custom(func(t *rapid.T) *iso20022.CustomerCreditTransferInitiation { return drawOrder(t, c.scheme, c.from) })
		recalls, resolutions := rulebook.RecallReasons(c.scheme), rulebook.ResolutionReasons(c.scheme)
		for _, used := range profiles(t, c.scheme) {
			t.Run(used.Name, func(t *testing.T) {
				t.Parallel()
				unknown, kinds := map[string]bool{}, map[string]bool{}
				for seed := range 60 {
					recall, resolution := recalls[seed%len(recalls)].Code, resolutions[seed%len(resolutions)].Code
					for _, document := range c.told(t, orders.Example(seed), recall, resolution) {
						kinds[string(document.MessageName())] = true
						for _, s := range sourcesIn(t, used, document) {
							if s.From == "Origin not recorded" || strings.Contains(s.Element, "Document") {
								unknown[fmt.Sprintf("%s %s", document.MessageName(), s.Element)] = true
							}
						}
					}
				}
				if len(unknown) > 0 || len(kinds) != 4 {
					t.Errorf("of %d kinds of documents nobody knows where these come from: %q", len(kinds), slices.Sorted(maps.Keys(unknown)))
				}
			})
		}
	}
}

// sourcesIn are the sources of a document as a profile sends it.
func sourcesIn(t *testing.T, used *profile.Profile, document iso20022.Document) []interbank.Source {
	t.Helper()
	written, err := used.Write(document)
	must(t, err)
	sources := interbank.Sources(string(document.MessageName()), written)
	if len(sources) < 10 {
		t.Fatalf("%s has %d sources", document.MessageName(), len(sources))
	}
	return sources
}

// TestSourcesNameThePlacesOfTheirProfile: what stands at another place in another clearing comes from the same place, and what an order may
// say on two levels is said to come from either.
func TestSourcesNameThePlacesOfTheirProfile(t *testing.T) {
	t.Parallel()
	const (
		day    = "The day of the last approval"
		either = "pain.001 PmtInf/UltmtDbtr/Nm or PmtInf/CdtTrfTxInf/UltmtDbtr/Nm"
		member = "/FinInstnId/ClrSysMmbId/MmbId"
	)
	for name, wanted := range map[string]map[string]string{
		"sic-iso": {"pacs.008 GrpHdr/IntrBkSttlmDt": day, "pacs.008 CdtTrfTxInf/UltmtDbtr/Nm": either},
		"sic-six": {
			"pacs.008 CdtTrfTxInf/IntrBkSttlmDt": day, "pacs.008 CdtTrfTxInf/UltmtDbtr/Nm": either,
			"pacs.008 CdtTrfTxInf/PmtTpInf/CtgyPurp/Cd": "pain.001 PmtInf/PmtTpInf/CtgyPurp/Cd or PmtInf/CdtTrfTxInf/PmtTpInf/CtgyPurp/Cd",
			"pacs.008 CdtTrfTxInf/InstgAgt" + member:    "Account master data",
			"pacs.004 TxInf/OrgnlIntrBkSttlmDt":         "Received pacs.008: GrpHdr/IntrBkSttlmDt or CdtTrfTxInf/IntrBkSttlmDt",
			"pacs.004 TxInf/RtrChain/Dbtr/Pty/Nm":       "Received pacs.008: CdtTrfTxInf/Cdtr/Nm",
			"pacs.004 TxInf/InstdAgt" + member:          "Received pacs.008: CdtTrfTxInf/DbtrAgt" + member,
		},
		"sct-header": {
			"pacs.008 AppHdr/Fr/FIId/FinInstnId/BICFI": "Our end of the connection (from the settings)",
			"pacs.008 AppHdr/BizMsgIdr":                "Derived from the Global ID",
			"pacs.008 CdtTrfTxInf/Cdtr/Nm":             "pain.001 PmtInf/CdtTrfTxInf/Cdtr/Nm",
			"pacs.008 GrpHdr/InstdAgt/FinInstnId/BICFI": "The bank that the creditor's IBAN identifies, or pain.001 " +
				"PmtInf/CdtTrfTxInf/CdtrAgt if a SEPA order names the bank",
		},
	} {
		for _, c := range chains() {
			for _, used := range profiles(t, c.scheme) {
				if used.Name != name {
					continue
				}
				c.wantSources(t, used, wanted)
			}
		}
	}
}

// wantSources looks for sources in the documents about a payment with an ultimate debtor and a category purpose.
func (c chain) wantSources(t *testing.T, used *profile.Profile, wanted map[string]string) {
	t.Helper()
	order := sample[*iso20022.CustomerCreditTransferInitiation](t, c.scheme, "01_pain.001.001.09")
	information := &order.PaymentInformation[0]
	information.UltimateDebtor = &iso20022.PartyIdentification135{Name: "Somebody Else"}
	information.PaymentTypeInformation.CategoryPurpose = &iso20022.CategoryPurpose1Choice{Code: "SUPP"}
	found := map[string]string{}
	for _, document := range c.told(t, order, rulebook.RecallReasons(c.scheme)[0].Code, "CUST") {
		for _, s := range sourcesIn(t, used, document) {
			found[profile.Family(string(document.MessageName()))+" "+s.Element] = s.From.String()
		}
	}
	for element, from := range wanted {
		if found[element] != from {
			t.Errorf("%s: %s comes from %q, want %q", used.Name, element, found[element], from)
		}
	}
}
