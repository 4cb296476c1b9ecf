package integrity_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/store/storetest"
)

var update = flag.Bool("update", false, "write schema.txt as the migrations make the schema")

// What the auditor compares a schema with is what the migrations make. After a migration: go test ./internal/store/integrity -run
// TestTheSchemaIsDescribed -update, and read the difference before you commit it.
func TestTheSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	objects, err := open(t, storetest.New(t)).Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, 0, len(objects))
	for object, definition := range objects {
		lines = append(lines, object.Kind+"\t"+object.Name+"\t"+definition+"\n")
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	if *update {
		err = os.WriteFile("schema.txt", []byte(got), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the migrations make another schema than schema.txt describes: run this test with -update and read the difference")
	}
}
