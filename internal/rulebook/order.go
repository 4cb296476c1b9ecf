package rulebook

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/iso20022"
)

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
	if component == nil || component.Kind() != reflect.Struct {
		return last, nil
	}
	for i := range component.NumField() {
		field := component.Field(i)
		if field.Tag.Get("iso") != step {
			continue
		}
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		return i, inner
	}
	return last, nil
}
