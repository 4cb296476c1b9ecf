package iso20022

import (
	"reflect"
	"slices"
	"strings"
)

// Kind is the built-in type under a simple type.
type Kind uint8

// The kinds of leaves.
const (
	KindText Kind = iota
	KindDecimal
	KindBoolean
	KindDate
	KindDateTime
	KindTime
	KindBinary // base64; lengths count its bytes
)

// Unbounded is the maximum of an element that may repeat without limit.
const Unbounded = -1

// Simple describes the text of a leaf. A MaxLength of 0 means any length; digits below 0 are not restricted.
type Simple struct {
	Name                        string
	Kind                        Kind
	MinLength, MaxLength        int
	TotalDigits, FractionDigits int
	NonNegative                 bool
	Pattern                     *Pattern
	Enumeration                 []string
}

// Element describes one child of a group. Element i of a group is field i of its Go struct. A leaf has Simple set, an amount Currency
// as well.
type Element struct {
	Tag      string
	Min, Max int
	Simple   *Simple
	Currency *Simple
	Group    *Group
}

// Repeats reports whether the element may occur more than once.
func (e *Element) Repeats() bool { return e.Max != 1 }

// SameKind reports whether both are groups, both amounts, or both plain leaves.
func (e *Element) SameKind(other *Element) bool {
	return (e.Group == nil) == (other.Group == nil) && (e.Currency == nil) == (other.Currency == nil)
}

// Group describes an element with children: in order, or exactly one of them when it is a choice. An any group holds one element of any
// kind; a document group is the Document element itself, whose value is the root struct.
type Group struct {
	Name     string
	Choice   bool
	Any      bool
	Document bool
	Elements []Element
}

// Find returns the index of a child by tag, or -1. It looks from a position on first, because documents mostly follow the schema order.
func (g *Group) Find(tag []byte, from int) int {
	for i := from; i < len(g.Elements); i++ {
		if g.Elements[i].Tag == string(tag) {
			return i
		}
	}
	for i := 0; i < from && i < len(g.Elements); i++ {
		if g.Elements[i].Tag == string(tag) {
			return i
		}
	}
	return -1
}

// Tags are the names of all children.
func (g *Group) Tags() []string {
	tags := make([]string, len(g.Elements))
	for i := range g.Elements {
		tags[i] = g.Elements[i].Tag
	}
	return tags
}

// Variant returns the tag that differs from a name only in case, or "".
func (g *Group) Variant(name string) string {
	for i := range g.Elements {
		if strings.EqualFold(g.Elements[i].Tag, name) {
			return g.Elements[i].Tag
		}
	}
	return ""
}

// Mandatory reports whether the schema requires child i.
func (g *Group) Mandatory(i int) bool {
	return !g.Choice && g.Elements[i].Min > 0
}

// MayChooseNone reports whether a choice may be left without any of its children.
func (g *Group) MayChooseNone() bool {
	return slices.ContainsFunc(g.Elements, func(e Element) bool { return e.Min == 0 })
}

// Field is the Go field of child i.
func (g *Group) Field(value reflect.Value, i int) reflect.Value {
	if g.Document {
		return value
	}
	return value.Field(i)
}

// Present counts how often child i would be written.
func (g *Group) Present(value reflect.Value, i int) int {
	field := g.Field(value, i)
	switch field.Kind() {
	case reflect.Slice:
		return field.Len()
	case reflect.Pointer, reflect.String:
		if field.IsZero() {
			return 0
		}
	}
	return 1
}

// Each visits the values of child i that would be written, with the index of one that may repeat; else -1.
func (g *Group) Each(value reflect.Value, i int, visit func(index int, one reflect.Value)) {
	field := g.Field(value, i)
	switch {
	case g.Present(value, i) == 0:
	case field.Kind() == reflect.Slice:
		for k := range field.Len() {
			visit(k, field.Index(k))
		}
	case field.Kind() == reflect.Pointer:
		visit(-1, field.Elem())
	default:
		visit(-1, field)
	}
}

// Slot makes room for one more value in a field and returns the place.
func Slot(field reflect.Value) reflect.Value {
	switch field.Kind() {
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		return field.Elem()
	case reflect.Slice:
		count := field.Len()
		if count == field.Cap() {
			field.Grow(1)
		}
		field.SetLen(count + 1)
		return field.Index(count)
	default:
		return field
	}
}
