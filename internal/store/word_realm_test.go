package store_test

import (
	"testing"

	"countersign/internal/demo"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestWordsAreFoundInTheirRealmAlone: the function that looks for words works past row-level security. It finds what is its realm's, and
// nothing of it for another realm, for none, or for a login that is no gateway.
func TestWordsAreFoundInTheirRealmAlone(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	const ask = "SELECT count(*) FROM word_messages($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 10)"
	app := h.DB.ConnectAsApplication(t, demo.Realm)
	var query string
	err := app.QueryRow(t.Context(), "SELECT search_tag($1) || 'haller'", demo.Realm).Scan(&query)
	if err != nil {
		t.Fatal(err)
	}
	for realm, want := range map[string]int{demo.Realm: 1, "other": 0, "": 0} {
		_, err = app.Exec(t.Context(), "SELECT set_config('countersign.realm', $1, false)", realm)
		if err != nil {
			t.Fatal(err)
		}
		var found int
		err = app.QueryRow(t.Context(), ask, query).Scan(&found)
		if err != nil || found != want {
			t.Errorf("realm %q finds %d messages (%v), want %d", realm, found, err, want)
		}
	}
	var may bool
	err = app.QueryRow(
		t.Context(), "SELECT has_function_privilege('countersign_reader', 'word_messages(text, uuid, integer)', 'EXECUTE')",
	).Scan(&may)
	if err != nil || may {
		t.Errorf("the reader may look past row-level security: %v", err)
	}
}
