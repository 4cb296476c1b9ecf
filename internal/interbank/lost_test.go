package interbank_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/charset"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
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
	{"PmtInf/CdtTrfTxInf/PmtTpInf/InstrPrty", rulebook.SchemeSCT, "instant payments have one priority"},
	{"PmtInf/CdtTrfTxInf/PmtTpInf/SvcLvl", rulebook.SchemeSCT, "the pacs.008 carries the scheme's own service level"},
	{"PmtInf/CdtTrfTxInf/PmtTpInf/LclInstrm", rulebook.SchemeSCT, "chooses the scheme; the pacs.008 says INST"},
	{"PmtInf/ReqdExctnDt", "", "the settlement day takes its place"},
	{"PmtInf/Dbtr/Nm", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/PstlAdr", "", "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/CtryOfRes", rulebook.SchemeSCT, "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/Dbtr/CtctDtls", rulebook.SchemeSCT, "the bank's own data about the account holder count (SPS 4.2)"},
	{"PmtInf/DbtrAcct", "", "the bank's own data about the account count; the number is checked to be the same"},
	{"PmtInf/DbtrAgt", "", "the bank's own data about the account count"},
	{"PmtInf/DbtrAgtAcct", rulebook.SchemeSCT, "the bank's own data about the account count"},
	{"PmtInf/InstrForDbtrAgt", rulebook.SchemeSIC, "for the debtor's bank itself"},
	{"PmtInf/ChrgBr", "", "both schemes settle with SLEV"},
	{"PmtInf/CdtTrfTxInf/ChrgBr", "", "both schemes settle with SLEV"},
	{"PmtInf/ChrgsAcct", "", "an account with the debtor's bank"},
	{"PmtInf/ChrgsAcctAgt", rulebook.SchemeSCT, "the debtor's bank"},
	{"PmtInf/CdtTrfTxInf/PmtId/InstrId", "", "point to point: it ends with the debtor's bank (SPS 3.14)"},
	{"PmtInf/CdtTrfTxInf/PmtId/UETR", rulebook.SchemeSCT, "SEPA does not send it on (SPS 3.18)"},
	{"PmtInf/CdtTrfTxInf/CdtrAgt", rulebook.SchemeSIC, "the IBAN names the bank and wins (SPS 3.12)"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Tp", rulebook.SchemeSCT, "the customer's own words about the account: its number names it"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Ccy", rulebook.SchemeSCT, "the customer's own words about the account: its number names it"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Nm", rulebook.SchemeSCT, "the customer's own words about the account: its number names it"},
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

// orderLeaves lists every value element of a payment order.
func orderLeaves() []leaf {
	return leaves(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation](), nil)
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
		if value.Type().Field(i).Tag.Get("iso") != tags[0] {
			continue
		}
		if field := value.Field(i); field.IsZero() && strings.HasSuffix(value.Type().Name(), "Choice") {
			value.SetZero() // one alternative takes the place of the other
		}
		return at(value.Field(i), tags[1:])
	}
	return reflect.Value{}
}

// candidates are values of every kind of leaf; the schema says which fit, and the rules which are accepted.
var candidates = []string{
	"Qx7 Zürich", "Qx7Zurich", "2026-03-02", "2026-03-02T08:07:06Z", "2026-04-05T06:07:08Z", "LI", "CHF", "EUR", "ADAC", "Qx7Z", "1", "987", "87",
	"IBNKCHZZ123", "529900T8BM49AURSDO55", "+41-44555", "LI21088100002324013AA", "DE62007620110623852957", "CH4821966000009613388",
	"7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e11", "INST", "SEPA", "NORM", "SLEV", "SHAR", "TRF", "MADR", "CRED", "CRDT", "SPOT", "CCHQ", "MLDB", "SCOR",
	"CINV", "MM01", "AUTH", "PHOA", "EMAL", "SALA", "ADDR", "CHBCC", "MADM", "MAIL",
}

// values are what may stand in a leaf.
func values(order *iso20022.CustomerCreditTransferInitiation, place reflect.Value) []any {
	switch place.Interface().(type) {
	case iso20022.Amount:
		return []any{amount("CHF", "7.77"), amount("EUR", "7.77")}
	case bool:
		return []any{true, false}
	case decimal.Decimal:
		paid := order.PaymentInformation[0].CreditTransferTransactionInformation[0].Amount.InstructedAmount.Value
		return []any{decimal.MustParse("7"), paid}
	case iso20022.SupplementaryDataEnvelope1:
		return []any{iso20022.SupplementaryDataEnvelope1{XML: `<Extra xmlns="urn:example:extra">Qx7</Extra>`}}
	}
	texts := make([]any, len(candidates))
	for i, candidate := range candidates {
		texts[i] = candidate
	}
	return texts
}

// written is how a value stands in XML.
func written(value any) string {
	switch value := value.(type) {
	case iso20022.Amount:
		return value.Value.String()
	case iso20022.SupplementaryDataEnvelope1:
		return "Qx7"
	default:
		return fmt.Sprint(value)
	}
}

// fill gives the leaf the first value its schema takes, from the candidate at from on. It returns the index of the next, 0 when none
// is left.
func fill(order *iso20022.CustomerCreditTransferInitiation, tags []string, from int) (next int, filled string) {
	place := at(reflect.ValueOf(order).Elem(), tags)
	offered := values(order, place)
	for i := from; i < len(offered); i++ {
		place.Set(reflect.ValueOf(offered[i]).Convert(place.Type()))
		if !complains(order, tags) {
			return i + 1, written(offered[i])
		}
	}
	return 0, ""
}

// complains says whether the schema refuses the value itself; what is missing beside it is filled later.
func complains(order *iso20022.CustomerCreditTransferInitiation, tags []string) bool {
	for _, finding := range codec.Validate(order) {
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
		findings := codec.Validate(order)
		if len(findings) == 0 {
			return true
		}
		for _, finding := range findings {
			tags := strings.Split(strings.TrimPrefix(withoutIndexes(finding.Pointer), "/Document/CstmrCdtTrfInitn/"), "/")
			place := at(reflect.ValueOf(order).Elem(), tags)
			if !place.IsValid() {
				return false
			}
			fill(order, append(tags, leaves(place.Type(), nil)[0].tags...), 0)
		}
	}
	return false
}

// occurrences counts how often a value stands in a document, as it is or in the characters of SEPA.
func occurrences(encoded, value string) int {
	count := strings.Count(encoded, ">"+value+"<")
	if written, changed := charset.EPCBasic.Transliterate(value); changed {
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
			for _, element := range orderLeaves() {
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

// accountFor tries values in one element until one is accepted, and says what became of it.
func (c chain) accountFor(t *testing.T, element leaf, used map[string]bool) string {
	outcome := "not possible" // beside the mandatory elements of this order
	for next := 0; ; {
		order := c.orderFor(t, element)
		var value string
		next, value = fill(order, element.tags, next)
		if next == 0 {
			return outcome
		}
		if !complete(order) {
			continue
		}
		refused, forGood := c.refuses(order, element)
		if forGood {
			return "refused"
		}
		if refused {
			outcome = "refused"
			continue
		}
		before, after := occurrences(c.sent(t, c.orderFor(t, element)), value), occurrences(c.sent(t, order), value)
		if after > before {
			return "sent on"
		}
		if path := c.keptAt(element); path != "" {
			used[path] = true
			return "kept"
		}
		if was := at(reflect.ValueOf(c.orderFor(t, element)).Elem(), element.tags); after > 0 && written(was.Interface()) == value {
			return "sent on" // the good order had this value already
		}
		t.Errorf("%s = %q is accepted and neither sent on nor in the list of what is kept", element.path(), value)
		return "lost"
	}
}

// sent is the pacs.008 of an order as XML.
func (c chain) sent(t *testing.T, order *iso20022.CustomerCreditTransferInitiation) string {
	in := c.input(t)
	in.Order, in.UETR = order, "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e12"
	made, err := interbank.CreditTransfer(in)
	if err != nil {
		t.Fatal(err)
	}
	if findings := codec.Validate(made); len(findings) > 0 {
		t.Errorf("the pacs.008 does not follow its schema: %+v", findings)
	}
	encoded, err := codec.EncodeXML(made)
	if err != nil {
		t.Fatal(err)
	}
	if r, found := foreign(string(encoded)); found && c.scheme == rulebook.SchemeSCT {
		t.Errorf("the pacs.008 has %q, which not every SEPA bank takes", r)
	}
	return string(encoded)
}

// orderFor is a good order in which the element may stand.
func (c chain) orderFor(t *testing.T, element leaf) *iso20022.CustomerCreditTransferInitiation {
	order := c.order(t)
	information := &order.PaymentInformation[0]
	transaction := &information.CreditTransferTransactionInformation[0]
	switch path := element.path(); {
	case strings.HasPrefix(path, "PmtInf/CdtTrfTxInf/RltdRmtInf"):
		transaction.RemittanceInformation = nil
	case strings.HasPrefix(path, "PmtInf/CdtTrfTxInf/RmtInf/Strd"):
		if len(transaction.RemittanceInformation.Unstructured) > 0 {
			transaction.RemittanceInformation = nil
		}
	case strings.HasPrefix(path, "PmtInf/CdtTrfTxInf/ChrgBr"):
		information.ChargeBearer = ""
	case strings.HasPrefix(path, "PmtInf/CdtTrfTxInf/PmtTpInf") && c.scheme == rulebook.SchemeSCT:
		transaction.PaymentTypeInformation, information.PaymentTypeInformation = information.PaymentTypeInformation, nil
	}
	return order
}

// refuses says whether the rules refuse the order, and whether they refuse an element above this one whatever its value.
func (c chain) refuses(order *iso20022.CustomerCreditTransferInitiation, element leaf) (refused, forGood bool) {
	input := rulebook.Input{Scheme: c.scheme, Document: order, Today: paidDay.Add(12 * time.Hour), Settings: rulebook.Settings{
		FallbackAllowed: true, CollectiveBookingAllowed: true,
	}}
	findings := append(rulebook.Check(input), interbank.Check(c.scheme, order)...)
	for _, finding := range findings {
		above := withoutIndexes(finding.Pointer) + "/"
		forGood = forGood || finding.Code == "CH17" && strings.HasPrefix("/Document/CstmrCdtTrfInitn/"+element.path(), above)
	}
	return len(findings) > 0, forGood
}

// keptAt is the row of the list that the element falls under, "" when none does.
func (c chain) keptAt(element leaf) string {
	for _, row := range kept {
		if (row.scheme == "" || row.scheme == c.scheme) && (element.path() == row.path || strings.HasPrefix(element.path(), row.path+"/")) {
			return row.path
		}
	}
	return ""
}
