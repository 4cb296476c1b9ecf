package account_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/account"
)

func TestParseBIC(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		kind error
	}{
		{"RAIFCH22005", nil},
		{"AAAADEFF", nil},
		{"AAAADEFFXXX", nil},
		{"1A2BXKPR", nil},
		{"", account.ErrEmpty},
		{"RAIFCH2", account.ErrLength},
		{"RAIFCH2200", account.ErrLength},
		{"RAIFCH22005X", account.ErrLength},
		{"raifch22", account.ErrStructure},
		{"RAIF1H22", account.ErrStructure},
		{"RAIFCH2-", account.ErrStructure},
		{"RAIFZZ22", account.ErrCountry},
		{"RAIFEU22", account.ErrCountry},
	}
	for _, test := range cases {
		bic, err := account.ParseBIC(test.text)
		if !errors.Is(err, test.kind) {
			t.Errorf("ParseBIC(%q): %v, want %v", test.text, err, test.kind)
		}
		if err == nil && bic.String() != test.text {
			t.Errorf("ParseBIC(%q) = %q", test.text, bic)
		}
	}
	bic, err := account.ParseBIC("RAIFCH22")
	if err != nil || bic.Country() != "CH" {
		t.Errorf("ParseBIC = %v, %v", bic, err)
	}
}

func TestBanksAndOfficesOfOneBank(t *testing.T) {
	t.Parallel()
	cases := []struct {
		one, other   string
		bank, office bool
	}{
		{"RAIFCH22", "RAIFCH22XXX", true, true},
		{"RAIFCH22", "RAIFCH22005", true, false},
		{"RAIFCH22005", "raifch22005", true, true},
		{"RAIFCH22", "RAIFCH2B", false, false},
		{"RAIFCH2", "RAIFCH2", false, true},
		{"", "RAIFCH22", false, false},
	}
	for _, c := range cases {
		if bank, office := account.SameBank(c.one, c.other), account.SameOffice(c.one, c.other); bank != c.bank || office != c.office {
			t.Errorf("%q and %q: one bank %t, one office %t; want %t and %t", c.one, c.other, bank, office, c.bank, c.office)
		}
	}
}

func TestBankOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"CH7280005000088877766": "RAIFCH22005",
		"CH9300762011623852957": "",
		"LI21088100002324013AA": "BLFLLI2XXXX",
	} {
		iban, err := account.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bank, found := account.BankOf(iban)
		if found != (want != "") || bank.BIC.String() != want {
			t.Errorf("BankOf(%s) = %+v, %v; want BIC %q", text, bank, found, want)
		}
	}
}

func TestIIDForms(t *testing.T) {
	t.Parallel()
	iid, err := account.ParseIID("762")
	if err != nil || iid.String() != "00762" || iid.Short() != "762" {
		t.Errorf("ParseIID(762) = %q, %v", iid, err)
	}
	for text, kind := range map[string]error{"": account.ErrEmpty, "7a2": account.ErrCharacter, "123456": account.ErrLength} {
		_, err := account.ParseIID(text)
		if !errors.Is(err, kind) {
			t.Errorf("ParseIID(%q): %v, want %v", text, err, kind)
		}
	}
}

func TestInSEPA(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		parsed, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	cases := []struct {
		country, day string
		want         bool
	}{
		{"DE", "2026-11-20", true},
		{"IS", "2026-11-20", true},
		{"CH", "2026-11-20", true},
		{"US", "2026-11-20", false},
		{"TR", "2026-11-20", false},
		{"", "2026-11-20", false},
		{"AL", "2025-10-06", false},
		{"AL", "2025-10-07", true},
		{"RS", "2026-05-05", false}, // in SCT only
	}
	for _, test := range cases {
		if account.InSEPA(test.country, day(test.day)) != test.want {
			t.Errorf("InSEPA(%s, %s) is not %v", test.country, test.day, test.want)
		}
	}
}

func TestCountryExistsDoesNotReadAcrossCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"CH": true, "XK": true, "D ": false, " A": false, "EU": false, "ch": false, "CHE": false, "": false,
	} {
		if account.CountryExists(code) != want {
			t.Errorf("CountryExists(%q) is not %v", code, want)
		}
	}
}

// TestTheNumberOfABankInSIC holds the numbers that public samples of SIX show.
func TestTheNumberOfABankInSIC(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"778": "007781", "8686": "086866"} {
		iid, err := account.ParseIID(code)
		if err != nil || iid.SICNumber() != want {
			t.Errorf("%s is %s in SIC, want %s", code, iid.SICNumber(), want)
		}
		back, err := account.ParseSICNumber(want)
		if err != nil || back != iid {
			t.Errorf("%s is bank %s: %v", want, back, err)
		}
	}
	for number, want := range map[string]error{
		"": account.ErrLength, "00778": account.ErrLength, "0077810": account.ErrLength,
		"00778a": account.ErrCharacter, "007782": account.ErrCheckDigits,
	} {
		_, err := account.ParseSICNumber(number)
		if !errors.Is(err, want) {
			t.Errorf("%q is refused with %v, want %v", number, err, want)
		}
	}
	if none := (account.IID{}).SICNumber(); none != "" {
		t.Errorf("no bank is %q in SIC", none)
	}
}
