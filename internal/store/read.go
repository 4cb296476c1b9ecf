package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// ChangeFilter narrows a list of changes; a zero field does not.
type ChangeFilter struct {
	DecidedUnder identity.Role // the role that decides them; zero means administrators
	From         uuid.UUID     // the last key of the page before: only older ones, or younger with OldestFirst
	FromWord     string        // and its word (ChangeSort.Word) in an order by words
	OldestFirst  bool
	Sort         ChangeSort
	State        administration.State
	DecidableBy  uuid.UUID // only what this person neither asked for nor gains by
	Requester    uuid.UUID // only what this person asked for
	Kind         administration.Kind
	IDs          []uuid.UUID // only these
	Subject      string
	Since        time.Time // asked for or decided then or later
	PageSize     int32
}

// ChangeSort is the order of a list of changes: by age (the zero value), or by a word and then the newest first.
type ChangeSort string

// The orders by words.
const (
	ChangeSortKind  ChangeSort = "kind"  // by the names of kinds
	ChangeSortState ChangeSort = "state" // those that wait, then those that were approved, then the others
)

// Word returns the sort key of a change in an order by words; the same as in the query, which ignores seals.
func (s ChangeSort) Word(c administration.Change) string {
	switch d := c.Decision; {
	case s == ChangeSortKind:
		return string(c.Kind)
	case s != ChangeSortState:
		return ""
	case d == nil:
		return "1"
	case d.Approved, d.Withheld:
		return "2"
	}
	return "3"
}

// decisionFilter maps the state of the filter to that of the queries.
var decisionFilter = map[administration.State]string{
	administration.StatePending: "pending", administration.StateApplied: "approve", administration.StateRejected: "reject",
}

// Change returns one change, or payment.ErrNotFound.
func (c *Changes) Change(ctx context.Context, realm string, id uuid.UUID) (administration.Change, error) {
	var change administration.Change
	err := c.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		row, err := q.ChangeGet(ctx, realm, id)
		if err != nil {
			return err
		}
		change, err = c.step(q, realm, time.Time{}).read(ctx, row)
		return err
	})
	return change, changeError(err, "read a change")
}

// Changes lists the changes of a realm. A change that does not fit its seal is left out and replaced by the next one, with an alarm; so is
// a change whose listed state comes from a decision that does not fit its seal.
func (c *Changes) Changes(ctx context.Context, realm string, f ChangeFilter) ([]administration.Change, error) {
	var list []administration.Change
	err := c.db.InRealm(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		s := c.step(q, realm, time.Time{})
		return filled(f.PageSize, &list, func() (read int, err error) {
			found, last, read, err := s.page(ctx, f)
			list = append(list, found...)
			f.From, f.FromWord = last.ID, f.Sort.Word(last)
			return read, err
		})
	})
	return list, changeError(err, "list changes")
}

// page reads one page of a list of changes. It returns the changes that fit their seals, and the last row with its sort key, whether it
// fits or not.
func (s changeStep) page(ctx context.Context, f ChangeFilter) (
	found []administration.Change, last administration.Change, read int, err error,
) {
	rows, err := s.q.ChangeList(ctx, dbsqlc.ChangeListParams{
		Realm: s.realm, DecidedUnder: string(cmp.Or(f.DecidedUnder, identity.RoleAdministrator)), FromKey: OrNull(f.From),
		OldestFirst: f.OldestFirst, SortBy: string(f.Sort), FromWord: f.FromWord,
		DecidableBy: OrNull(f.DecidableBy), Requester: OrNull(f.Requester),
		Kind: OrNull(string(f.Kind)), Ids: f.IDs,
		Subject: OrNull(f.Subject), Since: OrNull(f.Since), Decision: OrNull(decisionFilter[f.State]), PageSize: f.PageSize,
	})
	if err != nil {
		return nil, last, 0, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.RealmChange.ChangeID
	}
	decisions, err := s.decisions(ctx, ids)
	if err != nil {
		return nil, last, 0, err
	}
	for _, row := range rows {
		last = administration.Change{ID: row.RealmChange.ChangeID, Kind: administration.Kind(row.RealmChange.Kind)}
		if row.Decided { // when its place in the list was found: one that was decided since has another
			last.Decision = decisions[last.ID]
		}
		if !s.guard.Sealed(ctx, Change(row.RealmChange)) || f.State != "" && last.State() != f.State {
			continue
		}
		change, err := s.changeOf(dbsqlc.ChangeGetRow{
			RealmChange: row.RealmChange, RequesterLogin: row.RequesterLogin, RequesterName: row.RequesterName,
		})
		if err != nil {
			return nil, last, 0, err
		}
		change.Decision = last.Decision
		found = append(found, change)
	}
	return found, last, len(rows), nil
}

// Waiting counts the changes that wait for this person to decide them under a role, up to a limit.
func (c *Changes) Waiting(ctx context.Context, by identity.Principal, under identity.Role, most int32) (int, error) {
	count, err := c.db.In(by.Realm, Reading).ChangePendingCount(ctx, dbsqlc.ChangePendingCountParams{
		Realm: by.Realm, DecidedUnder: string(under), PersonID: by.PersonID, Most: most,
	})
	return int(count), changeError(err, "count changes")
}

// read converts a row to a change with its decision. A row that does not fit its seal is a conflict that nobody can decide.
func (s changeStep) read(ctx context.Context, row dbsqlc.ChangeGetRow) (administration.Change, error) {
	if !s.guard.Sealed(ctx, Change(row.RealmChange)) {
		return administration.Change{}, &administration.ConflictError{
			Text: "The stored change differs from the requested change. Do not continue. Ask an operator to run “countersign check”.",
		}
	}
	change, err := s.changeOf(row)
	if err != nil {
		return administration.Change{}, err
	}
	decisions, err := s.decisions(ctx, []uuid.UUID{change.ID})
	change.Decision = decisions[change.ID]
	return change, err
}

func (s changeStep) changeOf(row dbsqlc.ChangeGetRow) (administration.Change, error) {
	c, people := row.RealmChange, s.guard.db.names(s.realm)
	var told changeContent
	err := json.Unmarshal([]byte(c.Content), &told)
	if err != nil {
		return administration.Change{}, fmt.Errorf("read the change %s: %w", c.ChangeID, err)
	}
	return administration.Change{
		ID: c.ChangeID, Kind: administration.Kind(c.Kind), Subject: c.Subject, Values: told.Values, Before: told.Before, After: told.After,
		Note: told.Note, Beneficiary: c.BeneficiaryPerson, RequestedAt: c.RequestedAt.UTC(),
		Requester: administration.Party{
			UserID: c.RequesterUser, PersonID: c.RequesterPerson, ClientID: c.RequesterClient,
			Login: people.of(c.RequesterUser, row.RequesterLogin), Name: people.of(c.RequesterPerson, row.RequesterName),
			Grant: identity.Grant{ID: c.RequesterGrantID, Role: identity.Role(c.RequesterRole), GrantedAt: c.RequesterGrantedAt.UTC()},
		},
	}, nil
}

// decisions reads the decisions of changes. A decision that does not fit its seal counts as a rejection.
func (s changeStep) decisions(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*administration.Decision, error) {
	rows, err := s.q.ChangeDecisionListOf(ctx, s.realm, ids)
	decisions, people := make(map[uuid.UUID]*administration.Decision, len(rows)), s.guard.db.names(s.realm)
	for _, row := range rows {
		d := row.RealmChangeDecision
		approve := d.Action == "approve"
		fits := approve && s.guard.Sealed(ctx, ChangeDecision(d))
		decisions[d.ChangeID] = &administration.Decision{
			Approved: fits, Withheld: approve && !fits, Reason: Text(d.Reason), At: d.DecidedAt.UTC(),
			By: administration.Party{
				UserID: d.DeciderUser, PersonID: d.DeciderPerson, ClientID: d.DeciderClient,
				Login: people.of(d.DeciderUser, row.DeciderLogin), Name: people.of(d.DeciderPerson, row.DeciderName),
				Grant: identity.Grant{ID: d.DeciderGrantID, Role: identity.Role(d.DeciderRole), GrantedAt: d.DeciderGrantedAt.UTC()},
			},
		}
	}
	return decisions, err
}

// After returns the fields that an approved change gave its subject, after checking the seals of change and decision.
func (c ApprovedChange) After(keys keyring.Ring) (administration.Values, error) {
	err := errors.Join(Change(c.RealmChange).Check(keys), ChangeDecision(c.RealmChangeDecision).Check(keys))
	if err != nil {
		return nil, fmt.Errorf("the change %s: %w", c.RealmChange.ChangeID, err)
	}
	var told changeContent
	err = json.Unmarshal([]byte(c.RealmChange.Content), &told)
	if err != nil {
		return nil, fmt.Errorf("read the change %s: %w", c.RealmChange.ChangeID, err)
	}
	return told.After, nil
}

// ApprovedChange is a stored change with its approval.
type ApprovedChange dbsqlc.ApprovedChangeListRow
