package iso20022

import "reflect"

// kind is the built-in type under a simple type.
type kind uint8

const (
	kindText kind = iota
	kindDecimal
	kindBoolean
	kindDate
	kindDateTime
	kindTime
)

// unbounded is the maximum of an element that may repeat without limit.
const unbounded = -1

// simpleType describes the text of a leaf. A maxLength of 0 means any length;
// digits below 0 are not restricted.
type simpleType struct {
	name                        string
	kind                        kind
	minLength, maxLength        int
	totalDigits, fractionDigits int
	nonNegative                 bool
	pattern                     *pattern
	enumeration                 []string
}

// element describes one child of a group. Element i of a group is field i of
// its Go struct. A leaf has simple set, an amount currency as well.
type element struct {
	tag      string
	min, max int
	simple   *simpleType
	currency *simpleType
	group    *groupType
}

func (e *element) repeats() bool { return e.max != 1 }

// groupType describes an element with children: in order, or exactly one of
// them when it is a choice. An any group holds one element of whatever kind; a
// document group is the Document element itself, whose value is the root struct.
type groupType struct {
	name     string
	choice   bool
	any      bool
	document bool
	elements []element
}

// find returns the index of a child by tag, or -1. It looks from a position on
// first, because documents mostly follow the schema order.
func (g *groupType) find(tag []byte, from int) int {
	for i := from; i < len(g.elements); i++ {
		if g.elements[i].tag == string(tag) {
			return i
		}
	}
	for i := 0; i < from && i < len(g.elements); i++ {
		if g.elements[i].tag == string(tag) {
			return i
		}
	}
	return -1
}

// mandatory says whether child i must be there on its own.
func (g *groupType) mandatory(i int) bool {
	return !g.choice && g.elements[i].min > 0
}

// field is the Go field of child i.
func (g *groupType) field(value reflect.Value, i int) reflect.Value {
	if g.document {
		return value
	}
	return value.Field(i)
}

// present counts how often child i would be written.
func (g *groupType) present(value reflect.Value, i int) int {
	field := g.field(value, i)
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

// slot makes room for one more value in a field and returns the place.
func slot(field reflect.Value) reflect.Value {
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
