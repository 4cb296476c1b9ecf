package integrity_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// tamperings are what a superuser of the database may do to one row of master data, with the table.
var tamperings = map[string]struct {
	table, statement string
}{
	"an account moved to another person": {"user_account", `UPDATE user_account SET person_id = (SELECT person_id FROM user_account
			WHERE realm = 'demo' AND name = 'checker1') WHERE realm = 'demo' AND name = 'maker1'`},
	"an account restored": {
		"user_account", "UPDATE user_account SET status = 'unverified' WHERE realm = 'demo' AND name = 'maker2'",
	},
	"another password": {
		"user_account", "UPDATE user_account SET password_hash = 'x' WHERE realm = 'demo' AND name = 'checker2'",
	},
	"a person with a new name": {
		"person", "UPDATE person SET display_name = 'Maker 9' WHERE display_name = 'Maker 2' AND realm = 'demo'",
	},
	"a grant dated back": {"user_role", `UPDATE user_role SET granted_at = '2019-01-01' WHERE realm = 'demo' AND user_id = (SELECT user_id
			FROM user_account WHERE realm = 'demo' AND name = 'checker2')`},
	"a forged grant": {
		"user_role",
		`INSERT INTO user_role (realm, user_id, duty, role, granted_at)
			SELECT realm, user_id, duty, 'checker', '2019-01-01'
			FROM user_account WHERE realm = 'demo' AND name = 'maker1'`,
	},
	"a client that may decide":    {"client", "UPDATE client SET may_decide_own = true WHERE client_id = 'demo-straight'"},
	"a policy that asks for less": {"policy", "UPDATE policy SET amount_to = 1 WHERE client_id = 'demo-straight'"},
	"a policy that asks for contentHash": {
		"policy", "UPDATE policy SET content_hash_required = true WHERE realm = 'demo2'",
	},
	"a holder": {
		"debtor_account", `UPDATE debtor_account SET holder_name = 'Mallory' WHERE realm = 'demo' AND iban = 'CH5021977000004331346'`,
	},
}

// A superuser changes rows of master data. The check names each, with and without the keys.
func TestMasterDataThatSomebodyChangedIsFound(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	must(t, demo.Ensure(t.Context(), db.Provisioner(t)))
	found := func(id string, keys keyring.Ring) (list []integrity.Violation) {
		t.Helper()
		report, err := integrity.Check(t.Context(), integrity.Config{DatabaseURL: db.OwnerURL, Tokens: keys, Now: time.Now()})
		must(t, err)
		for _, i := range report.Invariants {
			if i.ID == id {
				list = i.Violations
			}
		}
		return list
	}
	if rows := found("I33", keyring.Ring{}); len(rows) != 0 {
		t.Fatalf("untouched, %d rows do not fit: %v", len(rows), rows)
	}
	conn := db.Connect(t)
	for name, c := range tamperings {
		before := len(found("I33", keyring.Ring{}))
		changed, err := conn.Exec(t.Context(), c.statement)
		must(t, err)
		rows, named := found("I33", keyring.Ring{}), false
		for _, row := range rows {
			named = named || row.Table == c.table && row.Key != ""
		}
		if changed.RowsAffected() != 1 || len(rows) != before+1 || !named {
			t.Errorf("%s: %d rows changed, %d do not fit, %d before: %v", name, changed.RowsAffected(), len(rows), before, rows)
		}
	}
	for want, keys := range map[string]keyring.Ring{
		store.ErrOtherSet.Error(): storetest.Keys(t),
		"this seal cannot be checked because its key is missing from the key file, so restore the key and check again": otherKeys(t),
	} {
		rows := found("I20", keys)
		if len(rows) != 2 || rows[0].Table != "realm_head" || rows[0].What != want || rows[1].What != want {
			t.Errorf("of both heads the check says %v, want %v", rows, want)
		}
	}
}

// otherKeys are keys that sealed nothing.
func otherKeys(t *testing.T) keyring.Ring {
	t.Helper()
	other, err := keyring.Parse([]byte("other 11223344556677889900112233445566778899001122334455667788990011"+"22"), "")
	must(t, err)
	return other
}

// open begins to read the test's database as an auditor does.
func open(t *testing.T, db *storetest.DB) *integrity.Snapshot {
	t.Helper()
	s, err := integrity.Open(t.Context(), db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}
