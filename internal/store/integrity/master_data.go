package integrity

import (
	"context"
	"encoding/hex"
	"fmt"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// UnfitRow is a row of master data that does not carry the right seal.
type UnfitRow struct {
	Realm string
	Table string
	Key   string // of the row within its realm
	Err   error  // keyring.ErrForged or keyring.ErrUnknownKey
}

// MasterData checks the head of each realm, and each row of changes and editions that has a seal of its own. It returns the rows that do
// not fit. The keys are those of tokens.
func (s *Snapshot) MasterData(ctx context.Context, tokens keyring.Ring) ([]UnfitRow, error) {
	keys, err := identity.MasterDataKeys(tokens)
	if err != nil {
		return nil, err
	}
	rows, err := store.Sealed(ctx, s.q)
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
	heads, err := s.heads(ctx, keys)
	return append(unfit, heads...), err
}

// heads compares the rows of each realm with its head.
func (s *Snapshot) heads(ctx context.Context, keys keyring.Ring) ([]UnfitRow, error) {
	rows, err := store.Set(ctx, s.q, "")
	if err != nil {
		return nil, fmt.Errorf("read the master data: %w", err)
	}
	stored, err := s.q.HeadListAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the heads of the master data: %w", err)
	}
	sets, heads := map[string][]store.Row{}, map[string]dbsqlc.RealmHead{}
	for _, row := range rows {
		sets[row.Realm] = append(sets[row.Realm], row)
	}
	for _, head := range stored {
		heads[head.Realm] = head
		sets[head.Realm] = append([]store.Row{}, sets[head.Realm]...)
	}
	var unfit []UnfitRow
	for realm, set := range sets {
		err := store.CheckSet(heads[realm], set, keys)
		if err != nil {
			unfit = append(unfit, UnfitRow{Realm: realm, Table: "realm_head", Key: realm, Err: err})
		}
	}
	return unfit, nil
}

// toldRow is a row of master data as the audit trail tells of it.
type toldRow struct {
	number int64
	digest string
}

// rowID names a row of master data.
type rowID struct{ realm, table, key string }

// toldRowsTogether compares on one snapshot: a change may come in between.
func (s *Snapshot) toldRowsTogether(ctx context.Context) (found []Violation, err error) {
	err = s.together(ctx, func(ctx context.Context) error {
		found, err = s.toldRows(ctx)
		return err
	})
	return found, err
}

// toldRows compares the rows of master data with the audit trail: each is as the newest change wrote it, none is gone or was added, and
// the changes up to the head follow each other without a gap.
func (s *Snapshot) toldRows(ctx context.Context) ([]Violation, error) {
	told, err := s.q.RowsToldList(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := store.Set(ctx, s.q, "")
	if err != nil {
		return nil, err
	}
	heads, err := s.q.HeadListAll(ctx)
	if err != nil {
		return nil, err
	}
	newest, numbers := map[rowID]toldRow{}, map[string]map[int64]bool{}
	for _, t := range told {
		newest[rowID{t.Realm, t.Relation, t.Key}] = toldRow{t.Number, t.Digest}
		if numbers[t.Realm] == nil {
			numbers[t.Realm] = map[int64]bool{}
		}
		numbers[t.Realm][t.Number] = true
	}
	var found []Violation
	for _, row := range rows {
		id := rowID{row.Realm, row.Table, row.Key}
		last, known := newest[id]
		digest := row.Digest()
		delete(newest, id)
		switch {
		case !known:
			found = append(found, Violation{
				Realm: row.Realm, Table: row.Table, Key: row.Key,
				What: "no change in the audit trail wrote it",
			})
		case last.digest != hex.EncodeToString(digest[:]):
			found = append(found, Violation{
				Realm: row.Realm, Table: row.Table, Key: row.Key, What: fmt.Sprintf("is not as change %d of the master data wrote it", last.number),
			})
		}
	}
	for id, last := range newest {
		found = append(found, Violation{
			Realm: id.realm, Table: id.table, Key: id.key, What: fmt.Sprintf("is gone: change %d of the master data wrote it", last.number),
		})
	}
	return append(found, gaps(heads, numbers)...), nil
}

// gaps finds the changes of master data that the audit trail does not tell of, or tells of beyond the head.
func gaps(heads []dbsqlc.RealmHead, numbers map[string]map[int64]bool) []Violation {
	var found []Violation
	for _, head := range heads {
		for number := range numbers[head.Realm] {
			if number > head.Number {
				found = append(found, Violation{
					Realm: head.Realm, Table: "realm_head", Key: head.Realm,
					What: fmt.Sprintf("was put back to change %d: the audit trail tells of change %d", head.Number, number),
				})
			}
		}
		if missing := head.Number - int64(len(numbers[head.Realm])); missing > 0 {
			found = append(found, Violation{
				Realm: head.Realm, Table: "realm_head", Key: head.Realm,
				What: fmt.Sprintf("counts %d changes, and the audit trail tells of %d less", head.Number, missing),
			})
		}
	}
	return found
}
