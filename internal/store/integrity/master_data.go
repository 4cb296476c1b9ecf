package integrity

import (
	"context"
	"fmt"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store"
)

// UnfitRow is a row of master data that does not carry the right seal.
type UnfitRow struct {
	Realm string
	Table string
	Key   string // of the row within its realm
	Err   error  // keyring.ErrForged or keyring.ErrUnknownKey
}

// MasterData holds every row of master data of every realm against its seal, and returns those that do not fit. The keys are those of
// tokens.
func (s *Snapshot) MasterData(ctx context.Context, tokens keyring.Ring) ([]UnfitRow, error) {
	keys, err := identity.MasterDataKeys(tokens)
	if err != nil {
		return nil, err
	}
	rows, err := store.All(ctx, s.q)
	if err != nil {
		return nil, fmt.Errorf("check the master data: %w", err)
	}
	var unfit []UnfitRow
	for _, row := range rows {
		err = row.Check(keys)
		if err != nil {
			unfit = append(unfit, UnfitRow{Realm: row.Realm, Table: row.Table, Key: row.Key, Err: err})
		}
	}
	return unfit, nil
}
