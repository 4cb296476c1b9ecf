package rulebook

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"countersign/internal/account"
	"countersign/internal/iso20022"
)

var textRules = []Rule{
	{
		ID: "characters", Element: documentPointer + "/{any text}", Code: "CH16",
		Text:   "Use Latin letters, digits and signs only (U+0020 to 7E, U+00A0 to 17F, U+0218 to 21B, €).",
		Source: "SPS 3.1", Check: checkCharacters,
	},
}

// checkCharacters looks at every text of the document. Texts that sct-inst takes here and not
// every SEPA bank does are transliterated later, before sending.
func checkCharacters(i *inspection) {
	walk := textWalk{report: func(pointer, text string) {
		r, place, refused := account.SwissLatin.FirstRefused(text)
		if refused {
			i.reportAt(pointer, fmt.Sprintf("Replace %q (character %d): use Latin letters, digits and signs only.", r, place))
		}
	}}
	walk.component(reflect.ValueOf(i.document).Elem(), documentPointer)
}

// textWalk visits the texts of a component. Plain printable ASCII, the usual case, is passed over
// without a pointer being built.
type textWalk struct {
	report func(pointer, text string)
}

func (w textWalk) component(value reflect.Value, pointer string) {
	for index := range value.NumField() {
		field := value.Field(index)
		if field.IsZero() {
			continue
		}
		w.element(field, func() string { return pointer + "/" + value.Type().Field(index).Tag.Get("iso") })
	}
}

// element visits one element; its pointer is built when it is needed.
func (w textWalk) element(value reflect.Value, pointer func() string) {
	switch value.Kind() {
	case reflect.String:
		if !isPlain(value.String()) {
			w.report(pointer(), value.String())
		}
	case reflect.Pointer:
		if value.Elem().Kind() == reflect.Struct {
			w.element(value.Elem(), pointer)
		}
	case reflect.Slice:
		for index := range value.Len() {
			w.element(value.Index(index), func() string { return indexed(pointer()+"/", index) })
		}
	case reflect.Struct:
		if holdsElements(value.Type()) {
			w.component(value, pointer())
		}
	}
}

// holdsElements tells ISO components from values such as amounts and decimals.
func holdsElements(component reflect.Type) bool {
	return component.NumField() > 0 && component.Field(0).Tag.Get("iso") != ""
}

func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// contentLength counts the characters of a structured remittance, with the tags of its elements
// when asked for. Escapes of XML count as the character they stand for.
func contentLength(structured *iso20022.StructuredRemittanceInformation16, withTags bool) int {
	return componentLength(reflect.ValueOf(structured).Elem(), withTags)
}

func componentLength(value reflect.Value, withTags bool) int {
	length := 0
	for index := range value.NumField() {
		field := value.Field(index)
		if field.IsZero() {
			continue
		}
		tags := 0
		if withTags {
			tags = 2*len(value.Type().Field(index).Tag.Get("iso")) + len("<></>")
		}
		if field.Kind() != reflect.Slice {
			length += tags + elementLength(field, withTags)
			continue
		}
		for item := range field.Len() {
			length += tags + elementLength(field.Index(item), withTags)
		}
	}
	return length
}

func elementLength(value reflect.Value, withTags bool) int {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	switch {
	case value.Kind() == reflect.String:
		return utf8.RuneCountInString(value.String())
	case value.Kind() == reflect.Struct && holdsElements(value.Type()):
		return componentLength(value, withTags)
	}
	if amount, isAmount := value.Interface().(iso20022.Amount); isAmount {
		return len(amount.Value.String())
	}
	return len(fmt.Sprint(value.Interface()))
}
