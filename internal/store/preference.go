package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Preference holds the settings of a user for the portal.
type Preference struct {
	Theme     string // auto, light or dark
	Density   string // compact, default or comfortable
	Shortcuts bool   // single-key shortcuts are on
	Language  string // de, fr, it or en; "" is as the browser asks
}

// DefaultPreference is the preference of a user without choices.
var DefaultPreference = Preference{Theme: "auto", Density: "default", Shortcuts: true}

// Preference reads a user's preference.
func (p *People) Preference(ctx context.Context, realm string, userID uuid.UUID) (Preference, error) {
	preference := DefaultPreference
	err := p.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.PreferenceGet(ctx, realm, userID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		preference = Preference(row)
		return nil
	})
	return preference, wrapped(err, "read a preference")
}

// SavePreference stores the caller's preference.
func (p *People) SavePreference(ctx context.Context, by identity.Principal, wanted Preference) error {
	err := p.db.InRealm(ctx, by.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return q.PreferencePut(ctx, dbsqlc.PreferencePutParams{
			Realm: by.Realm, UserID: by.UserID, Theme: wanted.Theme, Density: wanted.Density, Shortcuts: wanted.Shortcuts,
			Language: wanted.Language,
		})
	})
	return wrapped(err, "save a preference")
}
