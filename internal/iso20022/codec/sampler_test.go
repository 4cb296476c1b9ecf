package codec

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/schema"
)

// sampler fills documents with random values that follow the schema.
type sampler struct {
	random *rand.Rand
	chance float64 // of an optional element
}

// document makes one document; with a chance of 1 every element is there.
func (s sampler) document(name iso20022.MessageName) iso20022.Document {
	document := iso20022.DefinitionNamed(name).New()
	s.group(&iso20022.DefinitionNamed(name).Document, reflect.ValueOf(document).Elem())
	return document
}

func (s sampler) group(group *schema.Group, value reflect.Value) {
	if group.Any {
		value.Field(0).SetString(`<x:note xmlns:x="urn:example" xmlns="">a <b c="1">&amp;</b><!-- d --></x:note>`)
		return
	}
	chosen := s.random.IntN(len(group.Elements))
	before := false
	for i := range group.Elements {
		e := &group.Elements[i]
		if group.Choice && i != chosen || !group.Mandatory(i) && !group.Choice && s.random.Float64() >= s.chance {
			continue
		}
		s.element(e, group.Field(value, i))
		before = true
	}
	if !before {
		s.element(&group.Elements[chosen], group.Field(value, chosen))
	}
}

func (s sampler) element(e *schema.Element, field reflect.Value) {
	count := 1
	if e.Max == schema.Unbounded || e.Max > 1 {
		count += s.random.IntN(2)
	}
	for range count {
		place := schema.Slot(field)
		switch {
		case e.Group != nil:
			s.group(e.Group, place)
		case e.Currency != nil:
			currency, value := amountPlaces(place)
			*currency = s.text(e.Currency)
			s.store(e.Simple, value)
		default:
			s.store(e.Simple, place)
		}
	}
}

func (s sampler) store(simple *schema.Simple, place reflect.Value) {
	if err := simple.Store(place, s.text(simple)); err != nil {
		panic(err)
	}
}

// text is a random valid text of a simple type.
func (s sampler) text(simple *schema.Simple) string {
	switch simple.Kind {
	case schema.KindDecimal:
		fraction := strings.Repeat("7", s.random.IntN(min(simple.FractionDigits, 5)+1))
		if fraction != "" {
			return fmt.Sprintf("%d.%s", s.random.IntN(9), fraction)
		}
		return fmt.Sprint(s.random.IntN(1000))
	case schema.KindBoolean:
		return [...]string{"true", "false"}[s.random.IntN(2)]
	case schema.KindDate:
		return [...]string{"2026-02-28", "2024-02-29Z", "1999-12-31+14:00"}[s.random.IntN(3)]
	case schema.KindDateTime:
		return [...]string{"2026-03-02T10:00:00.123+01:00", "2026-03-02T24:00:00", "2026-03-02T23:59:59.999999999Z"}[s.random.IntN(3)]
	case schema.KindTime:
		return [...]string{"10:00:00", "23:59:59.5Z"}[s.random.IntN(2)]
	case schema.KindText:
	}
	if len(simple.Enumeration) > 0 {
		return simple.Enumeration[s.random.IntN(len(simple.Enumeration))]
	}
	if simple.Pattern != nil {
		return simple.Pattern.Example
	}
	return s.freeText(simple)
}

func (s sampler) freeText(simple *schema.Simple) string {
	alphabet := []rune("aZ09 /-?:().,'+éÅ€ş😀&<>\"\r\n\t]")
	length := max(simple.MinLength, 1) + s.random.IntN(max(simple.MaxLength-max(simple.MinLength, 1), 0)%40+1)
	text := make([]rune, length)
	for i := range text {
		text[i] = alphabet[s.random.IntN(len(alphabet))]
	}
	text[0], text[length-1] = 'x', 'y'
	return string(text)
}

func TestRandomDocumentsOfEveryMessageSurviveEveryForm(t *testing.T) {
	t.Parallel()
	for _, message := range iso20022.Definitions() {
		t.Run(string(message.Name), func(t *testing.T) {
			t.Parallel()
			var written [][]byte
			for seed := range uint64(12) {
				s := sampler{rand.New(rand.NewPCG(seed, 7)), []float64{1, 0.5, 0.2, 0}[seed%4]}
				document := s.document(message.Name)
				if findings := Validate(document); len(findings) > 0 {
					t.Fatalf("seed %d: Validate: %v", seed, findings)
				}
				written = append(written, roundTripLarge(t, document)...)
			}
			requireSchema(t, message.Name, written)
		})
	}
}

// roundTripLarge is roundTrip for documents that may exceed the default limit.
func roundTripLarge(t *testing.T, document iso20022.Document) [][]byte {
	t.Helper()
	options := Options{MaxBytes: 64 << 20}
	plain, err := EncodeXML(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings := options.DecodeXML(plain)
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by XML: %v %s", findings, difference)
	}
	content, err := EncodeJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings = options.DecodeJSON(content, "/Document", document.MessageName())
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by JSON: %v %s", findings, difference)
	}
	return [][]byte{plain}
}
