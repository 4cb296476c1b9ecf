package administration

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"countersign/internal/identity"
)

// fieldTag is the tag of a struct's field with the key of the field.
const fieldTag = "field"

// ValuesOf returns the fields of a struct and of the structs in it, in their canonical text. The tag `field` holds the key.
func ValuesOf(from any) Values {
	values := Values{}
	walk(reflect.ValueOf(from), func(key string, at reflect.Value) { values[key] = textOf(at) })
	return values.Compact()
}

// Fill sets the fields of a struct from their text. A malformed text leaves the zero value: check reports it.
func Fill(into any, values Values) {
	walk(reflect.ValueOf(into).Elem(), func(key string, at reflect.Value) { setText(at, trimmed(key, values[key])) })
}

// trimmed returns the text of a field without space around it, where the field has a length in characters.
func trimmed(key, text string) string {
	if f := fields[key]; f == nil || f.Max == 0 || f.Exact {
		return text
	}
	return strings.TrimSpace(text)
}

// walk calls visit for each field with a tag, of nested structs too.
func walk(value reflect.Value, visit func(key string, at reflect.Value)) {
	for i := range value.NumField() {
		key, tagged := value.Type().Field(i).Tag.Lookup(fieldTag)
		switch {
		case tagged:
			visit(key, value.Field(i))
		case value.Field(i).Kind() == reflect.Struct && value.Type().Field(i).IsExported():
			walk(value.Field(i), visit)
		}
	}
}

func textOf(at reflect.Value) string {
	switch value := at.Interface().(type) {
	case *int64:
		return decimals(value)
	case time.Duration:
		return span(value)
	case []identity.Role:
		return Words(value)
	}
	switch at.Kind() {
	case reflect.Bool:
		return yes(at.Bool())
	case reflect.Int:
		return strconv.FormatInt(at.Int(), 10)
	case reflect.Pointer:
		if at.IsNil() {
			return ""
		}
		return textOf(at.Elem())
	}
	return at.String()
}

func setText(at reflect.Value, text string) {
	ignored := &findings{}
	switch at.Interface().(type) {
	case *int64:
		at.Set(reflect.ValueOf(ignored.amount("", text)))
		return
	case time.Duration:
		duration, _ := time.ParseDuration(text)
		at.SetInt(int64(duration))
		return
	case []identity.Role:
		at.Set(reflect.ValueOf(WordsOf[identity.Role](text)))
		return
	}
	switch at.Kind() {
	case reflect.Bool:
		at.SetBool(text == Yes)
	case reflect.Int:
		number, _ := strconv.Atoi(text)
		at.SetInt(int64(number))
	case reflect.Pointer:
		if text != "" {
			at.Set(reflect.New(at.Type().Elem()))
			setText(at.Elem(), text)
		}
	case reflect.String:
		at.SetString(text)
	}
}

// check adds a finding for each text that its field's description does not allow.
func (f *findings) check(noun *Noun, values Values) {
	for _, field := range noun.Fields {
		key, text := field.Key, trimmed(field.Key, values[field.Key])
		switch field.Type { //nolint:exhaustive // the others have rules of their own
		case TypeNumber:
			f.number(key, text, field.Min, field.Max)
		case TypeYesNo:
			f.yesNo(key, text)
		case TypeAmount:
			f.amount(key, text)
		case TypeText:
			if field.Max > 0 {
				f.text(key, text, field.Min, field.Max)
			}
		}
		f.oneOf(key, text, field.Options)
	}
}
