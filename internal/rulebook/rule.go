package rulebook

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// Rule is one row of the table.
type Rule struct {
	// ID names the rule in findings, tests and docs; it never changes its meaning.
	ID string
	// Scheme is the one scheme the rule holds for; empty for both.
	Scheme Scheme
	// Element is the target of findings: an RFC 6901 pointer from the body root with index 0 for repeated elements.
	// {party}, {agent} or {level} stand for several places.
	Element string
	// Code is the ISO 20022 external status reason of its findings.
	Code string
	// Text is the sentence of its findings; a finding may be more precise.
	Text i18n.Text
	// Source is the guideline and section the rule comes from.
	Source string
	// CheckedBy is the package that holds the rule when Check is nil.
	CheckedBy string
	// Check reports the places that break the rule.
	Check func(*inspection)

	// broken stands for a Check that reports the Element, in the part in hand.
	broken func(*inspection) bool
	level  level
}

// level is the part of a document a rule looks at; Check is called once for each such part.
type level int

const (
	levelMessage     level = iota // the whole message
	levelInformation              // each PmtInf
	levelTransaction              // each CdtTrfTxInf
	levelStructured               // each Strd of a CdtTrfTxInf
	levelParty                    // each party, at whatever place
	levelAgent                    // each bank, at whatever place
	levelCount
)

// partElements are the parts of each level in the Element of a rule. Rules of a transaction may be about its payment type in force too.
var partElements = [levelCount]string{
	documentPointer, documentPointer + "/PmtInf/0", transactionElement, structuredElement,
	documentPointer + "{party}", documentPointer + "{agent}",
}

const paymentTypeElement = documentPointer + "{level}/PmtTpInf"

// HoldsFor reports whether the rule applies to the scheme.
func (r Rule) HoldsFor(scheme Scheme) bool {
	return r.Scheme == "" || r.Scheme == scheme
}

// Rules is the whole table, by subject.
func Rules() []Rule {
	return slices.Clone(table)
}

// table is the rulebook. It is never written to.
var table = withChecks(
	messageRules, referenceRules, amountRules, typeRules, purposeRules, dateRules, partyRules, addressRules,
	agentRules, accountRules, remittanceRules, forbiddenRules, subsetRules, textRules, rulesElsewhere,
)

func withChecks(subjects ...[]Rule) []Rule {
	rules := slices.Concat(subjects...)
	for i := range rules {
		if rules[i].broken != nil {
			rules[i].Check = checkBroken
		}
	}
	return rules
}

// plans are the rules to run by scheme and level.
var plans = map[Scheme]*plan{SchemeSIC: newPlan(SchemeSIC), SchemeSCT: newPlan(SchemeSCT)}

type plan [levelCount][]*Rule

func newPlan(scheme Scheme) *plan {
	var made plan
	for i := range table {
		if table[i].HoldsFor(scheme) && table[i].Check != nil {
			made[table[i].level] = append(made[table[i].level], &table[i])
		}
	}
	return &made
}

// inDocumentOrder sorts findings by the place they point to, as the elements follow each other in the schema; findings at one place keep
// the order of the table.
func inDocumentOrder(findings []iso20022.Finding) []iso20022.Finding {
	if len(findings) > 1 {
		slices.SortStableFunc(findings, func(a, b iso20022.Finding) int { return ComparePointers(a.Pointer, b.Pointer) })
	}
	return findings
}

// ComparePointers orders two pointers into a payment order (pain.001.001.09) by document order: parents before
// children, siblings by schema, repeated elements by index. Unknown elements come last.
func ComparePointers(a, b string) int {
	a, b = strings.TrimPrefix(a, documentPointer), strings.TrimPrefix(b, documentPointer)
	component := reflect.TypeFor[iso20022.CustomerCreditTransferInitiation]()
	for a != "" && b != "" {
		var stepA, stepB string
		stepA, a = nextStep(a)
		stepB, b = nextStep(b)
		rankA, inner := rank(component, stepA)
		rankB, _ := rank(component, stepB)
		if rankA != rankB {
			return cmp.Compare(rankA, rankB)
		}
		component = inner
	}
	return cmp.Compare(len(a), len(b))
}

// nextStep cuts the first step off a pointer.
func nextStep(pointer string) (step, rest string) {
	pointer = strings.TrimPrefix(pointer, "/")
	step, rest, found := strings.Cut(pointer, "/")
	if found {
		rest = "/" + rest
	}
	return step, rest
}

// rank is the place of a step among its siblings and the component it leads to (nil for none).
func rank(component reflect.Type, step string) (int, reflect.Type) {
	index, err := strconv.Atoi(step)
	if err == nil {
		return index, component
	}
	const last = 1 << 20
	if component == nil {
		return last, nil
	}
	field, found := iso20022.FieldOf(component, step)
	if !found {
		return last, nil
	}
	return field, iso20022.Component(component.Field(field).Type)
}
