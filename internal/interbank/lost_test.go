package interbank_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/account"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// kept are the elements of an order that stay with it and are not sent on, with the reason. A path ends where all below it is meant.
var kept = []struct {
	path   string
	scheme rulebook.Scheme // "" for both
	reason string
}{
	{"GrpHdr", "", "names the order to its own bank: pain.002 answers with it; the pacs.008 has a header of its own"},
	{"PmtInf/PmtInfId", "", "names the order to its own bank: pain.002 answers with it"},
	{"PmtInf/PmtMtd", "", "says credit transfer, as the pacs.008 does by its kind"},
	{"PmtInf/BtchBookg", "", "how the debtor is shown the booking"},
	{"PmtInf/NbOfTxs", "", "control total of the order"},
	{"PmtInf/CtrlSum", "", "control total of the order"},
	{"PmtInf/PmtTpInf/InstrPrty", "", "instant payments have one priority"},
	{"PmtInf/PmtTpInf/SvcLvl", "", "the pacs.008 carries the scheme's own service level"},
	{"PmtInf/PmtTpInf/LclInstrm", "", "chooses the scheme; the pacs.008 says INST"},
	{"PmtInf/CdtTrfTxInf/PmtTpInf/InstrPrty", "", "instant payments have one priority"},
	{"PmtInf/CdtTrfTxInf/PmtTpInf/SvcLvl", "", "the pacs.008 carries the scheme's own service level"},
	{"PmtInf/CdtTrfTxInf/PmtTpInf/LclInstrm", "", "chooses the scheme; the pacs.008 says INST"},
	{"PmtInf/ReqdExctnDt", "", "the settlement day takes its place"},
	{"PmtInf/Dbtr/Nm", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/PstlAdr", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/CtryOfRes", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/CtctDtls", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/DbtrAcct", "", "the bank's own data about the account count; the number is checked to be the same"},
	{"PmtInf/DbtrAgt", "", "the bank's own data about the account count"},
	{"PmtInf/DbtrAgtAcct", "", "the bank's own data about the account count"},
	{"PmtInf/InstrForDbtrAgt", "", "for the debtor's bank itself"},
	{"PmtInf/ChrgBr", "", "both schemes settle with SLEV"},
	{"PmtInf/CdtTrfTxInf/ChrgBr", "", "both schemes settle with SLEV"},
	{"PmtInf/ChrgsAcct", "", "an account with the debtor's bank"},
	{"PmtInf/ChrgsAcctAgt", "", "the debtor's bank"},
	{"PmtInf/CdtTrfTxInf/PmtId/InstrId", "", "point to point: it ends with the debtor's bank (SPS 3.14)"},
	{"PmtInf/CdtTrfTxInf/PmtId/UETR", rulebook.SchemeSCT, "SEPA does not send it on (SPS 3.18)"},
	{"PmtInf/CdtTrfTxInf/CdtrAgt", rulebook.SchemeSIC, "the IBAN names the bank and wins (SPS 3.12)"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Tp", "", "the customer's own words about the account: its number names it"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Ccy", "", "the customer's own words about the account: its number names it"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Nm", "", "the customer's own words about the account: its number names it"},
	{"PmtInf/CdtTrfTxInf/RgltryRptg", rulebook.SchemeSCT, "for the authority of the debtor's bank"},
	{"PmtInf/CdtTrfTxInf/Cdtr/CtryOfRes", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/CdtTrfTxInf/Cdtr/CtctDtls", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/CdtTrfTxInf/UltmtCdtr/CtryOfRes", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/CdtTrfTxInf/UltmtCdtr/CtctDtls", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/CdtTrfTxInf/UltmtDbtr/CtryOfRes", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/CdtTrfTxInf/UltmtDbtr/CtctDtls", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/UltmtDbtr/CtryOfRes", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
	{"PmtInf/UltmtDbtr/CtctDtls", rulebook.SchemeSCT, "no element between SEPA banks (EPC)"},
}

// leaf is one value element of the schema: the tags from the root, and the field indexes.
type leaf struct{ tags []string }

func (l leaf) path() string { return strings.Join(l.tags, "/") }

// leaves lists every value element below a component.
func leaves(component reflect.Type, above []string) []leaf {
	for component.Kind() == reflect.Pointer || component.Kind() == reflect.Slice {
		component = component.Elem()
	}
	if component.Kind() != reflect.Struct || component.NumField() == 0 || component.Field(0).Tag.Get("iso") == "" {
		return []leaf{{tags: above}}
	}
	var found []leaf
	for i := range component.NumField() {
		field := component.Field(i)
		found = append(found, leaves(field.Type, append(slices.Clone(above), field.Tag.Get("iso")))...)
	}
	return found
}

// at makes and returns the element at a path, with empty elements on the way; repeated ones are the first.
func at(value reflect.Value, tags []string) reflect.Value {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice {
		switch {
		case value.Kind() == reflect.Pointer && value.IsNil():
			value.Set(reflect.New(value.Type().Elem()))
		case value.Kind() == reflect.Slice && value.Len() == 0:
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		} else {
			value = value.Index(0)
		}
	}
	if len(tags) == 0 {
		return value
	}
	for i := range value.NumField() {
		if value.Type().Field(i).Tag.Get("iso") == tags[0] {
			return at(value.Field(i), tags[1:])
		}
	}
	return reflect.Value{}
}

// candidates are values of every kind of leaf; the schema says which fits.
var candidates = []string{
	"Qx7 Zürich", "Qx7Zurich", "2026-04-05", "2026-04-05T06:07:08Z", "LI", "CHF", "ADAC", "Qx7Z", "987", "87", "IBNKCHZZ123",
	"529900T8BM49AURSDO55", "+41-44555", "CH4821966000009613388", "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e11", "true",
	"BUSI", "MADE", "NORM", "HIGH", "DEBT", "SHAR", "SLEV", "CHK", "TRF", "DEBT", "CRED", "DEBIT", "CRDT", "DBIT", "BOTH", "FAXI", "EMAL", "LETT", "MAIL",
	"RTGS", "SPOT", "AGRD", "CCHQ", "MLDB", "SCOR", "CINV", "MM01", "AUTH", "PHOA", "HOLD", "DOCT", "MADR", "MISS", "SALA", "ICCP", "ADDR", "INST", "SEPA",
}

// fill gives the leaf a value its schema takes, and mandatory neighbours one too. It returns the value, "" when none was found.
func fill(order *iso20022.CustomerCreditTransferInitiation, tags []string) string {
	place := at(reflect.ValueOf(order).Elem(), tags)
	if place.Kind() != reflect.String {
		return setOther(place)
	}
	before := place.String()
	for _, candidate := range candidates {
		if candidate == before {
			continue
		}
		place.SetString(candidate)
		if !complains(order, tags) {
			return candidate
		}
	}
	place.SetString(before)
	return ""
}

func setOther(place reflect.Value) string {
	switch value := place.Addr().Interface().(type) {
	case *iso20022.Amount:
		*value = amount("CHF", "7.77")
		return "7.77"
	case *bool:
		*value = true
		return "true"
	case *decimal.Decimal:
		*value = decimal.MustParse("7")
		return "7"
	case *iso20022.SupplementaryDataEnvelope1:
		value.XML = `<Extra xmlns="urn:example:extra">Qx7</Extra>`
		return "Qx7"
	}
	return ""
}

// complains says whether the schema refuses the value itself; what is missing beside it is filled later.
func complains(order *iso20022.CustomerCreditTransferInitiation, tags []string) bool {
	for _, finding := range iso20022.Validate(order) {
		if withoutIndexes(finding.Pointer) == "/Document/CstmrCdtTrfInitn/"+strings.Join(tags, "/") {
			return true
		}
	}
	return false
}

func withoutIndexes(pointer string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(pointer, "/"), func(step string) bool {
		_, err := strconv.Atoi(step)
		return err == nil
	}), "/")
}

// complete fills what the schema misses and reports whether the order follows it then.
func complete(order *iso20022.CustomerCreditTransferInitiation) bool {
	for range 8 {
		findings := iso20022.Validate(order)
		if len(findings) == 0 {
			return true
		}
		for _, finding := range findings {
			tags := strings.Split(strings.TrimPrefix(withoutIndexes(finding.Pointer), "/Document/CstmrCdtTrfInitn/"), "/")
			place := at(reflect.ValueOf(order).Elem(), tags)
			if !place.IsValid() {
				return false
			}
			fill(order, append(tags, leaves(place.Type(), nil)[0].tags...))
		}
	}
	return false
}

// occurrences counts how often a value stands in a document, as it is or in the characters of SEPA.
func occurrences(encoded, value string) int {
	count := strings.Count(encoded, ">"+value+"<")
	if written, changed := account.EPCBasic.Transliterate(value); changed {
		count += strings.Count(encoded, ">"+written+"<")
	}
	return count
}

// TestNothingOfAnOrderIsLost takes each value element the schema of a payment order has, adds it to a good order, and wants it
// refused, sent on, or named in the list of what is kept.
func TestNothingOfAnOrderIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		t.Run(string(c.scheme), func(t *testing.T) {
			t.Parallel()
			counts := map[string]int{}
			used := map[string]bool{}
			for _, element := range leaves(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation](), nil) {
				counts[c.accountFor(t, element, used)]++
			}
			for _, row := range kept {
				if (row.scheme == "" || row.scheme == c.scheme) && !used[row.path] {
					t.Errorf("nothing is kept at %s: take the row out", row.path)
				}
			}
			if testing.Verbose() {
				t.Logf("%v", counts)
			}
			if counts["sent on"] < 50 || counts["refused"] < 50 || counts["kept"] < 50 {
				t.Errorf("the walk saw too little: %v", counts)
			}
		})
	}
}

func (c chain) accountFor(t *testing.T, element leaf, used map[string]bool) string {
	order := c.order(t)
	if c.scheme == rulebook.SchemeSCT && strings.Contains(element.path(), "/RltdRmtInf/") {
		order.PaymentInformation[0].CreditTransferTransactionInformation[0].RemittanceInformation = nil
	}
	in := c.input(t)
	in.Order = order
	in.UETR = "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e12"
	without, err := interbank.CreditTransfer(in)
	if err != nil {
		t.Fatal(err)
	}
	before := textOf(t, without)
	value := fill(order, element.tags)
	if value == "" || !complete(order) {
		if testing.Verbose() {
			t.Logf("not possible: %s %q", element.path(), value)
		}
		return "not possible" // beside the mandatory elements of this order
	}
	input := rulebook.Input{Scheme: c.scheme, Document: order, Today: paidDay.Add(12 * time.Hour), Settings: rulebook.Settings{
		FallbackAllowed: true, CollectiveBookingAllowed: true,
	}}
	if len(rulebook.Check(input)) > 0 || len(interbank.Check(c.scheme, order)) > 0 {
		return "refused"
	}
	made, err := interbank.CreditTransfer(in)
	if err != nil {
		t.Fatalf("%s: %v", element.path(), err)
	}
	if findings := iso20022.Validate(made); len(findings) > 0 {
		t.Errorf("%s: %+v", element.path(), findings)
	}
	if occurrences(textOf(t, made), value) > occurrences(before, value) {
		return "sent on"
	}
	for _, row := range kept {
		if (row.scheme == "" || row.scheme == c.scheme) && (element.path() == row.path || strings.HasPrefix(element.path(), row.path+"/")) {
			used[row.path] = true
			return "kept"
		}
	}
	t.Errorf("%s = %q is accepted and neither sent on nor in the list of what is kept", element.path(), value)
	return "lost"
}

func textOf(tb testing.TB, document iso20022.Document) string {
	tb.Helper()
	encoded, err := iso20022.EncodeXML(document)
	if err != nil {
		tb.Fatal(err)
	}
	return string(encoded)
}
