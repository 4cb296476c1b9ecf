package admin

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Policies lists the policies of a realm, those in force first, and of these the one that counts first first.
func (c *Changes) Policies(ctx context.Context, realm string) ([]administration.Policy, error) {
	return ask(ctx, c, question{realm, "list policies"}, func(s step) ([]administration.Policy, error) { return s.policies(ctx) })
}

func (s step) policies(ctx context.Context) ([]administration.Policy, error) {
	rows, err := s.q.PolicySubjectList(ctx, s.realm, nil)
	list := make([]administration.Policy, len(rows))
	for i, row := range rows {
		list[i] = administration.Policy{
			ID: row.PolicyID.String(), Rank: int(row.Rank), ClientID: store.Text(row.ClientID), Channel: store.Text(row.Channel),
			Scheme: store.Text(row.Scheme), Kind: store.Text(row.Kind), AmountFrom: row.AmountFrom, AmountTo: row.AmountTo,
			Approvals: int(row.ApprovalsRequired), ContentHashRequired: row.ContentHashRequired, StepUp: row.StepUp,
			ExpiresAfter: store.Seconds(row.PendingSeconds),
			Status:       administration.StatusInForce,
		}
		if row.RetiredAt != nil {
			list[i].Status = administration.StatusRetired
		}
	}
	return list, err
}

func (s step) applyPolicy(ctx context.Context, c administration.Change) error {
	id, err := uuid.Parse(c.Subject)
	if err != nil {
		return err
	}
	if c.Kind == administration.KindPolicyRetire {
		rows, err := s.q.PolicySubjectList(ctx, s.realm, &id)
		if err != nil {
			return err
		}
		if len(rows) != 1 {
			return store.ErrMoved
		}
		if !s.guard.Policy(ctx, rows[0]) {
			return &administration.ConflictError{Text: "The policy is not as it was sealed. Tell the operator of the gateway."}
		}
		rows[0].RetiredAt = &s.at
		keyID, seal, err := store.Policy(rows[0]).Sealed(s.keys)
		if err != nil {
			return err
		}
		return s.q.PolicySeal(ctx, dbsqlc.PolicySealParams{RetiredAt: &s.at, KeyID: keyID, Seal: seal, Realm: s.realm, PolicyID: id})
	}
	p, err := administration.PolicyOf(c.Values, "")
	if err != nil {
		return err
	}
	row := dbsqlc.Policy{
		Realm: s.realm, PolicyID: id, Rank: int32(p.Rank), //nolint:gosec // at most 1000
		ClientID: store.OrNull(p.ClientID), Channel: store.OrNull(p.Channel),
		Scheme: store.OrNull(p.Scheme), Kind: store.OrNull(p.Kind), AmountFrom: p.AmountFrom, AmountTo: p.AmountTo,
		ApprovalsRequired: int32(p.Approvals), PendingSeconds: int32(p.ExpiresAfter / time.Second), //nolint:gosec // at most 9, and a year
		ContentHashRequired: p.ContentHashRequired, StepUp: p.StepUp,
	}
	keyID, seal, err := store.Policy(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	return s.q.PolicyProvision(ctx, dbsqlc.PolicyProvisionParams{
		Realm: row.Realm, PolicyID: row.PolicyID, Rank: row.Rank, ClientID: row.ClientID, Channel: row.Channel, Scheme: row.Scheme,
		Kind: row.Kind, AmountFrom: row.AmountFrom, AmountTo: row.AmountTo, ApprovalsRequired: row.ApprovalsRequired,
		PendingSeconds: row.PendingSeconds, ContentHashRequired: row.ContentHashRequired, StepUp: row.StepUp, At: s.at, KeyID: keyID, Seal: seal,
	})
}

// maxDryRun is how many messages a dry run looks at.
const maxDryRun = 1000

// DryRun tells what a policy would have asked of the realm's last messages. Error: none of its own.
func (c *Changes) DryRun(ctx context.Context, realm string, p administration.Policy) (administration.DryRun, error) {
	run := administration.NewDryRun(p)
	err := c.db.InRealm(ctx, realm, store.Searching, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		rows, err := q.PolicyDryRun(ctx, realm, maxDryRun)
		for _, row := range rows {
			run.Count(administration.PastMessage{
				Kind: row.Kind, Scheme: row.Scheme, Channel: row.Channel, ClientID: row.ClientID, Approvals: int(row.ApprovalsRequired),
				Amount: row.Amount, Rank: int(row.Rank),
			})
		}
		return err
	})
	return run, changeError(err, "try a policy")
}
