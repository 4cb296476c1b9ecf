package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// RowKeyError reports that a token key has the id of the key that sealed the people and policies of a realm, but another
// value, or that no key has that id.
type RowKeyError struct {
	KeyID, Realm string
	Missing      bool // there is no key of that id
}

func (e *RowKeyError) Error() string {
	if e.Missing {
		return "the key " + e.KeyID + " is not in the key file, and it sealed everybody and every policy of realm " + e.Realm +
			": nobody could sign in; put its line back"
	}
	return "the key " + e.KeyID + " in the key file is not the one that sealed the people and policies of realm " + e.Realm +
		", or the head of its master data was forged: nobody could sign in; put the right file back, or give a new key an id of its own"
}

// TryKeys checks the seal of the head of a realm. The keys are made by identity.MasterDataKeys. Error: RowKeyError.
func TryKeys(ctx context.Context, q *dbsqlc.Queries, realm string, keys keyring.Ring) error {
	head, err := q.HeadGet(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // a new realm; load and check say so of one whose head is gone
	}
	if err != nil {
		return fmt.Errorf("try the keys of tokens in %s: %w", realm, err)
	}
	err = CheckHead(head, keys)
	if err != nil {
		return &RowKeyError{KeyID: head.KeyID, Realm: realm, Missing: errors.Is(err, keyring.ErrUnknownKey)}
	}
	return nil
}
