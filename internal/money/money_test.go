package money_test

import (
	"errors"
	"math"
	"testing"

	"github.com/govalues/decimal"
	"pgregory.net/rapid"

	"countersign/internal/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		minor      int64
		kind       error
	}{
		{"whole", "1", 100, nil},
		{"one decimal", "1.1", 110, nil},
		{"two decimals", "1.10", 110, nil},
		{"below one", "0.05", 5, nil},
		{"largest", "92233720368547758.07", math.MaxInt64, nil},
		{"one too large", "92233720368547758.08", 0, money.ErrTooLarge},
		{"far too large", "999999999999999999999999", 0, money.ErrTooLarge},
		{"zero", "0", 0, money.ErrZero},
		{"zero with decimals", "0.00", 0, money.ErrZero},
		{"negative", "-1.00", 0, money.ErrNegative},
		{"negative zero", "-0", 0, money.ErrMalformed},
		{"three decimals", "1.100", 0, money.ErrDecimals},
		{"leading zero", "01", 0, money.ErrMalformed},
		{"no whole part", ".05", 0, money.ErrMalformed},
		{"no decimals after the point", "1.", 0, money.ErrMalformed},
		{"comma", "1,10", 0, money.ErrMalformed},
		{"grouped", "1'000", 0, money.ErrMalformed},
		{"exponent", "1e3", 0, money.ErrMalformed},
		{"plus", "+1", 0, money.ErrMalformed},
		{"space", " 1", 0, money.ErrMalformed},
		{"two points", "1.1.1", 0, money.ErrMalformed},
		{"other digits", "\u0661", 0, money.ErrMalformed},
		{"empty", "", 0, money.ErrMalformed},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			amount, err := money.Parse(money.CHF, test.text)
			if !errors.Is(err, test.kind) {
				t.Fatalf("Parse(%q): error %v, want kind %v", test.text, err, test.kind)
			}
			if amount.Minor() != test.minor {
				t.Errorf("Parse(%q) = %d minor units, want %d", test.text, amount.Minor(), test.minor)
			}
		})
	}
}

func TestRefusalCarriesCodeAndSentence(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, code, sentence string }{
		{"0", "AM01", "Enter an amount above zero."},
		{"1.234", "CH20", "Enter at most 2 decimal places: CHF has no smaller unit."},
		{"abc", "AM12", "Enter the amount in digits with one decimal point, such as 1234.50."},
	}
	for _, test := range cases {
		_, err := money.Parse(money.CHF, test.text)
		var refusal *money.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("Parse(%q): no *money.Error but %v", test.text, err)
		}
		if refusal.Code != test.code || refusal.Text.String() != test.sentence {
			t.Errorf("Parse(%q) = %s %q, want %s %q", test.text, refusal.Code, refusal.Text, test.code, test.sentence)
		}
	}
}

func TestParseInput(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text  string
		minor int64
		kind  error
	}{
		{"1234.5", 123450, nil},
		{"1'234.50", 123450, nil},
		{"1\u2019234.50", 123450, nil},
		{"1 234.50", 123450, nil},
		{"1\u00a0234.50", 123450, nil},
		{"1\u202f234,50", 123450, nil},
		{"1234,50", 123450, nil},
		{" 1'234'567.89 ", 123456789, nil},
		{"1,234.50", 123450, nil},
		{"1.234,50", 123450, nil},
		{"1,234,567", 123456700, nil},
		{"1'234", 123400, nil},
		{"0,5", 50, nil},
		{"1234.50 EUR", 123450, nil},
		{"€ 1'234.50", 123450, nil},
		{"12.50€", 1250, nil},
		{"12.–", 1200, nil},
		{"1'234.- eur", 123400, nil},
		{"12.50 CHF", 0, money.ErrMalformed},
		{"Fr. 12.50", 0, money.ErrMalformed},
		{".-", 0, money.ErrMalformed},
		{"12-", 0, money.ErrMalformed},
		{"EUR", 0, money.ErrMalformed},
		{"1,234", 0, money.ErrAmbiguous},
		{"1.234", 0, money.ErrAmbiguous},
		{"123.456", 0, money.ErrAmbiguous},
		{"0,123", 0, money.ErrDecimals},
		{"1'234,567", 0, money.ErrDecimals},
		{"1234.567", 0, money.ErrDecimals},
		{"12'34.50", 0, money.ErrMalformed},
		{"1234'567.50", 0, money.ErrMalformed},
		{"1'234 567", 0, money.ErrMalformed},
		{"1,23,456", 0, money.ErrMalformed},
		{"'234", 0, money.ErrMalformed},
		{"1''234", 0, money.ErrMalformed},
		{"1234.", 0, money.ErrMalformed},
		{"", 0, money.ErrMalformed},
		{"-5", 0, money.ErrNegative},
		{"0", 0, money.ErrZero},
	}
	for _, test := range cases {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			amount, err := money.ParseInput(money.EUR, test.text)
			if !errors.Is(err, test.kind) {
				t.Fatalf("ParseInput(%q): error %v, want kind %v", test.text, err, test.kind)
			}
			if amount.Minor() != test.minor {
				t.Errorf("ParseInput(%q) = %d, want %d", test.text, amount.Minor(), test.minor)
			}
		})
	}
}

func TestFrancsAreTypedInSeveralWays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"CHF 12", "12 chf", "Fr. 12.-", "SFr.12.00", "fr 12.—", "12.– Fr."} {
		amount, err := money.ParseInput(money.CHF, text)
		if err != nil || amount.Minor() != 1200 || money.NamesOther(money.CHF, text) {
			t.Errorf("%q is read as %s, %v, another currency: %v", text, amount, err, money.NamesOther(money.CHF, text))
		}
	}
	if !money.NamesOther(money.CHF, "EUR 12") || !money.NamesOther(money.EUR, "Fr. 12") {
		t.Error("the other currency is not noticed")
	}
}

func TestAmbiguousInputAsksAQuestion(t *testing.T) {
	t.Parallel()
	_, err := money.ParseInput(money.CHF, "1,234")
	want := "Did you mean 1'234.00 or 1.234? Enter the amount with two decimal places."
	if err == nil || err.Error() != want {
		t.Errorf("sentence = %v, want %q", err, want)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	cases := []struct {
		minor                  int64
		machine, swiss, format string
		cents                  int
	}{
		{0, "0.00", "0.00", "CHF 0.00", 0},
		{5, "0.05", "0.05", "CHF 0.05", 5},
		{99999, "999.99", "999.99", "CHF 999.99", 99},
		{123456, "1234.56", "1'234.56", "CHF 1'234.56", 56},
		{99999999999, "999999999.99", "999'999'999.99", "CHF 999'999'999.99", 99},
		{math.MaxInt64, "92233720368547758.07", "92'233'720'368'547'758.07", "CHF 92'233'720'368'547'758.07", 7},
	}
	for _, test := range cases {
		amount, err := money.FromMinor(money.CHF, test.minor)
		if err != nil {
			t.Fatal(err)
		}
		if amount.String() != test.machine || amount.Swiss() != test.swiss || amount.Format() != test.format {
			t.Errorf("%d prints %q %q %q", test.minor, amount.String(), amount.Swiss(), amount.Format())
		}
		if amount.Cents() != test.cents || amount.IsZero() != (test.minor == 0) {
			t.Errorf("%d: cents %d, zero %v", test.minor, amount.Cents(), amount.IsZero())
		}
	}
}

func TestFromDecimal(t *testing.T) {
	t.Parallel()
	cases := []struct {
		value decimal.Decimal
		minor int64
		kind  error
	}{
		{decimal.MustParse("199.95"), 19995, nil},
		{decimal.MustParse("2.5"), 250, nil},
		{decimal.MustParse("2.500"), 0, money.ErrDecimals},
		{decimal.MustParse("0.00"), 0, money.ErrZero},
		{decimal.MustParse("-1"), 0, money.ErrNegative},
		{decimal.MustParse("9999999999999999999"), 0, money.ErrTooLarge},
		{decimal.MustParse("92233720368547758.07"), math.MaxInt64, nil},
		{decimal.MustParse("92233720368547758.08"), 0, money.ErrTooLarge},
	}
	for _, test := range cases {
		amount, err := money.FromDecimal(money.CHF, test.value)
		if !errors.Is(err, test.kind) || amount.Minor() != test.minor {
			t.Errorf("FromDecimal(%s) = %d, %v; want %d, %v", test.value, amount.Minor(), err, test.minor, test.kind)
		}
	}
}

func TestUnknownCurrencyIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	const unknown = money.Currency("chf")
	_, parsed := money.Parse(unknown, "1")
	_, typed := money.ParseInput(unknown, "1")
	_, counted := money.FromMinor(unknown, 1)
	_, converted := money.FromDecimal(unknown, decimal.One)
	for _, err := range []error{parsed, typed, counted, converted} {
		if !errors.Is(err, money.ErrCurrency) {
			t.Errorf("error %v, want ErrCurrency", err)
		}
	}
}

func TestArithmeticRefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	amount := func(currency money.Currency, minor int64) money.Amount {
		made, err := money.FromMinor(currency, minor)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	_, err := amount(money.CHF, math.MaxInt64).Add(amount(money.CHF, 1))
	if !errors.Is(err, money.ErrTooLarge) {
		t.Errorf("Add beyond the range: %v", err)
	}
	_, err = amount(money.CHF, 1).Subtract(amount(money.CHF, 2))
	if !errors.Is(err, money.ErrNegative) {
		t.Errorf("Subtract below zero: %v", err)
	}
	_, err = money.FromMinor(money.CHF, -1)
	if !errors.Is(err, money.ErrNegative) {
		t.Errorf("FromMinor below zero: %v", err)
	}
	_, added := amount(money.CHF, 1).Add(amount(money.EUR, 1))
	_, subtracted := amount(money.CHF, 1).Subtract(amount(money.EUR, 1))
	_, compared := amount(money.CHF, 1).Compare(amount(money.EUR, 1))
	for _, err := range []error{added, subtracted, compared} {
		if !errors.Is(err, money.ErrMismatch) {
			t.Errorf("mixed currencies: %v, want ErrMismatch", err)
		}
	}
}

// Printing and reading an amount must give the same amount in each of its forms.
func TestFormsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(1, math.MaxInt64).Draw(t, "minor")
		amount, err := money.FromMinor(money.CHF, minor)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := money.Parse(money.CHF, amount.String())
		if err != nil || parsed != amount {
			t.Fatalf("Parse(%q) = %v, %v", amount.String(), parsed, err)
		}
		typed, err := money.ParseInput(money.CHF, amount.Swiss())
		if err != nil || typed != amount {
			t.Fatalf("ParseInput(%q) = %v, %v", amount.Swiss(), typed, err)
		}
		converted, err := money.FromDecimal(money.CHF, amount.Decimal())
		if err != nil || converted != amount {
			t.Fatalf("FromDecimal(%s) = %v, %v", amount.Decimal(), converted, err)
		}
	})
}

func TestAddAndSubtractUndoEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, _ := money.FromMinor(money.EUR, rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "a"))
		b, _ := money.FromMinor(money.EUR, rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "b"))
		sum, err := a.Add(b)
		if err != nil {
			t.Fatal(err)
		}
		back, err := sum.Subtract(b)
		if err != nil || back != a {
			t.Fatalf("%v + %v - %v = %v, %v", a, b, b, back, err)
		}
		order, err := sum.Compare(a)
		if err != nil || order < 0 {
			t.Fatalf("a sum is smaller than its part: %v, %v", order, err)
		}
	})
}

// Whatever a person types, an accepted reading has the digits that were typed and nothing else.
func FuzzParseInput(f *testing.F) {
	for _, seed := range []string{"1'234.50", "1,234", "1.234,50", "1\u00a0234", "-1", "", "0.005", "1.2.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := money.ParseInput(money.CHF, text)
		var refusal *money.Error
		switch {
		case err != nil && (!errors.As(err, &refusal) || refusal.Text == "" || refusal.Code == ""):
			t.Fatalf("ParseInput(%q): refusal without code or sentence: %v", text, err)
		case err == nil && amount.IsZero():
			t.Fatalf("ParseInput(%q) accepted nothing", text)
		}
	})
}
