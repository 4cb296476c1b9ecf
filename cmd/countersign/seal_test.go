package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestRowsOfBeforeAreSealedAfterwards has an operator answer for a document without a seal: first told, then sealed, and named by the
// auditor from then on. While something else is broken nothing is sealed.
func TestRowsOfBeforeAreSealedAfterwards(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	h.incoming(t, "sic-inst")
	conn, err := pgx.Connect(t.Context(), h.databaseURL(t))
	must(t, err)
	var document string
	err = conn.QueryRow(t.Context(), `UPDATE document SET key_id = NULL, mac = NULL WHERE document_id = (
		SELECT document_id FROM document WHERE direction = 'in' ORDER BY document_id LIMIT 1) RETURNING document_id::text`).Scan(&document)
	must(t, err)
	settings := []string{
		"COUNTERSIGN_DATABASE_URL=" + h.databaseURL(t), "COUNTERSIGN_RELEASE_KEY_FILE=" + filepath.Join(h.data, "release.key"),
		"COUNTERSIGN_TOKEN_KEY_FILE=" + filepath.Join(h.data, "token.key"),
		"COUNTERSIGN_AUDIT_KEY_FILE=" + filepath.Join(h.data, "audit.key"),
	}
	runs := func(code int, want string, arguments ...string) {
		t.Helper()
		p := start(t, settings, arguments...)
		if got := p.wait(t); got != code || !strings.Contains(p.output.String(), want) {
			t.Errorf("%s ends with %d, want %d and %q in:\n%s", strings.Join(arguments, " "), got, code, want, p.output)
		}
	}
	after := time.Now().AddDate(0, 0, 2).Format(time.DateOnly) // tomorrow may have begun by the clock of the banks
	seal := []string{"seal", "--before", after, "--by", "Olga Operator", "--reason", "Compared with clearing's statement."}
	runs(exitFailed, document, "check")
	_, err = conn.Exec(t.Context(), "UPDATE realm SET name = 'Another' WHERE realm = 'demo2'")
	must(t, err)
	runs(exitFailed, "countersign check names what to mend first", append(seal, "--apply")...)
	must(t, conn.Close(t.Context()))
	p.kill(t)
	p = h.open(t) // which provisions the realm again
	settings[0] = "COUNTERSIGN_DATABASE_URL=" + h.databaseURL(t)
	runs(0, "1 row would be sealed, nothing was written", seal...)
	runs(exitFailed, document, "check")
	runs(0, "1 row sealed afterwards", append(seal, "--apply")...)
	runs(0, "1 row sealed afterwards by Olga Operator on ", "check")
	runs(0, "0 rows would be sealed", seal...)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// TestWhoAnswersForRowsIsMeasuredInCharacters: so is why, and one more of either is refused.
func TestWhoAnswersForRowsIsMeasuredInCharacters(t *testing.T) {
	t.Parallel()
	for by, told := range map[string]string{
		strings.Repeat("ü", 100): "give --release-key-file", strings.Repeat("u", 101): "at most 100 characters",
	} {
		for reason, toldOf := range map[string]string{strings.Repeat("é", 512): told, strings.Repeat("e", 513): "at most 512"} {
			p := start(t, []string{"COUNTERSIGN_DATABASE_URL=postgres://nobody@127.0.0.1:1/none"},
				"seal", "--before", "2026-07-01", "--by", by, "--reason", reason)
			if code := p.wait(t); code != exitFailed || !strings.Contains(p.output.String(), toldOf) {
				t.Errorf("%.8s…, %.8s…: ends with %d, want %q in:\n%s", by, reason, code, toldOf, p.output)
			}
		}
	}
}
