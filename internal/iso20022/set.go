package iso20022

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Set is a list of places of one message, ready to be looked for. Once places are looked for, none is added.
type Set struct {
	message reflect.Type
	root    node
}

// node is one element on the way to the places of a set.
type node struct {
	tag      string
	field    int // of the Go struct above
	places   []int
	children []node
}

// noField marks the message element itself.
const noField = -1

// MustNew makes the set of the places, which are written below the message element and without indexes; a place is known by its index. It
// panics on one that the message does not have: places are tables of the program, and a slip in one is found by the first test that touches
// it.
func MustNew(message reflect.Type, places []string) *Set {
	made := NewSet(message)
	for number, place := range places {
		made.MustAdd(place, number)
	}
	return made
}

// NewSet makes an empty set of places of the message, the Go struct below its message element.
func NewSet(message reflect.Type) *Set {
	return &Set{message: message, root: node{field: noField}}
}

// MustAdd adds a place under a number of the caller's. It panics as MustNew does.
func (s *Set) MustAdd(place string, number int) {
	if !s.root.add(s.message, strings.Split(place, "/"), number) {
		panic("there is no " + place + " in " + s.message.Name())
	}
}

// add puts a place below a node; false when there is no such element.
func (n *node) add(component reflect.Type, tags []string, number int) bool {
	component = Component(component)
	field, found := FieldOf(component, tags[0])
	if !found {
		return false
	}
	child := n.child(tags[0], field)
	if len(tags) == 1 {
		child.places = append(child.places, number)
		return true
	}
	return child.add(component.Field(field).Type, tags[1:], number)
}

// child is the node of an element below, made where it belongs in the order of the schema.
func (n *node) child(tag string, field int) *node {
	for i := range n.children {
		if n.children[i].field == field {
			return &n.children[i]
		}
	}
	at, _ := slices.BinarySearchFunc(n.children, field, func(n node, field int) int { return cmp.Compare(n.field, field) })
	n.children = slices.Insert(n.children, at, node{tag: tag, field: field})
	return &n.children[at]
}

// Component is the type of one element of a field: without pointer and slice.
func Component(field reflect.Type) reflect.Type {
	for field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice {
		field = field.Elem()
	}
	return field
}

// FieldOf finds the field of an element in the Go struct of its component.
func FieldOf(component reflect.Type, tag string) (field int, found bool) {
	if component.Kind() != reflect.Struct {
		return 0, false
	}
	for i := range component.NumField() {
		if component.Field(i).Tag.Get("iso") == tag {
			return i, true
		}
	}
	return 0, false
}

// Found is a place of a set that a document has.
type Found struct {
	// Place is its number.
	Place int
	// Value is the element itself, Parent the component it stands in.
	Value, Parent reflect.Value

	steps []step
}

// step is one element on the way; index is -1 where it cannot repeat.
type step struct {
	tag   string
	index int
}

// Tag is the tag of the element.
func (f Found) Tag() string { return f.steps[len(f.steps)-1].tag }

// Text is the value of an element of one text or indicator as it stands in a document, "" for any other.
func (f Found) Text() string {
	value := f.Value
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	switch value.Kind() {
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	default:
		return ""
	}
}

// Pointer is the RFC 6901 pointer of the place below a prefix, with an index where elements may repeat.
func (f Found) Pointer(prefix string) string {
	var pointer strings.Builder
	pointer.WriteString(prefix)
	for _, step := range f.steps {
		pointer.WriteByte('/')
		pointer.WriteString(step.tag)
		if step.index >= 0 {
			pointer.WriteByte('/')
			pointer.WriteString(strconv.Itoa(step.index))
		}
	}
	return pointer.String()
}

// Each visits the places of the set that the message has, in the order of the document, until visit returns false. A Found is valid during
// the call only.
func (s *Set) Each(message any, visit func(Found) bool) {
	w := walk{visit: visit, steps: make([]step, 0, deepest)}
	w.inside(&s.root, reflect.ValueOf(message).Elem())
}

// deepest is the capacity for the steps of a path; nearly every path fits.
const deepest = 8

type walk struct {
	visit func(Found) bool
	steps []step
	// parent is the component in hand.
	parent reflect.Value
	ended  bool
}

// enter looks at an element that may be missing or repeat.
func (w *walk) enter(n *node, value reflect.Value) {
	switch {
	case w.ended || value.Kind() != reflect.Slice && value.IsZero():
	case value.Kind() == reflect.Slice:
		for i := range value.Len() {
			w.at(n, step{n.tag, i}, value.Index(i))
		}
	case value.Kind() == reflect.Pointer:
		w.at(n, step{n.tag, -1}, value.Elem())
	default:
		w.at(n, step{n.tag, -1}, value)
	}
}

func (w *walk) at(n *node, here step, value reflect.Value) {
	w.steps = append(w.steps, here)
	for _, place := range n.places {
		w.ended = w.ended || !w.visit(Found{Place: place, Value: value, Parent: w.parent, steps: w.steps})
	}
	w.inside(n, value)
	w.steps = w.steps[:len(w.steps)-1]
}

func (w *walk) inside(n *node, value reflect.Value) {
	for i := range n.children {
		if w.ended {
			return
		}
		w.parent = value
		w.enter(&n.children[i], value.Field(n.children[i].field))
	}
}
