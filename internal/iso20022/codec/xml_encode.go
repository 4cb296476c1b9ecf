package codec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// ErrDocument is returned for a document that is nil or not of this package.
var ErrDocument = errors.New("no document of a known message")

// ErrCharacter is returned for a text with a character XML does not allow.
var ErrCharacter = errors.New("character not allowed in XML")

// EncodeXML writes a document with declaration and namespace and without white space between elements. The result follows the schema if
// Validate finds nothing. Errors: ErrDocument, ErrCharacter.
func EncodeXML(document iso20022.Document) ([]byte, error) {
	return encodeXML(document, &xmlEncoder{})
}

// EncodeXMLIn is EncodeXML in another namespace than the one of ISO, which a clearing may ask for; "" is that of ISO.
func EncodeXMLIn(document iso20022.Document, namespace string) ([]byte, error) {
	return encodeXML(document, &xmlEncoder{namespace: namespace})
}

// Leaf is the text of an element of an encoded document: from Start up to, but without, End.
type Leaf struct {
	Tag        string
	Start, End int
}

// EncodeXMLNoting is EncodeXML, and notes where the texts of the elements with the given tags stand, in their order. What an envelope
// holds has no elements.
func EncodeXMLNoting(document iso20022.Document, tags ...string) ([]byte, []Leaf, error) {
	x := xmlEncoder{noted: tags, leaves: make([]Leaf, 0, len(tags))}
	content, err := encodeXML(document, &x)
	return content, x.leaves, err
}

// EncodeXMLIndented is EncodeXML with line breaks and indentation, for reading.
func EncodeXMLIndented(document iso20022.Document) ([]byte, error) {
	return encodeXML(document, &xmlEncoder{indent: true})
}

const declaration = `<?xml version="1.0" encoding="UTF-8"?>`

func encodeXML(document iso20022.Document, x *xmlEncoder) ([]byte, error) {
	message, value, ok := iso20022.ValueOf(document)
	if !ok {
		return nil, fmt.Errorf("encode XML: %w", ErrDocument)
	}
	return inBuffer(func(empty []byte) ([]byte, error) {
		x.out = append(empty, declaration...)
		x.line(0)
		x.out = append(x.out, `<Document xmlns="`...)
		if x.namespace == "" {
			x.namespace = message.Name.Namespace()
		}
		x.out = AppendEscaped(x.out, x.namespace, true)
		x.out = append(x.out, `">`...)
		x.group(&message.Document, value, 1)
		x.line(0)
		x.out = append(x.out, `</Document>`...)
		if x.indent {
			x.out = append(x.out, '\n')
		}
		if x.err != nil {
			return nil, fmt.Errorf("encode XML: %w", x.err)
		}
		return x.out, nil
	})
}

// xmlEncoder appends a document; err is the first problem.
type xmlEncoder struct {
	out       []byte
	namespace string
	indent    bool
	noted     []string // tags whose texts become leaves
	leaves    []Leaf
	err       error
}

func (x *xmlEncoder) line(depth int) {
	if !x.indent {
		return
	}
	x.out = append(x.out, '\n')
	for range depth {
		x.out = append(x.out, ' ', ' ')
	}
}

func (x *xmlEncoder) group(group *iso20022.Group, value reflect.Value, depth int) {
	for i := range group.Elements {
		e := &group.Elements[i]
		group.Each(value, i, func(_ int, one reflect.Value) { x.element(e, one, depth) })
	}
}

func (x *xmlEncoder) element(e *iso20022.Element, value reflect.Value, depth int) {
	x.line(depth)
	x.out = append(x.out, '<')
	x.out = append(x.out, e.Tag...)
	switch {
	case e.Group != nil && e.Group.Any:
		x.out = append(x.out, '>')
		x.out = append(x.out, value.Field(0).String()...)
	case e.Group != nil:
		x.out = append(x.out, '>')
		before := len(x.out)
		x.group(e.Group, value, depth+1)
		if len(x.out) > before {
			x.line(depth)
		}
	case e.Currency != nil:
		amount := value.Addr().Interface().(*iso20022.Amount)
		x.out = append(x.out, ` Ccy="`...)
		x.text(amount.Currency, true)
		x.out = append(x.out, `">`...)
		start := len(x.out)
		x.decimal(amount.Value)
		x.note(e.Tag, start)
	case e.Simple.Kind == iso20022.KindDecimal:
		x.out = append(x.out, '>')
		start := len(x.out)
		x.decimal(*value.Addr().Interface().(*decimal.Decimal))
		x.note(e.Tag, start)
	default:
		x.out = append(x.out, '>')
		start := len(x.out)
		x.text(e.Simple.Load(value), false)
		x.note(e.Tag, start)
	}
	x.out = append(x.out, '<', '/')
	x.out = append(x.out, e.Tag...)
	x.out = append(x.out, '>')
}

// note remembers the text that was just written, if its tag is asked for.
func (x *xmlEncoder) note(tag string, start int) {
	if slices.Contains(x.noted, tag) {
		x.leaves = append(x.leaves, Leaf{tag, start, len(x.out)})
	}
}

func (x *xmlEncoder) text(text string, attribute bool) {
	if character, bad := iso20022.ForbiddenCharacter(text); bad && x.err == nil {
		x.err = fmt.Errorf("U+%04X: %w", character, ErrCharacter)
	}
	x.out = AppendEscaped(x.out, text, attribute)
}

func (x *xmlEncoder) decimal(value decimal.Decimal) {
	x.out = appendDecimal(x.out, value)
}

// appendDecimal writes a decimal in plain notation, its scale kept.
func appendDecimal(out []byte, value decimal.Decimal) []byte {
	return append(out, value.String()...)
}
