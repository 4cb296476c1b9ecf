package codec_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/internal/iso20022/codec"
)

// spaced makes white space in attributes alike: XML asks for spaces, which the standard library leaves to its callers.
var spaced = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// read writes the tokens of a document one after the other: start tags with their namespace and attributes, texts in quotes. advice is
// what to do about a document that is refused.
func read(data []byte) (tokens, advice string) {
	scanner := codec.NewXMLScanner(data, 64)
	scanner.SkipByteOrderMark()
	var out strings.Builder
	text := ""
	for {
		token := scanner.Next()
		if token.Kind == codec.Text {
			text += token.Characters()
			continue
		}
		if text != "" {
			fmt.Fprintf(&out, "%q ", text)
			text = ""
		}
		switch token.Kind {
		case codec.Start:
			fmt.Fprintf(&out, "<%s %s", spaced.Replace(token.Namespace), token.Local)
			for _, attribute := range scanner.Attributes() {
				if !attribute.IsNamespace() {
					fmt.Fprintf(&out, " %s %s=%q", spaced.Replace(attribute.Namespace), attribute.Local, spaced.Replace(attribute.Value()))
				}
			}
			out.WriteString("> ")
		case codec.End:
			out.WriteString("</> ")
		case codec.Broken:
			return out.String(), token.Advice.String()
		case codec.EndOfDocument, codec.Text:
			return out.String(), ""
		}
	}
}

// readStandard is read by the library's decoder.
func readStandard(data []byte) (string, error) {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))))
	var out strings.Builder
	text, depth := "", 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		if characters, ok := token.(xml.CharData); ok {
			if depth > 0 {
				text += string(characters)
			}
			continue
		}
		if text != "" {
			switch token.(type) {
			case xml.StartElement, xml.EndElement:
				fmt.Fprintf(&out, "%q ", text)
				text = ""
			}
		}
		switch one := token.(type) {
		case xml.StartElement:
			depth++
			fmt.Fprintf(&out, "<%s %s", spaced.Replace(one.Name.Space), one.Name.Local)
			for _, attribute := range one.Attr {
				if attribute.Name.Space != "xmlns" && attribute.Name.Local != "xmlns" {
					fmt.Fprintf(&out, " %s %s=%q", spaced.Replace(attribute.Name.Space), attribute.Name.Local, spaced.Replace(attribute.Value))
				}
			}
			out.WriteString("> ")
		case xml.EndElement:
			depth--
			out.WriteString("</> ")
		}
	}
}

func TestTokensAreThoseOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := readStandard(content)
		if err != nil {
			t.Fatal(err)
		}
		got, advice := read(content)
		if advice != "" || got != want {
			t.Errorf("%s: %s\n got %s\nwant %s", file, advice, got, want)
		}
	}
}

func TestWhatIsNotWellFormedIsRefusedWithAdvice(t *testing.T) {
	t.Parallel()
	for content, part := range map[string]string{
		"":                 "ends before",
		"<a>":              "ends before",
		"<a></b>":          "opened last",
		"<a/><a/>":         "exactly one",
		"<a/>text":         "outside the root",
		"<!DOCTYPE a><a/>": "document type declaration",
		"<a>&b;</a>":       "as an entity",
		"<a>&#0;</a>":      "as an entity",
		"<a>\x01</a>":      "does not allow it",
		"<a b=1/>":         "in quotes",
		"<a b='1'c='2'/>":  "with a space",
		"<a b='1' b='2'/>": "second attribute",
		"<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>": "second attribute",
		"<p:a/>":                              "Declare the namespace prefix p",
		"<a b='<'/>":                          "as entities",
		"<a>]]></a>":                          "&gt;",
		"<a><!-- -- --></a>":                  "--",
		"<a><?xml version='1.0'?></a>":        "processing instruction",
		"<?xml version='1.1'?><a/>":           "XML declaration",
		strings.Repeat("<a>", 65):             "Nest at most 64",
		"<a " + strings.Repeat("b", 3) + "/>": "=",
	} {
		_, advice := read([]byte(content))
		if !strings.Contains(advice, part) {
			t.Errorf("%q: %q, want %q in it", content, advice, part)
		}
	}
}

func TestAnElementStandsAlone(t *testing.T) {
	t.Parallel()
	for content, fine := range map[string]bool{
		"<a xmlns='u'/>": true, `<p:a xmlns="" xmlns:p="u"><b/></p:a>`: true,
		"<a/>": false, "": false, " <a xmlns='u'/>": false, "<a xmlns='u'/><b xmlns='u'/>": false, "text": false,
		"<a xmlns='u'><![CDATA[b]]></a>": false, "<a xmlns='u'>\xff</a>": false,
	} {
		if advice := codec.CheckElement(content, 64); (advice == "") != fine {
			t.Errorf("%q: %q", content, advice)
		}
	}
}

// FuzzScanner holds that no input panics or goes on for ever, and that what is accepted is read by the standard library too, with the
// same elements, namespaces, attributes and texts.
func FuzzScanner(f *testing.F) {
	for _, sample := range []string{
		"<a/>", `<?xml version="1.0" encoding="UTF-8"?><a xmlns="u"><b c="&lt;&#9;">d&amp;e</b><!-- f --><![CDATA[g]]></a>`,
		"<p:a xmlns:p='u' p:b=' \t\r\n'>\r\n</p:a>", "<a>&#x10FFFF;</a>", "<é·/>", "\xEF\xBB\xBF<a><?b c?></a>",
		"<p:a xmlns:p='\n'></p:a>",
	} {
		f.Add([]byte(sample))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if !utf8.Valid(content) {
			return
		}
		got, advice := read(content)
		if advice != "" {
			return
		}
		want, err := readStandard(content)
		if err != nil && strings.Contains(err.Error(), "invalid XML name") {
			return // the library knows the letters of names as of XML 1.0's fourth edition, the scanner those of the fifth
		}
		if err != nil {
			t.Fatalf("accepted, but the standard library says %v", err)
		}
		if got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

// FuzzEscape holds that a text which is escaped and read again is the same text.
func FuzzEscape(f *testing.F) {
	f.Add("a & b < c > \" '\r\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		element := append(append([]byte("<a>"), codec.AppendEscaped(nil, text, false)...), "</a>"...)
		if !utf8.ValidString(text) {
			return
		}
		scanner := codec.NewXMLScanner(element, 2)
		read := ""
		for token := scanner.Next(); token.Kind != codec.EndOfDocument; token = scanner.Next() {
			if token.Kind == codec.Broken {
				return // a character that XML does not allow; the encoder refuses it before
			}
			if token.Kind == codec.Text {
				read += token.Characters()
			}
		}
		if read != text {
			t.Fatalf("%q became %q", text, read)
		}
	})
}
