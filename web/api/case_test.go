package api_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// jsonCases are the codes with which files of practice are refused as JSON, a code once; none for one that is taken. Encodings, prefixes and
// tables are no cases of JSON: h01 and h02 are the same order as text of another form.
var jsonCases = map[string]string{
	"c01-salary-batch-without-inst":    "CH16 CH21",
	"c02-batch-bad-category":           "CH16",
	"c02-batch-debt":                   "CH16",
	"c02-batch-prtry-ch03":             "CH17",
	"c02-batch-sala-inst":              "",
	"c02-batch-urgp":                   "CH16",
	"c02-batch-wrong-debtor-bank":      "AGNT",
	"c03-ultimate-parties-unseen":      "",
	"c05-batch-date-offset":            "",
	"c05-batch-dttm":                   "",
	"c05-date-unreadable-two-findings": "DT01",
	"c05-dttm-later-today":             "CH03",
	"c06-batch-one-bad-amount":         "AM12",
	"c07-batch-bba-reference":          "",
	"c07-batch-creditor-bic":           "",
	"c07-batch-purpose":                "",
	"c08-v03-elements-under-v09":       "CH17 DT01",
	"c09-cdtragt-notprovided":          "CH17",
	"c10-dbtragt-empty":                "CH21",
	"c11-bicfi-notprovided-ro":         "RC01",
	"c18-italian-iban-with-bic":        "",
	"c18-italian-iban":                 "",
	"h01-prefix":                       "",
	"h02-bom":                          "",
	"h03-float-control-sum":            "AM10",
	"h04-underscore":                   "CH16",
	"h05-three-ustrd":                  "CH17",
	"h06-scor-spaces":                  "CH16",
	"h07-qrr-on-normal-iban":           "CH17",
	"h08-no-instrid":                   "",
	"h09-hybrid-repeats":               "CH17",
	"h10-name-82":                      "CH16",
	"h11-euro-amp":                     "",
}

// jsonSentences are what helps.
var jsonSentences = map[string][]string{
	"c01-salary-batch-without-inst": {"Enter the local instrument INST", "Write SLEV"},
	"c05-dttm-later-today":          {"Leave the time out, or enter one that has come"},
	"c08-v03-elements-under-v09":    {"Write BIC as BICFI", "Write BICOrBEI as AnyBIC", "Write the date in Dt"},
	"c09-cdtragt-notprovided":       {"Leave CdtrAgt out"},
	"c10-dbtragt-empty":             {"NOTPROVIDED"},
}

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

// TestFilesOfPracticeAsJSON sends the files of practice as JSON: a file of one payment by a call of its own, one of several as a batch.
func TestFilesOfPracticeAsJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	files, err := filepath.Glob("../../internal/orderform/testdata/cases/*.xml")
	must(t, err)
	tried := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".xml")
		content, err := os.ReadFile(file)
		must(t, err)
		day := b.Clock.Now().In(b.Zone).Format("2006-01-02")
		document, is := documentAsJSON(bytes.ReplaceAll(content, []byte("2026-11-29"), []byte(day)))
		if !is || !bytes.Contains(content, []byte("CstmrCdtTrfInitn")) {
			continue
		}
		body, err := json.Marshal(map[string]any{"identifiers": map[string]any{"externalId": name[:3] + "-" + fmt.Sprint(tried)}, "Document": document})
		must(t, err)
		scheme := "sic-inst"
		if bytes.Contains(content, []byte(`Ccy="EUR"`)) {
			scheme = "sct-inst"
		}
		tried++
		want, known := jsonCases[name]
		if got := b.refusedWith(t, scheme, name, string(body), bytes.Count(content, []byte("<EndToEndId>")) > 1); got != want || !known {
			t.Errorf("\t%q: %q,", name, got)
		}
	}
	t.Logf("%d files", tried)
}

// refusedWith sends an order, or a batch, and returns the codes of its findings.
func (b *bundle) refusedWith(t *testing.T, scheme, name, body string, many bool) string {
	t.Helper()
	path := "/api/" + scheme + "/v1/instruction/create"
	if many {
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
		t.Errorf("%s: %d %s", name, a.Status, a.Body)
	}
	var codes []string
	said := ""
	for _, list := range lists {
		fields, _ := list.([]any)
		for _, field := range fields {
			said += fmt.Sprint(field)
			codes = append(codes, fmt.Sprint(field.(map[string]any)["reasonCode"]))
			if text := fmt.Sprint(field); strings.Contains(text, "one file for each") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	for _, want := range jsonSentences[name] {
		if !strings.Contains(said, want) {
			t.Errorf("%s does not say %q: %s", name, want, said)
		}
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}
