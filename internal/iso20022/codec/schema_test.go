package codec

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/testutil"
)

// followsSchema says for each document whether xmllint finds that it follows the schema of the message.
func followsSchema(t *testing.T, name iso20022.MessageName, documents [][]byte) []bool {
	t.Helper()
	program := testutil.Program(t, "xmllint", "make xmllint")
	folder := t.TempDir()
	schema, err := filepath.Abs(filepath.Join("..", "schema", string(name)+".xsd"))
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--noout", "--nonet", "--schema", schema}
	for i, document := range documents {
		file := filepath.Join(folder, fmt.Sprintf("%06d.xml", i))
		if err := os.WriteFile(file, document, 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, filepath.Base(file))
	}
	command := exec.Command(program, arguments...)
	command.Dir = folder
	// The exit code only says that some document does not validate.
	output, _ := command.CombinedOutput()
	valid := make([]bool, len(documents))
	for i := range documents {
		valid[i] = strings.Contains(string(output), fmt.Sprintf("%06d.xml validates", i))
	}
	if len(documents) > 0 && !strings.Contains(string(output), "validate") && !strings.Contains(string(output), "parser error") {
		t.Fatalf("xmllint did not run: %s", output)
	}
	return valid
}

// requireSchema fails the test for each document that does not follow the schema.
func requireSchema(t *testing.T, name iso20022.MessageName, documents [][]byte) {
	t.Helper()
	for i, valid := range followsSchema(t, name, documents) {
		if !valid {
			t.Errorf("%s document %d does not follow the schema:\n%s", name, i, documents[i])
		}
	}
}
