package store

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/store/internal/dbsqlc"
)

// Guard compares rows of master data with the verified state of their realm at each use. A row that is not in the state of the newest head,
// exactly as it was read, gives no role, policy or account. Guard logs each such row: only an attack, a manual mistake or a missing key
// causes one.
type Guard struct {
	db   *Database
	q    *dbsqlc.Queries   // of the transaction that reads the rows; nil when it is over
	head *dbsqlc.RealmHead // of the statement that read the rows; nil when it read none
	// known is the state of the realm that was the newest at the first look. Rows read beside a concurrent change fit it or the newest one.
	known *state
	err   error
}

// Guard makes the guard of rows that a transaction reads; without queries, of rows that were read.
func (d *Database) Guard(q *dbsqlc.Queries) *Guard { return &Guard{db: d, q: q} }

// At sets the head that was read with the rows.
func (g *Guard) At(head dbsqlc.RealmHead) *Guard {
	g.head = &head
	return g
}

// Err returns the error that kept the guard from reading the state of a realm. Then no row counts.
func (g *Guard) Err() error { return g.err }

// Principal reports whether every row of the principal fits and the client is not suppressed.
func (g *Guard) Principal(ctx context.Context, p dbsqlc.UserPrincipalGetRow) bool {
	user := p.UserAccount
	fit := g.Fits(ctx, User(user)) && g.Fits(ctx, Person(p.Person)) && g.Fits(ctx, ClientRow(p.Client)) && p.Client.SuppressedAt == nil
	for i, role := range p.Roles {
		fit = fit && g.Fits(ctx, Grant(dbsqlc.UserRole{
			Realm: user.Realm, GrantID: p.GrantIds[i], UserID: user.UserID, Duty: user.Duty, Role: role, GrantedAt: p.Granted[i],
		}))
	}
	return fit
}

// Policy reports whether the policy that a statement chose for a message is the one that counts for it among the verified policies of the
// realm. A policy that is missing in the database, or a condition of the statement that was given another meaning there, chooses another.
func (g *Guard) Policy(ctx context.Context, ask ContextQuery, chosen uuid.UUID) bool {
	about := administration.PastMessage{
		Kind: string(ask.Kind), Scheme: string(ask.Scheme), Channel: string(ask.Channel), ClientID: ask.ClientID, Amount: ask.Amount,
	}
	return g.holds(ctx, ask.Realm, "policy", chosen.String(), func(s *state) bool {
		rule, found := administration.RuleFor(s.policies, about)
		return found && rule.ID == chosen.String()
	})
}

// Whole reports whether a group has as many rows as were read.
func (g *Guard) Whole(ctx context.Context, realm, table, group string, read int) bool {
	return g.holds(ctx, realm, table, group, func(s *state) bool { return s.groups[rowKey{table, group}] == read })
}

// Newest reports whether a row has the highest key of its group; the key "" whether the group is empty.
func (g *Guard) Newest(ctx context.Context, realm, table, group, key string) bool {
	return g.holds(ctx, realm, table, key, func(s *state) bool { return s.newest[rowKey{table, group}] == key })
}

// Limited reports whether a limit may bind a payment of a client from an account.
func (g *Guard) Limited(ctx context.Context, realm, client, account string) bool {
	s, err := g.state(ctx, realm)
	return err != nil || s.limitedPeople ||
		s.groups[rowKey{"spending_limit", "client " + client}]+s.groups[rowKey{"spending_limit", "account " + account}] > 0
}

// Limits reports whether the limits that were read are all limits of a client, an account and people.
func (g *Guard) Limits(ctx context.Context, ask ContextQuery, read int) bool {
	holders := map[string]bool{"client " + ask.ClientID: true, "account " + ask.DebtorAccount: true}
	for _, person := range ask.People {
		holders["person "+person.String()] = true
	}
	return g.holds(ctx, ask.Realm, "spending_limit", "", func(s *state) bool {
		all := 0
		for holder := range holders {
			all += s.groups[rowKey{"spending_limit", holder}]
		}
		return all == read
	})
}

// Fits reports whether a row of master data is in the state of its realm, exactly as it was read.
func (g *Guard) Fits(ctx context.Context, row Row) bool {
	return g.holds(ctx, row.Realm, row.Table, row.Key, func(s *state) bool { return s.has(row) })
}

// holds reports whether a state satisfies the condition, under the head read with the rows or the newest one: a change may have been
// applied between the two statements. Where the head changed and neither satisfies it, the rows may be of a head between: ErrBusy.
func (g *Guard) holds(ctx context.Context, realm, table, key string, condition func(*state) bool) bool {
	found, err := g.state(ctx, realm)
	if err == nil && condition(found) {
		return true
	}
	if err == nil {
		before := found
		found, err = g.newest(ctx, realm)
		if err == nil && (found != before || g.head != nil && !sameHead(*g.head, found.head)) {
			if condition(found) {
				return true
			}
			err = ErrBusy
		}
	}
	if err != nil && !forged(err) {
		g.err = err
		return false
	}
	if err == nil {
		g.db.log.LogAttrs(ctx, slog.LevelError,
			"a row of master data is not as the newest change left it and counts for nothing; run countersign check",
			slog.Bool("alarm", true), slog.String("realm", realm), slog.String("table", table), slog.String("row", key))
	}
	return false
}

// Warm reads the state of a realm in a transaction, for rows that are compared after it. It logs an alarm if the master data do not match
// their head.
func (g *Guard) Warm(ctx context.Context, q *dbsqlc.Queries, realm string) {
	g.known, _ = g.db.load(ctx, q, realm)
}

// state returns the verified state of a realm under the head read with the rows.
func (g *Guard) state(ctx context.Context, realm string) (*state, error) {
	if g.known == nil && g.head != nil {
		kept := g.db.heads.of(realm).kept()
		if kept != nil && sameHead(kept.head, *g.head) {
			g.known = kept
		}
	}
	var err error
	if g.known == nil {
		g.known, err = g.newest(ctx, realm)
	}
	return g.known, err
}

// newest returns the verified state of a realm under its present head.
func (g *Guard) newest(ctx context.Context, realm string) (*state, error) {
	if g.q != nil {
		return g.db.load(ctx, g.q, realm)
	}
	found, err := Read(ctx, g.db, realm, func(q *dbsqlc.Queries) (*state, error) { return g.db.load(ctx, q, realm) })
	return found, err
}

// Sealed reports whether a row outside the state of its realm, such as a change or reference data, fits its own seal.
func (g *Guard) Sealed(ctx context.Context, row Row) bool {
	err := row.Check(g.db.masterData)
	if err == nil {
		return true
	}
	g.db.log.LogAttrs(ctx, slog.LevelError, "a row of master data does not fit its seal and counts for nothing; run countersign check",
		slog.Bool("alarm", true), slog.String("realm", row.Realm), slog.String("table", row.Table), slog.String("row", row.Key),
		slog.String("error", err.Error()))
	return false
}
