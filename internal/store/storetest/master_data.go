package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/internal/dbsqlc"
)

// keyOf is the column of the key of each table whose rows have a seal of their own.
var keyOf = map[string]string{
	"reference_edition": "edition_id", "realm_change": "change_id", "realm_change_decision": "change_id", "factor_use": "use_id",
}

// SealMasterData seals all rows of administered data and their heads again, as a provisioner does, after a test changed some in plain SQL.
func (d *DB) SealMasterData(t testing.TB) {
	t.Helper()
	d.SealMasterDataWith(t, Keys(t))
}

// SealMasterDataWith is SealMasterData with other keys of tokens than those of tests.
func (d *DB) SealMasterDataWith(t testing.TB, tokens keyring.Ring) {
	t.Helper()
	ctx, conn := context.Background(), d.Connect(t)
	defer func() { must(t, conn.Close(ctx)) }()
	keys, err := identity.MasterDataKeys(tokens)
	must(t, err)
	rows, err := store.Sealed(ctx, dbsqlc.New(conn))
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
	realms, err := dbsqlc.New(conn).RealmListAll(ctx, "")
	must(t, err)
	for _, realm := range realms {
		must(t, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			ledger, err := store.OpenLedgerAs(ctx, dbsqlc.New(tx), realm.Realm, keys, true)
			if err != nil {
				return err
			}
			return ledger.Close(ctx, store.Act{Actor: identity.Actor{Name: "operator", Channel: identity.ChannelOperator}, At: time.Now()})
		}))
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
