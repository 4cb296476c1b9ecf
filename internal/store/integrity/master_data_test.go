package integrity_test

import (
	"context"
	"errors"
	"testing"

	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// tamperings are what a superuser of the database may do to one row of master data, with the table and what is found.
var tamperings = map[string]struct {
	table, statement string
	want             error
}{
	"an account moved to another person": {"user_account", `UPDATE user_account SET person_id = (SELECT person_id FROM user_account
			WHERE realm = 'demo' AND name = 'checker1') WHERE realm = 'demo' AND name = 'maker1'`, keyring.ErrForged},
	"an account restored": {
		"user_account", "UPDATE user_account SET status = 'unverified' WHERE realm = 'demo' AND name = 'maker2'",
		keyring.ErrForged,
	},
	"another password": {
		"user_account", "UPDATE user_account SET password_hash = 'x' WHERE realm = 'demo' AND name = 'checker2'",
		keyring.ErrForged,
	},
	"a person with a new name": {
		"person", "UPDATE person SET display_name = 'Maker 9' WHERE display_name = 'Maker 2' AND realm = 'demo'",
		keyring.ErrForged,
	},
	"a grant dated back": {"user_role", `UPDATE user_role SET granted_at = '2019-01-01' WHERE realm = 'demo' AND user_id = (SELECT user_id
			FROM user_account WHERE realm = 'demo' AND name = 'checker2')`, keyring.ErrForged},
	"a forged grant": {
		"user_role",
		`INSERT INTO user_role (key_id, seal, realm, user_id, duty, role, granted_at)
			SELECT 'test', sha256(''), realm, user_id, duty, 'checker', '2019-01-01'
			FROM user_account WHERE realm = 'demo' AND name = 'maker1'`,
		keyring.ErrForged,
	},
	"the seal of another grant": {"user_role", `UPDATE user_role SET seal = (SELECT seal FROM user_role WHERE role = 'supervisor')
			WHERE role = 'administrator' AND user_id = (SELECT user_id FROM user_account WHERE realm = 'demo'
			  AND name = 'admin1')`, keyring.ErrForged},
	"a client that may decide":    {"client", "UPDATE client SET may_decide_own = true WHERE client_id = 'demo-straight'", keyring.ErrForged},
	"a policy that asks for less": {"policy", "UPDATE policy SET amount_to = 1 WHERE client_id = 'demo-straight'", keyring.ErrForged},
	"a policy that asks for contentHash": {
		"policy", "UPDATE policy SET content_hash_required = true WHERE realm = 'demo2'", keyring.ErrForged,
	},
	"a holder": {
		"debtor_account", `UPDATE debtor_account SET holder_name = 'Mallory' WHERE realm = 'demo' AND iban = 'CH5021977000004331346'`,
		keyring.ErrForged,
	},
	"a seal of nothing": {
		"debtor_account", `UPDATE debtor_account SET seal = sha256('') WHERE realm = 'demo2' AND iban = 'CH5021977000004331346'`,
		keyring.ErrForged,
	},
}

// Whoever can write every table, but has no key, leaves a row that does not fit its seal; provisioning anew mends what it names.
func TestMasterDataThatSomebodyChangedIsFound(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(demo.Ensure(t.Context(), db.Provisioner(t)))
	unfit := func() []integrity.UnfitRow {
		t.Helper()
		rows, err := open(t, db).MasterData(t.Context(), storetest.Keys(t))
		must(err)
		return rows
	}
	if rows := unfit(); len(rows) != 0 {
		t.Fatalf("untouched, %d rows do not fit: %v", len(rows), rows)
	}
	conn := db.Connect(t)
	for name, c := range tamperings {
		before := len(unfit())
		changed, err := conn.Exec(t.Context(), c.statement)
		must(err)
		rows := unfit()
		found := 0
		for _, row := range rows {
			if row.Table == c.table && errors.Is(row.Err, c.want) && row.Key != "" {
				found++
			}
		}
		if changed.RowsAffected() != 1 || len(rows) != before+1 || found == 0 {
			t.Errorf("%s: %d rows changed, %d do not fit, %d before: %v", name, changed.RowsAffected(), len(rows), before, rows)
		}
	}
	_, err := conn.Exec(t.Context(), "DELETE FROM user_role WHERE seal = sha256('')")
	must(err)
	other, err := keyring.Parse([]byte("other "+"11223344556677889900112233445566778899001122334455667788990011223"+"3"), "")
	must(err)
	rows, err := open(t, db).MasterData(t.Context(), other)
	must(err)
	for _, row := range rows {
		if !errors.Is(row.Err, keyring.ErrUnknownKey) {
			t.Errorf("without the key: %+v", row)
		}
	}
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
