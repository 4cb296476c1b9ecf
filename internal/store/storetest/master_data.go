package storetest

import (
	"context"
	"testing"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/internal/dbsqlc"
)

// keyOf is the column of the key of each table of master data within its realm.
var keyOf = map[string]string{
	"person": "person_id", "user_account": "user_id", "user_role": "grant_id", "client": "client_id", "policy": "policy_id",
	"debtor_account": "iban", "incoming_account": "iban", "realm": "realm", "user_setup": "setup_id",
	"routing_directory": "directory_id", "reference_edition": "edition_id",
	"realm_change": "change_id", "realm_change_decision": "change_id",
	"spending_limit": "limit_id", "beneficiary": "beneficiary_id",
	"identity_provider": "provider_id", "outer_identity": "link_id",
	"second_factor": "factor_id", "factor_use": "use_id",
}

// SealMasterData seals all rows of administered data again, as a provisioner does, after a test changed some in plain SQL.
func (d *DB) SealMasterData(t testing.TB) {
	t.Helper()
	ctx, conn := context.Background(), d.Connect(t)
	keys, err := identity.MasterDataKeys(Keys(t))
	must(t, err)
	rows, err := store.All(ctx, dbsqlc.New(conn))
	must(t, err)
	for _, row := range rows {
		keyID, seal, err := row.Sealed(keys)
		must(t, err)
		inRealm := "realm = $1 AND "
		if row.Realm == "" {
			inRealm = "$1 = '' AND " // of no realm
		}
		_, err = conn.Exec(ctx, "UPDATE "+row.Table+" SET key_id = $3, seal = $4 WHERE "+inRealm+keyOf[row.Table]+"::text = $2",
			row.Realm, row.Key, keyID, seal)
		must(t, err)
	}
}

// SealVersions seals all versions of all messages anew, as the gateway would have, after a test changed a time in plain SQL.
func (d *DB) SealVersions(t testing.TB) {
	t.Helper()
	ctx, conn := context.Background(), d.Connect(t)
	all, err := integrity.Open(ctx, d.OwnerURL)
	must(t, err)
	defer all.Close(ctx)
	must(t, all.EachVersion(ctx, func(v integrity.AuditedVersion) error {
		seal := d.Seal.SealVersion(v.Message)
		_, err := conn.Exec(ctx, "UPDATE message_version SET key_id = $4, seal = $5 WHERE realm = $1 AND message_id = $2 AND version = $3",
			v.Message.Realm, v.Message.InternalID, v.Message.Version, seal.KeyID, seal.MAC[:])
		return err
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal("storetest:", err)
	}
}
