package codec

import (
	"reflect"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// Validate checks a document built in code against its schema, like the decoders do: what has no findings is written as a document that
// follows the schema. Pointers start with /Document, lines and columns are 0. A nil document gives one finding.
func Validate(document iso20022.Document) []iso20022.Finding {
	v := validator{reporter{prefix: "/Document", limit: defaultMaxFindings}}
	message, value, ok := iso20022.ValueOf(document)
	if !ok {
		v.report(0, codeFormat, "Send a document of a supported message type.")
		return v.inOrder()
	}
	v.group(groupState{group: &message.Document, value: value, mandatory: true})
	return v.inOrder()
}

type validator struct{ reporter }

func (v *validator) group(state groupState) {
	group, value := state.group, state.value
	for i := range group.Elements {
		count := group.Present(value, i)
		if count == 0 {
			continue
		}
		e := &group.Elements[i]
		state.count++
		refused, ok := state.admit(i)
		state.seen |= 1 << i
		switch {
		case !ok:
			v.reportChild(step{e.Tag, repeatIndex(e, 0)}, 0, refused)
		case e.Max != iso20022.Unbounded && count > e.Max:
			v.reportChild(step{e.Tag, e.Max}, 0, problem{codeFormat, i18n.Text("Remove this %s: at most %d of these elements are allowed.").
				With(e.Tag, e.Max)})
		default:
			group.Each(value, i, func(index int, one reflect.Value) { v.element(step{e.Tag, index}, e, one) })
		}
	}
	v.finish(&state)
}

func repeatIndex(e *iso20022.Element, index int) int {
	if e.Repeats() {
		return index
	}
	return -1
}

func (v *validator) element(place step, e *iso20022.Element, value reflect.Value) {
	v.enter(place.tag, place.index)
	defer v.leave()
	switch {
	case e.Group != nil && e.Group.Any:
		advice := CheckElement(value.Field(0).String(), MaxDepth)
		if advice != "" {
			v.report(0, codeContent, advice)
		}
	case e.Group != nil:
		v.group(groupState{group: e.Group, value: value, mandatory: e.Min > 0})
	case e.Currency != nil:
		v.amount(e, value.Interface().(iso20022.Amount))
	default:
		v.leaf(e, e.Simple.Load(value))
	}
}

func (v *validator) leaf(e *iso20022.Element, text string) {
	what, advice := e.Simple.Check(text, true)
	if what != iso20022.MistakeNone {
		problem := v.leafProblem(e, what, advice)
		v.report(0, problem.code, problem.text)
	}
}

func (v *validator) amount(e *iso20022.Element, amount iso20022.Amount) {
	v.currency(e, 0, amount.Currency)
	v.leaf(e, amount.Value.String())
}
