package api_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// asJSON writes an element of XML as the JSON of the interface: text, or its elements, and lists where an element comes more than once.
func asJSON(decoder *xml.Decoder, start xml.StartElement) (any, error) {
	elements, text := map[string]any{}, ""
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text += string(token)
		case xml.StartElement:
			value, err := asJSON(decoder, token)
			if err != nil {
				return nil, err
			}
			name := token.Name.Local
			switch before := elements[name].(type) {
			case nil:
				elements[name] = value
			case []any:
				elements[name] = append(before, value)
			default:
				elements[name] = []any{before, value}
			}
		case xml.EndElement:
			if len(elements) > 0 {
				return elements, nil
			}
			for _, attribute := range start.Attr {
				if attribute.Name.Local == "Ccy" {
					return map[string]any{"Ccy": attribute.Value, "value": text}, nil
				}
			}
			if text == "" {
				return elements, nil
			}
			return text, nil
		}
	}
}

// documentAsJSON reads a file; false for one that is no XML in UTF-8.
func documentAsJSON(content []byte) (any, bool) {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) || err != nil {
			return nil, false
		}
		if start, is := token.(xml.StartElement); is {
			document, err := asJSON(decoder, start)
			return document, err == nil
		}
	}
}

// ids are the elements whose value an order may use once.
var ids = regexp.MustCompile(`<((?:[\w.-]+:)?(?:MsgId|InstrId))>`)

// TestFilesOfPracticeAsJSON sends the files of practice, and siblings of each, as JSON: a file of one payment by a call of its own, one of
// several as a batch. What is a matter of XML alone is the same order as another one.
func TestFilesOfPracticeAsJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tried := 0
	for _, c := range testutil.Practices(t, "../../internal/orderform/testdata/cases", b.Clock.Now().In(b.Zone).Format("2006-01-02")) {
		if c.JSON == "-" || !strings.HasSuffix(c.Name, ".xml") {
			continue
		}
		tried++
		document, is := documentAsJSON(ids.ReplaceAll(c.Content, fmt.Appendf(nil, "<$1>%d", tried)))
		if !is {
			t.Errorf("%s is no XML", c.Name)
			continue
		}
		body, err := json.Marshal(map[string]any{"identifiers": map[string]any{"externalId": fmt.Sprintf("practice-%d", tried)}, "Document": document})
		must(t, err)
		scheme := "sic-inst"
		if !bytes.Contains(c.Content, []byte("CHBCC")) {
			scheme = "sct-inst"
		}
		if got := b.refusedWith(t, scheme, c, string(body)); got != c.JSON {
			t.Errorf("%s: %q, want %q", c.Name, got, c.JSON)
		}
	}
	t.Logf("%d files", tried)
}

// refusedWith sends an order, or a batch, and returns the codes of its findings.
func (b *bundle) refusedWith(t *testing.T, scheme string, c testutil.Practice, body string) string {
	t.Helper()
	path := "/api/" + scheme + "/v1/instruction/create"
	if bytes.Count(c.Content, []byte("</CdtTrfTxInf>")) > 1 {
		path = "/api/" + scheme + "/v1/instruction/batch"
	}
	a := b.Send(t, call{Path: path, Who: maker1, Body: body})
	lists := []any{a.At("fields")}
	switch a.Status {
	case http.StatusOK, http.StatusBadRequest:
	case http.StatusAccepted:
		a = b.finished(t, a.Text("batch", "batchId"))
		results, _ := a.At("results").([]any)
		for i := range results {
			lists = append(lists, a.At("results", i, "fields"))
		}
	default:
		t.Errorf("%s: %d %s", c.Name, a.Status, a.Body)
	}
	var codes []string
	said := ""
	for _, list := range lists {
		fields, _ := list.([]any)
		for _, field := range fields {
			said += fmt.Sprint(field)
			codes = append(codes, fmt.Sprint(field.(map[string]any)["reasonCode"]))
			if text := fmt.Sprint(field); strings.Contains(text, "one file for each") {
				t.Errorf("%s: %s", c.Name, text)
			}
		}
	}
	for _, want := range c.Says {
		if len(codes) > 0 && !strings.Contains(said, want) && !strings.HasSuffix(want, " ready") {
			t.Errorf("%s does not say %q: %s", c.Name, want, said)
		}
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}
