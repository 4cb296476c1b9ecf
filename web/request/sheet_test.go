package request_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"countersign/web/request"
)

// TestNothingTypedBecomesAFormula: what a cell begins with, also after what separates cells elsewhere, and it reads back whole.
func TestNothingTypedBecomesAFormula(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"=1+1", "+41 44", "-2", "@SUM(A1)", "\t=1", "\r=1", "a;=1", "a\n=HYPERLINK(\"x\")", `"=1`, "  =1", "\uff1d1", "x;\t+1",
	} {
		table := request.CSV([][]string{{"name"}, {text}})
		rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %v %v", text, rows, err)
		}
		cell := rows[1][0]
		if cell == text || strings.ReplaceAll(cell, "'", "") != strings.ReplaceAll(strings.ReplaceAll(text, "\r=", "\r="), "'", "") {
			t.Errorf("%q becomes %q", text, cell)
		}
	}
	if table := string(request.CSV([][]string{{"a, b", `say "x"`}})); table != "\"a, b\",\"say \"\"x\"\"\"\r\n" {
		t.Errorf("a plain row is %q", table)
	}
}
