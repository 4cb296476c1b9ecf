package iso20022

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// sampler fills documents with random values that follow the schema.
type sampler struct {
	random *rand.Rand
	chance float64 // of an optional element
}

// document makes one document; with a chance of 1 every element is there.
func (s sampler) document(name MessageName) Document {
	document := messageNamed(name).create()
	s.group(&messageNamed(name).document, reflect.ValueOf(document).Elem())
	return document
}

func (s sampler) group(group *groupType, value reflect.Value) {
	if group.any {
		value.Field(0).SetString(`<x:note xmlns:x="urn:example" xmlns="">a <b c="1">&amp;</b><!-- d --></x:note>`)
		return
	}
	chosen := s.random.IntN(len(group.elements))
	before := false
	for i := range group.elements {
		e := &group.elements[i]
		if group.choice && i != chosen || !group.mandatory(i) && !group.choice && s.random.Float64() >= s.chance {
			continue
		}
		s.element(e, group.field(value, i))
		before = true
	}
	if !before {
		s.element(&group.elements[chosen], group.field(value, chosen))
	}
}

func (s sampler) element(e *element, field reflect.Value) {
	count := 1
	if e.max == unbounded || e.max > 1 {
		count += s.random.IntN(2)
	}
	for range count {
		place := slot(field)
		switch {
		case e.group != nil:
			s.group(e.group, place)
		case e.currency != nil:
			currency, value := amountPlaces(place)
			*currency = s.text(e.currency)
			s.store(e.simple, value)
		default:
			s.store(e.simple, place)
		}
	}
}

func (s sampler) store(simple *simpleType, place reflect.Value) {
	if err := simple.store(place, s.text(simple)); err != nil {
		panic(err)
	}
}

// text is a random valid text of a simple type.
func (s sampler) text(simple *simpleType) string {
	switch simple.kind {
	case kindDecimal:
		fraction := strings.Repeat("7", s.random.IntN(min(simple.fractionDigits, 5)+1))
		if fraction != "" {
			return fmt.Sprintf("%d.%s", s.random.IntN(9), fraction)
		}
		return fmt.Sprint(s.random.IntN(1000))
	case kindBoolean:
		return [...]string{"true", "false"}[s.random.IntN(2)]
	case kindDate:
		return [...]string{"2026-02-28", "2024-02-29Z", "1999-12-31+14:00"}[s.random.IntN(3)]
	case kindDateTime:
		return [...]string{"2026-03-02T10:00:00.123+01:00", "2026-03-02T24:00:00", "2026-03-02T23:59:59.999999999Z"}[s.random.IntN(3)]
	case kindTime:
		return [...]string{"10:00:00", "23:59:59.5Z"}[s.random.IntN(2)]
	case kindText:
	}
	if len(simple.enumeration) > 0 {
		return simple.enumeration[s.random.IntN(len(simple.enumeration))]
	}
	if simple.pattern != nil {
		return patternSamples[simple.pattern]
	}
	return s.freeText(simple)
}

func (s sampler) freeText(simple *simpleType) string {
	alphabet := []rune("aZ09 /-?:().,'+éÅ€ş😀&<>\"\r\n\t]")
	length := max(simple.minLength, 1) + s.random.IntN(max(simple.maxLength-max(simple.minLength, 1), 0)%40+1)
	text := make([]rune, length)
	for i := range text {
		text[i] = alphabet[s.random.IntN(len(alphabet))]
	}
	text[0], text[length-1] = 'x', 'y'
	return string(text)
}

// patternSamples are one valid text for each pattern.
var patternSamples = map[*pattern]string{
	&patternBIC:                   "4QQQCHZZXXX",
	&patternStrictBIC:             "QQQQCH22",
	&patternCurrency:              "CHF",
	&patternCountry:               "CH",
	&patternFourAlphanumerics:     "aB3d",
	&patternUpToFourAlphanumerics: "a1",
	&patternIBAN:                  "CH5021977000004331346",
	&patternLEI:                   "529900T8BM49AURSDO55",
	&patternUpToFifteenDigits:     "123456789012345",
	&patternUpToThreeDigits:       "12",
	&patternTwoDigits:             "07",
	&patternPhone:                 "+41-443334455",
	&patternFINMessageType:        "B01",
	&patternUETR:                  "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
}

func TestRandomDocumentsOfEveryMessageSurviveEveryForm(t *testing.T) {
	t.Parallel()
	for _, message := range messageTable {
		t.Run(string(message.name), func(t *testing.T) {
			t.Parallel()
			var written [][]byte
			for seed := range uint64(12) {
				s := sampler{rand.New(rand.NewPCG(seed, 7)), []float64{1, 0.5, 0.2, 0}[seed%4]}
				document := s.document(message.name)
				if findings := Validate(document); len(findings) > 0 {
					t.Fatalf("seed %d: Validate: %v", seed, findings)
				}
				written = append(written, roundTripLarge(t, document)...)
			}
			requireSchema(t, message.name, written)
		})
	}
}

// roundTripLarge is roundTrip for documents that may exceed the default limit.
func roundTripLarge(t *testing.T, document Document) [][]byte {
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
