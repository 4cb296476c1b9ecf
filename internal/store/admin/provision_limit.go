package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// LimitDefinition is a limit of a person, a client or an account.
type LimitDefinition struct {
	Of       rulebook.LimitOf
	Holder   string // the name of a user account of the person, the client's id, the IBAN
	Currency string
	// PerPayment and PerDay are in minor units; 0 for none.
	PerPayment, PerDay int64
}

// limit brings a limit to its definition.
func (p provision) limit(ctx context.Context, d LimitDefinition) error {
	holder := d.Holder
	if d.Of == rulebook.OfPerson {
		people, err := p.q.PersonByAccount(ctx, p.realm, []string{holder})
		if err != nil {
			return err
		}
		if len(people) != 1 {
			return fmt.Errorf("there is no user account %s", holder)
		}
		holder = people[0].PersonID.String()
	}
	of := string(d.Of)
	known, err := p.q.LimitSubjectList(ctx, dbsqlc.LimitSubjectListParams{
		Realm: p.realm, LimitOf: &of, Holder: holder, Currency: d.Currency, Day: time.Time{}.Format(time.DateOnly),
	})
	if err != nil {
		return err
	}
	row := dbsqlc.SpendingLimit{
		Realm: p.realm, LimitOf: of, Holder: holder, Currency: d.Currency, PerPayment: store.OrNull(d.PerPayment),
		PerDay: store.OrNull(d.PerDay), SetAt: p.at,
	}
	if len(known) == 1 {
		row.LimitID = known[0].SpendingLimit.LimitID
		return store.SetLimit(ctx, p.q, p.keys, store.LimitSet{Limit: row, Before: &known[0].SpendingLimit})
	}
	row.LimitID, err = uuid.NewV7()
	if err != nil {
		return err
	}
	return store.SetLimit(ctx, p.q, p.keys, store.LimitSet{Limit: row})
}

// limits reads those of a realm; a person is named by the first of their user accounts.
func (r reading) limits(ctx context.Context, into *RealmDefinition) error {
	rows, err := r.q.LimitSubjectList(ctx, dbsqlc.LimitSubjectListParams{Realm: r.realm, Day: time.Time{}.Format(time.DateOnly)})
	if err != nil {
		return err
	}
	users, err := r.q.UserList(ctx, r.realm)
	names := map[string]string{}
	for _, user := range users {
		if names[user.PersonID.String()] == "" {
			names[user.PersonID.String()] = user.Name
		}
	}
	for _, row := range rows {
		l := row.SpendingLimit
		d := LimitDefinition{
			Of: rulebook.LimitOf(l.LimitOf), Holder: l.Holder, Currency: l.Currency, PerPayment: store.OrZero(l.PerPayment),
			PerDay: store.OrZero(l.PerDay),
		}
		if d.Of == rulebook.OfPerson {
			d.Holder = names[l.Holder]
		}
		if d.PerPayment > 0 || d.PerDay > 0 {
			into.Limits = append(into.Limits, d)
		}
	}
	return err
}
