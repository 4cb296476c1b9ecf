package iso20022

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schemaInstance is the namespace of attributes that every schema allows.
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

// DecodeXML reads a document of any message of this package with the default
// limits; see Options.DecodeXML.
func DecodeXML(data []byte) (Document, []Finding) {
	return Options{}.DecodeXML(data)
}

// DecodeXML reads a document; the namespace of its root says which message it
// is. No findings means that the document follows the schema and the structure
// rules of SPS 2025 chapter 3 (no empty elements, no CDATA, no byte order mark,
// UTF-8, no document type declaration). With findings the document holds what
// could be read, or is nil when that is nothing; such a document may be shown
// and checked further, but not processed. Pointers start with /Document.
func (o Options) DecodeXML(data []byte) (Document, []Finding) {
	x := &xmlDecoder{decoder: newDecoder(o, data, "/Document")}
	document := x.document()
	return document, x.inInput(data)
}

// xmlDecoder is the XML front end.
type xmlDecoder struct {
	decoder
	scanner   scanner
	namespace string
	// places takes the offset of each element by its pointer, when somebody asks for them.
	places map[string]int
	// kept counts the bytes of the envelopes kept so far.
	kept int
}

// mostKept bounds the envelopes of one document, in largest documents. Each is kept with the namespaces it needs, so that without a
// bound a small document with long namespaces and many envelopes would grow to gigabytes.
const mostKept = 4

func (x *xmlDecoder) document() Document {
	if !x.acceptable() {
		return nil
	}
	root, ok := x.next()
	if !ok {
		return nil
	}
	if root.kind != tokenStart || string(root.local) != "Document" {
		x.fail(root.offset, codeFormat, "Send an ISO 20022 document: its root element must be Document.")
		return nil
	}
	message := messageOfNamespace(root.namespace)
	if message == nil {
		x.fail(root.offset, codeFormat, "Send a message this system knows: it has no message with the namespace "+strconv.Quote(shown(root.namespace))+".")
		return nil
	}
	x.namespace = root.namespace
	x.remember(root.offset)
	x.strict = strings.HasPrefix(string(message.name), "pain.")
	document := message.create()
	x.attributes(nil)
	x.group(groupState{group: &message.document, value: reflect.ValueOf(document).Elem(), start: root.offset, mandatory: true})
	if !x.stopped {
		x.next()
	}
	return document
}

// acceptable checks what can be said of the input as a whole.
func (x *xmlDecoder) acceptable() bool {
	if len(x.data) > x.options.MaxBytes {
		x.fail(x.options.MaxBytes, codeFormat, "Send at most "+strconv.Itoa(x.options.MaxBytes)+" bytes in one document.")
		return false
	}
	if !utf8.Valid(x.data) {
		x.fail(firstInvalid(x.data), codeFormat, "Send the document in UTF-8: this byte is not part of a character.")
		return false
	}
	x.scanner = scanner{data: x.data, maxDepth: x.options.MaxDepth}
	if bytes.HasPrefix(x.data, []byte("\xEF\xBB\xBF")) {
		x.report(0, codeContent, "Remove the byte order mark at the start of the document.")
		x.scanner.position = 3
	}
	return true
}

func firstInvalid(data []byte) int {
	for offset := 0; offset < len(data); {
		character, width := utf8.DecodeRune(data[offset:])
		if character == utf8.RuneError && width < 2 {
			return offset
		}
		offset += width
	}
	return len(data)
}

// next reads a token; ok is false at the end and when the XML is broken, which
// is reported.
func (x *xmlDecoder) next() (token, bool) {
	if x.stopped {
		return token{}, false
	}
	t := x.scanner.next()
	switch t.kind {
	case tokenBroken:
		x.fail(t.offset, codeFormat, t.advice)
		return t, false
	case tokenText:
		if t.cdata {
			x.report(t.offset, codeContent, "Write the text without CDATA section.")
		}
	case tokenEndOfDocument:
		return t, false
	case tokenStart, tokenEnd:
	}
	return t, true
}

// group reads the children of the current element up to its end tag.
func (x *xmlDecoder) group(state groupState) {
	strayText := false
	for {
		t, ok := x.next()
		if !ok {
			return
		}
		switch t.kind {
		case tokenEnd:
			x.finish(&state)
			return
		case tokenText:
			if !strayText && (t.cdata || !isBlank(t.text)) {
				strayText = true
				x.report(t.offset, codeFormat, "Remove the text between the elements.")
			}
		case tokenStart:
			state.count++
			x.child(&state, t)
		case tokenEndOfDocument, tokenBroken: // next has reported them
			return
		}
	}
}

// child reads one child element.
func (x *xmlDecoder) child(s *groupState, t token) {
	i := s.group.find(t.local, s.last)
	if i < 0 || t.namespace != x.namespace {
		x.reportChild(step{string(t.local), -1}, t.offset, s.group.unknown(string(t.local)))
		x.skip()
		return
	}
	e := &s.group.elements[i]
	refused, ok := s.admit(i)
	if !ok {
		x.reportChild(s.next(i), t.offset, refused)
		x.skip()
		return
	}
	place := s.next(i)
	x.enter(place.tag, place.index)
	x.remember(t.offset)
	if i < s.last {
		x.report(t.offset, codeFormat, "Move "+e.tag+" before "+s.group.elements[s.last].tag+": the schema fixes the order.")
	}
	s.seen |= 1 << i
	x.element(e, slot(s.group.field(s.value, i)), t.offset)
	x.leave()
	s.last = max(s.last, i)
}

// remember notes where the current element begins.
func (x *xmlDecoder) remember(offset int) {
	if x.places != nil {
		x.places[x.pointer()] = offset
	}
}

// element reads the content of the current element.
func (x *xmlDecoder) element(e *element, place reflect.Value, offset int) {
	currency, found := x.attributes(e)
	switch {
	case e.group != nil && e.group.any:
		x.content(e, place, offset)
	case e.group != nil:
		x.group(groupState{group: e.group, value: place, start: offset, mandatory: e.min > 0})
	case e.currency != nil:
		at, value := amountPlaces(place)
		if found {
			*at = currency
			x.currency(e, offset, currency)
		} else {
			x.currencyMissing(e, offset)
		}
		x.leaf(e, value, leafText{x.text(e), offset})
	default:
		x.leaf(e, place, leafText{x.text(e), offset})
	}
}

// attributes checks the attributes of the element just opened and returns the
// currency when it is an amount.
func (x *xmlDecoder) attributes(e *element) (currency string, found bool) {
	for _, attribute := range x.scanner.attributes {
		switch {
		case attribute.isNamespace():
		case attribute.namespace == "" && e != nil && e.currency != nil && string(attribute.local) == "Ccy":
			currency, found = unescape(attribute.value, true), true
		case attribute.namespace == schemaInstance && isSchemaLocation(string(attribute.local)):
		default:
			name := string(attribute.local)
			x.reportChild(step{name, -1}, attribute.offset, problem{codeNotAllowed, "Remove the attribute " + shown(name) + ": the element has no such attribute."})
		}
	}
	return currency, found
}

func isSchemaLocation(name string) bool {
	return name == "schemaLocation" || name == "noNamespaceSchemaLocation"
}

// text reads the text of a leaf up to its end tag.
func (x *xmlDecoder) text(e *element) string {
	text, whole := "", []byte(nil)
	for parts := 0; ; parts++ {
		t, ok := x.next()
		if !ok || t.kind == tokenEnd {
			break
		}
		if t.kind == tokenStart {
			x.reportChild(step{string(t.local), -1}, t.offset, problem{codeNotAllowed, "Remove " + shown(string(t.local)) + ": " + e.tag + " holds text only."})
			x.skip()
			continue
		}
		part := characters(t)
		if parts == 0 {
			text = part
			continue
		}
		if whole == nil {
			whole = append(whole, text...)
		}
		whole = append(whole, part...)
	}
	if whole != nil {
		text = string(whole)
	}
	if e.simple.kind != kindText {
		text = strings.Trim(text, " \t\r\n")
	}
	return text
}

// characters is the text of a token with references replaced and line ends normalised.
func characters(t token) string {
	if !t.cdata {
		return unescape(t.text, false)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(t.text), "\r\n", "\n"), "\r", "\n")
}

// content keeps the one element of an envelope as it was written, complete
// with the namespaces it needs.
func (x *xmlDecoder) content(e *element, place reflect.Value, offset int) {
	kept := ""
	for {
		t, ok := x.next()
		if !ok {
			return
		}
		switch t.kind {
		case tokenEnd:
			if kept == "" {
				x.report(offset, codeMissing, "Enter one element in "+e.tag+" or remove it.")
			}
			place.Field(0).SetString(kept)
			return
		case tokenText:
			if t.cdata || !isBlank(t.text) {
				x.report(t.offset, codeFormat, "Remove the text between the elements.")
			}
		case tokenStart:
			if kept != "" {
				x.report(t.offset, codeFormat, "Remove the second element in "+e.tag+": it holds exactly one.")
			}
			inherited := x.scanner.inherited()
			nameEnd := x.scanner.nameEnd
			x.skip()
			if !x.stopped {
				kept = string(x.data[t.offset:nameEnd]) + inherited + string(x.data[nameEnd:x.scanner.position])
				x.keep(len(kept), offset)
			}
		case tokenEndOfDocument, tokenBroken: // next has reported them
			return
		}
	}
}

// keep counts an envelope and stops the reading when they become too large.
func (x *xmlDecoder) keep(size, offset int) {
	x.kept += size
	if x.kept > mostKept*x.options.MaxBytes {
		x.fail(offset, codeFormat, "Send fewer or smaller supplementary data: with the namespaces they need they are too large.")
	}
}

// skip reads to the end of the element just opened.
func (x *xmlDecoder) skip() {
	for depth := 1; depth > 0; {
		t, ok := x.next()
		if !ok {
			return
		}
		switch t.kind {
		case tokenStart:
			depth++
		case tokenEnd:
			depth--
		case tokenEndOfDocument, tokenText, tokenBroken:
		}
	}
}

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}
