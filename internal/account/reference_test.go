package account_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/account"
)

func TestParseQRReference(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		kind error
	}{
		{"210000000003139471430009017", nil},
		{"", account.ErrEmpty},
		{"21000000000313947143000901", account.ErrLength},
		{"2100000000031394714300090170", account.ErrLength},
		{"210000000003139471430009018", account.ErrCheckDigits},
		{"21000000000313947143000901X", account.ErrCharacter},
		{"21 0000000003139471430009017", account.ErrCharacter},
	}
	for _, test := range cases {
		_, err := account.ParseQRReference(test.text)
		if !errors.Is(err, test.kind) {
			t.Errorf("ParseQRReference(%q): %v, want %v", test.text, err, test.kind)
		}
	}
}

func TestQRReferenceInputFillsUp(t *testing.T) {
	t.Parallel()
	reference, err := account.ParseQRReferenceInput("21 00000 00003 13947 14300 09017")
	if err != nil || reference.String() != "210000000003139471430009017" {
		t.Fatalf("= %v, %v", reference, err)
	}
	if reference.Grouped() != "21 00000 00003 13947 14300 09017" {
		t.Errorf("grouped %q", reference.Grouped())
	}
	short, err := account.ParseQRReferenceInput("3139471430004")
	if err != nil || short.String() != "000000000000003139471430004" {
		t.Errorf("short reference = %v, %v", short, err)
	}
	_, err = account.ParseQRReferenceInput("21 00000 00003 13947 14300 090170")
	if !errors.Is(err, account.ErrLength) {
		t.Errorf("a digit too many: %v", err)
	}
	for _, few := range []string{"123", "313947143000"} {
		_, err = account.ParseQRReferenceInput(few)
		if !errors.Is(err, account.ErrLength) {
			t.Errorf("%s, which ends in no check digit: %v, want that it is short", few, err)
		}
	}
	_, err = account.ParseQRReferenceInput(" ")
	if !errors.Is(err, account.ErrEmpty) {
		t.Errorf("nothing: %v", err)
	}
}

// Recursive modulo 10 finds each wrong digit and each swap of neighbours.
func TestQRReferenceFindsSlips(t *testing.T) {
	t.Parallel()
	const valid = "210000000003139471430009017"
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.IntRange(0, 26).Draw(t, "place")
		digit := string(rune(rapid.IntRange('0', '9').Draw(t, "digit")))
		wrong := valid[:place] + digit + valid[place+1:]
		if place < 26 && rapid.Bool().Draw(t, "swap") {
			wrong = valid[:place] + valid[place+1:place+2] + valid[place:place+1] + valid[place+2:]
		}
		_, err := account.ParseQRReference(wrong)
		if (err == nil) != (wrong == valid) {
			t.Fatalf("ParseQRReference(%s): %v", wrong, err)
		}
	})
}

func TestParseCreditorReference(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		kind error
	}{
		{"RF18539007547034", nil},
		{"RF4220210323103704APG0018", nil},
		{"RF712348231", nil},
		{"RF741", nil},
		{"", account.ErrEmpty},
		{"RF19539007547034", account.ErrCheckDigits},
		{"RF18539007547043", account.ErrCheckDigits},
		{"rf18539007547034", account.ErrCharacter},
		{"RF18 5390 0754 7034", account.ErrCharacter},
		{"RG18539007547034", account.ErrStructure},
		{"RFA8539007547034", account.ErrStructure},
		{"RF18", account.ErrLength},
		{"RF185390075470341234567890", account.ErrLength},
	}
	for _, test := range cases {
		_, err := account.ParseCreditorReference(test.text)
		if !errors.Is(err, test.kind) {
			t.Errorf("ParseCreditorReference(%q): %v, want %v", test.text, err, test.kind)
		}
	}
	reference, err := account.ParseCreditorReferenceInput("rf18 5390 0754 7034")
	if err != nil || reference.String() != "RF18539007547034" || reference.Grouped() != "RF18 5390 0754 7034" {
		t.Errorf("typed reference = %v, %v", reference, err)
	}
}
