package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// MaxSavedViews is the largest number of saved views per user.
const MaxSavedViews = 20

// SavedView is a filter of the queue that a user saved under a name.
type SavedView struct {
	ID     uuid.UUID
	Name   string // 1 to 40 characters
	Query  string // end of the queue's address with its question mark, at most 1,024 characters
	Shared bool   // everybody of the realm sees it
	Own    bool   // of the person who asks
	Owner  string
}

var (
	// ErrTooManyViews: the person has MaxSavedViews already.
	ErrTooManyViews = errors.New("too many saved views")
	// ErrViewNameTaken: another view of the person has this name.
	ErrViewNameTaken = errors.New("the name of the view is taken")
)

// SaveView stores a view. A view of the same name is replaced. Errors: ErrTooManyViews.
func (d *Desk) SaveView(ctx context.Context, by identity.Principal, view SavedView, now time.Time) error {
	return d.named(by).change(ErrTooManyViews, func(q *dbsqlc.Queries) (int64, error) {
		return q.SavedViewInsert(ctx, dbsqlc.SavedViewInsertParams{
			Realm: by.Realm, ViewID: view.ID, UserID: by.UserID, Name: view.Name, Query: view.Query, Shared: view.Shared, Now: now,
			Most: MaxSavedViews,
		})
	})
}

// ChangeView renames a view of the person, and shares or unshares it. Errors: payment.ErrNotFound, ErrViewNameTaken.
func (d *Desk) ChangeView(ctx context.Context, by identity.Principal, view SavedView) error {
	return d.named(by).change(payment.ErrNotFound, func(q *dbsqlc.Queries) (int64, error) {
		return q.SavedViewUpdate(ctx, dbsqlc.SavedViewUpdateParams{
			Realm: by.Realm, ViewID: view.ID, UserID: by.UserID, Name: view.Name, Shared: view.Shared,
		})
	})
}

// RemoveView removes a view of the person. Errors: payment.ErrNotFound.
func (d *Desk) RemoveView(ctx context.Context, by identity.Principal, id uuid.UUID) error {
	return d.named(by).change(payment.ErrNotFound, func(q *dbsqlc.Queries) (int64, error) {
		return q.SavedViewDelete(ctx, by.Realm, id, by.UserID)
	})
}

// Views lists the views of the person, and those that others of the realm share.
func (r *Reader) Views(ctx context.Context, by identity.Principal) ([]SavedView, error) {
	var list []SavedView
	rows, err := r.in(by.Realm, Reading).SavedViewList(ctx, by.UserID, by.Realm)
	for _, row := range rows {
		list = append(list, SavedView{ID: row.ViewID, Name: row.Name, Query: row.Query, Shared: row.Shared, Own: row.Own, Owner: row.Owner})
	}
	return list, wrapped(missing(err), "list saved views")
}

func (d *Desk) named(by identity.Principal) named {
	return named{db: d.db, realm: by.Realm, what: "saved view", taken: ErrViewNameTaken}
}

// named is a value that a user stores under a name: a saved view or a template.
type named struct {
	db    *Database
	realm string
	what  string
	taken error // another one of theirs has the name
}

// change runs a statement that changes a named value; none is the error when no row was changed.
func (n named) change(none error, change func(*dbsqlc.Queries) (int64, error)) error {
	rows, err := change(n.db.In(n.realm, Changing))
	var refused *pgconn.PgError
	switch {
	case err == nil && rows == 0:
		return none
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Code == pgerrcode.UniqueViolation:
		return n.taken
	}
	return fmt.Errorf("change a %s: %w", n.what, err)
}
