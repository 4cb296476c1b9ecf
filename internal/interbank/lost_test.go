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
	"Qx7 Zürich", "Qx7Zurich", "2026-03-02", "2026-03-02T08:07:06Z", "2026-04-05T06:07:08Z", "LI", "CHF", "EUR", "ADAC", "Qx7Z", "1", "987",
	"87", "IBNKCHZZ123", "529900T8BM49AURSDO55", "+41-44555", "LI21088100002324013AA", "DE62007620110623852957", "CH4821966000009613388",
	"7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e11", "INST", "SEPA", "NORM", "SLEV", "SHAR", "TRF", "MADR", "CRED", "CRDT", "SPOT", "CCHQ", "MLDB",
	"SCOR", "CINV", "MM01", "AUTH", "PHOA", "EMAL", "SALA", "ADDR", "CHBCC", "MADM", "MAIL", "NOTPROVIDED",
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

// TestNothingOfAnOrderIsLost takes each value element the schema of a payment order has, adds it to a good order, and wants it refused by
// name, sent on, kept for a reason that the table of package carriage gives, or told in a note. An order of the previous generation becomes
// one of this before anything is asked of it; that nothing is lost on that way is held by the codec's own tests.
func TestNothingOfAnOrderIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		t.Run(string(c.scheme), func(t *testing.T) {
			t.Parallel()
			counts := map[string]int{}
			used := c.placesOfGoodOrder(t)
			for _, leaf := range orderLeaves() {
				counts[c.accountFor(t, leaf, used)]++
			}
			for _, row := range interbank.Rows(c.scheme) {
				if !used[row.Place] {
					t.Errorf("no order has what the table says of %s: take the row out", row.Place)
				}
			}
			if testing.Verbose() {
				t.Logf("%v", counts)
			}
			if counts["sent on"] < 50 || counts["refused"] < 50 || counts["kept"] < 10 || counts["noted"] < 30 {
				t.Errorf("the walk saw too little: %v", counts)
			}
		})
	}
}

// placesOfGoodOrder are the places of the table that the order has to which elements are added.
func (c chain) placesOfGoodOrder(t *testing.T) map[string]bool {
	table := interbank.Rows(c.scheme)
	set := iso20022.NewSet(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation]())
	for number, row := range table {
		set.MustAdd(row.Place, number)
	}
	found := map[string]bool{}
	set.Each(c.order(t), func(f iso20022.Found) bool {
		found[table[f.Place].Place] = true
		return true
	})
	return found
}

// rowAbout is the row about an element of an order, the closest one above it; false when the table does not speak of it, because a rule
// refuses it.
func rowAbout(scheme rulebook.Scheme, place string) (interbank.Row, bool) {
	best := interbank.Row{}
	for _, r := range interbank.Rows(scheme) {
		about := place == r.Place || strings.HasPrefix(place, r.Place+"/")
		if about && len(r.Place) > len(best.Place) {
			best = r
		}
	}
	return best, best.Place != ""
}

// accountFor tries values in one element until one is accepted, and says what became of it.
func (c chain) accountFor(t *testing.T, element leaf, used map[string]bool) string {
	row, known := rowAbout(c.scheme, element.path())
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
		// Refused by this row, or taken with one value only, such as NOTPROVIDED.
		used[row.Place] = used[row.Place] || forGood || refused && row.Fate == interbank.Refused
		if forGood {
			return "refused"
		}
		if refused {
			outcome = "refused"
			continue
		}
		used[row.Place] = true
		was, now := c.sent(t, c.orderFor(t, element)), c.sent(t, order)
		more := occurrences(now, value) > occurrences(was, value)
		switch {
		case more && row.Fate != interbank.Carried:
			t.Errorf("%s = %q is sent on, and the table says %q", element.path(), value, row.Fate)
		case more, known && row.Fate == interbank.Carried && occurrences(now, value) > 0:
			return "sent on"
		case notedAt(interbank.Notes(c.scheme, order), element):
			return "noted"
		case known && row.Fate == interbank.Kept:
			return "kept"
		}
		t.Errorf("%s = %q is accepted and neither sent on, kept nor noted", element.path(), value)
		return "lost"
	}
}

// notedAt reports whether a note speaks of an element or of what holds it.
func notedAt(notes []interbank.Note, element leaf) bool {
	return slices.ContainsFunc(notes, func(note interbank.Note) bool {
		above := withoutIndexes(note.Pointer) + "/"
		return note.Text != "" && strings.HasPrefix("/Document/CstmrCdtTrfInitn/"+element.path()+"/", above)
	})
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
	case strings.HasPrefix(path, "PmtInf/DbtrAgt/FinInstnId/"):
		information.DebtorAgent = iso20022.BranchAndFinancialInstitutionIdentification6{}
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
