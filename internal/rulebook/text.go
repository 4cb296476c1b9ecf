package rulebook

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"countersign/internal/charset"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

var textRules = []Rule{
	{
		ID: "characters", Element: documentPointer + "/{any text}", Code: "CH16",
		Text:   "Use Latin letters, digits and signs only (U+0020 to 7E, U+00A0 to 17F, U+0218 to 21B, €).",
		Source: "SPS 3.1", Check: checkCharacters,
	},
}

// checkCharacters looks at every text of the document. Texts that sct-inst takes here and not every SEPA bank does are transliterated
// later, before sending.
func checkCharacters(i *inspection) {
	document := reflect.ValueOf(i.document).Elem()
	if allAllowed(document) {
		return
	}
	eachText(document, documentPointer, func(pointer, text string) {
		r, place, refused := charset.SwissLatin.FirstRefused(text)
		if refused {
			i.reportAt(pointer, i18n.Text("Replace %s (character %d): use Latin letters, digits and signs only.").With(charset.Shown(r), place))
		}
	})
}

// allAllowed reports whether every text below an element is fine, the usual case, without building pointers.
func allAllowed(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		_, _, refused := charset.SwissLatin.FirstRefused(value.String())
		return !refused
	case reflect.Pointer:
		return value.IsNil() || allAllowed(value.Elem())
	case reflect.Slice:
		for index := range value.Len() {
			if !allAllowed(value.Index(index)) {
				return false
			}
		}
	case reflect.Struct:
		if !holdsElements(value.Type()) {
			return true
		}
		for index := range value.NumField() {
			if !allAllowed(value.Field(index)) {
				return false
			}
		}
	}
	return true
}

// eachText visits the texts below an element, with their pointers.
func eachText(value reflect.Value, pointer string, visit func(pointer, text string)) {
	switch value.Kind() {
	case reflect.String:
		visit(pointer, value.String())
	case reflect.Pointer:
		if !value.IsNil() {
			eachText(value.Elem(), pointer, visit)
		}
	case reflect.Slice:
		for index := range value.Len() {
			eachText(value.Index(index), indexed(pointer+"/", index), visit)
		}
	case reflect.Struct:
		if !holdsElements(value.Type()) {
			return
		}
		for index := range value.NumField() {
			eachText(value.Field(index), pointer+"/"+value.Type().Field(index).Tag.Get("iso"), visit)
		}
	}
}

// holdsElements tells ISO components from values such as amounts and decimals.
func holdsElements(component reflect.Type) bool {
	return component.NumField() > 0 && component.Field(0).Tag.Get("iso") != ""
}

// componentLength counts the characters of a component, with the tags of its elements when asked for. Escapes of XML count as the character
// they stand for.
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
