package account_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/account"
)

const form = `# a comment
edition;2026-10-01
prefix;bic;name;instant
DE37040044;AAAADEFFXXX;Bank one;yes
DE3704;BBBBDEFFXXX;Bank two;no
FR;CCCCFRPPXXX;Bank three;yes
;DDDDITMM;Bank four;no
;AAAADEFF100;Branch of bank one;yes
CH00762;;Bank five;yes
`

func iban(t *testing.T, text string) account.IBAN {
	t.Helper()
	parsed, err := account.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestTheLongestPrefixTellsTheBank(t *testing.T) {
	t.Parallel()
	d, err := account.ParseDirectory([]byte(form))
	if err != nil || d.Len() != 6 || !d.Edition().Equal(time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("%v, %d rows of %v", err, d.Len(), d.Edition())
	}
	for text, want := range map[string]string{
		"DE89370400440532013000": "Bank one", "FR1420041010050500013M02606": "Bank three", "CH9300762011623852957": "Bank five",
		"DE62007620110623852957": "", "NL91ABNA0417164300": "",
	} {
		bank, found := d.BankOf(iban(t, text))
		if found != (want != "") || bank.Name != want {
			t.Errorf("%s: %q, %v, want %q", text, bank.Name, found, want)
		}
	}
	if _, found := d.BankOf(account.IBAN{}); found {
		t.Error("no account has a bank")
	}
}

func TestABankIsFoundByTheBICOfAnyOffice(t *testing.T) {
	t.Parallel()
	d, err := account.ParseDirectory([]byte(form))
	if err != nil {
		t.Fatal(err)
	}
	for bic, want := range map[string]string{
		"AAAADEFFXXX": "Bank one", "AAAADEFF": "Bank one", "AAAADEFF100": "Branch of bank one", "AAAADEFF999": "Branch of bank one",
		"DDDDITMMXXX": "Bank four", "EEEEITMM": "", "": "",
	} {
		bank, found := d.ByBIC(bic)
		if found != (want != "") || bank.Name != want {
			t.Errorf("%s: %q, %v, want %q", bic, bank.Name, found, want)
		}
	}
}

func TestAFileThatIsNoDirectorySaysWhere(t *testing.T) {
	t.Parallel()
	const head = "edition;2026-10-01\nprefix;bic;name;instant\n"
	for name, test := range map[string]struct {
		content string
		line    int
		says    string
	}{
		"empty":            {"", 1, "begin with the day"},
		"no day":           {"edition;today\n", 1, "year, month and day"},
		"no columns":       {"edition;2026-10-01\nDE;AAAADEFF;One;yes\n", 2, "name the columns"},
		"no rows":          {head, 0, "names no bank"},
		"fields":           {head + "DE;AAAADEFF;One\n", 3, "give 4 fields"},
		"word":             {head + "DE;AAAADEFF;One;Y\n", 3, "yes or no"},
		"nothing to know":  {head + ";;One;yes\n", 3, "a prefix of IBANs, a BIC, or both"},
		"check digits":     {head + "DE 89;AAAADEFF;One;yes\n", 3, "without check digits"},
		"country":          {head + "ZZ37;AAAADEFF;One;yes\n", 3, "without check digits"},
		"BIC":              {head + "DE37;AAAAD;One;yes\n", 3, "8 or 11"},
		"BIC missing":      {head + "DE37;;One;yes\n", 3, "give the BIC"},
		"name":             {head + "DE37;AAAADEFF;;yes\n", 3, "give the bank a name"},
		"twice":            {head + "DE37;AAAADEFF;One;yes\nFR;AAAAFRPP;Two;yes\nDE37;BBBBDEFF;One;yes\n", 5, "stands in line 3"},
		"BIC twice":        {head + ";AAAADEFF;One;yes\n;AAAADEFFXXX;One;no\n", 4, "stands in line 3"},
		"not UTF-8":        {head + "DE37;AAAADEFF;B\xe4nk;yes\n", 0, "UTF-8"},
		"more than a file": {head + strings.Repeat("#", account.MaxBytes), 0, "larger"},
	} {
		_, err := account.ParseDirectory([]byte(test.content))
		var refused *account.FormError
		if !errors.As(err, &refused) || refused.Line != test.line || !strings.Contains(refused.Text, test.says) {
			t.Errorf("%s: %v, want line %d and %q", name, err, test.line, test.says)
		}
	}
}

// What is stored is read again as it was, whatever the order of the rows.
func TestTheStoredFormIsReadAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.Permutation(strings.Split(strings.TrimSpace(form), "\n")[3:]).Draw(t, "rows")
		d, err := account.ParseDirectory([]byte("edition;2026-10-01\nprefix;bic;name;instant\n" + strings.Join(lines, "\r\n")))
		if err != nil {
			t.Fatal(err)
		}
		again, err := account.ParseDirectory(d.Content())
		if err != nil || !bytes.Equal(again.Content(), d.Content()) || again.Len() != len(lines) {
			t.Fatalf("%v:\n%s\n%s", err, d.Content(), again.Content())
		}
	})
}

// The columns are those of the public file; the banks are made up.
const master = `IID/QR-IID;Valid on;Concatenation;New IID/QR-IID;SIC IID;Headquarters;IID type;QR-IID allocation;` +
	`Name of bank/institution;Street Name;Building Number;Post Code;Town Name;Country;BIC;SIC participation;` +
	`RTGS customer payments, CHF;IP customer payments, CHF;euroSIC participation;LSV+/BDD, CHF;LSV+/BDD, EUR;2026-11-20 06:00
762;2026-11-20;N;;007620;762;1;;Bank "one";;;;Bern;CH;AAAACHBBXXX;Y;Y;Y;N;N;N
778;2026-11-19;N;;007781;778;1;;Bank two;;;;Bern;CH;;Y;Y;N;N;N;N
900;;Y;901;;;;;;;;;;;;;;;;;
901;2026-11-20;Y;762;;;;;;;;;;;;;;;;;
`

func TestTheBankMasterIsADirectory(t *testing.T) {
	t.Parallel()
	if !account.IsBankMaster([]byte("\ufeff"+master)) || account.IsBankMaster([]byte(form)) {
		t.Error("the bank master is not told from a directory")
	}
	d, err := account.ParseBankMaster([]byte("\ufeff" + master))
	if err != nil || d.Len() != 8 || d.Edition().Format(time.DateOnly) != "2026-11-20" {
		t.Fatalf("%v: %d rows of %v", err, d.Len(), d.Edition())
	}
	got := string(d.Content())
	for _, want := range []string{
		"CH00762;AAAACHBBXXX;Bank one;yes", "LI00762;AAAACHBBXXX;Bank one;yes", "CH00778;;Bank two;no", "CH00900;AAAACHBBXXX;Bank one;yes",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestABrokenBankMasterSaysWhere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old, wrong string
		line       int
	}{
		"column":    {"IP customer payments, CHF", "Instant", 1},
		"code":      {"\n778;", "\n77x;", 3},
		"day":       {"2026-11-19", "19.11.2026", 3},
		"twice":     {"\n778;", "\n762;", 3},
		"successor": {"901;2026-11-20;Y;762", "901;2026-11-20;Y;763", 0},
		"circle":    {"901;2026-11-20;Y;762", "901;2026-11-20;Y;900", 0},
	} {
		_, err := account.ParseBankMaster([]byte(strings.Replace(master, test.old, test.wrong, 1)))
		var refused *account.FormError
		if !errors.As(err, &refused) || test.line > 0 && refused.Line != test.line {
			t.Errorf("%s: %v, want line %d", name, err, test.line)
		}
	}
}

func TestAnEditionIsStaleAfterAQuarter(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)
	if account.Stale(day, day.AddDate(0, 3, 0)) || !account.Stale(day, day.AddDate(0, 3, 1)) {
		t.Error("an edition is taken for current for a quarter")
	}
}

func FuzzParseDirectory(f *testing.F) {
	f.Add([]byte(form))
	f.Add([]byte(master))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, parse := range []func([]byte) (*account.Directory, error){account.ParseDirectory, account.ParseBankMaster} {
			d, err := parse(content)
			if err != nil {
				continue
			}
			again, err := account.ParseDirectory(d.Content())
			if err != nil || !bytes.Equal(again.Content(), d.Content()) {
				t.Fatalf("%v\n%s", err, d.Content())
			}
		}
	})
}
