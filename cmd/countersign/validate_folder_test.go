package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/web/webtest"
)

// TestValidateTakesFoldersAndOrdersInJSON: a folder gives one line a file, whatever is wrong, in the order of the names.
func TestValidateTakesFoldersAndOrdersInJSON(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	order := strings.ReplaceAll(webtest.Sample, "2026-11-20", "2026-03-02")
	below := filepath.Join(folder, "below")
	must(t, os.Mkdir(below, 0o700))
	must(t, os.Mkdir(filepath.Join(folder, ".git"), 0o700))
	for name, content := range map[string]string{
		"a.json":       order,
		"b.JSON":       `{"paymentRequest":` + order + `}`,
		"below/c.json": strings.Replace(order, "CH4821966000009613388", "CH4821966000009613389", 1),
		"below/d.json": strings.Replace(order, `"EXT"`, `"`+strings.Repeat("x", 37)+`","else":1`, 1),
		"below/e.xml":  string(swissOrder(t)),
		"below/f.json": order[:200],
		".git/g.json":  "{}",
		".h.json":      "{}",
		"notes.txt":    "no document",
	} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	var output bytes.Buffer
	err := (&validateCommand{Files: []string{folder}}).report(validation{today: orderDay}, nil, &output)
	if err == nil || exitCode(err) != exitFailed || err.Error() != "4 findings in 3 of 6 files" {
		t.Errorf("ended with %v", err)
	}
	const held = "pain.001.001.09, structure and the rules of sic-inst (by its currency CHF): "
	lines := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n")
	for i, want := range []string{
		"a.json: " + held + "fine", "b.JSON: " + held + "fine",
		"below/c.json: " + held + "1 finding, the first in line 8: AC01 /Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/CdtrAcct/Id/IBAN: ",
		"below/d.json: " + held + "2 findings, the first in line 1: ", "below/e.xml: " + held + "fine",
		"below/f.json: pain.001.001.09, structure only: 1 finding, the first in line ",
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], filepath.Join(folder, want)) {
			t.Errorf("line %d is not %q:\n%s", i, want, &output)
		}
	}
	if len(lines) != 6 {
		t.Errorf("%d lines, want one a file:\n%s", len(lines), &output)
	}
}

// TestValidateNamesThePlaceInAnOrderOfJSON: pointers are those of the file, also where one object stands for a list.
func TestValidateNamesThePlaceInAnOrderOfJSON(t *testing.T) {
	t.Parallel()
	order := strings.ReplaceAll(webtest.Sample, "2026-11-20", "2026-03-02")
	order = `{"paymentRequest":` + strings.Replace(order, `"value":"199.95"`, `"value":"0.00"`, 1) + `}`
	made := checked(t, validation{today: orderDay}, "a.json", []byte(order))
	if len(made.Findings) == 0 {
		t.Fatal("nothing found")
	}
	lines := strings.Split(order, "\n")
	const amount = "/paymentRequest/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Amt/InstdAmt"
	seen := false
	for _, f := range made.Findings {
		seen = seen || f.Pointer == amount && strings.HasPrefix(lines[f.Line-1][f.Column-1:], `"InstdAmt"`)
	}
	if !seen {
		t.Errorf("the amount is not named at its place: %+v", made.Findings)
	}
}
