package codec

import (
	"bytes"
	"strings"

	"countersign/internal/i18n"
)

// xmlNamespace is bound to the prefix xml in every document.
const xmlNamespace = "http://www.w3.org/XML/1998/namespace"

// MaxAttributes bounds the attributes of one element, so that comparing them all with each other stays cheap.
const MaxAttributes = 16

// XMLAttribute is one attribute of a start tag.
type XMLAttribute struct {
	Offset    int // in the input, in bytes
	Local     []byte
	Namespace string

	prefix []byte
	raw    []byte // without the quotes
}

// IsNamespace reports whether the attribute declares a namespace.
func (a *XMLAttribute) IsNamespace() bool {
	return string(a.prefix) == "xmlns" || len(a.prefix) == 0 && string(a.Local) == "xmlns"
}

// Value is the attribute with references replaced and white space normalised.
func (a *XMLAttribute) Value() string { return unescape(a.raw, true) }

// readAttributes reads attributes up to the end of the tag; their names must differ.
func (s *XMLScanner) readAttributes() (XMLToken, bool) {
	s.attributes = s.attributes[:0]
	for {
		before := s.position
		s.space()
		if s.position >= len(s.data) {
			return broken(s.position, adviceEnd), false
		}
		if c := s.data[s.position]; c == '>' || c == '/' || c == '?' {
			return XMLToken{}, true
		}
		if s.position == before {
			return broken(s.position, "Separate the attributes with a space."), false
		}
		if len(s.attributes) == MaxAttributes {
			return broken(s.position, "Remove some attributes: the element has too many."), false
		}
		t, ok := s.readAttribute()
		if !ok {
			return t, false
		}
	}
}

func (s *XMLScanner) readAttribute() (XMLToken, bool) {
	start := s.position
	prefix, local, ok := splitName(s.name())
	if !ok {
		return broken(start, adviceName), false
	}
	s.space()
	if s.position >= len(s.data) || s.data[s.position] != '=' {
		return broken(s.position, "Enter = and a value after the name of the attribute."), false
	}
	s.position++
	s.space()
	if s.position >= len(s.data) || s.data[s.position] != '"' && s.data[s.position] != '\'' {
		return broken(s.position, "Write the value of the attribute in quotes."), false
	}
	quote := s.data[s.position]
	s.position++
	end := bytes.IndexByte(s.data[s.position:], quote)
	if end < 0 {
		return broken(s.position, "Add the closing quotation mark after the value of the attribute."), false
	}
	value := s.data[s.position : s.position+end]
	if bytes.IndexByte(value, '<') >= 0 || firstForbidden(value) >= 0 || firstBadReference(value) >= 0 {
		return broken(s.position, "Write the characters < and & as entities in the value of the attribute, and remove control characters."), false
	}
	s.position += end + 1
	for i := range s.attributes {
		if bytes.Equal(s.attributes[i].Local, local) && bytes.Equal(s.attributes[i].prefix, prefix) {
			return broken(start, "Remove the second attribute with the same name."), false
		}
	}
	s.attributes = append(s.attributes, XMLAttribute{Offset: start, Local: local, prefix: prefix, raw: value})
	return XMLToken{}, true
}

// bind brings the namespaces the start tag declares into scope and gives each attribute its namespace.
func (s *XMLScanner) bind() (XMLToken, bool) {
	for i := range s.attributes {
		attribute := &s.attributes[i]
		if !attribute.IsNamespace() {
			continue
		}
		namespace := attribute.Value()
		prefix := ""
		if len(attribute.prefix) > 0 {
			prefix = string(attribute.Local)
		}
		if prefix != "" && namespace == "" || prefix == "xmlns" || (prefix == "xml") != (namespace == xmlNamespace) {
			return broken(attribute.Offset, "Correct the namespace declaration."), false
		}
		s.bindings = append(s.bindings, binding{prefix: prefix, namespace: namespace, depth: len(s.open)})
	}
	for i := range s.attributes {
		attribute := &s.attributes[i]
		if len(attribute.prefix) == 0 || attribute.IsNamespace() {
			continue
		}
		namespace, found := s.resolve(attribute.prefix)
		if !found {
			return broken(attribute.Offset, i18n.Text("Declare the namespace prefix %s.").With(Shown(string(attribute.prefix)))), false
		}
		attribute.Namespace = namespace
		if s.repeated(i) {
			return broken(attribute.Offset, "Remove the second attribute with the same name."), false
		}
	}
	return XMLToken{}, true
}

// repeated reports whether an attribute before i has the same namespace and name.
func (s *XMLScanner) repeated(i int) bool {
	for j := range i {
		other := &s.attributes[j]
		same := other.Namespace == s.attributes[i].Namespace && bytes.Equal(other.Local, s.attributes[i].Local)
		if same && len(other.prefix) > 0 && !other.IsNamespace() {
			return true
		}
	}
	return false
}

// resolve finds the namespace of a prefix; no prefix and no default namespace is no namespace.
func (s *XMLScanner) resolve(prefix []byte) (string, bool) {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].prefix == string(prefix) {
			return s.bindings[i].namespace, true
		}
	}
	if string(prefix) == "xml" {
		return xmlNamespace, true
	}
	return "", len(prefix) == 0
}

// Inherited writes the namespace declarations in scope that the start tag read last does not make itself, so that the element can stand
// alone.
func (s *XMLScanner) Inherited() string {
	var declarations strings.Builder
	done := map[string]bool{}
	for i := len(s.bindings) - 1; i >= 0; i-- {
		bound := s.bindings[i]
		if done[bound.prefix] {
			continue
		}
		done[bound.prefix] = true
		if bound.depth == len(s.open) {
			continue
		}
		declarations.WriteString(" xmlns")
		if bound.prefix != "" {
			declarations.WriteString(":" + bound.prefix)
		}
		declarations.WriteString(`="` + string(AppendEscaped(nil, bound.namespace, true)) + `"`)
	}
	if !done[""] {
		declarations.WriteString(` xmlns=""`)
	}
	return declarations.String()
}
