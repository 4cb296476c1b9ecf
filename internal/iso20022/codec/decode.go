package codec

import (
	"reflect"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// decoder holds the state common to the XML and JSON decoders.
type decoder struct {
	reporter
	options Options
	data    []byte
	// strict holds the document against the structure rules of SPS 2025 chapter 3 too, as orders of clients are: decimals in plain form, no
	// empty or blank elements, no CDATA, no byte order mark. What banks exchange follows its schema only.
	strict bool
}

func newDecoder(options Options, data []byte, prefix string) decoder {
	options = options.withDefaults()
	return decoder{
		reporter: reporter{prefix: prefix, limit: options.MaxFindings, path: make([]step, 0, 24)},
		options:  options,
		data:     data,
	}
}

// Namespace is the XML namespace of the Document element, "" when there is none to be found.
func Namespace(data []byte) string {
	scanner := NewXMLScanner(data, MaxDepth)
	scanner.SkipByteOrderMark()
	for {
		t := scanner.Next()
		switch t.Kind {
		case Start:
			if string(t.Local) == documentElement {
				return t.Namespace
			}
		case EndOfDocument, Broken:
			return ""
		case End, Text:
		}
	}
}

// leafText is the text of a leaf and where it stands.
type leafText struct {
	text   string
	offset int
}

// leaf checks the text of the current element and stores it; a text that is wrong is kept all the same, a wrong number is not.
func (d *decoder) leaf(e *iso20022.Element, place reflect.Value, input leafText) {
	if !d.strict {
		input.text = e.Simple.Plain(input.text)
	}
	what, advice := e.Simple.Check(input.text, d.strict)
	if what != iso20022.MistakeNone {
		problem := d.leafProblem(e, what, advice)
		d.report(input.offset, problem.code, problem.text)
		if e.Simple.Kind == iso20022.KindDecimal || e.Simple.Kind == iso20022.KindBoolean {
			return
		}
	}
	err := e.Simple.Store(place, input.text)
	if err != nil {
		d.report(input.offset, d.contentReason(e, iso20022.MistakeDecimal),
			i18n.Text("Enter a decimal number with at most 19 digits in %s.").With(e.Tag))
	}
}

// amountPlaces are the two parts of an amount field.
func amountPlaces(place reflect.Value) (currency *string, value reflect.Value) {
	amount := place.Addr().Interface().(*iso20022.Amount)
	return &amount.Currency, reflect.ValueOf(&amount.Value).Elem()
}

// Options limits the input of a decoder. The zero value means the defaults.
type Options struct {
	// MaxBytes is the largest input, by default 256 KiB.
	MaxBytes int
	// MaxFindings limits the findings, by default 200; the last one then says that reading stopped there.
	MaxFindings int
}

// MaxDepth is the deepest nesting of XML elements.
const MaxDepth = 64

// The default limits.
const (
	defaultMaxBytes    = 256 << 10
	defaultMaxFindings = 200
)

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultMaxFindings
	}
	return o
}
