package account

import (
	"testing"
	"time"
)

func TestIBANTable(t *testing.T) {
	t.Parallel()
	read, err := readRegistry(ibanTable)
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 111 {
		t.Errorf("%d countries, want 111", len(read))
	}
	for country := range sepaCountries() {
		_, known := structureOf(country)
		if !known || !CountryExists(country) {
			t.Errorf("SEPA country %s has no IBAN structure or does not exist", country)
		}
	}
}

func TestReadStructureRefusesBrokenRows(t *testing.T) {
	t.Parallel()
	for _, row := range [][2]string{{"x", "5!n"}, {"9", "5n"}, {"9", "5!x"}, {"9", "x!n"}, {"10", "5!n"}, {"9", "5!"}} {
		_, err := readStructure(row[0], row[1])
		if err == nil {
			t.Errorf("readStructure(%q, %q) accepted", row[0], row[1])
		}
	}
}

func TestBankTable(t *testing.T) {
	t.Parallel()
	qr := 0
	list, err := readBanks(bankTable)
	if err != nil {
		t.Fatal(err)
	}
	for iid, bank := range list {
		if bank.Name == "" || bank.IID != iid {
			t.Errorf("bank %s has name %q", iid, bank.Name)
		}
		if iid.IsQR() {
			qr++
		}
	}
	if len(list) != 1099 || qr < 218 {
		t.Errorf("%d banks, %d with a QR-IID", len(list), qr)
	}
}

func TestBrokenTablesAreReported(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"CH\t21\n", "CH\tx\t5!n12!c\n", "??\t21\t5!n12!c\n", "\n#\nCHX\t21\t5!n12!c"} {
		_, err := readRegistry(table)
		if err == nil {
			t.Errorf("readRegistry(%q) reports nothing", table)
		}
	}
	list, err := readBanks("0076x\tKBBECH22\tx\n00762\tnone\tx\n00763\t\tBank\n")
	if err == nil || len(list) != 1 {
		t.Errorf("readBanks: %v, %v", list, err)
	}
}

func TestSEPATableHasDays(t *testing.T) {
	t.Parallel()
	for country, from := range sepaCountries() {
		_, err := time.Parse(time.DateOnly, from)
		if err != nil {
			t.Errorf("%s: %v", country, err)
		}
	}
	if len(sepaCountries()) != 41 {
		t.Errorf("%d SEPA countries, want 41", len(sepaCountries()))
	}
}
