package auditlog_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"countersign/internal/auditlog"
)

// TestALeafIsCanonical: whatever is in them, leaves of events and documents are what RFC 8785 makes of them when it puts their names in
// order and their texts in the shortest form. A field that stands in another place than its name fails here.
func TestALeafIsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		event, document := reflect.New(reflect.TypeFor[auditlog.Event]()).Elem(), reflect.New(reflect.TypeFor[auditlog.Document]()).Elem()
		fill(t, event)
		fill(t, document)
		leaf, err := event.Interface().(auditlog.Event).Leaf(auditlog.KindEvent)
		if err != nil {
			t.Fatal(err)
		}
		event.FieldByName("Layout").SetString("countersign event 1")
		mustBeCanonical(t, leaf.Data, event.Interface())
		leaf, err = document.Interface().(auditlog.Document).Leaf(auditlog.KindDocument)
		if err != nil {
			t.Fatal(err)
		}
		document.FieldByName("Layout").SetString("countersign document 1")
		mustBeCanonical(t, leaf.Data, document.Interface())
	})
}

// mustBeCanonical compares a leaf with what the standard library writes, put in order by another one.
func mustBeCanonical(t *rapid.T, data []byte, value any) {
	plain, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	canonical := jsontext.Value(plain)
	err = canonical.Canonicalize()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, canonical) {
		t.Fatalf("the leaf is\n%s\nits canonical form\n%s", data, canonical)
	}
}

// fill gives every field something, or nothing.
func fill(t *rapid.T, value reflect.Value) {
	switch value.Interface().(type) {
	case time.Time:
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999).Draw(t, "microseconds")*1000)
		value.Set(reflect.ValueOf(at.UTC()))
		return
	case uuid.UUID:
		value.Set(reflect.ValueOf(uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))))
		return
	case auditlog.Text:
		value.SetBytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			fill(t, value.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			value.Set(reflect.New(value.Type().Elem()))
			fill(t, value.Elem())
		}
	case reflect.String:
		value.SetString(rapid.OneOf(rapid.String(), rapid.Just("<&>\u2028\"\\\x01\x7f\b\f\n")).Draw(t, "text"))
	case reflect.Int:
		value.SetInt(rapid.Int64Range(0, 1<<31).Draw(t, "number"))
	case reflect.Slice:
		value.Set(reflect.ValueOf(rapid.SliceOf(rapid.String()).Draw(t, "texts")))
	default:
		t.Fatalf("what is to be in a %s?", value.Type())
	}
}
