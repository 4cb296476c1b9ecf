package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/rulebook"
)

const sampleFolder = "../../internal/iso20022/testdata"

// orderDay is the day on which the sample orders break no rule.
var orderDay = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)

// swissOrder is the Swiss sample with some texts replaced: old, new, old, new.
func swissOrder(t *testing.T, replaced ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(sampleFolder, "sic-inst_01_pain.001.001.09.xml"))
	must(t, err)
	for pair := range slices.Chunk(replaced, 2) {
		if !bytes.Contains(content, []byte(pair[0])) {
			t.Fatalf("the sample has no %q", pair[0])
		}
		content = bytes.Replace(content, []byte(pair[0]), []byte(pair[1]), 1)
	}
	return content
}

func checked(t *testing.T, v validation, name string, content []byte) fileReport {
	t.Helper()
	made, err := v.file(name, content)
	must(t, err)
	return made
}

func TestValidateFindsEachProblemAtItsPlace(t *testing.T) {
	t.Parallel()
	const order = "/Document/CstmrCdtTrfInitn"
	const transaction = order + "/PmtInf/0/CdtTrfTxInf/0"
	cases := []struct {
		name     string
		replaced []string
		want     []string // rule, code and pointer
		at       []string // what stands at each place
	}{
		{name: "fine"},
		{
			"rules",
			[]string{
				"<IBAN>CH4821966000009613388", "<IBAN>CH4821966000009613389", ">199.95</InstdAmt>", ">0.00</InstdAmt>", "<CtrlSum>199.95",
				"<CtrlSum>0.00",
			},
			[]string{
				"payment-control-sum AM10 " + order + "/PmtInf/0/CtrlSum", "amount-zero AM01 " + transaction + "/Amt/InstdAmt",
				"creditor-account-number AC01 " + transaction + "/CdtrAcct/Id/IBAN",
			},
			[]string{"<CtrlSum>199.95", "<InstdAmt", "<IBAN>CH4821966000009613389"},
		},
		{
			"something is missing",
			[]string{"<Cd>INST</Cd>", "<Cd>ITP</Cd>"},
			[]string{"local-instrument-code CH17 " + order + "/PmtInf/0/PmtTpInf/LclInstrm/Cd"},
			[]string{"<Cd>ITP"},
		},
		{
			"structure and rules",
			[]string{"<CreDtTm>", "<CreDtTm>x", "<IBAN>CH4821966000009613388", "<IBAN>CH4821966000009613389"},
			[]string{"structure DT01 " + order + "/GrpHdr/CreDtTm", "creditor-account-number AC01 " + transaction + "/CdtrAcct/Id/IBAN"},
			[]string{"<CreDtTm", "<IBAN>CH4821966000009613389"},
		},
		{
			"one place is spoken of once",
			[]string{"<InstrId>S-INSTR-0001", "<InstrId>//" + strings.Repeat("x", 40)},
			[]string{"structure CH16 " + transaction + "/PmtId/InstrId"},
			[]string{"<InstrId"},
		},
		{
			"what was not read is not missing",
			[]string{"<Amt>", "<Amt>& "},
			[]string{"structure FF01 " + transaction + "/Amt"},
			[]string{"& "},
		},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := swissOrder(t, test.replaced...)
			made := checked(t, validation{today: orderDay}, "a.xml", content)
			var got []string
			lines := strings.Split(string(content), "\n")
			for i, f := range made.Findings {
				got = append(got, f.Rule+" "+f.Code+" "+f.Pointer)
				if i < len(test.at) && !strings.HasPrefix(lines[f.Line-1][f.Column-1:], test.at[i]) {
					t.Errorf("%s is said to be at %d:%d", f.Pointer, f.Line, f.Column)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("findings\n got %q\nwant %q", got, test.want)
			}
		})
	}
}

// What is fine and stays behind is told, at its line, and does not make the file wrong.
func TestValidateTellsWhatIsNotForwarded(t *testing.T) {
	t.Parallel()
	made := checked(t, validation{today: orderDay}, "x", swissOrder(t, "<LclInstrm>", "<SvcLvl><Cd>URGP</Cd></SvcLvl><LclInstrm>"))
	const place = "/Document/CstmrCdtTrfInitn/PmtInf/0/PmtTpInf/SvcLvl/0"
	if len(made.Findings) > 0 || len(made.Notes) == 0 {
		t.Fatalf("%+v", made)
	}
	note := made.Notes[len(made.Notes)-1]
	if note.Pointer != place || note.Line == 0 || !strings.Contains(note.Text, "not forwarded") {
		t.Errorf("note %+v", note)
	}
	var output bytes.Buffer
	must(t, writeText(&output, made))
	if !strings.Contains(output.String(), ": note "+place+": ") || !strings.HasSuffix(output.String(), ": fine\n") {
		t.Errorf("printed %s", &output)
	}
}

func TestValidateTakesEverySample(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sampleFolder, "s??-inst_*.xml"))
	must(t, err)
	messages := map[string]bool{}
	for _, name := range files {
		content, err := os.ReadFile(name)
		must(t, err)
		made := checked(t, validation{today: orderDay}, name, content)
		messages[made.Message] = true
		if len(made.Findings) > 0 || (made.Scheme != "") != strings.HasPrefix(made.Message, "pain.001") || !strings.Contains(name, made.Message) {
			t.Errorf("%+v", made)
		}
		if made.Scheme != "" && !strings.HasPrefix(filepath.Base(name), string(made.Scheme)) {
			t.Errorf("%s is taken for one of %s", name, made.Scheme)
		}
	}
	if len(messages) != 9 {
		t.Errorf("samples of %d messages, want 9: %v", len(messages), messages)
	}
}

func TestValidateChoosesTheScheme(t *testing.T) {
	t.Parallel()
	franc := swissOrder(t)
	euro := swissOrder(t, `Ccy="CHF"`, `Ccy="EUR"`)
	dollar := swissOrder(t, `Ccy="CHF"`, `Ccy="USD"`)
	dollarSEPA := swissOrder(t, `Ccy="CHF"`, `Ccy="USD"`, "<LclInstrm>", "<SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm>")
	for _, test := range []struct {
		name    string
		content []byte
		asked   rulebook.Scheme
		want    rulebook.Scheme
	}{
		{"francs", franc, "", rulebook.SchemeSIC},
		{"euros", euro, "", rulebook.SchemeSCT},
		{"neither", dollar, "", rulebook.SchemeSIC},
		{"neither, but a SEPA service level", dollarSEPA, "", rulebook.SchemeSCT},
		{"as asked", franc, rulebook.SchemeSCT, rulebook.SchemeSCT},
	} {
		made := checked(t, validation{scheme: test.asked, today: orderDay}, "x", test.content)
		if made.Scheme != test.want || made.chosen == "" {
			t.Errorf("%s: %s %s", test.name, made.Scheme, made.chosen)
		}
	}
}

// An order of the previous generation is carried over and checked by the same rules; places are those of the file.
func TestValidateReadsThePreviousGeneration(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{
		"urn:iso:std:iso:20022:tech:xsd:pain.001.001.03",
		"http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd",
	} {
		old := swissOrder(
			t, "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09", namespace, "<ReqdExctnDt>", "", "<Dt>", "<ReqdExctnDt>", "</Dt>", "</ReqdExctnDt>",
			"</ReqdExctnDt>\n      </ReqdExctnDt>", "</ReqdExctnDt>",
		)
		old = withoutElement(t, old, "UETR")
		ended := checked(t, validation{today: time.Date(2026, time.November, 14, 0, 0, 0, 0, time.UTC)}, "old.xml", old)
		if len(ended.Findings) == 0 || ended.Findings[0].Rule != "previous-generation" ||
			!strings.Contains(ended.Findings[0].Text, "Send the order as pain.001.001.09") {
			t.Errorf("after its end: %+v", ended.Findings)
		}
		made := checked(t, validation{today: orderDay.AddDate(0, 0, 1)}, "old.xml", old)
		lines := strings.Split(string(old), "\n")
		if len(made.Findings) != 1 || made.Findings[0].Rule != "execution-date-past" || made.Message != "pain.001.001.03" {
			t.Fatalf("%+v", made)
		}
		if line := lines[made.Findings[0].Line-1]; !strings.Contains(line, "<ReqdExctnDt>") {
			t.Errorf("the finding is said to be in %q", line)
		}
	}
}

func withoutElement(t *testing.T, content []byte, tag string) []byte {
	t.Helper()
	start, end := bytes.Index(content, []byte("<"+tag+">")), bytes.Index(content, []byte("</"+tag+">"))
	if start < 0 || end < start {
		t.Fatalf("the sample has no %s", tag)
	}
	return slices.Concat(content[:start], content[end+len(tag)+3:])
}

func TestValidateWritesTextAndJSON(t *testing.T) {
	t.Parallel()
	content := swissOrder(t, "<IBAN>CH4821966000009613388", "<IBAN>CH4821966000009613389")
	v := validation{today: orderDay}
	var text, objects bytes.Buffer
	err := (&validateCommand{Files: []string{"-"}, Format: "text"}).report(v, bytes.NewReader(content), &text)
	if err == nil || exitCode(err) != exitFailed || err.Error() != "1 finding in 1 of 1 file" {
		t.Errorf("ended with %v", err)
	}
	made := checked(t, v, "-", content)
	f := made.Findings[0]
	want := fmt.Sprintf("-:%d:%d: AC01 %s: %s (creditor-account-number)\n", f.Line, f.Column, f.Pointer, f.Text) +
		"-: pain.001.001.09, structure and the rules of sic-inst (by its currency CHF): 1 finding\n"
	if text.String() != want {
		t.Errorf("text\n got %q\nwant %q", text.String(), want)
	}
	err = (&validateCommand{Files: []string{"-", sampleFolder + "/sic-inst_04_pacs.002.001.10_ACSC.xml"}, Format: "json"}).report(v,
		bytes.NewReader(content), &objects)
	if exitCode(err) != exitFailed {
		t.Errorf("ended with %v", err)
	}
	decoder := json.NewDecoder(&objects)
	decoder.DisallowUnknownFields()
	var first, second fileReport
	must(t, decoder.Decode(&first))
	must(t, decoder.Decode(&second))
	if len(first.Findings) != 1 || first.Findings[0] != f || first.Scheme != rulebook.SchemeSIC || first.File != "-" {
		t.Errorf("first object %+v", first)
	}
	if second.Findings == nil || len(second.Findings) != 0 || second.Scheme != "" || second.Message != "pacs.002.001.10" || decoder.More() {
		t.Errorf("second object %+v", second)
	}
}

func TestValidateRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	folder, empty := t.TempDir(), t.TempDir()
	large := filepath.Join(folder, "large.xml")
	must(t, os.WriteFile(large, append(swissOrder(t), bytes.Repeat([]byte(" "), 256<<10)...), 0o600))
	for _, test := range []struct {
		name, file, part string
		code             int
	}{
		{"a folder without documents", empty, "holds no file whose name ends in .xml or .json", exitUsage},
		{"no such file", filepath.Join(folder, "none.xml"), "no such file", exitUsage},
		{"too large", large, "1 finding", exitFailed},
		{"standard input breaks off", "-", "broke", exitUsage},
	} {
		var output bytes.Buffer
		err := (&validateCommand{Files: []string{test.file}, Format: "text"}).report(validation{today: orderDay}, brokenReader{}, &output)
		if err == nil || !strings.Contains(err.Error(), test.part) || exitCode(err) != test.code {
			t.Errorf("%s: code %d, %v", test.name, exitCode(err), err)
		}
		if test.code == exitUsage && output.Len() > 0 {
			t.Errorf("%s: wrote %q", test.name, output.String())
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("it broke") }

func TestValidateEndsWithACodeOfItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good, bad := filepath.Join(folder, "good.xml"), filepath.Join(folder, "bad.xml")
	must(t, os.WriteFile(good, swissOrder(t), 0o600))
	must(t, os.WriteFile(bad, swissOrder(t, "<IBAN>CH4821966000009613388", "<IBAN>CH4821966000009613389"), 0o600))
	for _, test := range []struct {
		arguments []string
		code      int
		part      string
	}{
		{[]string{good, "--date", "2026-03-02"}, 0, "fine"},
		{[]string{good, "--date", "2026-03-03"}, exitFailed, "CH04"},
		{[]string{good, "--date", "2026-03-02", "--scheme", "sct-inst"}, exitFailed, "rules of sct-inst (as asked)"},
		{[]string{bad, good, "--date", "2026-03-02"}, exitFailed, "AC01"},
		{[]string{bad, folder, "--date", "2026-03-02"}, exitFailed, "2 findings in 2 of 3 files"},
		{
			[]string{folder, "--date", "2026-03-02"},
			exitFailed,
			"good.xml: pain.001.001.09, structure and the rules of sic-inst (by its currency CHF): fine\n",
		},
		{[]string{good, "--date", "yesterday"}, exitUsage, "--date"},
		{[]string{good, "--scheme", "sepa"}, exitUsage, "--scheme"},
		{nil, exitUsage, "<file>"},
	} {
		p := start(t, nil, append([]string{"validate"}, test.arguments...)...)
		if code := p.wait(t); code != test.code || !strings.Contains(p.output.String(), test.part) {
			t.Errorf("%q ended with %d, want %d and %q:\n%s", test.arguments, code, test.code, test.part, p.output)
		}
	}
}
