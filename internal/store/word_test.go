package store_test

import (
	"slices"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestWordsAreCutAlike: the words of a message are cut by the program when it is stored, and were cut by the migration for what was stored
// before: both find the same.
func TestWordsAreCutAlike(t *testing.T) {
	t.Parallel()
	connection := storetest.New(t).Connect(t)
	for _, c := range []struct{ text, account string }{
		{"Peter Haller Salary advance", "CH4821966000009613388"},
		{"Elektrizitätswerk der Stadt Zürich Invoice 4711, Rate 2", "DE89370400440532013000"},
		{"Société Générale d’Horlogerie SA Große Straße 1", "FR1420041010050500013M02606"},
		{"ŁÓDŹ Øre Ærø œuvre Đorđe İstanbul ığdır", ""},
		{"a b c 1 2 x1", "X"},
		{"", "CH4821966000009613388"},
		{"Wort " + "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz Wort wort WORT", "abc"},
		{"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen", "A1"},
		{"Bäckerei Müller Söhne Gärtnerei Hüsler Tür Öl Äpfel Übung Köln Bänke Wäsche Größe", "A1"},
		{"  spaces\tand\nlines  %_\\'\";-- ", "A1"},
	} {
		want := store.Of(c.text)
		if c.account != "" {
			want = append(want, store.AccountWord(c.account))
		}
		rows, err := connection.Query(t.Context(), "SELECT search_words($1, ARRAY[$2])", c.text, c.account)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			var one string
			err = rows.Scan(&one)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, one)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: the database cuts %q, the program %q", c.text, got, want)
		}
	}
}
