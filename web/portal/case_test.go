package portal_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const cases = "../../internal/orderform/testdata/cases"

// uploads are files as programs write them, with what becomes of each in the portal: the path it leads to, or 422 for "".
var uploads = []struct {
	file  string
	leads string
	says  []string
	never []string
}{
	{file: "c01-salary-batch-without-inst.xml", says: []string{"Enter the local instrument INST", "CH21", "Write SLEV", "CH16"}},
	{file: "c02-batch-bad-category.xml", says: []string{"PmtTpInf/CtgyPurp/Cd", "CtgyPurp"}},
	{file: "c02-batch-debt.xml", says: []string{"Write SLEV", "CH16"}},
	{file: "c02-batch-prtry-ch03.xml", says: []string{"PmtTpInf/LclInstrm", "INST"}},
	{file: "c02-batch-urgp.xml", says: []string{"PmtTpInf/SvcLvl"}},
	{file: "c02-batch-wrong-debtor-bank.xml", says: []string{"/DbtrAgt"}},
	{file: "c02-batch-sala-inst.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{file: "c03-ultimate-parties-unseen.xml", leads: "/payments/"},
	{file: "c05-batch-date-offset.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{file: "c05-batch-dttm.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{
		file: "c06-batch-one-bad-amount.xml", leads: "/payments/batches/", says: []string{"1 payment is ready", "Amt/InstdAmt"},
		never: []string{"one file for each payment"},
	},
	{file: "c07-batch-bba-reference.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{file: "c07-batch-creditor-bic.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{file: "c07-batch-purpose.xml", leads: "/payments/batches/", says: []string{"2 payments are ready"}},
	{file: "c11-bicfi-notprovided-ro.xml", says: []string{"CdtrAgt/FinInstnId/BICFI"}},
	{file: "c14-empty-first-line.csv", leads: "/payments/batches/", says: []string{"1 payment is ready"}},
	{file: "c14-sep-line.csv", leads: "/payments/batches/", says: []string{"1 payment is ready"}},
	{file: "c15-debtor-iban-spaces.csv", leads: "/payments/batches/", says: []string{"4 payments are ready"}},
	{file: "c16-qr-reference-and-message.csv", leads: "/payments/batches/", says: []string{"1 payment is ready"}},
	{file: "c17-extra-column.csv", says: []string{`column "purpose"`}},
	{file: "c18-italian-iban-with-bic.xml", leads: "/payments/"},
	{
		file: "c05-date-unreadable-two-findings.xml", says: []string{"Enter a date as YYYY-MM-DD"},
		never: []string{"Enter today as requested execution date"},
	},
	{
		file: "c05-dttm-later-today.xml", says: []string{"Leave the time out, or enter one that has come"},
		never: []string{"Enter today as requested execution date"},
	},
	{
		file: "c08-v03-elements-under-v09.xml", says: []string{"pain.001.001.03", "BICFI", "AnyBIC", "Write the date in Dt"},
		never: []string{"Remove BIC", "Remove the text between the elements", "Remove BICOrBEI"},
	},
	{file: "c09-cdtragt-notprovided.xml", says: []string{"Leave CdtrAgt out"}},
	{file: "c10-dbtragt-empty.xml", says: []string{"NOTPROVIDED"}, never: []string{"or remove the element"}},
	{file: "c12-latin1.xml", says: []string{"ISO-8859-1", "UTF-8", "CH16"}},
	{file: "c12-utf16.xml", says: []string{"UTF-16", "UTF-8", "CH16"}},
	{file: "c18-italian-iban.xml", leads: "/payments/"},
	{file: "h01-prefix.xml", leads: "/payments/"},
	{file: "h02-bom.xml", says: []string{"Remove the byte order mark"}},
	{file: "h03-float-control-sum.xml", says: []string{"Correct the control sum"}},
	{file: "h04-underscore.xml"},
	{file: "h05-three-ustrd.xml"},
	{file: "h06-scor-spaces.xml"},
	{file: "h07-qrr-on-normal-iban.xml"},
	{file: "h08-no-instrid.xml", leads: "/payments/"},
	{file: "h09-hybrid-repeats.xml"},
	{file: "h10-name-82.xml"},
}

// practice reads a file of practice, dated today.
func practice(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(cases, name))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(content, []byte("2026-11-29"), []byte(time.Now().In(zone).Format(time.DateOnly)))
}

// TestFilesOfPracticeBecomeWhatIsRight uploads every file of practice.
func TestFilesOfPracticeBecomeWhatIsRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for _, c := range uploads {
		got := maker.upload(c.file, practice(t, c.file))
		if (c.leads == "") != (got.status == http.StatusUnprocessableEntity) || !strings.HasPrefix(got.location, c.leads) {
			t.Errorf("%s: %d %s, want %q: %s", c.file, got.status, got.location, c.leads, got.main())
			continue
		}
		if c.leads != "" {
			got = maker.get(got.location).is(http.StatusOK)
		}
		text := strings.Join(strings.Fields(got.page.Find("main").Text()), " ")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", c.file, want, text)
			}
		}
		for _, never := range c.never {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q: %s", c.file, never, text)
			}
		}
	}
}
