package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/store/storetest"
)

// TestAnOperatorImportsDirectories: from a file of its own form and from the bank master of SIX, under seal, for all realms or one; what
// is no directory is refused with its line.
func TestAnOperatorImportsDirectories(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	bank(t, db, "hash")
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	const head = "edition;2026-11-20\nprefix;bic;name;instant\n"
	sepa := file("sepa.csv", head+"DE;AAAADEFFXXX;Demo bank;yes\n")
	master := file(
		"bankmaster_V3.csv",
		"IID/QR-IID;Valid on;Concatenation;New IID/QR-IID;SIC IID;Name of bank/institution;BIC;IP customer payments, CHF\n"+
			"762;2026-11-20;N;;007620;Demo bank;AAAACHBBXXX;Y\n",
	)
	settings := []string{"COUNTERSIGN_DATABASE_OWNER_URL=" + db.OwnerURL, "COUNTERSIGN_TOKEN_KEY_FILE=" + bankKeyIn(t, folder)}
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no scheme":    {[]string{sepa}, exitUsage, "--scheme sic-inst or --scheme sct-inst"},
		"not for SEPA": {[]string{master, "--scheme", "sct-inst"}, exitUsage, "does not tell whom SEPA instant payments reach"},
		"no directory": {
			[]string{file("wrong.csv", head+"DE;AAAADEFFXXX;Demo bank\n"), "--scheme", "sct-inst"},
			exitUsage,
			"line 3: give 4 fields",
		},
		"no such realm":   {[]string{sepa, "--scheme", "sct-inst", "--realm", "nobody"}, exitFailed, "there is no realm nobody"},
		"its own form":    {[]string{sepa, "--scheme", "sct-inst", "--realm", "bank"}, 0, "the directory is in force"},
		"the bank master": {[]string{master}, 0, "the directory is in force"},
	} {
		p := start(t, settings, append([]string{"directory", "import"}, test.args...)...)
		if code := p.wait(t); code != test.code || !strings.Contains(p.output.String(), test.says) {
			t.Errorf("%s: ends with %d, want %d and %q in:\n%s", name, code, test.code, test.says, p.output.String())
		}
	}
	var stored string
	must(
		t,
		db.Owner(t).QueryRow(
			t.Context(),
			`SELECT string_agg(realm || ' ' || scheme || ' ' || edition || ' ' || source || ' ' || entries, ', ' ORDER BY scheme)
		FROM routing_directory`,
		).Scan(&stored),
	)
	if stored != "bank sct-inst 2026-11-20 sepa.csv 1, bank sic-inst 2026-11-20 bankmaster_V3.csv 2" {
		t.Errorf("stored: %s", stored)
	}
}
