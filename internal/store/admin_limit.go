package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// limitsToday reads the limits with their use on the day of the step.
func (s changeStep) limitsToday(ctx context.Context) ([]administration.LimitToday, error) {
	return s.limits(ctx, dbsqlc.LimitSubjectListParams{Day: s.at.Format(time.DateOnly)})
}

func (w realmWriter) limits(ctx context.Context, asked dbsqlc.LimitSubjectListParams) ([]administration.LimitToday, error) {
	asked.Realm = w.realm
	if asked.Day == "" {
		asked.Day = time.Time{}.Format(time.DateOnly) // what is used is not asked for
	}
	rows, err := w.q.LimitSubjectList(ctx, asked)
	list := make([]administration.LimitToday, len(rows))
	for i, row := range rows {
		list[i] = administration.LimitToday{Used: row.Used, Limit: limitOf(row)}
	}
	return list, err
}

func limitOf(row dbsqlc.LimitSubjectListRow) administration.Limit {
	l := row.SpendingLimit
	return administration.Limit{
		ID: l.LimitID.String(), Of: rulebook.LimitOf(l.LimitOf), Holder: l.Holder, HolderName: row.PersonName, Currency: l.Currency,
		PerPayment: l.PerPayment, PerDay: l.PerDay,
	}
}

// limitFacts reads a limit by its id, or for a new one its future holder and the limit that exists for this holder.
func (s changeStep) limitFacts(ctx context.Context, known *administration.Facts, wanted requested) error {
	var asked dbsqlc.LimitSubjectListParams
	values := wanted.values
	if values["limitOf"] == "" {
		id, err := uuid.Parse(wanted.subject)
		if err != nil {
			return nil //nolint:nilerr // the rules say that there is none
		}
		asked.LimitID = &id
	} else {
		holder, err := s.limitHolder(ctx, administration.LimitKeyOf(values))
		known.Own = holder
		if err != nil || !holder.Found {
			return err
		}
		known.Beneficiary = holder.Person
		currency := values["currency"]
		if currency == "" {
			currency = holder.Currency
		}
		of := values["limitOf"]
		asked.LimitOf, asked.Holder, asked.Currency = &of, holder.Key, currency
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

func (s changeStep) limitHolder(ctx context.Context, k administration.LimitKey) (administration.LimitHolder, error) {
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
func (s changeStep) applyLimit(ctx context.Context, c administration.Change) error {
	var l administration.Limit
	administration.Fill(&l, c.After)
	rows, err := s.limitRows(ctx, l)
	if err != nil {
		return err
	}
	if len(rows) == 1 && !s.guard.Fits(ctx, Limit(rows[0].SpendingLimit)) {
		return &administration.ConflictError{Text: "The stored limit failed its integrity check and may have been changed outside the " +
			"gateway. Tell an operator."}
	}
	return s.setLimit(ctx, l, rows)
}

// limitRows reads the limit of a holder in a currency; none for a new one.
func (w realmWriter) limitRows(ctx context.Context, l administration.Limit) ([]dbsqlc.LimitSubjectListRow, error) {
	of := string(l.Of)
	return w.q.LimitSubjectList(ctx, dbsqlc.LimitSubjectListParams{
		Realm: w.realm, LimitOf: &of, Holder: l.Holder, Currency: l.Currency, Day: time.Time{}.Format(time.DateOnly),
	})
}

// setLimit writes a limit in place of an earlier one. A daily amount counts from the time it is first set; a changed limit keeps the amount
// used. Error: ErrMoved when the earlier limit is gone.
func (w realmWriter) setLimit(ctx context.Context, l administration.Limit, before []dbsqlc.LimitSubjectListRow) error {
	id, err := uuid.Parse(l.ID)
	if err != nil {
		return err
	}
	row := dbsqlc.SpendingLimit{
		Realm: w.realm, LimitID: id, LimitOf: string(l.Of), Holder: l.Holder, Currency: l.Currency, PerPayment: l.PerPayment, PerDay: l.PerDay,
		SetAt: w.at,
	}
	if row.PerDay != nil {
		row.PerDaySince = &row.SetAt
	}
	if len(before) == 1 {
		row.LimitID = before[0].SpendingLimit.LimitID
	}
	if len(before) == 1 && row.PerDay != nil && before[0].SpendingLimit.PerDaySince != nil {
		row.PerDaySince = before[0].SpendingLimit.PerDaySince
	}
	if len(before) == 0 {
		err = w.q.LimitInsert(ctx, dbsqlc.LimitInsertParams(row))
	} else {
		err = One(w.q.LimitPut(ctx, dbsqlc.LimitPutParams{
			PerPayment: row.PerPayment, PerDay: row.PerDay, PerDaySince: row.PerDaySince, SetAt: row.SetAt, Realm: row.Realm, LimitID: row.LimitID,
		}))
	}
	return w.ledger.Put(Limit(row), err)
}

// limit applies a limit of a realm's file. The holder of a personal limit is named by a user account.
func (p provision) limit(ctx context.Context, l administration.Limit) error {
	if l.Of == rulebook.OfPerson {
		people, err := p.q.PersonByAccount(ctx, p.realm, []string{l.Holder})
		if err != nil {
			return err
		}
		if len(people) != 1 {
			return fmt.Errorf("there is no user account %s", l.Holder)
		}
		l.Holder = people[0].PersonID.String()
	}
	rows, err := p.limitRows(ctx, l)
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	l.ID = id.String()
	return p.setLimit(ctx, l, rows)
}

// fileLimits reads the limits that have an amount, in the form of a realm's file: a person is named by the first of their user accounts.
func (w realmWriter) fileLimits(ctx context.Context, people []PersonDefinition) ([]administration.Limit, error) {
	all, err := w.limits(ctx, dbsqlc.LimitSubjectListParams{})
	var list []administration.Limit
	for _, one := range all {
		l := one.Limit
		if l.Of == rulebook.OfPerson {
			for _, person := range people {
				if person.ID.String() == l.Holder {
					l.Holder = person.Accounts[0].Name
				}
			}
		}
		if l.ID, l.HolderName = "", ""; l.PerPayment != nil || l.PerDay != nil {
			list = append(list, l)
		}
	}
	return list, err
}

// Limit is the row of a limit.
func Limit(l dbsqlc.SpendingLimit) Row {
	return Row{Table: "spending_limit", Realm: l.Realm, Key: l.LimitID.String()}.
		covers(l.LimitID, l.LimitOf, l.Holder, l.Currency, l.PerPayment, l.PerDay, l.PerDaySince, l.SetAt).
		in(limitGroup(l))
}

// limitGroup is the group of the limits of a holder that have an amount; "" for a limit without one.
func limitGroup(l dbsqlc.SpendingLimit) string {
	if l.PerPayment == nil && l.PerDay == nil {
		return ""
	}
	return l.LimitOf + " " + l.Holder
}
