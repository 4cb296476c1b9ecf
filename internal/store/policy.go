package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// policies reads the policies of the realm: those in force in the order in which they count, then the others.
func (w realmWriter) policies(ctx context.Context) ([]administration.Policy, error) {
	rows, err := w.q.PolicySubjectList(ctx, w.realm, nil)
	return policiesOf(rows), err
}

// policiesAt reads the policies that were in force just before a time; now for the zero time.
func (w realmWriter) policiesAt(ctx context.Context, at time.Time) ([]administration.Policy, error) {
	rows, err := w.q.PolicySubjectList(ctx, w.realm, nil)
	rows = slices.DeleteFunc(rows, func(row dbsqlc.Policy) bool {
		return row.RetiredAt != nil && (at.IsZero() || row.RetiredAt.Before(at)) || !at.IsZero() && !row.CreatedAt.Before(at)
	})
	for i := range rows {
		rows[i].RetiredAt = nil
	}
	return policiesOf(rows), err
}

// policiesInForce reads the policies in force.
func (w realmWriter) policiesInForce(ctx context.Context) ([]administration.Policy, error) {
	rows, err := w.q.PolicyInForce(ctx, w.realm)
	return policiesOf(rows), err
}

func policiesOf(rows []dbsqlc.Policy) []administration.Policy {
	var list []administration.Policy
	for _, row := range rows {
		list = append(list, policyOf(row))
	}
	return list
}

func policyOf(row dbsqlc.Policy) administration.Policy {
	p := administration.Policy{
		ID: row.PolicyID.String(), Rank: int(row.Rank), ClientID: Text(row.ClientID), Channel: Text(row.Channel),
		Scheme: Text(row.Scheme), Kind: Text(row.Kind), AmountFrom: row.AmountFrom, AmountTo: row.AmountTo,
		Approvals: int(row.ApprovalsRequired), ContentHashRequired: row.ContentHashRequired, StepUp: row.StepUp,
		Funds:        Text(row.Funds),
		ExpiresAfter: Seconds(row.PendingSeconds), Status: administration.StatusInForce, CreatedAt: row.CreatedAt,
	}
	if row.RetiredAt != nil {
		p.Status = administration.StatusRetired
	}
	return p
}

// insertPolicy adds a policy, by its id or under a new one.
func (w realmWriter) insertPolicy(ctx context.Context, p administration.Policy) error {
	id, err := uuid.Parse(p.ID)
	if p.ID == "" {
		id, err = uuid.NewV7()
	}
	if err != nil {
		return err
	}
	row := dbsqlc.Policy{
		Realm: w.realm, PolicyID: id, Rank: int32(p.Rank), //nolint:gosec // at most 1000
		ClientID: OrNull(p.ClientID), Channel: OrNull(p.Channel),
		Scheme: OrNull(p.Scheme), Kind: OrNull(p.Kind), AmountFrom: p.AmountFrom, AmountTo: p.AmountTo,
		ApprovalsRequired: int32(p.Approvals), PendingSeconds: wholeSeconds(p.ExpiresAfter), //nolint:gosec // at most 9
		ContentHashRequired: p.ContentHashRequired, StepUp: p.StepUp, Funds: OrNull(p.Funds), CreatedAt: w.at,
	}
	return w.ledger.Put(Policy(row), w.q.PolicyInsert(ctx, dbsqlc.PolicyInsertParams(row)))
}

// retirePolicy ends a policy.
func (w realmWriter) retirePolicy(ctx context.Context, row dbsqlc.Policy) error {
	row.RetiredAt = &w.at
	return w.ledger.Put(Policy(row), One(w.q.PolicyRetire(ctx, row.RetiredAt, row.Realm, row.PolicyID)))
}

func (s changeStep) applyPolicy(ctx context.Context, c administration.Change) error {
	var p administration.Policy
	administration.Fill(&p, c.After)
	if c.Kind == administration.KindPolicyCreate {
		return s.insertPolicy(ctx, p)
	}
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return err
	}
	rows, err := s.q.PolicySubjectList(ctx, s.realm, &id)
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return ErrMoved
	}
	if !s.guard.Fits(ctx, Policy(rows[0])) {
		return &administration.ConflictError{Text: "The stored policy failed its integrity check and may have been changed outside the " +
			"gateway. Tell an operator."}
	}
	err = s.retirePolicy(ctx, rows[0])
	if err != nil || c.Kind == administration.KindPolicyRetire {
		return err
	}
	p.ID = c.ID.String() // a policy row never changes, because messages refer to the one they were entered under
	return s.insertPolicy(ctx, p)
}

// bringPolicies makes the policies in force those of a realm's file. A policy row never changes, because messages refer to it: a different
// policy is retired and replaced by a new row.
func (p provision) bringPolicies(ctx context.Context, wanted []administration.Policy) error {
	missing := map[string]administration.Policy{}
	for _, policy := range wanted {
		_, twice := missing[policyKey(policy)]
		if twice {
			return errors.New("policies: two policies are the same")
		}
		missing[policyKey(policy)] = policy
	}
	rows, err := p.q.PolicyInForce(ctx, p.realm)
	if err != nil {
		return fmt.Errorf("policies: read those in force: %w", err)
	}
	for _, row := range rows {
		key := policyKey(policyOf(row))
		_, stays := missing[key]
		if stays {
			delete(missing, key)
			continue
		}
		err = p.retirePolicy(ctx, row)
		if err != nil {
			return fmt.Errorf("policies: retire one: %w", err)
		}
	}
	for _, policy := range wanted {
		_, absent := missing[policyKey(policy)]
		if !absent {
			continue
		}
		err = p.insertPolicy(ctx, policy)
		if err != nil {
			return fmt.Errorf("policies: add one: %w", err)
		}
	}
	return nil
}

// policyKey returns everything that a policy rules, to compare two.
func policyKey(p administration.Policy) string {
	p.ID, p.Status = "", ""
	return fmt.Sprint(p.Values())
}

// maxDryRun is the number of messages of a dry run.
const maxDryRun = 1000

// DryRun returns the effect that a policy would have had on the realm's last messages before a time (now for the zero time), in the place
// of the policy in force of its id.
func (c *Changes) DryRun(ctx context.Context, realm string, p administration.Policy, at time.Time) (run administration.DryRun, err error) {
	before := uuid.Max
	if !at.IsZero() {
		before = keyAt(at)
	}
	err = c.db.InRealm(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		inForce, err := realmWriter{q: q, realm: realm}.policiesAt(ctx, at)
		if err != nil {
			return err
		}
		run = administration.NewDryRun(p, inForce)
		rows, err := q.PolicyDryRun(ctx, realm, before, maxDryRun)
		for _, row := range rows {
			run.Count(administration.PastMessage{
				Kind: row.Kind, Scheme: row.Scheme, Channel: row.Channel, ClientID: row.ClientID, Approvals: int(row.ApprovalsRequired),
				Amount: row.Amount, ID: row.MessageID, GlobalID: row.GlobalID, Currency: row.Currency, At: row.CreatedAt,
			})
		}
		return err
	})
	return run, changeError(err, "try a policy")
}

// Policy is the row of a policy.
func Policy(p dbsqlc.Policy) Row {
	row := Row{Table: "policy", Realm: p.Realm, Key: p.PolicyID.String()}.
		covers(p.PolicyID, p.Rank, p.ClientID, p.Channel, p.Scheme, p.Kind, p.AmountFrom, p.AmountTo, p.ApprovalsRequired, p.PendingSeconds,
			p.CreatedAt, p.RetiredAt, p.ContentHashRequired, p.StepUp, p.Funds)
	row.policy = &p
	return row
}

func (s changeStep) policyFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	policies, err := s.policies(ctx)
	if err != nil {
		return err
	}
	for _, p := range policies {
		if p.Status == administration.StatusInForce && p.MatchesEverything() {
			known.CoverAll++
		}
		if p.ID == asked.subject {
			known.Found, known.Before = true, p.Values()
		}
	}
	clientID := asked.values["clientId"]
	clients, err := s.clients(ctx, clientID)
	known.ClientKnown = clientID != "" && len(clients) == 1 && clients[0].Status == administration.StatusActive
	return err
}

// maxCheckers limits the named approvers.
const maxCheckers = 50

// Approvers are the policy of a message and the people with the role to approve it.
type Approvers struct {
	Rule     administration.Policy // the one it was made under; zero when there is none
	Checkers []identity.Principal  // at most 50, with the grant of the role
}

// Approvers returns the policy of a message and the people that may approve it.
func (c *Changes) Approvers(ctx context.Context, m payment.Message) (Approvers, error) {
	var found Approvers
	q := c.db.In(m.Realm, Reading)
	rule, err := q.PolicyGet(ctx, m.Realm, m.PolicyID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return found, err
	}
	if err == nil {
		found.Rule = policyOf(rule)
	}
	people := c.db.names(m.Realm)
	rows, err := q.CheckerList(ctx, m.Realm, maxCheckers)
	for _, row := range rows {
		found.Checkers = append(found.Checkers, identity.Principal{
			Realm: m.Realm, UserID: row.UserID, PersonID: row.PersonID, UserName: people.of(row.UserID, row.Name),
			DisplayName: people.of(row.PersonID, row.DisplayName),
			Roles:       []identity.Role{identity.RoleChecker},
			Grants:      []identity.Grant{{ID: row.GrantID, Role: identity.RoleChecker, GrantedAt: row.GrantedAt.UTC()}},
		})
	}
	return found, err
}

// Rules returns policies by their ids, retired ones too; unknown ids are left out.
func (c *Changes) Rules(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID]administration.Policy, error) {
	rules := map[uuid.UUID]administration.Policy{}
	err := c.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		for _, id := range ids {
			rule, err := q.PolicyGet(ctx, realm, id)
			if errors.Is(err, pgx.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			rules[id] = policyOf(rule)
		}
		return nil
	})
	return rules, err
}
