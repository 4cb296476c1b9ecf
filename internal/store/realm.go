package store

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store/internal/dbsqlc"
)

// RealmMaker is the maker of a realm. The demo never changes a realm of an operator, and an operator none of the
// demo.
type RealmMaker string

// The makers of realms.
const (
	MadeByDemo     RealmMaker = "demo"
	MadeByOperator RealmMaker = "operator"
)

// RealmSummary is a realm that a database holds.
type RealmSummary struct {
	Realm  string
	Mark   string
	MadeBy RealmMaker
}

// Realms returns the names of all realms.
func (d *Database) Realms(ctx context.Context) ([]string, error) {
	rows, err := d.Outside().RealmList(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the realms: %w", err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Realm
	}
	return names, nil
}

// TokenLife holds the lifetimes of a realm's tokens.
type TokenLife struct {
	Access   time.Duration // of an access token
	Refresh  time.Duration // of a refresh token, counted anew with each rotation
	Absolute time.Duration // of all tokens of one sign-in, however often they are refreshed
}

// Realm is the row of a realm.
func Realm(r dbsqlc.Realm) Row {
	return Row{Table: "realm", Realm: r.Realm, Key: r.Realm}.
		covers(r.Name, r.Mark, r.MadeBy, r.AccessTokenSeconds, r.RefreshTokenSeconds, r.RefreshAbsoluteSeconds, r.SecondFactorRoles,
			r.NoticeDetails, r.CreatedAt)
}
