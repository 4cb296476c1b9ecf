package iso20022

import "unicode/utf8"

// checkContent says what to do when a text is not one well-formed XML element
// that can stand alone; "" means that it is.
func checkContent(text string, maxDepth int) string {
	if !utf8.ValidString(text) {
		return "Enter one XML element in UTF-8."
	}
	s := scanner{data: []byte(text), maxDepth: maxDepth, started: true}
	if len(text) == 0 || text[0] != '<' || text[len(text)-1] != '>' {
		return "Enter exactly one XML element, without anything around it."
	}
	first := true
	for {
		t := s.next()
		switch {
		case t.kind == tokenBroken:
			return t.advice
		case t.kind == tokenText && t.cdata:
			return "Write the text without CDATA section."
		case t.kind == tokenEndOfDocument:
			return ""
		case first && (t.offset != 0 || t.kind != tokenStart):
			return "Enter exactly one XML element, without anything around it."
		case first && s.inherited() != "" && !s.declaresDefault():
			return "Declare the namespace of the XML element with xmlns."
		}
		first = false
	}
}

// declaresDefault says whether the start tag read last declares xmlns.
func (s *scanner) declaresDefault() bool {
	for i := range s.attributes {
		if len(s.attributes[i].prefix) == 0 && string(s.attributes[i].local) == "xmlns" {
			return true
		}
	}
	return false
}
