package iso20022

import (
	"fmt"
	"reflect"

	"countersign/internal/iso20022/xmltoken"
)

// Validate checks a document built in code against its schema, like the
// decoders do: what has no findings is written as a document that follows the
// schema. Pointers start with /Document, lines and columns are 0. A nil document
// gives one finding.
func Validate(document Document) []Finding {
	v := validator{reporter{prefix: "/Document", limit: defaultMaxFindings}}
	message, value, ok := valueOf(document)
	if !ok {
		v.report(0, codeFormat, "Give a document of a known message.")
		return v.inOrder()
	}
	v.group(groupState{group: &message.document, value: value, mandatory: true})
	return v.inOrder()
}

type validator struct{ reporter }

func (v *validator) group(state groupState) {
	group, value := state.group, state.value
	for i := range group.elements {
		count := group.present(value, i)
		if count == 0 {
			continue
		}
		e := &group.elements[i]
		state.count++
		refused, ok := state.admit(i)
		state.seen |= 1 << i
		switch {
		case !ok:
			v.reportChild(step{e.tag, repeatIndex(e, 0)}, 0, refused)
		case e.max != unbounded && count > e.max:
			v.reportChild(step{e.tag, e.max}, 0, problem{codeFormat, fmt.Sprintf("Remove this %s: at most %d are allowed here.", e.tag, e.max)})
		default:
			v.member(e, group.field(value, i))
		}
	}
	v.finish(&state)
}

func repeatIndex(e *element, index int) int {
	if e.repeats() {
		return index
	}
	return -1
}

func (v *validator) member(e *element, field reflect.Value) {
	switch field.Kind() {
	case reflect.Slice:
		for k := range field.Len() {
			v.element(step{e.tag, k}, e, field.Index(k))
		}
	case reflect.Pointer:
		v.element(step{e.tag, -1}, e, field.Elem())
	default:
		v.element(step{e.tag, -1}, e, field)
	}
}

func (v *validator) element(place step, e *element, value reflect.Value) {
	v.enter(place.tag, place.index)
	defer v.leave()
	switch {
	case e.group != nil && e.group.any:
		advice := xmltoken.CheckElement(value.Field(0).String(), defaultMaxDepth)
		if advice != "" {
			v.report(0, codeContent, advice)
		}
	case e.group != nil:
		v.group(groupState{group: e.group, value: value, mandatory: e.min > 0})
	case e.currency != nil:
		v.amount(e, value.Interface().(Amount))
	default:
		v.leaf(e, e.simple.load(value))
	}
}

func (v *validator) leaf(e *element, text string) {
	what, advice := e.simple.check(text, false)
	if what != mistakeNone {
		problem := v.leafProblem(e, what, advice)
		v.report(0, problem.code, problem.text)
	}
}

func (v *validator) amount(e *element, amount Amount) {
	what, advice := e.currency.check(amount.Currency, false)
	if what == mistakeBlank {
		v.reportChild(step{"Ccy", -1}, 0, problem{codeMissing, "Enter the currency of " + e.tag + " as Ccy."})
	} else if what != mistakeNone {
		v.reportChild(step{"Ccy", -1}, 0, problem{codeCurrency, advice + " as currency of " + e.tag + "."})
	}
	v.leaf(e, amount.Value.String())
}
