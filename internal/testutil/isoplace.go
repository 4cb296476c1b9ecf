package testutil

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// Leaf is a value element of a message: the tags on the way to it, from below the message element.
type Leaf []string

// Path is the place of the leaf, without numbers.
func (l Leaf) Path() string { return strings.Join(l, "/") }

// Leaves lists every value element of a message or of one of its components, in the order of the schema.
func Leaves(component reflect.Type) []Leaf { return leavesBelow(component, nil) }

func leavesBelow(component reflect.Type, above Leaf) []Leaf {
	component = iso20022.Component(component)
	if component.Kind() != reflect.Struct || component.NumField() == 0 || component.Field(0).Tag.Get("iso") == "" {
		return []Leaf{above}
	}
	var found []Leaf
	for i := range component.NumField() {
		field := component.Field(i)
		found = append(found, leavesBelow(field.Type, append(slices.Clone(above), field.Tag.Get("iso")))...)
	}
	return found
}

// At makes and returns the element at a place of a document, with empty elements on the way; repeated ones are the first, and one
// alternative of a choice takes the place of the other.
func At(document iso20022.Document, place Leaf) reflect.Value {
	return below(reflect.ValueOf(document).Elem(), place)
}

func below(value reflect.Value, tags []string) reflect.Value {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice {
		switch {
		case value.Kind() == reflect.Pointer && value.IsNil():
			value.Set(reflect.New(value.Type().Elem()))
		case value.Kind() == reflect.Slice && value.Len() == 0:
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		} else {
			value = value.Index(0)
		}
	}
	if len(tags) == 0 {
		return value
	}
	for i := range value.NumField() {
		if value.Type().Field(i).Tag.Get("iso") != tags[0] {
			continue
		}
		if field := value.Field(i); field.IsZero() && strings.HasSuffix(value.Type().Name(), "Choice") {
			value.SetZero()
		}
		return below(value.Field(i), tags[1:])
	}
	return reflect.Value{}
}

// Validate returns the findings of a document: codec.Validate, which the tests of the codec could not import through this package.
type Validate func(iso20022.Document) []iso20022.Finding

// Offer lists the values that may be tried in an element; each converts to the type of its place.
type Offer func(place reflect.Value) []any

// Texts offers these texts for elements of one text, and small values for others.
func Texts(texts ...string) Offer {
	return func(place reflect.Value) []any {
		switch place.Interface().(type) {
		case iso20022.Amount:
			return []any{
				iso20022.Amount{Currency: "CHF", Value: decimal.MustParse("7.77")},
				iso20022.Amount{Currency: "EUR", Value: decimal.MustParse("7.77")},
			}
		case bool:
			return []any{true, false}
		case decimal.Decimal:
			return []any{decimal.MustParse("7")}
		case iso20022.SupplementaryDataEnvelope1:
			return []any{iso20022.SupplementaryDataEnvelope1{XML: `<Extra xmlns="urn:example:extra">Qx7</Extra>`}}
		}
		offered := make([]any, len(texts))
		for i, text := range texts {
			offered[i] = text
		}
		return offered
	}
}

// Fill gives a leaf the first value that its schema takes, from the one at an index on. It returns the value and the index of the next, 0
// when none is left. Missing elements beside the leaf do not count.
func Fill(document iso20022.Document, leaf Leaf, validate Validate, offer Offer, from int) (next int, filled any) {
	place := At(document, leaf)
	offered := offer(place)
	for i := from; i < len(offered); i++ {
		place.Set(reflect.ValueOf(offered[i]).Convert(place.Type()))
		if !slices.ContainsFunc(validate(document), func(f iso20022.Finding) bool { return placeOf(document, f).Path() == leaf.Path() }) {
			return i + 1, offered[i]
		}
	}
	return 0, nil
}

// Complete adds the elements that the schema requires and reports whether the document is valid after it.
func Complete(document iso20022.Document, validate Validate, offer Offer) bool {
	for range 8 {
		findings := validate(document)
		if len(findings) == 0 {
			return true
		}
		for _, finding := range findings {
			leaf := placeOf(document, finding)
			place := At(document, leaf)
			if !place.IsValid() {
				return false
			}
			Fill(document, append(leaf, Leaves(place.Type())[0]...), validate, offer, 0)
		}
	}
	return false
}

// placeOf is the element that a finding names.
func placeOf(document iso20022.Document, finding iso20022.Finding) Leaf {
	root := iso20022.DefinitionNamed(document.MessageName()).Document.Elements[0].Tag
	return strings.Split(strings.TrimPrefix(WithoutNumbers(finding.Pointer), "/Document/"+root+"/"), "/")
}

// WithoutNumbers is a pointer without the numbers of repeated elements.
func WithoutNumbers(pointer string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(pointer, "/"), func(step string) bool {
		_, err := strconv.Atoi(step)
		return err == nil
	}), "/")
}
