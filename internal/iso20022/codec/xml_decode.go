package codec

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// schemaInstance is the namespace of attributes that every schema allows.
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

// DecodeXML reads a document of any message of this package with the default limits; see Options.DecodeXML.
func DecodeXML(data []byte) (iso20022.Document, []iso20022.Finding) {
	return Options{}.DecodeXML(data)
}

// DecodeXML reads a document; the namespace of its root names the message. Without findings the document matches the schema, is in UTF-8
// and has no document type declaration; messages of clients (pain) also keep the structure rules of SPS 2025 chapter 3: no empty elements,
// no CDATA, no byte order mark. In messages between banks, empty optional groups and texts are dropped. With findings the document holds
// the readable part, or is nil when there is none; it may be shown and checked further, but not processed. Pointers start with /Document.
func (o Options) DecodeXML(data []byte) (iso20022.Document, []iso20022.Finding) {
	x := &xmlDecoder{decoder: newDecoder(o, data, "/Document")}
	document := x.document()
	return document, x.inInput(data)
}

// xmlDecoder is the XML front end.
type xmlDecoder struct {
	decoder
	scanner   XMLScanner
	namespace string
	marked    bool // the input begins with a byte order mark
	// header stands before the document, where an envelope holds both.
	header *iso20022.BusinessApplicationHeaderV02
	// places takes the offset of each element by its pointer, when somebody asks for them.
	places map[string]int
	// kept counts the bytes of the envelopes kept so far.
	kept int
}

// maxKept bounds the envelopes of one document, in largest documents. Each is kept with the namespaces it needs, so that without a
// bound a small document with long namespaces and many envelopes would grow to gigabytes.
const maxKept = 4

func (x *xmlDecoder) document() iso20022.Document {
	if !x.acceptable() {
		return nil
	}
	root, ok := x.next()
	if !ok {
		return nil
	}
	if root.Kind != Start {
		x.fail(root.Offset, rootAdvice)
		return nil
	}
	var document iso20022.Document
	if string(root.Local) == "Document" {
		document = x.body(root)
	} else {
		document = x.envelope(root)
	}
	if !x.stopped {
		x.next()
	}
	return document
}

const rootAdvice = "Send an ISO 20022 document with the root element Document."

// body reads the Document element just opened.
func (x *xmlDecoder) body(root XMLToken) iso20022.Document {
	message := iso20022.DefinitionOfNamespace(root.Namespace)
	if message == nil {
		x.fail(
			root.Offset, i18n.Text("Send a supported message type: the namespace %q is unknown.").With(Shown(root.Namespace)),
		)
		return nil
	}
	x.namespace = root.Namespace
	x.remember(root.Offset)
	x.strict = strings.HasPrefix(string(message.Name), "pain.")
	if x.marked && x.strict {
		x.report(0, codeContent, "Remove the byte order mark at the start of the document.")
	}
	document := message.New()
	x.attributes(nil)
	x.group(groupState{group: &message.Document, value: reflect.ValueOf(document).Elem(), start: root.Offset, mandatory: true})
	if !x.strict {
		prune(&message.Document, reflect.ValueOf(document).Elem())
	}
	return document
}

// acceptable checks what can be said of the input as a whole.
func (x *xmlDecoder) acceptable() bool {
	if len(x.data) > x.options.MaxBytes {
		x.fail(x.options.MaxBytes, i18n.Text("Send at most %d bytes in one document.").With(x.options.MaxBytes))
		return false
	}
	if other := otherEncoding(x.data); other != "" {
		x.refuseEncoding(0, i18n.Text("Send the document in UTF-8 instead of %s.").With(other))
		return false
	}
	if !utf8.Valid(x.data) {
		text := i18n.Text("Send the document in UTF-8: this byte is not part of a UTF-8 character.")
		if declared := declaredEncoding.FindSubmatch(x.data[:min(len(x.data), 200)]); declared != nil &&
			!bytes.EqualFold(declared[1], []byte("UTF-8")) {
			text = i18n.Text("Send the document in UTF-8: its first line declares %s.").With(Shown(string(declared[1])))
		}
		x.refuseEncoding(firstInvalid(x.data), text)
		return false
	}
	x.scanner = NewXMLScanner(x.data, MaxDepth)
	if x.scanner.SkipByteOrderMark() {
		x.marked = true
	}
	return true
}

// refuseEncoding notes an encoding that cannot be read.
func (x *xmlDecoder) refuseEncoding(offset int, text i18n.Text) {
	x.fail(offset, text)
	x.found[len(x.found)-1].Code = codeContent
}

// declaredEncoding finds the encoding in an XML declaration.
var declaredEncoding = regexp.MustCompile(`^<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// otherEncoding names the encoding of a document in 16 or 32 bits; "" for one that may be UTF-8.
func otherEncoding(data []byte) string {
	for _, mark := range []struct{ begin, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"},
		{"\x00\x00\xfe\xff", "UTF-32"},
		{"\xff\xfe", "UTF-16"},
		{"\xfe\xff", "UTF-16"},
		{"<\x00", "UTF-16"},
		{"\x00<", "UTF-16"},
	} {
		if bytes.HasPrefix(data, []byte(mark.begin)) {
			return mark.name
		}
	}
	return ""
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

// next reads a token; ok is false at the end and when the XML is broken, which is reported.
func (x *xmlDecoder) next() (XMLToken, bool) {
	if x.stopped {
		return XMLToken{}, false
	}
	t := x.scanner.Next()
	switch t.Kind {
	case Broken:
		x.fail(t.Offset, t.Advice)
		return t, false
	case Text:
		if t.CDATA && x.strict {
			x.report(t.Offset, codeContent, "Write the text without a CDATA section.")
		}
	case EndOfDocument:
		return t, false
	case Start, End:
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
		switch t.Kind {
		case End:
			x.finish(&state)
			return
		case Text:
			if !strayText && !t.IsBlank() {
				strayText = true
				x.stray(&state, t.Offset)
			}
		case Start:
			state.count++
			x.child(&state, t)
		case EndOfDocument, Broken: // next has reported them
			return
		}
	}
}

// stray reports a text between elements.
func (x *xmlDecoder) stray(state *groupState, offset int) {
	if state.group.Name == bareDate && state.count == 0 {
		state.seen |= 1
		x.report(offset, codeDate, dateOutsideDt)
		return
	}
	x.report(offset, codeFormat, "Remove the text between the elements.")
}

// child reads one child element.
func (x *xmlDecoder) child(s *groupState, t XMLToken) {
	i := s.group.Find(t.Local, s.last)
	if i < 0 || t.Namespace != x.namespace {
		refused, is := s.earlier(string(t.Local))
		if !is {
			refused = unknown(s.group, string(t.Local))
		}
		x.reportChild(step{string(t.Local), -1}, t.Offset, refused)
		x.skip()
		return
	}
	e := &s.group.Elements[i]
	refused, ok := s.admit(i)
	if !ok {
		x.reportChild(s.next(i), t.Offset, refused)
		x.skip()
		return
	}
	place := s.next(i)
	x.enter(place.tag, place.index)
	x.remember(t.Offset)
	if i < s.last {
		x.report(t.Offset, codeFormat, i18n.Text("Move %s before %s: the schema fixes the order.").With(e.Tag, s.group.Elements[s.last].Tag))
	}
	s.seen |= 1 << i
	x.element(e, iso20022.Slot(s.group.Field(s.value, i)), t.Offset)
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
func (x *xmlDecoder) element(e *iso20022.Element, place reflect.Value, offset int) {
	currency, found := x.attributes(e)
	switch {
	case e.Group != nil && e.Group.Any:
		x.content(e, place, offset)
	case e.Group != nil:
		x.group(groupState{group: e.Group, value: place, start: offset, mandatory: e.Min > 0, mayBeEmpty: !x.strict})
	case e.Currency != nil:
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

// attributes checks the attributes of the element just opened and returns the currency when it is an amount.
func (x *xmlDecoder) attributes(e *iso20022.Element) (currency string, found bool) {
	for _, attribute := range x.scanner.Attributes() {
		switch {
		case attribute.IsNamespace():
		case attribute.Namespace == "" && e != nil && e.Currency != nil && string(attribute.Local) == "Ccy":
			currency, found = attribute.Value(), true
		case attribute.Namespace == schemaInstance && isSchemaLocation(string(attribute.Local)):
		default:
			name := string(attribute.Local)
			x.reportChild(
				step{name, -1}, attribute.Offset,
				problem{codeNotAllowed, i18n.Text("Remove the attribute %s: the element has no such attribute.").With(Shown(name))},
			)
		}
	}
	return currency, found
}

func isSchemaLocation(name string) bool {
	return name == "schemaLocation" || name == "noNamespaceSchemaLocation"
}

// text reads the text of a leaf up to its end tag.
func (x *xmlDecoder) text(e *iso20022.Element) string {
	text := ""
	var rest strings.Builder // of a text in parts, which is rare
	for parts := 0; ; parts++ {
		t, ok := x.next()
		if !ok || t.Kind == End {
			break
		}
		if t.Kind == Start {
			x.reportChild(
				step{string(t.Local), -1}, t.Offset,
				problem{codeNotAllowed, i18n.Text("Remove %s: %s may contain only text.").With(Shown(string(t.Local)), e.Tag)},
			)
			x.skip()
			continue
		}
		part := t.Characters()
		if parts == 0 {
			text = part
			continue
		}
		rest.WriteString(part)
	}
	text += rest.String()
	if e.Simple.Kind != iso20022.KindText {
		text = strings.Trim(text, " \t\r\n")
	}
	return text
}

// content keeps the one element of an envelope as it was written, complete with the namespaces it needs.
func (x *xmlDecoder) content(e *iso20022.Element, place reflect.Value, offset int) {
	kept := ""
	for {
		t, ok := x.next()
		if !ok {
			return
		}
		switch t.Kind {
		case End:
			if kept == "" {
				x.report(offset, codeMissing, i18n.Text("Enter an element inside %s, or remove the empty element.").With(e.Tag))
			}
			place.Field(0).SetString(kept)
			return
		case Text:
			if !t.IsBlank() {
				x.report(t.Offset, codeFormat, "Remove the text between the elements.")
			}
		case Start:
			if kept != "" {
				x.report(t.Offset, codeFormat, i18n.Text("Remove the second element in %s: only one element is allowed there.").With(e.Tag))
			}
			inherited := x.scanner.Inherited()
			nameEnd := x.scanner.NameEnd()
			x.skip()
			if !x.stopped {
				kept = string(x.data[t.Offset:nameEnd]) + inherited + string(x.data[nameEnd:x.scanner.Position()])
				x.keep(len(kept), offset)
			}
		case EndOfDocument, Broken: // next has reported them
			return
		}
	}
}

// keep counts an envelope and stops the reading when they become too large.
func (x *xmlDecoder) keep(size, offset int) {
	x.kept += size
	if x.kept > maxKept*x.options.MaxBytes {
		x.fail(offset, "Send less supplementary data: the data and its namespaces are too large.")
	}
}

// skip reads to the end of the element just opened.
func (x *xmlDecoder) skip() {
	for depth := 1; depth > 0; {
		t, ok := x.next()
		if !ok {
			return
		}
		switch t.Kind {
		case Start:
			depth++
		case End:
			depth--
		case EndOfDocument, Text, Broken:
		}
	}
}
