package store

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// RowKeyError reports that a token key has the id of the key that sealed the people and policies of a realm, but another
// value, or that no key has that id.
type RowKeyError struct {
	KeyID, Realm string
	Missing      bool // there is no key of that id
}

// Error is a sentence for the operator.
func (e *RowKeyError) Error() string {
	if e.Missing {
		return "the key " + e.KeyID + " is not in the key file, and it sealed everybody and every policy of realm " + e.Realm +
			": nobody could sign in; put its line back"
	}
	return "the key " + e.KeyID + " in the key file is not the one that sealed the people and policies of realm " + e.Realm +
		", none of them fits it: nobody could sign in; put the right file back, or give a new key an id of its own"
}

// TryKeys holds accounts, clients and policies of a realm against their seals. One that does not fit is for the auditor. When none of a key
// does, it is another key under that id; when the key of none is there, it is missing. The keys are made by identity.MasterDataKeys. Error:
// RowKeyError.
func TryKeys(ctx context.Context, q *dbsqlc.Queries, realm string, keys keyring.Ring) error {
	rows, err := tried(ctx, q, realm)
	if err != nil {
		return fmt.Errorf("try the keys of tokens in %s: %w", realm, err)
	}
	fits, missing := map[string]bool{}, ""
	for _, row := range rows {
		err := row.Check(keys)
		if errors.Is(err, keyring.ErrUnknownKey) {
			missing = row.KeyID
			continue
		}
		fits[row.KeyID] = fits[row.KeyID] || err == nil
	}
	for id, one := range fits {
		if !one {
			return &RowKeyError{KeyID: id, Realm: realm}
		}
	}
	if missing != "" && len(fits) == 0 {
		return &RowKeyError{KeyID: missing, Realm: realm, Missing: true}
	}
	return nil
}

func tried(ctx context.Context, q *dbsqlc.Queries, realm string) ([]Row, error) {
	users, err := q.UserListEnds(ctx, realm)
	if err != nil {
		return nil, err
	}
	policies, err := q.PolicyInForce(ctx, realm)
	if err != nil {
		return nil, err
	}
	clients, err := q.ClientSubjectList(ctx, realm, nil)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(users)+len(policies)+len(clients))
	for _, user := range users {
		rows = append(rows, User(user))
	}
	for _, policy := range policies {
		rows = append(rows, Policy(policy))
	}
	for _, client := range clients {
		rows = append(rows, Client(client))
	}
	return rows, nil
}
