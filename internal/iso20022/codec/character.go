package codec

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r'
}

func (s *XMLScanner) space() {
	for s.position < len(s.data) && isSpace(s.data[s.position]) {
		s.position++
	}
}

// name reads a name, which may be empty.
func (s *XMLScanner) name() []byte {
	length := nameLength(s.data[s.position:])
	name := s.data[s.position : s.position+length]
	s.position += length
	return name
}

// nameLength is the length of the XML name at the start of the text.
func nameLength(text []byte) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !isNameByte(c) || i == 0 && ('0' <= c && c <= '9' || c == '-' || c == '.') {
				return i
			}
			i++
			continue
		}
		character, width := utf8.DecodeRune(text[i:])
		if !isNameStart(character) && (i == 0 || !isNameExtender(character)) {
			return i
		}
		i += width
	}
	return len(text)
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == ':' || c == '-' || c == '.'
}

// isNameStart covers NameStartChar of XML 1.0 (fifth edition) above ASCII.
func isNameStart(c rune) bool {
	return c >= 0xC0 && c <= 0x2FF && c != 0xD7 && c != 0xF7 || c >= 0x370 && c <= 0x1FFF && c != 0x37E ||
		c == 0x200C || c == 0x200D || c >= 0x2070 && c <= 0x218F || c >= 0x2C00 && c <= 0x2FEF ||
		c >= 0x3001 && c <= 0xD7FF || c >= 0xF900 && c <= 0xFDCF || c >= 0xFDF0 && c <= 0xFFFD || c >= 0x10000 && c <= 0xEFFFF
}

// isNameExtender covers what NameChar adds above ASCII.
func isNameExtender(c rune) bool {
	return c == 0xB7 || c >= 0x300 && c <= 0x36F || c == 0x203F || c == 0x2040
}

// firstForbidden is the offset of the first character XML does not allow, or -1.
func firstForbidden(text []byte) int {
	for i, c := range text {
		switch {
		case c < 0x20:
			if c != '\t' && c != '\n' && c != '\r' {
				return i
			}
		case c == 0xEF:
			if bytes.HasPrefix(text[i:], []byte("\uFFFE")) || bytes.HasPrefix(text[i:], []byte("\uFFFF")) {
				return i
			}
		}
	}
	return -1
}

// references are the entities every XML document has.
var references = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// maxReference bounds the length of a reference between & and ;.
const maxReference = 16

// reference reads the reference after an ampersand; length counts up to and including the semicolon and is 0 when there is no valid
// reference.
func reference(text []byte) (replacement string, length int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end <= 0 {
		return "", 0
	}
	name := string(text[:end])
	if replacement, found := references[name]; found {
		return replacement, end + 1
	}
	if name[0] != '#' {
		return "", 0
	}
	digits, base := name[1:], 10
	if strings.HasPrefix(digits, "x") {
		digits, base = digits[1:], 16
	}
	number, err := strconv.ParseUint(digits, base, 31)
	if err != nil || number > utf8.MaxRune || !isXMLCharacter(rune(number)) {
		return "", 0
	}
	return string(rune(number)), end + 1
}

func isXMLCharacter(c rune) bool {
	return c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000 && c <= utf8.MaxRune
}

// firstBadReference is the offset of the first ampersand that begins no reference, or -1.
func firstBadReference(text []byte) int {
	for i := 0; ; {
		ampersand := bytes.IndexByte(text[i:], '&')
		if ampersand < 0 {
			return -1
		}
		i += ampersand + 1
		_, length := reference(text[i:])
		if length == 0 {
			return i - 1
		}
		i += length
	}
}

// unescape replaces references and normalises line ends; in an attribute every white space is a space. The references have been checked.
func unescape(raw []byte, attribute bool) string {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 && !attribute {
		return string(raw)
	}
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '&':
			replacement, length := reference(raw[i+1:])
			text = append(text, replacement...)
			i += length
		case c == '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			text = append(text, lineEnd(attribute))
		case attribute && isSpace(c):
			text = append(text, ' ')
		default:
			text = append(text, c)
		}
	}
	return string(text)
}

func lineEnd(attribute bool) byte {
	if attribute {
		return ' '
	}
	return '\n'
}

// AppendEscaped writes text into an element, or into an attribute in double quotes, so that a reader gets the same text back.
func AppendEscaped(out []byte, text string, attribute bool) []byte {
	start := 0
	for i := range len(text) {
		var replacement string
		switch c := text[i]; {
		case c == '&':
			replacement = "&amp;"
		case c == '<':
			replacement = "&lt;"
		case c == '>':
			replacement = "&gt;"
		case c == '\r':
			replacement = "&#13;"
		case attribute && c == '"':
			replacement = "&quot;"
		case attribute && (c == '\n' || c == '\t'):
			replacement = "&#" + strconv.Itoa(int(c)) + ";"
		default:
			continue
		}
		out = append(out, text[start:i]...)
		out = append(out, replacement...)
		start = i + 1
	}
	return append(out, text[start:]...)
}

func isBlank(text []byte) bool {
	return len(bytes.TrimLeft(text, " \t\r\n")) == 0
}

// Shown shortens a text of the sender to 60 characters, to quote it in a sentence.
func Shown(text string) string {
	const most = 60 // an ISO namespace fits
	text = strings.ToValidUTF8(text, "?")
	runes := []rune(text)
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
