package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// cases are the codes that files of practice are refused with, in their order; none for one that is fine. The portal judges them alike
// (web/portal, TestFilesOfPracticeBecomeWhatIsRight).
var cases = map[string]string{
	"c01-salary-batch-without-inst":    "CH21 CH16",
	"c02-batch-bad-category":           "CH16",
	"c02-batch-debt":                   "CH16",
	"c02-batch-prtry-ch03":             "CH17",
	"c02-batch-sala-inst":              "",
	"c02-batch-urgp":                   "CH16",
	"c02-batch-wrong-debtor-bank":      "",
	"c03-ultimate-parties-unseen":      "",
	"c05-batch-date-offset":            "",
	"c05-batch-dttm":                   "",
	"c05-date-unreadable-two-findings": "DT01",
	"c05-dttm-later-today":             "CH03",
	"c06-batch-one-bad-amount":         "AM12",
	"c07-batch-bba-reference":          "",
	"c07-batch-creditor-bic":           "",
	"c07-batch-purpose":                "",
	"c08-v03-elements-under-v09":       "CH17 DT01 CH17 CH17",
	"c09-cdtragt-notprovided":          "CH17",
	"c10-dbtragt-empty":                "CH21",
	"c11-bicfi-notprovided-ro":         "RC01",
	"c12-latin1":                       "CH16",
	"c12-utf16":                        "CH16",
	"c18-italian-iban-with-bic":        "",
	"c18-italian-iban":                 "",
	"h01-prefix":                       "",
	"h02-bom":                          "CH16",
	"h03-float-control-sum":            "AM10",
	"h04-underscore":                   "CH16 CH16",
	"h05-three-ustrd":                  "CH17",
	"h06-scor-spaces":                  "CH16",
	"h07-qrr-on-normal-iban":           "CH17",
	"h08-no-instrid":                   "",
	"h09-hybrid-repeats":               "CH17",
	"h10-name-82":                      "CH16",
	"h11-euro-amp":                     "",
}

// TestValidateJudgesFilesOfPractice holds every file of practice against the rules of its day.
func TestValidateJudgesFilesOfPractice(t *testing.T) {
	t.Parallel()
	const folder = "../../internal/orderform/testdata/cases"
	zurich, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	v := validation{at: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC), today: time.Date(2026, 11, 29, 0, 0, 0, 0, zurich)}
	files, err := filepath.Glob(filepath.Join(folder, "*.xml"))
	must(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".xml")
		if strings.HasPrefix(name, "c13") || slices.Contains([]string{"h12-late-rjct", "h13-two-in-pacs008", "h14-pacs004-more"}, name) {
			continue // documents of clearing
		}
		var codes []string
		for _, f := range checked(t, v, file, content).Findings {
			codes = append(codes, f.Code)
			if strings.Contains(f.Text, "one file for each payment") {
				t.Errorf("%s: %s", name, f.Text)
			}
		}
		want, known := cases[name]
		if got := strings.Join(codes, " "); got != want || !known {
			t.Errorf("\t%q: %q,", name, got)
		}
	}
}
