package rulebook

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"countersign/internal/charset"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

var textRules = []Rule{
	{
		ID: "characters", Element: documentPointer + "/{any text}", Code: "CH16",
		Text:   "Use only Latin letters, digits and symbols (U+0020 to 7E, U+00A0 to 17F, U+0218 to 21B, €).",
		Source: "SPS 3.1", Check: checkCharacters,
	},
}

// checkCharacters looks at every text of the document. Texts that sct-inst takes here and not every SEPA bank does are transliterated
// later, before sending.
func checkCharacters(i *inspection) {
	iso20022.EachText(i.document, documentPointer, func(steps []string, text string) bool {
		r, place, refused := charset.SwissLatin.FirstRefused(text)
		if refused {
			i.reportAt(
				strings.Join(steps, "/"), i18n.Text("Replace %s (character %d). Use only Latin letters, digits and symbols.").
					With(charset.Shown(r), place),
			)
		}
		return true
	})
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
