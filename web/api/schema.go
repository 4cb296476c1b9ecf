package api

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"countersign/internal/iso20022"
)

// resolved follows references to the schema with content.
func resolved(schema *jsonschema.Schema) *jsonschema.Schema {
	for schema.Ref != nil {
		schema = schema.Ref
	}
	return schema
}

// shapeFor is the alternative of a schema that knows the members of an object or the entries of a list; the schema itself when there is
// no choice.
func shapeFor(schema *jsonschema.Schema, found jsontext.Kind) *jsonschema.Schema {
	schema = resolved(schema)
	for _, alternative := range schema.OneOf {
		alternative = resolved(alternative)
		if found == '{' && alternative.Properties != nil || found == '[' && alternative.Items2020 != nil {
			return alternative
		}
	}
	return schema
}

// mistake is a violation of a schema by a body; the pointer names the member, present or missing.
type mistake struct {
	pointer    string
	code, text string
}

// mistakesIn validates a body against its schema and returns one mistake for each place. Unknown members are left out, because the strict
// reader reported them. It stops above maxFindings.
func mistakesIn(schema *jsonschema.Schema, body map[string]any) []mistake {
	invalid, is := errors.AsType[*jsonschema.ValidationError](schema.Validate(body))
	if !is {
		return nil
	}
	var found []mistake
	named := map[string]bool{} // a body has room for thousands of places: comparing each with all others would hold a core
	for _, leaf := range leaves(invalid, nil) {
		for _, one := range mistakesOf(leaf) {
			if named[one.pointer] {
				continue
			}
			named[one.pointer] = true
			found = append(found, one)
		}
		if len(found) > maxFindings {
			break
		}
	}
	return found
}

func leaves(err *jsonschema.ValidationError, list []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(err.Causes) == 0 {
		return append(list, err)
	}
	switch err.ErrorKind.(type) {
	case *kind.OneOf:
		return append(list, ofNearest(err)...)
	case *kind.AnyOf:
		return list // which of several members there has to be, the check of the form says in one sentence
	}
	for _, cause := range err.Causes {
		list = leaves(cause, list)
	}
	return list
}

// ofNearest returns the errors of a value for which the schema allows several types: those of the alternative with the type of the value,
// or, when there is none, one error that lists the allowed types.
func ofNearest(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var want []string
	var other *jsonschema.ValidationError
	for _, alternative := range err.Causes {
		found := leaves(alternative, nil)
		mismatch, ofType := found[0].ErrorKind.(*kind.Type)
		if !ofType || len(found[0].InstanceLocation) > len(err.InstanceLocation) {
			return found
		}
		want = append(want, mismatch.Want...)
		other = found[0]
	}
	other.ErrorKind = &kind.Type{Got: other.ErrorKind.(*kind.Type).Got, Want: want}
	return []*jsonschema.ValidationError{other}
}

// mistakesOf describes one violation of the schema. Codes: CH21 element missing, CH17 element not allowed, CH16 content wrong, FF01 format
// wrong (ISO external codes).
func mistakesOf(leaf *jsonschema.ValidationError) []mistake {
	at := pointerTo(leaf.InstanceLocation)
	name := nameOf(leaf.InstanceLocation)
	one := func(code, text string) []mistake { return []mistake{{pointer: at, code: code, text: text}} }
	switch k := leaf.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return nil
	case *kind.Required:
		list := make([]mistake, 0, len(k.Missing))
		for _, missing := range k.Missing {
			list = append(list, mistake{pointer: at + pointerTo([]string{missing}), code: "CH21", text: "Enter " + missing + "."})
		}
		return list
	case *kind.Type:
		return one("FF01", "Enter "+name+" as "+strings.Join(k.Want, " or ")+" instead of "+k.Got+".")
	case *kind.Enum:
		return one("CH16", "Enter one of "+words(k.Want)+" in "+name+".")
	case *kind.MinItems:
		return one("CH21", "Enter at least "+strconv.Itoa(k.Want)+" in "+name+".")
	case *kind.MinLength:
		return one("CH21", "Enter "+name+": it must not be empty.")
	case *kind.MaxLength:
		return one("FF01", "Shorten "+name+" to "+strconv.Itoa(k.Want)+" characters.")
	case *kind.Pattern:
		return one("FF01", patternAdvice(name))
	}
	return one("FF01", "Correct "+name+": the description of the interface does not allow this.")
}

// nameOf returns the name of a place in sentences: that of the member, or of the list for an entry.
func nameOf(place []string) string {
	if len(place) == 0 {
		return ""
	}
	last := place[len(place)-1]
	number, err := strconv.Atoi(last)
	if err == nil && len(place) > 1 {
		return "entry " + strconv.Itoa(number+1) + " of " + place[len(place)-2]
	}
	return last
}

// patternAdvice returns the sentence for a member that does not match its pattern.
func patternAdvice(name string) string {
	if name == "contentHash" {
		return "Enter contentHash as 64 digits and letters a to f."
	}
	return "Remove the control characters from " + name + "."
}

func words(values []any) string {
	list := make([]string, 0, len(values))
	for _, value := range values {
		list = append(list, fmt.Sprint(value))
	}
	return strings.Join(list, ", ")
}

// pointerTo writes an RFC 6901 pointer.
func pointerTo(steps []string) string {
	var pointer strings.Builder
	for _, each := range steps {
		pointer.WriteByte('/')
		pointer.WriteString(iso20022.PointerStep(each))
	}
	return pointer.String()
}
