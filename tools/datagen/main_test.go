package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The committed tables are what the lists give; testdata/README.md says where the lists are from.
func TestTablesAreCurrent(t *testing.T) {
	t.Parallel()
	target := t.TempDir()
	err := run("testdata", target)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"iban.tsv", "bank.tsv"} {
		made, err := os.ReadFile(filepath.Join(target, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join("../../internal/account/data", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not what the lists give: run datagen", name)
		}
	}
}

func TestRunNamesTheMissingList(t *testing.T) {
	t.Parallel()
	err := run(t.TempDir(), t.TempDir())
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("run without lists: %v", err)
	}
}

func TestOverwriteListWinsFieldByField(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	write := func(name, content string) {
		err := os.WriteFile(filepath.Join(source, name), []byte(content), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	write(
		"schwifty_iban_registry_generated.json",
		`{"CH":{"bban_spec":"5!n12!c","iban_length":21},"AX":{"bban_spec":"14!n","iban_length":18}}`,
	)
	write("schwifty_iban_registry_overwrite.json", `{"CH":{"positions":{}},"AO":{"bban_spec":"21!n","iban_length":25}}`)
	table, err := ibanTable(source)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(table, []byte(")\nAO\t25\t21!n\nCH\t21\t5!n12!c\n")) {
		t.Errorf("table %q", table)
	}
	write("schwifty_iban_registry_overwrite.json", `{"XX":{"iban_length":25}}`)
	_, err = ibanTable(source)
	if err == nil {
		t.Error("a country without structure is taken")
	}
}
