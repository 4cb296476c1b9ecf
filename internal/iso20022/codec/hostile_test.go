package codec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

const opening = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">`

// generous takes in what the default limits would refuse unread.
var generous = Options{MaxBytes: 64 << 20}

func garbage(size int) []byte {
	random := rand.New(rand.NewPCG(3, 9))
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	return content
}

func TestHostileXMLIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content []byte
		part    string
	}{
		"nothing":          {nil, "Complete the document"},
		"deep nesting":     {[]byte(opening + strings.Repeat("<a>", 2_000_000)), "Nest at most 64"},
		"deep known names": {[]byte(opening + strings.Repeat("<CstmrCdtTrfInitn>", 100)), "Nest at most 64"},
		"document type": {
			[]byte(`<!DOCTYPE Document [<!ENTITY a "b">]>` + opening + "&a;</Document>"),
			"Remove the document type declaration",
		},
		"external entity":     {[]byte(`<!DOCTYPE x SYSTEM "file:///etc/passwd">` + opening), "Remove the document type declaration"},
		"entity":              {[]byte(opening + "<CstmrCdtTrfInitn>&a;</CstmrCdtTrfInitn></Document>"), "Write the character &"},
		"garbage":             {garbage(256 << 10), "UTF-8"},
		"invalid UTF-8":       {[]byte(opening + "<CstmrCdtTrfInitn>\xc3\x28"), "Send the document in UTF-8"},
		"UTF-16":              {[]byte("\xfe\xff\x00<\x00?"), "Send the document in UTF-8"},
		"other encoding":      {[]byte(`<?xml version="1.0" encoding="ISO-8859-1"?>` + opening + "</Document>"), "Correct the XML declaration"},
		"two roots":           {[]byte(opening + "</Document>" + opening + "</Document>"), "exactly one"},
		"many attributes":     {[]byte(`<Document ` + strings.Repeat("a='1' ", 100_000) + ">"), "second attribute"},
		"many namespaces":     {[]byte(`<Document ` + manyPrefixes(100_000) + ">"), "too many"},
		"unclosed comment":    {[]byte(opening + "<!--" + strings.Repeat("- ", 100_000)), "Close the comment"},
		"unclosed CDATA":      {[]byte(opening + "<![CDATA[" + strings.Repeat("]", 100_000)), "not closed"},
		"other root":          {[]byte("<html/>"), "with the root element Document"},
		"unknown message":     {[]byte(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"/>`), "a supported message type"},
		"header of ISO":       {[]byte(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"/>`), "a supported message type"},
		"header of SIX":       {[]byte(`<Document xmlns="` + iso20022.NamespaceOfSIX + `head.001.001.02.ch.01"/>`), "supported message type"},
		"undeclared prefix":   {[]byte("<p:Document/>"), "Declare the namespace prefix"},
		"character reference": {[]byte(opening + "&#0;</Document>"), "Write the character &"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, findings := generous.DecodeXML(test.content)
			if len(findings) == 0 || !strings.Contains(findings[len(findings)-1].Text.String(), test.part) {
				t.Errorf("no finding with %q: %v", test.part, findings)
			}
		})
	}
}

func manyPrefixes(count int) string {
	var attributes strings.Builder
	for i := range count {
		attributes.WriteString("xmlns:p")
		attributes.WriteString(strings.Repeat("a", i%7))
		attributes.WriteByte(byte('a' + i%26))
		attributes.WriteString(strings.Repeat("b", i%11))
		attributes.WriteString("='urn:x' ")
		if i == MaxAttributes {
			break
		}
	}
	return attributes.String()
}

func TestHostileJSONIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content []byte
		part    string
	}{
		"nothing":            {nil, "Correct the JSON"},
		"deep arrays":        {[]byte(`{"CstmrCdtTrfInitn":` + strings.Repeat("[", 2_000_000)), "Correct the JSON"},
		"deep unknown":       {[]byte(`{"x":` + strings.Repeat(`{"a":`, 2_000_000)), "Correct the JSON"},
		"garbage":            {garbage(256 << 10), "Correct the JSON"},
		"invalid UTF-8":      {[]byte("{\"CstmrCdtTrfInitn\":{\"GrpHdr\":{\"MsgId\":\"\xc3\x28\"}}}"), "Correct the JSON"},
		"half a surrogate":   {[]byte(`{"CstmrCdtTrfInitn":{"GrpHdr":{"MsgId":"\ud800"}}}`), "Correct the JSON"},
		"control character":  {[]byte(`{"CstmrCdtTrfInitn":{"GrpHdr":{"InitgPty":{"Nm":"\u0001"}}}}`), "Remove the character U+0001"},
		"trailing data":      {[]byte(`{} {}`), "Remove the text after"},
		"array of documents": {[]byte(`[{}]`), "instead of an array"},
		"null":               {[]byte(`null`), "instead of null"},
		"many empty groups": {
			[]byte(`{"CstmrCdtTrfInitn":{"PmtInf":[` + strings.Repeat("{},", 500_000) + `{}]}}`), "the check stopped after 200",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, findings := generous.DecodeJSON(test.content, "/Document", iso20022.Pain001V09)
			for _, finding := range findings {
				if strings.Contains(finding.Text.String(), test.part) {
					return
				}
			}
			t.Errorf("no finding with %q: %v", test.part, findings)
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	large := append([]byte(opening), bytes.Repeat([]byte(" "), 256<<10)...)
	document, findings := DecodeXML(large)
	if document != nil || len(findings) != 1 || !strings.Contains(findings[0].Text.String(), "262144") {
		t.Errorf("a large document: %v", findings)
	}
	_, findings = DecodeJSON(bytes.Repeat([]byte(" "), 256<<10+1), "/Document", iso20022.Pain001V09)
	if len(findings) != 1 || !strings.Contains(findings[0].Text.String(), "262144") {
		t.Errorf("a large JSON value: %v", findings)
	}
	wrong := opening + "<CstmrCdtTrfInitn>" + strings.Repeat("<Foo/>", 1000) + "</CstmrCdtTrfInitn></Document>"
	_, findings = DecodeXML([]byte(wrong))
	if len(findings) != 200 || !strings.Contains(findings[199].Text.String(), "the check stopped after 200") {
		t.Errorf("%d findings, the last %v", len(findings), findings[len(findings)-1])
	}
}

// FuzzDecodeXML holds that no input panics and that what is accepted can be written and read again without change.
func FuzzDecodeXML(f *testing.F) {
	for _, sample := range samples(f) {
		f.Add(sample.content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, findings := DecodeXML(content)
		if len(findings) > 0 {
			return
		}
		xml, err := EncodeXML(document)
		if err != nil {
			t.Fatal(err)
		}
		again, findings := generous.DecodeXML(xml)
		if difference := equal(document, again); difference != "" || len(findings) > 0 {
			t.Fatalf("changed: %v %s", findings, difference)
		}
	})
}

// FuzzDecodeJSON is FuzzDecodeXML for JSON; what is accepted must also be writable as XML that is accepted.
func FuzzDecodeJSON(f *testing.F) {
	for _, sample := range samples(f) {
		document, _ := DecodeXML(sample.content)
		content, err := EncodeJSON(document)
		if err != nil {
			f.Fatal(err)
		}
		message := slices.IndexFunc(iso20022.Definitions(), func(m iso20022.Definition) bool { return m.Name == document.MessageName() })
		f.Add(content, byte(message))
	}
	f.Fuzz(func(t *testing.T, content []byte, message byte) {
		name := iso20022.Definitions()[int(message)%len(iso20022.Definitions())].Name
		document, findings := DecodeJSON(content, "/Document", name)
		if len(findings) > 0 {
			return
		}
		roundTripLargeFuzz(t, document)
	})
}

func roundTripLargeFuzz(t *testing.T, document iso20022.Document) {
	t.Helper()
	json, err := EncodeJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings := generous.DecodeJSON(json, "/Document", document.MessageName())
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by JSON: %v %s", findings, difference)
	}
	xml, err := EncodeXML(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings = generous.DecodeXML(xml)
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by XML: %v %s", findings, difference)
	}
}
