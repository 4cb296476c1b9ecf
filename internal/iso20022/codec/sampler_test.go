package codec

import (
	"math/rand/v2"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/testutil"
)

func TestRandomDocumentsOfEveryMessageSurviveEveryForm(t *testing.T) {
	t.Parallel()
	for _, message := range iso20022.Definitions() {
		if message.Header() {
			continue // it stands beside a document: TestADocumentInAnEnvelope
		}
		t.Run(string(message.Name), func(t *testing.T) {
			t.Parallel()
			var written [][]byte
			for seed := range uint64(12) {
				s := testutil.Sampler{Random: rand.New(rand.NewPCG(seed, 7)), Chance: []float64{1, 0.5, 0.2, 0}[seed%4]}
				document := s.Document(message.Name)
				if findings := Validate(document); len(findings) > 0 {
					t.Fatalf("seed %d: Validate: %v", seed, findings)
				}
				written = append(written, roundTripLarge(t, document)...)
			}
			requireSchema(t, message.Name, written)
		})
	}
}

// roundTripLarge is roundTrip for documents that may exceed the default limit.
func roundTripLarge(t *testing.T, document iso20022.Document) [][]byte {
	t.Helper()
	options := Options{MaxBytes: 64 << 20}
	plain, err := EncodeXML(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings := options.DecodeXML(plain)
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by XML: %v %s", findings, difference)
	}
	content, err := EncodeJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	again, findings = options.DecodeJSON(content, "/Document", document.MessageName())
	if difference := equal(document, again); difference != "" || len(findings) > 0 {
		t.Fatalf("changed by JSON: %v %s", findings, difference)
	}
	return [][]byte{plain}
}
