package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/iso20022/code"
	"countersign/internal/store/storetest"
)

// TestAnOperatorImportsCodeSetsAndCalendars: as ISO and SIX publish them and in the form of our own, under seal, before there is a realm
// too; what would have no effect, and what is none, is refused with what to do.
func TestAnOperatorImportsCodeSetsAndCalendars(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	definitions := map[string]any{}
	for _, set := range []code.Set{
		code.CancellationReasons, code.CategoryPurposes, code.CancellationRejections, code.GroupStatuses, code.OrganisationIDs, code.PersonIDs,
		code.TransactionStatuses, code.Purposes, code.ReturnReasons, code.StatusReasons,
	} {
		var codes []string
		for _, definition := range set.All() {
			codes = append(codes, definition.Code)
		}
		definitions[set.Name()] = map[string]any{"enum": codes, "description": "*`" + codes[0] + "`-What it means."}
	}
	published, err := json.Marshal(map[string]any{"definitions": definitions})
	must(t, err)
	codes := file("ExternalCodeSets_3Q2026.json", string(published))
	own := file("days.csv", "edition;2026-11-20\nday;scheme;clearing\n2026-12-24;sct-inst;closed\n")
	six := file("six.json", `{"metaData": {"createdStamp": "2026-11-21T04:00:00Z"}, "entries": [{"calendarDay": "2026-12-24",
		"services": [{"serviceIdentification": "DEMO", "clearingDay": "2026-12-28"}]}]}`)
	settings := []string{"COUNTERSIGN_DATABASE_OWNER_URL=" + db.OwnerURL, "COUNTERSIGN_TOKEN_KEY_FILE=" + bankKeyIn(t, folder)}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"codes", "import", codes}, exitUsage, "say which day the file is of"},
		{[]string{"codes", "import", codes, "--edition", "31.8.2026"}, exitUsage, "write a day such as 2026-08-31"},
		{[]string{"codes", "import", own, "--edition", "2026-08-31"}, exitUsage, "take the JSON file of the external code sets"},
		{[]string{"codes", "import", codes, "--edition", "2026-08-31"}, 0, "the edition is in force"},
		{[]string{"codes", "import", codes, "--edition", "2026-08-31"}, 0, "this very edition is there already"},
		{[]string{"codes", "import", codes, "--edition", "2026-05-31"}, exitFailed, "say with --from from which day"},
		{[]string{"codes", "import", codes, "--edition", "2026-05-31", "--from", "2026-12-01"}, 0, "the edition is in force"},
		{[]string{"calendar", "import", codes}, exitUsage, "when it was made"},
		{[]string{"calendar", "import", six}, exitUsage, "--service; the file has those of DEMO"},
		{[]string{"calendar", "import", six, "--service", "DEMO"}, 0, "schemes=sic-inst"},
		{[]string{"calendar", "import", own}, 0, "the edition is in force"},
		{
			[]string{"calendar", "import", file("old.csv", "edition;2026-01-01\nday;scheme;clearing\n2026-12-24;sct-inst;open\n")},
			exitFailed, "would have no effect",
		},
	} {
		p := start(t, settings, test.args...)
		if code := p.wait(t); code != test.code || !strings.Contains(p.output.String(), test.says) {
			t.Errorf("%q: ends with %d, want %d and %q in:\n%s", test.args, code, test.code, test.says, p.output.String())
		}
	}
	var stored string
	must(t, db.Owner(t).QueryRow(t.Context(), `SELECT string_agg(concat_ws(' ', kind, edition, from_day, scope, source), ', '
		ORDER BY edition_id) FROM reference_edition`).Scan(&stored))
	const want = "codes 2026-08-31 2026-08-31  ExternalCodeSets_3Q2026.json, codes 2026-05-31 2026-12-01  ExternalCodeSets_3Q2026.json, " +
		"calendar 2026-11-21 2026-11-21 sic-inst six.json, calendar 2026-11-20 2026-11-20 sct-inst days.csv"
	if stored != want {
		t.Errorf("stored: %s", stored)
	}
}
