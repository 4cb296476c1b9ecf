package iso20022

import (
	"reflect"
	"strconv"
)

// EachText visits the texts of a component that are not empty, in the order of the document, until visit returns false. steps, put together
// with slashes, are the pointer of a text: they begin with the pointer of the component and are valid during the call only.
func EachText(component any, pointer string, visit func(steps []string, text string) bool) {
	w := textWalk{visit: visit, steps: make([]string, 0, deepest)}
	w.enter(pointer, reflect.ValueOf(component))
}

type textWalk struct {
	visit func([]string, string) bool
	steps []string
	ended bool
}

func (w *textWalk) enter(step string, value reflect.Value) {
	w.steps = append(w.steps, step)
	w.value(value)
	w.steps = w.steps[:len(w.steps)-1]
}

func (w *textWalk) value(value reflect.Value) {
	switch {
	case w.ended:
	case value.Kind() == reflect.String && value.Len() > 0:
		w.ended = !w.visit(w.steps, value.String())
	case value.Kind() == reflect.Pointer:
		if !value.IsNil() {
			w.value(value.Elem())
		}
	case value.Kind() == reflect.Slice:
		for i := range value.Len() {
			w.enter(strconv.Itoa(i), value.Index(i))
		}
	case value.Kind() == reflect.Struct:
		w.fields(value)
	}
}

func (w *textWalk) fields(component reflect.Value) {
	for i := range component.NumField() {
		field := component.Field(i)
		if field.Kind() != reflect.Struct && field.IsZero() {
			continue
		}
		if tag := component.Type().Field(i).Tag.Get("iso"); tag != "" {
			w.enter(tag, field)
		}
	}
}
