package codec

import (
	"bytes"
	"strings"

	"countersign/internal/i18n"
)

// XMLKind is the kind of an XML token.
type XMLKind uint8

// The kinds of tokens.
const (
	EndOfDocument XMLKind = iota
	Start
	End
	Text
	Broken // not well-formed, or refused; Advice says what to do
)

// XMLToken is one piece of an XML document. The slices point into the input.
type XMLToken struct {
	Kind      XMLKind
	Offset    int       // in the input, in bytes
	Local     []byte    // name of a start tag without its prefix
	Namespace string    // of a start tag
	Text      []byte    // raw, references not replaced; Characters replaces them
	CDATA     bool      // the text stood in a CDATA section
	Advice    i18n.Text // what to do about a broken document
}

// Characters is the text of a token with references replaced and line ends normalised.
func (t XMLToken) Characters() string {
	if !t.CDATA {
		return unescape(t.Text, false)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(t.Text), "\r\n", "\n"), "\r", "\n")
}

// IsBlank reports whether the token is only white space.
func (t XMLToken) IsBlank() bool { return !t.CDATA && isBlank(t.Text) }

// binding is a namespace prefix in scope; depth is that of its element.
type binding struct {
	prefix    string
	namespace string
	depth     int
}

// XMLScanner cuts an XML document into tokens in one pass; make it with New.
type XMLScanner struct {
	data       []byte
	position   int
	maxDepth   int
	open       [][]byte // names of the open elements, as written
	bindings   []binding
	attributes []XMLAttribute
	nameEnd    int  // offset behind the name of the start tag read last
	closing    bool // the start tag read last closes itself
	rootSeen   bool
	started    bool
}

// NewXMLScanner makes a scanner of a document in UTF-8, which the caller has checked. maxDepth limits the nesting of elements.
func NewXMLScanner(data []byte, maxDepth int) XMLScanner {
	return XMLScanner{data: data, maxDepth: maxDepth}
}

// SkipByteOrderMark skips a byte order mark and reports whether there was one. Call it before the first Next.
func (s *XMLScanner) SkipByteOrderMark() bool {
	const mark = "\xEF\xBB\xBF"
	if !bytes.HasPrefix(s.data, []byte(mark)) {
		return false
	}
	s.position = len(mark)
	return true
}

// Attributes are those of the start tag read last, valid until the next token.
func (s *XMLScanner) Attributes() []XMLAttribute { return s.attributes }

// NameEnd is the offset behind the name of the start tag read last.
func (s *XMLScanner) NameEnd() int { return s.nameEnd }

// Position returns the offset after the last token.
func (s *XMLScanner) Position() int { return s.position }

const (
	adviceName      = "Correct the XML: a name is missing at this position."
	adviceEnd       = "Complete the document: it ends before its last element is closed."
	adviceReference = "Write the character & as an entity: only the five predefined XML entities and character references are allowed."
	adviceCharacter = "Remove this character: XML does not allow it."
)

func broken(offset int, advice i18n.Text) XMLToken {
	return XMLToken{Kind: Broken, Offset: offset, Advice: advice}
}

// Next reads the next token; comments and processing instructions are passed over.
func (s *XMLScanner) Next() XMLToken {
	if s.closing {
		s.closing = false
		s.pop()
		return XMLToken{Kind: End, Offset: s.position}
	}
	if !s.started {
		s.started = true
		if t, ok := s.declaration(); !ok {
			return t
		}
	}
	for s.position < len(s.data) {
		if s.data[s.position] != '<' {
			t := s.text()
			if t.Kind == Text && len(s.open) == 0 {
				continue
			}
			return t
		}
		t, skipped := s.markup()
		if !skipped {
			return t
		}
	}
	if len(s.open) > 0 || !s.rootSeen {
		return broken(s.position, adviceEnd)
	}
	return XMLToken{Kind: EndOfDocument, Offset: s.position}
}

// markup reads what begins with <; skipped is true for a comment and a processing instruction.
func (s *XMLScanner) markup() (t XMLToken, skipped bool) {
	rest := s.data[s.position:]
	switch {
	case bytes.HasPrefix(rest, []byte("</")):
		return s.endTag(), false
	case bytes.HasPrefix(rest, []byte("<!--")):
		t = s.comment()
	case bytes.HasPrefix(rest, []byte("<?")):
		t = s.instruction()
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return s.cdata(), false
	case bytes.HasPrefix(rest, []byte("<!")):
		return broken(s.position, "Remove the document type declaration: such declarations and their entities are not accepted."), false
	default:
		return s.startTag(), false
	}
	return t, t.Kind != Broken
}

// declaration reads the XML declaration, if there is one.
func (s *XMLScanner) declaration() (XMLToken, bool) {
	const opening = "<?xml"
	rest := s.data[s.position:]
	if !bytes.HasPrefix(rest, []byte(opening)) || len(rest) == len(opening) || !isSpace(rest[len(opening)]) {
		return XMLToken{}, true
	}
	start := s.position
	s.position += len(opening)
	t, ok := s.readAttributes()
	if !ok {
		return t, false
	}
	if !bytes.HasPrefix(s.data[s.position:], []byte("?>")) || !s.isDeclaration() {
		return broken(start, `Correct the XML declaration: write <?xml version="1.0" encoding="UTF-8"?>.`), false
	}
	s.position += 2
	return XMLToken{}, true
}

// isDeclaration checks version, encoding and standalone, in this order.
func (s *XMLScanner) isDeclaration() bool {
	names := []string{"version", "encoding", "standalone"}
	for i := range s.attributes {
		name, value := string(s.attributes[i].Local), string(s.attributes[i].raw)
		for len(names) > 0 && names[0] != name && names[0] != "version" {
			names = names[1:]
		}
		if len(names) == 0 || names[0] != name || len(s.attributes[i].prefix) > 0 {
			return false
		}
		names = names[1:]
		valid := name == "version" && value == "1.0" || name == "encoding" && strings.EqualFold(value, "UTF-8") ||
			name == "standalone" && (value == "yes" || value == "no")
		if !valid {
			return false
		}
	}
	return len(s.attributes) > 0
}

func (s *XMLScanner) comment() XMLToken {
	start := s.position
	s.position += len("<!--")
	end := bytes.Index(s.data[s.position:], []byte("--"))
	if end < 0 || !bytes.HasPrefix(s.data[s.position+end:], []byte("-->")) {
		return broken(start, "Close the comment with -->, and remove any -- inside the comment.")
	}
	content := s.data[s.position : s.position+end]
	if bad := firstForbidden(content); bad >= 0 {
		return broken(s.position+bad, adviceCharacter)
	}
	s.position += end + len("-->")
	return XMLToken{}
}

func (s *XMLScanner) instruction() XMLToken {
	start := s.position
	s.position += len("<?")
	name := s.name()
	if len(name) == 0 || bytes.IndexByte(name, ':') >= 0 || strings.EqualFold(string(name), "xml") {
		return broken(start, "Remove this processing instruction, or put the XML declaration at the very start of the document.")
	}
	end := bytes.Index(s.data[s.position:], []byte("?>"))
	if end < 0 || end > 0 && !isSpace(s.data[s.position]) {
		return broken(start, "Close the processing instruction with ?>.")
	}
	if bad := firstForbidden(s.data[s.position : s.position+end]); bad >= 0 {
		return broken(s.position+bad, adviceCharacter)
	}
	s.position += end + len("?>")
	return XMLToken{}
}

func (s *XMLScanner) cdata() XMLToken {
	start := s.position
	if len(s.open) == 0 {
		return broken(start, "Remove the CDATA section outside the root element.")
	}
	content := s.data[start+len("<![CDATA["):]
	end := bytes.Index(content, []byte("]]>"))
	if end < 0 {
		return broken(start, "Write the text without a CDATA section: this CDATA section is not closed.")
	}
	if bad := firstForbidden(content[:end]); bad >= 0 {
		return broken(start+len("<![CDATA[")+bad, adviceCharacter)
	}
	s.position = start + len("<![CDATA[") + end + len("]]>")
	return XMLToken{Kind: Text, Offset: start, Text: content[:end], CDATA: true}
}

// text reads up to the next markup.
func (s *XMLScanner) text() XMLToken {
	start := s.position
	end := bytes.IndexByte(s.data[start:], '<')
	if end < 0 {
		end = len(s.data) - start
	}
	content := s.data[start : start+end]
	s.position = start + end
	if bad := firstForbidden(content); bad >= 0 {
		return broken(start+bad, adviceCharacter)
	}
	if closing := bytes.Index(content, []byte("]]>")); closing >= 0 {
		return broken(start+closing, "Write the > in ]]> as &gt;.")
	}
	if len(s.open) == 0 && !isBlank(content) {
		return broken(start, "Remove the text outside the root element.")
	}
	if bad := firstBadReference(content); bad >= 0 {
		return broken(start+bad, adviceReference)
	}
	return XMLToken{Kind: Text, Offset: start, Text: content}
}

func (s *XMLScanner) endTag() XMLToken {
	start := s.position
	s.position += len("</")
	name := s.name()
	s.space()
	if s.position >= len(s.data) || s.data[s.position] != '>' {
		return broken(start, "Complete the end tag with >.")
	}
	s.position++
	if len(s.open) == 0 || !bytes.Equal(name, s.open[len(s.open)-1]) {
		return broken(start, "Correct the end tag: it must close the element opened last.")
	}
	s.pop()
	return XMLToken{Kind: End, Offset: start}
}

func (s *XMLScanner) pop() {
	depth := len(s.open)
	s.open = s.open[:depth-1]
	for len(s.bindings) > 0 && s.bindings[len(s.bindings)-1].depth == depth {
		s.bindings = s.bindings[:len(s.bindings)-1]
	}
}

func (s *XMLScanner) startTag() XMLToken {
	start := s.position
	s.position++
	name := s.name()
	prefix, local, ok := splitName(name)
	if !ok && s.position >= len(s.data) {
		return broken(start, adviceEnd)
	}
	if !ok {
		return broken(start, adviceName)
	}
	if len(s.open) == 0 && s.rootSeen {
		return broken(start, "Remove the text after the root element: a document has exactly one root element.")
	}
	if len(s.open) == s.maxDepth {
		return broken(start, i18n.Text("Nest at most %d elements inside one another.").With(s.maxDepth))
	}
	s.rootSeen = true
	s.nameEnd = s.position
	t, ok := s.readAttributes()
	if !ok {
		return t
	}
	s.open = append(s.open, name)
	t, ok = s.bind()
	if !ok {
		return t
	}
	namespace, found := s.resolve(prefix)
	if !found {
		return broken(start, i18n.Text("Declare the namespace prefix %s.").With(Shown(string(prefix))))
	}
	return s.closeStartTag(XMLToken{Kind: Start, Offset: start, Local: local, Namespace: namespace})
}

func (s *XMLScanner) closeStartTag(t XMLToken) XMLToken {
	rest := s.data[s.position:]
	switch {
	case bytes.HasPrefix(rest, []byte(">")):
		s.position++
	case bytes.HasPrefix(rest, []byte("/>")):
		s.position += 2
		s.closing = true
	default:
		return broken(s.position, "Complete the start tag with >.")
	}
	return t
}

// splitName cuts a qualified name at its colon.
func splitName(name []byte) (prefix, local []byte, ok bool) {
	colon := bytes.IndexByte(name, ':')
	if colon < 0 {
		return nil, name, len(name) > 0
	}
	prefix, local = name[:colon], name[colon+1:]
	ok = len(prefix) > 0 && len(local) > 0 && bytes.IndexByte(local, ':') < 0 && nameLength(local) == len(local)
	return prefix, local, ok
}
