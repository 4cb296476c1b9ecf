package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/iso20022/codec"
)

// TestTheSampleOrdersGoInByJSON sends every pain.001 there is as JSON, on the day it was made for: each is accepted, or refused with the
// rule it breaks. The public Swiss files may not be copied here; they are read where they lie beside the project.
func TestTheSampleOrdersGoInByJSON(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../internal/iso20022/testdata/*pain.001.001.09*.xml")
	must(t, err)
	if len(files) != 2 {
		t.Fatalf("found %d constructed orders", len(files))
	}
	public, err := filepath.Glob("../../../shared/iso20022/samples/public/*pain.001.001.09*.xml")
	must(t, err)
	for _, file := range append(files, public...) {
		b := setup(t)
		b.Clock.Set(time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC))
		content, err := os.ReadFile(file)
		must(t, err)
		document, findings := codec.DecodeXML(content)
		if document == nil {
			t.Fatalf("%s: %v", file, findings)
		}
		asJSON, err := codec.EncodeJSON(document)
		must(t, err)
		scheme := "sic-inst"
		if strings.Contains(string(content), `Ccy="EUR"`) {
			scheme = "sct-inst"
		}
		got := b.Send(t, call{
			Path: "/api/" + scheme + "/v1/instruction/create", Who: maker1,
			Body: `{"identifiers":{"externalId":"sample"},"Document":` + string(asJSON) + `}`,
		})
		accepted := strings.Contains(file, "testdata")
		fields, _ := got.At("fields").([]any)
		switch {
		case accepted && got.Status != http.StatusOK:
			t.Errorf("%s: %d %s", filepath.Base(file), got.Status, got.Body)
		case !accepted && (got.Status != http.StatusBadRequest || len(fields) == 0):
			t.Errorf("%s: %d %s", filepath.Base(file), got.Status, got.Body)
		}
		for _, field := range fields {
			entry := field.(map[string]any)
			t.Logf("%s: %s %s", filepath.Base(file), entry["reasonCode"], entry["fieldMap"])
		}
	}
}
