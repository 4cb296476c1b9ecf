package iso20022

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/govalues/decimal"
)

// EncodeJSON writes the canonical JSON form of a document, as it stands under
// the member Document: schema order, arrays where the schema allows many, amounts
// as {"Ccy":"CHF","value":"199.95"}, other decimals as numbers, no white space.
// Equal documents give equal bytes. Errors: ErrDocument, ErrCharacter.
func EncodeJSON(document Document) ([]byte, error) {
	message, value, ok := valueOf(document)
	if !ok {
		return nil, fmt.Errorf("encode JSON: %w", ErrDocument)
	}
	j := jsonEncoder{out: make([]byte, 0, 4096)}
	j.group(&message.document, value)
	if j.err != nil {
		return nil, fmt.Errorf("encode JSON: %w", j.err)
	}
	return j.out, nil
}

// jsonEncoder appends a document; err is the first problem.
type jsonEncoder struct {
	out []byte
	err error
}

func (j *jsonEncoder) group(group *groupType, value reflect.Value) {
	j.out = append(j.out, '{')
	first := true
	for i := range group.elements {
		e := &group.elements[i]
		if group.present(value, i) == 0 {
			continue
		}
		if !first {
			j.out = append(j.out, ',')
		}
		first = false
		j.out = append(j.out, '"')
		j.out = append(j.out, e.tag...)
		j.out = append(j.out, '"', ':')
		j.member(e, group.field(value, i))
	}
	j.out = append(j.out, '}')
}

func (j *jsonEncoder) member(e *element, field reflect.Value) {
	switch field.Kind() {
	case reflect.Slice:
		j.out = append(j.out, '[')
		for k := range field.Len() {
			if k > 0 {
				j.out = append(j.out, ',')
			}
			j.element(e, field.Index(k))
		}
		j.out = append(j.out, ']')
	case reflect.Pointer:
		j.element(e, field.Elem())
	default:
		j.element(e, field)
	}
}

func (j *jsonEncoder) element(e *element, value reflect.Value) {
	switch {
	case e.group != nil && e.group.any:
		j.text(value.Field(0).String())
	case e.group != nil:
		j.group(e.group, value)
	case e.currency != nil:
		amount := value.Addr().Interface().(*Amount)
		j.out = append(j.out, `{"Ccy":`...)
		j.text(amount.Currency)
		j.out = append(j.out, `,"value":"`...)
		j.out = appendDecimal(j.out, amount.Value)
		j.out = append(j.out, `"}`...)
	case e.simple.kind == kindDecimal:
		j.out = appendDecimal(j.out, *value.Addr().Interface().(*decimal.Decimal))
	case e.simple.kind == kindBoolean:
		j.out = append(j.out, e.simple.load(value)...)
	default:
		j.text(value.String())
	}
}

func (j *jsonEncoder) text(text string) {
	if character, bad := forbiddenCharacter(text); bad && j.err == nil {
		j.err = fmt.Errorf("U+%04X: %w", character, ErrCharacter)
		return
	}
	out, err := jsontext.AppendQuote(j.out, text)
	if err != nil && j.err == nil {
		j.err = err
		return
	}
	j.out = out
}
