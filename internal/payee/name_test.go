package payee_test

import (
	"encoding/csv"
	"os"
	"testing"

	"countersign/internal/payee"
)

// pair is a line of testdata/names.csv: what a person who knows both names would say.
type pair struct {
	holder, given string
	expected      payee.Result
	about         string
}

func pairs(t *testing.T) []pair {
	t.Helper()
	file, err := os.Open("testdata/names.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	for _, line := range lines[1:] {
		all = append(all, pair{line[0], line[1], payee.Result(line[2]), line[3]})
	}
	return all
}

// What the method may get wrong on the table. A false match says that a name is, or nearly is, that of an
// account when it is not; a false refusal the opposite.
const (
	falseMatches  = 1
	falseRefusals = 6
	otherDegree   = 0 // a match told as a close one, or the other way round
)

func TestNamesAreComparedAsPeopleWould(t *testing.T) {
	t.Parallel()
	all := pairs(t)
	if len(all) < 200 {
		t.Fatalf("%d pairs: too few to measure anything", len(all))
	}
	var matches, refusals, degree int
	for _, p := range all {
		got := payee.Compare(p.given, p.holder)
		switch {
		case got == p.expected:
			continue
		case p.expected == payee.NoMatch:
			matches++
		case got == payee.NoMatch:
			refusals++
		default:
			degree++
		}
		t.Logf("%s: the account of %q, asked for %q: %s, expected %s", p.about, p.holder, p.given, got, p.expected)
	}
	t.Logf("%d pairs: %d false matches, %d false refusals, %d of another degree", len(all), matches, refusals, degree)
	if matches != falseMatches || refusals != falseRefusals || degree != otherDegree {
		t.Errorf("the method errs differently: %d false matches (%d), %d false refusals (%d), %d of another degree (%d)",
			matches, falseMatches, refusals, falseRefusals, degree, otherDegree)
	}
}

// TestAtMostTwoWordsOfANameMayBeMistyped however long it is: a close match tells the asker the holder's name.
func TestAtMostTwoWordsOfANameMayBeMistyped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given, holder string
		want          payee.Result
	}{
		{"Petra Brunner Hofer", "Petra Brunnner Hofer", payee.CloseMatch},
		{"Petra Brunnr Hofr", "Petra Brunner Hofer", payee.NoMatch},
		{"Petra Anna Brunnr Hofr", "Petra Anna Brunner Hofer", payee.CloseMatch},
		{"Petra Anna Luise Brunnr Hofr", "Petra Anna Luise Brunner Hofer", payee.CloseMatch},
		{"Petra Anna Luisse Brunnr Hofr", "Petra Anna Luise Brunner Hofer", payee.NoMatch},
		{"Petra Anna Luise Maria Brunnr Hofr", "Petra Anna Luise Maria Brunner Hofer", payee.CloseMatch},
		{"Petra Anna Luisse Marria Brunnr Hofr", "Petra Anna Luise Maria Brunner Hofer", payee.NoMatch},
	} {
		if got := payee.Compare(test.given, test.holder); got != test.want {
			t.Errorf("the account of %q, asked for %q: %s, want %s", test.holder, test.given, got, test.want)
		}
	}
}
