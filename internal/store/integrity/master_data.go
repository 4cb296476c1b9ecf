package integrity

import (
	"context"
	"encoding/hex"
	"fmt"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// masterData checks the head of each realm, and each row of changes and editions that has a seal of its own.
func (a *audit) masterData(ctx context.Context) ([]Violation, error) {
	s := a.snapshot
	keys, err := identity.MasterDataKeys(a.cfg.Tokens)
	if err != nil {
		return nil, err
	}
	rows, err := store.Sealed(ctx, s.q)
	if err != nil {
		return nil, fmt.Errorf("check the master data: %w", err)
	}
	var found []Violation
	unfit := func(realm, table, key string, err error) {
		if err != nil {
			found = append(found, Violation{Realm: realm, Table: table, Key: key, What: sealUnfit("", err, "a field of it")})
		}
	}
	for _, row := range rows {
		unfit(row.Realm, row.Table, row.Key, row.Check(keys))
	}
	set, stored, err := s.underHeads(ctx)
	if err != nil {
		return nil, err
	}
	sets, heads := map[string][]store.Row{}, map[string]dbsqlc.RealmHead{}
	for _, row := range set {
		sets[row.Realm] = append(sets[row.Realm], row)
	}
	for _, head := range stored {
		heads[head.Realm] = head
		sets[head.Realm] = append([]store.Row{}, sets[head.Realm]...)
	}
	for realm, rows := range sets {
		unfit(realm, "realm_head", realm, store.CheckSet(heads[realm], rows, keys))
	}
	return found, nil
}

// underHeads reads the master data of all realms and their heads.
func (s *Snapshot) underHeads(ctx context.Context) ([]store.Row, []dbsqlc.RealmHead, error) {
	rows, err := store.Set(ctx, s.q, "")
	if err != nil {
		return nil, nil, fmt.Errorf("read the master data: %w", err)
	}
	heads, err := s.q.HeadListAll(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the heads of the master data: %w", err)
	}
	return rows, heads, nil
}

// rowID names a row of master data.
type rowID struct{ realm, table, key string }

// toldRows compares the rows of master data with the audit trail: each is as the newest change wrote it, none is gone or was added, and
// the changes up to the head follow each other without a gap.
func (s *Snapshot) toldRows(ctx context.Context) ([]Violation, error) {
	told, err := s.q.RowsToldList(ctx)
	if err != nil {
		return nil, err
	}
	rows, heads, err := s.underHeads(ctx)
	if err != nil {
		return nil, err
	}
	newest, numbers := map[rowID]dbsqlc.RowsToldListRow{}, map[string]map[int64]bool{}
	for _, t := range told {
		newest[rowID{t.Realm, t.Relation, t.Key}] = t
		if numbers[t.Realm] == nil {
			numbers[t.Realm] = map[int64]bool{}
		}
		numbers[t.Realm][t.Number] = true
	}
	var found []Violation
	unfit := func(id rowID, what string, of ...any) {
		found = append(found, Violation{Realm: id.realm, Table: id.table, Key: id.key, What: fmt.Sprintf(what, of...)})
	}
	for _, row := range rows {
		id := rowID{row.Realm, row.Table, row.Key}
		last, known := newest[id]
		digest := row.Digest()
		delete(newest, id)
		switch {
		case !known:
			unfit(id, "no change in the audit trail wrote it")
		case last.Digest != hex.EncodeToString(digest[:]):
			unfit(id, "is not as change %d of the master data wrote it", last.Number)
		}
	}
	for id, last := range newest {
		unfit(id, "is gone: change %d of the master data wrote it", last.Number)
	}
	for _, head := range heads {
		id := rowID{head.Realm, "realm_head", head.Realm}
		for number := range numbers[head.Realm] {
			if number > head.Number {
				unfit(id, "was put back to change %d: the audit trail tells of change %d", head.Number, number)
			}
		}
		if missing := head.Number - int64(len(numbers[head.Realm])); missing > 0 {
			unfit(id, "counts %d changes, and the audit trail tells of %d less", head.Number, missing)
		}
	}
	return found, nil
}
