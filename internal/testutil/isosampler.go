package testutil

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"countersign/internal/iso20022"
)

// Sampler fills documents with random values that follow the schema.
type Sampler struct {
	Random *rand.Rand
	Chance float64 // of an optional element
}

// Document makes one document; with a chance of 1 every element is there.
func (s Sampler) Document(name iso20022.MessageName) iso20022.Document {
	document := iso20022.DefinitionNamed(name).New()
	s.group(&iso20022.DefinitionNamed(name).Document, reflect.ValueOf(document).Elem())
	return document
}

func (s Sampler) group(group *iso20022.Group, value reflect.Value) {
	if group.Any {
		value.Field(0).SetString(`<x:note xmlns:x="urn:example" xmlns="">a <b c="1">&amp;</b><!-- d --></x:note>`)
		return
	}
	chosen := s.Random.IntN(len(group.Elements))
	before := false
	for i := range group.Elements {
		e := &group.Elements[i]
		if group.Choice && i != chosen || !group.Mandatory(i) && !group.Choice && s.Random.Float64() >= s.Chance {
			continue
		}
		s.element(e, group.Field(value, i))
		before = true
	}
	if !before {
		s.element(&group.Elements[chosen], group.Field(value, chosen))
	}
}

func (s Sampler) element(e *iso20022.Element, field reflect.Value) {
	count := 1
	if e.Max == iso20022.Unbounded || e.Max > 1 {
		count += s.Random.IntN(2)
	}
	for range count {
		place := iso20022.Slot(field)
		switch {
		case e.Group != nil:
			s.group(e.Group, place)
		case e.Currency != nil:
			amount := place.Addr().Interface().(*iso20022.Amount)
			amount.Currency = s.text(e.Currency)
			s.store(e.Simple, reflect.ValueOf(&amount.Value).Elem())
		default:
			s.store(e.Simple, place)
		}
	}
}

func (s Sampler) store(simple *iso20022.Simple, place reflect.Value) {
	_ = simple.Store(place, s.text(simple)) // what it refused would be missing, which the schema's own check finds
}

// text is a random valid text of a simple type.
func (s Sampler) text(simple *iso20022.Simple) string {
	switch simple.Kind {
	case iso20022.KindDecimal:
		fraction := strings.Repeat("7", s.Random.IntN(min(simple.FractionDigits, 5)+1))
		if fraction != "" {
			return fmt.Sprintf("%d.%s", s.Random.IntN(9), fraction)
		}
		return fmt.Sprint(s.Random.IntN(1000))
	case iso20022.KindBoolean:
		return [...]string{"true", "false"}[s.Random.IntN(2)]
	case iso20022.KindDate:
		return [...]string{"2026-02-28", "2024-02-29Z", "1999-12-31+14:00"}[s.Random.IntN(3)]
	case iso20022.KindDateTime:
		return [...]string{"2026-03-02T10:00:00.123+01:00", "2026-03-02T24:00:00", "2026-03-02T23:59:59.999999999Z"}[s.Random.IntN(3)]
	case iso20022.KindTime:
		return [...]string{"10:00:00", "23:59:59.5Z"}[s.Random.IntN(2)]
	case iso20022.KindBinary:
		return "aGVsbG8="
	case iso20022.KindText:
	}
	if len(simple.Enumeration) > 0 {
		return simple.Enumeration[s.Random.IntN(len(simple.Enumeration))]
	}
	if simple.Pattern != nil {
		return simple.Pattern.Example
	}
	return s.freeText(simple)
}

func (s Sampler) freeText(simple *iso20022.Simple) string {
	alphabet := []rune("aZ09 /-?:().,'+éÅ€ş😀&<>\"\r\n\t]")
	length := max(simple.MinLength, 1) + s.Random.IntN(max(simple.MaxLength-max(simple.MinLength, 1), 0)%40+1)
	text := make([]rune, length)
	for i := range text {
		text[i] = alphabet[s.Random.IntN(len(alphabet))]
	}
	text[0], text[length-1] = 'x', 'y'
	return string(text)
}
