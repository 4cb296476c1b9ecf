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

// TestTheSampleOrdersGoInByJSON sends every pain.001 there is as JSON, on the day it was made for: each is accepted.
func TestTheSampleOrdersGoInByJSON(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../internal/iso20022/testdata/*pain.001.001.09*.xml")
	must(t, err)
	if len(files) != 2 {
		t.Fatalf("found %d constructed orders", len(files))
	}
	for _, file := range files {
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
		if got.Status != http.StatusOK {
			t.Errorf("%s: %d %s", filepath.Base(file), got.Status, got.Body)
		}
	}
}
