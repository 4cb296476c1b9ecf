package codec

import (
	"reflect"
	"strings"

	"countersign/internal/iso20022"
)

// prune removes blank optional texts, and optional groups that are empty or hold only such texts. The schema allows them; they are dropped
// on reading because our own documents, into which they are copied, must not hold them. Mandatory elements stay. It reports whether
// anything is left.
func prune(group *iso20022.Group, value reflect.Value) (says bool) {
	if group.Any {
		return true
	}
	for i := range group.Elements {
		if pruneElement(&group.Elements[i], group.Field(value, i)) {
			says = true
		}
	}
	return says
}

func pruneElement(e *iso20022.Element, field reflect.Value) (says bool) {
	switch field.Kind() {
	case reflect.Pointer:
		if field.IsNil() {
			return false
		}
		says = pruneValue(e, field.Elem())
		if !says {
			field.SetZero()
		}
		return says
	case reflect.Slice:
		return pruneSlice(e, field)
	default:
		says = pruneValue(e, field)
		if !says && field.Kind() == reflect.String && e.Min == 0 {
			field.SetString("")
		}
		return says
	}
}

// pruneSlice keeps the values that say something, in their order; all of them where one is mandatory.
func pruneSlice(e *iso20022.Element, field reflect.Value) (says bool) {
	kept := 0
	for k := range field.Len() {
		if pruneValue(e, field.Index(k)) || e.Min > 0 {
			field.Index(kept).Set(field.Index(k))
			kept++
		}
	}
	switch {
	case kept == 0:
		field.SetZero()
	case kept < field.Len():
		field.SetLen(kept)
	}
	return kept > 0
}

func pruneValue(e *iso20022.Element, value reflect.Value) (says bool) {
	switch {
	case e.Group != nil:
		return prune(e.Group, value)
	case value.Kind() == reflect.String:
		return strings.TrimSpace(value.String()) != ""
	default:
		return true
	}
}
