package codec

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// EncodeJSON writes the canonical JSON form of a document, as it stands under the member Document: schema order, arrays where the schema
// allows many, amounts as {"Ccy":"CHF","value":"199.95"}, other decimals as numbers, no white space. Equal documents give equal bytes.
// Errors: ErrDocument, ErrCharacter.
func EncodeJSON(document iso20022.Document) ([]byte, error) {
	message, value, ok := iso20022.ValueOf(document)
	if !ok {
		return nil, fmt.Errorf("encode JSON: %w", ErrDocument)
	}
	return inBuffer(func(empty []byte) ([]byte, error) {
		j := jsonEncoder{out: empty}
		j.group(&message.Document, value)
		if j.err != nil {
			return nil, fmt.Errorf("encode JSON: %w", j.err)
		}
		return j.out, nil
	})
}

// jsonEncoder appends a document; err is the first problem.
type jsonEncoder struct {
	out []byte
	err error
}

func (j *jsonEncoder) group(group *iso20022.Group, value reflect.Value) {
	j.out = append(j.out, '{')
	first := true
	for i := range group.Elements {
		e := &group.Elements[i]
		if group.Present(value, i) == 0 {
			continue
		}
		if !first {
			j.out = append(j.out, ',')
		}
		first = false
		j.out = append(j.out, '"')
		j.out = append(j.out, e.Tag...)
		j.out = append(j.out, '"', ':')
		j.member(e, group.Field(value, i))
	}
	j.out = append(j.out, '}')
}

func (j *jsonEncoder) member(e *iso20022.Element, field reflect.Value) {
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

func (j *jsonEncoder) element(e *iso20022.Element, value reflect.Value) {
	switch {
	case e.Group != nil && e.Group.Any:
		j.text(value.Field(0).String())
	case e.Group != nil:
		j.group(e.Group, value)
	case e.Currency != nil:
		amount := value.Addr().Interface().(*iso20022.Amount)
		j.out = append(j.out, `{"Ccy":`...)
		j.text(amount.Currency)
		j.out = append(j.out, `,"value":"`...)
		j.out = appendDecimal(j.out, amount.Value)
		j.out = append(j.out, `"}`...)
	case e.Simple.Kind == iso20022.KindDecimal:
		j.out = appendDecimal(j.out, *value.Addr().Interface().(*decimal.Decimal))
	case e.Simple.Kind == iso20022.KindBoolean:
		j.out = append(j.out, e.Simple.Load(value)...)
	default:
		j.text(value.String())
	}
}

func (j *jsonEncoder) text(text string) {
	if character, bad := iso20022.ForbiddenCharacter(text); bad && j.err == nil {
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
