package interbank_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/charset"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

type leaf = testutil.Leaf

// orderLeaves lists every value element of a payment order.
func orderLeaves() []leaf {
	return testutil.Leaves(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation]())
}

// candidates are values of every kind of leaf; the schema says which fit, and the rules which are accepted.
var candidates = []string{
	"Qx7 Zürich", "Qx7Zurich", "2026-03-02", "2026-03-02T08:07:06Z", "2026-04-05T06:07:08Z", "LI", "CHF", "EUR", "ADAC", "Qx7Z", "1", "987",
	"87", "IBNKCHZZ123", "529900T8BM49AURSDO55", "+41-44555", "LI21088100002324013AA", "DE62007620110623852957", "CH4821966000009613388",
	"7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e11", "INST", "SEPA", "NORM", "SLEV", "SHAR", "TRF", "MADR", "CRED", "CRDT", "SPOT", "CCHQ", "MLDB",
	"SCOR", "CINV", "MM01", "AUTH", "PHOA", "EMAL", "SALA", "ADDR", "CHBCC", "MADM", "MAIL", "NOTPROVIDED",
}

// values are what may stand in a leaf.
func values(order *iso20022.CustomerCreditTransferInitiation) testutil.Offer {
	return func(place reflect.Value) []any {
		offered := testutil.Texts(candidates...)(place)
		if _, is := place.Interface().(decimal.Decimal); is {
			offered = append(offered, order.PaymentInformation[0].CreditTransferTransactionInformation[0].Amount.InstructedAmount.Value)
		}
		return offered
	}
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
func fill(order *iso20022.CustomerCreditTransferInitiation, element leaf, from int) (next int, filled string) {
	next, value := testutil.Fill(order, element, codec.Validate, values(order), from)
	return next, written(value)
}

// complete fills what the schema misses and reports whether the order follows it then.
func complete(order *iso20022.CustomerCreditTransferInitiation) bool {
	return testutil.Complete(order, codec.Validate, values(order))
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
	row, known := rowAbout(c.scheme, element.Path())
	outcome := "not possible" // beside the mandatory elements of this order
	for next := 0; ; {
		order := c.orderFor(t, element)
		var value string
		next, value = fill(order, element, next)
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
			t.Errorf("%s = %q is sent on, and the table says %q", element.Path(), value, row.Fate)
		case more, known && row.Fate == interbank.Carried && occurrences(now, value) > 0:
			return "sent on"
		case notedAt(interbank.Notes(c.scheme, order), element):
			return "noted"
		case known && row.Fate == interbank.Kept:
			return "kept"
		}
		t.Errorf("%s = %q is accepted and neither sent on, kept nor noted", element.Path(), value)
		return "lost"
	}
}

// notedAt reports whether a note speaks of an element or of what holds it.
func notedAt(notes []interbank.Note, element leaf) bool {
	return slices.ContainsFunc(notes, func(note interbank.Note) bool {
		above := testutil.WithoutNumbers(note.Pointer) + "/"
		return note.Text != "" && strings.HasPrefix("/Document/CstmrCdtTrfInitn/"+element.Path()+"/", above)
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
	switch path := element.Path(); {
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
		above := testutil.WithoutNumbers(finding.Pointer) + "/"
		forGood = forGood || finding.Code == "CH17" && strings.HasPrefix("/Document/CstmrCdtTrfInitn/"+element.Path(), above)
	}
	return len(findings) > 0, forGood
}
