package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Limits apply to payments (spending.Limit). A message with a possible limit is made and approved alone, not batched.
// The transaction locks the limits first and writes the used amount before its commit. A unique index enforces the
// same: two uses of a limit cannot start at the same sum.

// mayBind reports whether limits must be read before the message is made or approved.
func (f CreateContext) mayBind(kind payment.Kind) bool { return f.limited && kind.Limited() }

// bind reads the limits of a query; lock locks them until the transaction ends.
func (s *Messages) bind(ctx context.Context, q *dbsqlc.Queries, ask ContextQuery, known *CreateContext, lock bool) error {
	if !known.mayBind(ask.Kind) {
		return nil
	}
	people := idTexts(ask.People)
	var rows []dbsqlc.SpendingLimit
	var err error
	if lock {
		rows, err = q.LimitLock(ctx, dbsqlc.LimitLockParams{Realm: ask.Realm, ClientID: ask.ClientID, Account: ask.DebtorAccount, People: people})
	} else {
		rows, err = q.LimitList(ctx, dbsqlc.LimitListParams{Realm: ask.Realm, ClientID: ask.ClientID, Account: ask.DebtorAccount, People: people})
	}
	if err == nil && len(rows) > 0 {
		known.Limits, err = s.limits(ctx, q, rows, ask.Day, lock)
	}
	if err == nil && !lock && !ask.On.IsZero() {
		err = planned(ctx, q, ask, known.Limits)
	}
	if err != nil {
		return fmt.Errorf("read the limits: %w", err)
	}
	guard := s.db.Guard(q)
	if !guard.Limits(ctx, ask, len(rows)) {
		known.Limits = append(known.Limits, rulebook.SpendingLimit{Untrusted: true, Name: "that is gone"})
	}
	return guard.Err()
}

// planned adds the amounts scheduled under each limit for the later day of a payment, beside it.
func planned(ctx context.Context, q *dbsqlc.Queries, ask ContextQuery, limits []rulebook.SpendingLimit) error {
	ids := make([]uuid.UUID, len(limits))
	for i := range limits {
		ids[i], limits[i].On = limits[i].ID, ask.On
	}
	rows, err := q.LimitPlanned(ctx, dbsqlc.LimitPlannedParams{Realm: ask.Realm, LimitIds: ids, ExecutionDay: &ask.On, OtherThan: ask.About})
	for _, row := range rows {
		limits[slices.Index(ids, row.LimitID)].Planned = row.Planned
	}
	return err
}

func (s *Messages) limits(ctx context.Context, q *dbsqlc.Queries, rows []dbsqlc.SpendingLimit,
	day string, lock bool,
) ([]rulebook.SpendingLimit, error) {
	guard := s.db.Guard(q)
	limits, ids := make([]rulebook.SpendingLimit, len(rows)), make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.LimitID
		limits[i] = rulebook.SpendingLimit{
			ID: row.LimitID, Of: rulebook.LimitOf(row.LimitOf), Holder: row.Holder, Currency: money.Currency(row.Currency), Day: day,
			PerPayment: OrZero(row.PerPayment), PerDay: OrZero(row.PerDay), Untrusted: !guard.Fits(ctx, Limit(row)),
		}
		name, err := s.holderName(ctx, q, row)
		if err != nil {
			return nil, err
		}
		limits[i].Name = name
	}
	used, err := q.LimitUsed(ctx, rows[0].Realm, ids, day)
	for _, u := range used {
		limits[slices.Index(ids, u.LimitID)].Used = u.Used
	}
	for i, l := range limits {
		seen, known := s.db.used.get(limitDay{l.ID, day})
		switch {
		case err != nil || !known && !lock:
			continue
		case !known: // the first time since the start
			seen, err = q.LimitTold(ctx, auditlog.UseBegins(l.ID.String(), day), rows[0].Realm, day)
		}
		limits[i].Untrusted = l.Untrusted || lock && l.Used < seen // uses are gone: under the lock no older state is read
		s.db.used.add(limitDay{l.ID, day}, max(l.Used, seen))
	}
	return limits, err
}

// limitDay is a limit on a day.
type limitDay struct {
	limit uuid.UUID
	day   string
}

// used records the used amounts of limits. Call it after the commit.
func (s *Messages) used(uses []rulebook.LimitUse) {
	for _, u := range uses {
		s.db.used.add(limitDay{u.Limit.ID, u.Limit.Day}, u.After())
	}
}

// holderName names the holder of a limit for people; an account by the ends of its number.
func (s *Messages) holderName(ctx context.Context, q *dbsqlc.Queries, row dbsqlc.SpendingLimit) (string, error) {
	switch rulebook.LimitOf(row.LimitOf) {
	case rulebook.OfPerson:
		id, err := uuid.Parse(row.Holder)
		if err != nil {
			return "of an unknown id", nil //nolint:nilerr // the row does not fit its seal, and says so
		}
		person, err := q.PersonGet(ctx, row.Realm, id)
		return s.db.names(row.Realm).of(id, person.DisplayName), err
	case rulebook.OfAccount:
		if len(row.Holder) > 8 {
			return row.Holder[:4] + " … " + row.Holder[len(row.Holder)-4:], nil
		}
	case rulebook.OfClient:
	}
	return row.Holder, nil
}

// use writes the amounts that a release adds to its limits.
func (s *Messages) use(ctx context.Context, q *dbsqlc.Queries, m payment.Message, uses []rulebook.LimitUse) error {
	for _, u := range uses {
		err := q.LimitUseInsert(ctx, dbsqlc.LimitUseInsertParams{
			Realm: m.Realm, MessageID: m.InternalID, LimitID: u.Limit.ID, LimitOf: string(u.Limit.Of), Holder: u.Limit.Holder,
			Currency: string(u.Limit.Currency), Day: u.Limit.Day, UsedBefore: u.Limit.Used, Amount: u.Amount, UsedAfter: u.After(),
			Allowed: u.Limit.PerDay, PreviousUsed: OrNull(u.Limit.Used),
		})
		if err != nil {
			return fmt.Errorf("note what is used of a limit: %w", err)
		}
	}
	return nil
}

// withLimits adds the amounts of limits that a release uses to the detail of a step.
func withLimits(detail string, uses []rulebook.LimitUse) string {
	taken := make([]auditlog.LimitUse, len(uses))
	for i, u := range uses {
		taken[i] = auditlog.LimitUse{
			Limit: u.Limit.ID.String(), Day: u.Limit.Day, Before: u.Limit.Used, Amount: u.Amount,
			Allowed: u.Limit.PerDay,
		}
	}
	return auditlog.WithLimits(detail, taken)
}

// LimitScope names the people and the day of a step, to find their limits.
type LimitScope struct {
	Person uuid.UUID // who acts
	Day    string    // as 2026-11-22, in the zone of the banking day
	On     time.Time // as ContextQuery has it, for display
}

// people returns the users whose limits apply to a message: its makers, the approvers of its current content, and the
// actor.
func (b LimitScope) people(m payment.Message) []uuid.UUID {
	people := append([]uuid.UUID{}, m.Makers...)
	for _, d := range m.Decisions {
		people = append(people, d.PersonID)
	}
	if b.Person != uuid.Nil {
		people = append(people, b.Person)
	}
	return people
}
