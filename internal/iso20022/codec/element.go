package codec

import (
	"unicode/utf8"

	"countersign/internal/i18n"
)

// CheckElement returns the remedy when a text is not one well-formed XML element that can stand alone, else "".
func CheckElement(text string, maxDepth int) i18n.Text {
	if !utf8.ValidString(text) {
		return "Enter one XML element in UTF-8."
	}
	s := XMLScanner{data: []byte(text), maxDepth: maxDepth, started: true} // without a declaration
	if len(text) == 0 || text[0] != '<' || text[len(text)-1] != '>' {
		return "Enter exactly one XML element, without anything around it."
	}
	first := true
	for {
		t := s.Next()
		switch {
		case t.Kind == Broken:
			return t.Advice
		case t.Kind == Text && t.CDATA:
			return "Write the text without CDATA section."
		case t.Kind == EndOfDocument:
			return ""
		case first && (t.Offset != 0 || t.Kind != Start):
			return "Enter exactly one XML element, without anything around it."
		case first && s.Inherited() != "" && !s.declaresDefault():
			return "Declare the namespace of the XML element with xmlns."
		}
		first = false
	}
}

// declaresDefault reports whether the last start tag declares xmlns.
func (s *XMLScanner) declaresDefault() bool {
	for i := range s.attributes {
		if len(s.attributes[i].prefix) == 0 && string(s.attributes[i].Local) == "xmlns" {
			return true
		}
	}
	return false
}
