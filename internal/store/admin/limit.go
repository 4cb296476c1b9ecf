package admin

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Limits lists the limits of a realm with what is used of them on a banking day.
func (c *Changes) Limits(ctx context.Context, realm string, day time.Time) ([]administration.LimitToday, error) {
	return ask(ctx, c, question{realm, "list limits"}, func(s step) ([]administration.LimitToday, error) {
		return s.limits(ctx, dbsqlc.LimitSubjectListParams{Day: day.Format(time.DateOnly)})
	})
}

func (s step) limits(ctx context.Context, asked dbsqlc.LimitSubjectListParams) ([]administration.LimitToday, error) {
	asked.Realm = s.realm
	if asked.Day == "" {
		asked.Day = time.Time{}.Format(time.DateOnly) // what is used is not asked for
	}
	rows, err := s.q.LimitSubjectList(ctx, asked)
	list := make([]administration.LimitToday, len(rows))
	for i, row := range rows {
		l := row.SpendingLimit
		list[i] = administration.LimitToday{Used: row.Used, Limit: administration.Limit{
			ID: l.LimitID.String(), Of: rulebook.LimitOf(l.LimitOf), Holder: l.Holder, HolderName: row.PersonName, Currency: l.Currency,
			PerPayment: l.PerPayment, PerDay: l.PerDay,
		}}
	}
	return list, err
}

// limitFacts reads a limit by its id, or whom a new one is to bind and the limit that is there of them.
func (s step) limitFacts(ctx context.Context, known *administration.Facts, subject string, values administration.Values) error {
	var asked dbsqlc.LimitSubjectListParams
	if values["limitOf"] == "" {
		id, err := uuid.Parse(subject)
		if err != nil {
			return nil //nolint:nilerr // the rules say that there is none
		}
		asked.LimitID = &id
	} else {
		var err error
		known.LimitHolder, err = s.limitHolder(ctx, administration.LimitKeyOf(values))
		if err != nil || !known.LimitHolder.Found {
			return err
		}
		known.Beneficiary = known.LimitHolder.Person
		currency := values["currency"]
		if currency == "" {
			currency = known.LimitHolder.Currency
		}
		of := values["limitOf"]
		asked.LimitOf, asked.Holder, asked.Currency = &of, known.LimitHolder.Key, currency
	}
	limits, err := s.limits(ctx, asked)
	if err != nil || len(limits) != 1 {
		return err
	}
	known.Found, known.Before = true, limits[0].Limit.Values()
	if limits[0].Of == rulebook.OfPerson {
		known.Beneficiary, err = uuid.Parse(limits[0].Holder)
	}
	return err
}

func (s step) limitHolder(ctx context.Context, k administration.LimitKey) (administration.LimitHolder, error) {
	var holder administration.LimitHolder
	if k.Holder == "" {
		return holder, nil
	}
	switch k.Of {
	case rulebook.OfPerson:
		users, err := s.users(ctx, k.Holder)
		if err != nil || len(users) != 1 {
			return holder, err
		}
		return administration.LimitHolder{
			Found: true, Key: users[0].Person.String(), Name: users[0].DisplayName, Person: users[0].Person,
		}, nil
	case rulebook.OfClient:
		clients, err := s.clients(ctx, k.Holder)
		return administration.LimitHolder{Found: len(clients) == 1, Key: k.Holder}, err
	case rulebook.OfAccount:
		accounts, err := s.accounts(ctx, k.Holder)
		if err != nil || len(accounts) != 1 {
			return holder, err
		}
		return administration.LimitHolder{Found: true, Key: accounts[0].IBAN, Currency: accounts[0].Currency}, nil
	}
	return holder, nil
}

// applyLimit writes a limit as the change says.
func (s step) applyLimit(ctx context.Context, c administration.Change) error {
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return err
	}
	before, err := s.q.LimitSubjectList(ctx, dbsqlc.LimitSubjectListParams{
		Realm: s.realm, LimitID: &id, Day: time.Time{}.Format(time.DateOnly),
	})
	if err != nil {
		return err
	}
	row := dbsqlc.SpendingLimit{
		Realm: s.realm, LimitID: id, LimitOf: c.After["limitOf"], Holder: c.After["holder"], Currency: c.After["currency"], SetAt: s.at,
	}
	row.PerPayment, row.PerDay, err = administration.LimitAmounts(c.After)
	if err != nil {
		return err
	}
	if len(before) == 0 {
		return store.SetLimit(ctx, s.q, s.guard.Keys, store.LimitSet{Limit: row})
	}
	if !s.guard.Limit(ctx, before[0].SpendingLimit) {
		return &administration.ConflictError{Text: "The limit is not as it was sealed. Tell the operator of the gateway."}
	}
	return store.SetLimit(ctx, s.q, s.guard.Keys, store.LimitSet{Limit: row, Before: &before[0].SpendingLimit})
}
