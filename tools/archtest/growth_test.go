package archtest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/migrations"
)

// steady are the tables that grow only with people, accounts, settings and the editions of reference data.
var steady = strings.Fields(`audit_tree beneficiary break_glass client debtor_account event_order identity_provider incoming_account
	last_sign_in legal_move notice_choice outer_identity payment_template person policy presence realm realm_administration realm_change
	realm_change_decision realm_head reference_edition role_duty routing_directory saved_view schema_contract second_factor spending_limit
	user_account user_preference user_role user_setup user_setup_try user_setup_use webhook webhook_progress`)

// TestThePageSaysWhatBoundsEachGrowingTable compares the table of docs/operations.md with the tables of the migrations.
func TestThePageSaysWhatBoundsEachGrowingTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(page), "\n| Growing tables |")
	rows, _, _ = strings.Cut(rows, "\n\n")
	told := map[string]bool{}
	for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(rows, -1) {
		told[name[1]] = true
	}
	for _, name := range steady {
		if told[name] {
			t.Errorf("%s is steady, and on the page", name)
		}
		told[name] = true
	}
	files, err := migrations.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := migrations.FS.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`).FindAllStringSubmatch(string(text), -1) {
			if !told[table[1]] {
				t.Errorf("nothing is said of what bounds %s", table[1])
			}
			delete(told, table[1])
		}
	}
	for name := range told {
		t.Errorf("there is no table %s", name)
	}
}
