package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
)

// maxFindings limits the findings of one answer, including the sentence that there are more. A body of MaxSize has room for tens of
// thousands.
const maxFindings = 200

// located is a finding with its place in the body.
type located struct {
	payment.Finding
	offset int
}

// strictReader reads a body once. It keeps members that the schema knows and reports everything that a lenient reader would have to guess.
type strictReader struct {
	tokens *codec.JSONReader
	raw    []byte
	found  []located
	broken bool           // the rest is not read: it cannot be, or there are more findings than are told
	places map[string]int // where each known member stands
	// numbers are the numbers as they were written, so that no float comes near an amount.
	numbers map[string]string

	wrappable bool // the order may also stand inside paymentRequest

	document        []byte // the bytes of the member Document
	documentPointer string
	documentOffset  int
}

// report adds a finding. The first one above the limit ends the reading.
func (r *strictReader) report(offset int, pointer, code, text string) {
	if len(r.found) > maxFindings {
		return
	}
	r.found = append(r.found, located{payment.Finding{Pointer: pointer, Code: code, Text: i18n.Data(text)}, offset})
	r.broken = r.broken || len(r.found) > maxFindings
}

// inOrder returns the findings in the order of the body.
func (r *strictReader) inOrder() []payment.Finding {
	sort.SliceStable(r.found, func(i, j int) bool { return r.found[i].offset < r.found[j].offset })
	findings := make([]payment.Finding, len(r.found))
	for i, f := range r.found {
		findings[i] = f.Finding
	}
	return Told(findings)
}

// Told limits the findings of an answer. The last one then says that there are more.
func Told(findings []payment.Finding) []payment.Finding {
	if len(findings) <= maxFindings {
		return findings
	}
	return append(findings[:maxFindings-1:maxFindings-1], payment.Finding{
		Code: "FF01", Text: "Correct the problems listed and send it again: there are more than these.",
	})
}

// place returns the offset of a member in the body, or of the nearest present one around it.
func (r *strictReader) place(prefix, pointer string) int {
	for full := prefix + pointer; full != ""; {
		offset, known := r.places[full]
		if known {
			return offset
		}
		full = full[:strings.LastIndexByte(full, '/')]
	}
	return 0
}

// order reads the whole body: one object, flat or inside paymentRequest.
func (r *strictReader) order(schema *jsonschema.Schema) (members map[string]any, prefix string) {
	if r.next() != '{' {
		if !r.broken {
			r.report(0, "", "FF01", "Send a JSON object.")
			r.broken = true
		}
		return nil, ""
	}
	members = r.object(schema, "")
	if !r.broken {
		r.end()
	}
	inner, wrapped := members[wrapperName].(map[string]any)
	if !wrapped || !r.wrappable {
		return members, ""
	}
	delete(members, wrapperName)
	for name := range members {
		pointer := pointerTo([]string{name})
		r.report(r.places[pointer], pointer, "CH17", "Remove "+name+" here: the order is inside "+wrapperName+".")
	}
	return inner, "/" + wrapperName
}

const wrapperName = "paymentRequest"

// wrapperAt reports whether an object may hold the whole order once more, inside paymentRequest.
func (r *strictReader) wrapperAt(pointer string) bool { return r.wrappable && pointer == "" }

// object reads an object, the names of whose members the schema knows.
func (r *strictReader) object(schema *jsonschema.Schema, pointer string) map[string]any {
	members := map[string]any{}
	err := r.tokens.Bracket()
	if err != nil {
		r.fail(err, pointer)
		return members
	}
	for !r.broken {
		name, offset, ok := r.name(pointer)
		if !ok {
			return members
		}
		place := pointer + "/" + iso20022.PointerStep(name)
		known, allowed := schema.Properties[name]
		if name == wrapperName && r.wrapperAt(pointer) {
			known, allowed = schema, true
		}
		_, seen := members[name]
		switch {
		case !allowed:
			r.unknown(schema, name, located{payment.Finding{Pointer: place}, offset})
			r.skip(place)
		case seen:
			r.report(offset, place, "FF01", "Remove the second "+name+": a name may stand only once in an object.")
			r.skip(place)
		default:
			r.places[place] = offset
			members[name] = r.member(known, name, place)
		}
	}
	return members
}

// name reads the name of the next member; ok is false at the end of the object.
func (r *strictReader) name(pointer string) (name string, offset int, ok bool) {
	if r.next() == 0 {
		return "", 0, false
	}
	read, offset, ok, err := r.tokens.Name()
	if err != nil {
		r.fail(err, pointer)
	}
	return string(read), offset, ok
}

func (r *strictReader) unknown(schema *jsonschema.Schema, name string, at located) {
	names := maps.Keys(schema.Properties)
	if r.wrapperAt(at.Pointer[:strings.LastIndexByte(at.Pointer, '/')]) {
		names = slices.Values(append(slices.Collect(names), wrapperName))
	}
	for known := range names {
		if strings.EqualFold(known, name) {
			r.report(at.offset, at.Pointer, "FF01", "Write "+Shown(name)+" as "+known+": names are case-sensitive.")
			return
		}
	}
	r.report(at.offset, at.Pointer, "CH17", "Remove "+Shown(name)+": it is not known here.")
}

// member reads the value of a known member. It only cuts out the document, which the ISO 20022 codec reads.
func (r *strictReader) member(schema *jsonschema.Schema, name, pointer string) any {
	found := r.next()
	schema = shapeFor(schema, found)
	switch {
	case name == "Document":
		value, offset, err := r.tokens.Value()
		if err != nil {
			r.fail(err, pointer)
			return nil
		}
		r.document, r.documentPointer, r.documentOffset = r.raw[offset:offset+len(value)], pointer, offset
		return map[string]any{}
	case found == '{' && schema.Properties != nil:
		return r.object(schema, pointer)
	case found == '[' && schema.Items2020 != nil:
		return r.list(schema, name, pointer)
	case found == '{' || found == '[':
		r.skip(pointer)
		if found == '[' {
			return []any{}
		}
		return map[string]any{}
	}
	value, _, err := r.tokens.Value()
	if err != nil {
		r.fail(err, pointer)
		return nil
	}
	switch found {
	case '"':
		return string(codec.JSONText(value))
	case '0':
		r.numbers[pointer] = string(value)
		return 0 // its type is all that a schema asks for
	case 't', 'f':
		return found == 't'
	default:
		return nil
	}
}

// list reads an array by the schema of its items. Entries beyond maxItems are skipped: only the finding that refuses the list counts them.
func (r *strictReader) list(schema *jsonschema.Schema, name, pointer string) []any {
	list := []any{}
	tooLong := false
	err := r.tokens.Bracket()
	if err != nil {
		r.fail(err, pointer)
	}
	for !r.broken && r.next() != ']' {
		if schema.MaxItems != nil && len(list) == *schema.MaxItems {
			tooLong = true
			r.skip(pointer)
			continue
		}
		place := pointer + "/" + strconv.Itoa(len(list))
		r.places[place] = r.tokens.Start()
		list = append(list, r.member(schema.Items2020, "", place))
	}
	if tooLong {
		r.report(r.places[pointer], pointer, "FF01", "Send at most "+strconv.Itoa(*schema.MaxItems)+" "+name+" at once.")
	}
	if r.broken {
		return list
	}
	err = r.tokens.Bracket()
	if err != nil {
		r.fail(err, pointer)
	}
	return list
}

func (r *strictReader) next() jsontext.Kind {
	found := r.tokens.Next()
	if found == 0 {
		r.fail(r.tokens.Bracket(), "")
	}
	return found
}

func (r *strictReader) skip(pointer string) {
	if r.broken {
		return
	}
	err := r.tokens.Skip()
	if err != nil {
		r.fail(err, pointer)
	}
}

// end makes sure that nothing follows the body.
func (r *strictReader) end() {
	err := r.tokens.Bracket()
	if !errors.Is(err, io.EOF) {
		r.report(r.tokens.End(), "", "FF01", "Remove what follows the JSON object.")
	}
}

// fail reports that the rest cannot be read.
func (r *strictReader) fail(err error, pointer string) {
	if r.broken {
		return
	}
	r.broken = true
	offset := min(max(r.tokens.Place(err), 0), len(r.raw))
	line := 1 + bytes.Count(r.raw[:offset], []byte("\n"))
	column := offset - bytes.LastIndexByte(r.raw[:offset], '\n')
	text := fmt.Sprintf("Correct the JSON at line %d, column %d: it is malformed, not UTF-8 or nested too deeply there.", line, column)
	if bytes.HasPrefix(r.raw, []byte("\xef\xbb\xbf")) {
		text = "Remove the byte order mark at the start of the body."
	}
	r.report(offset, pointer, "FF01", text)
}

// readDocument reads the document by the ISO 20022 codec; its findings get the place of the document.
func (r *strictReader) readDocument() *iso20022.CustomerCreditTransferInitiation {
	if r.document == nil {
		return nil
	}
	read, findings := codec.DecodeJSON(r.document, r.documentPointer, iso20022.Pain001V09)
	whole := true
	for _, f := range findings {
		r.report(r.documentOffset, f.Pointer, f.Code, f.Text.String())
		whole = whole && !f.Final
	}
	document, _ := read.(*iso20022.CustomerCreditTransferInitiation)
	if !whole || r.broken {
		return nil // what was not read would be taken for missing
	}
	return document
}

// Shown shortens a text of the caller to 40 characters, to quote it in a sentence.
func Shown(text string) string {
	const most = 40
	runes := []rune(text)
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
