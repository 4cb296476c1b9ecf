package service

import (
	"context"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// SettledLate is the longest time from the approval of a payment to its statement: it was Unconfirmed, or is a late return.
const SettledLate = 30 * 24 * time.Hour

// maxExplained bounds the proposals that are looked through, newest first.
const maxExplained = 500

// Reconciliation is a statement of clearing compared with the books of all realms.
type Reconciliation struct {
	Statement   interbank.ClearingStatement
	Differences []payment.StatementDifference
	// Explained are the newest proposals of the caller's realm, by the key of their difference.
	Explained map[string]administration.Change
}

// Reconcile compares a camt.053 or camt.052 of the account at clearing with the approved, sent and settled payments. Errors:
// interbank.ErrNoStatement, money.Error, store.ErrLedgerTooLong.
func (s *Administration) Reconcile(
	ctx context.Context, by identity.Principal, scheme rulebook.Scheme, content []byte,
) (r Reconciliation, err error) {
	r.Statement, err = interbank.ReadClearingStatement(content, s.cfg.Zone)
	if err != nil {
		return r, err
	}
	ledger, err := store.NewReader(s.cfg.Database).Ledger(ctx, scheme, r.Statement.From.Add(-SettledLate), s.cfg.Zone)
	if err != nil {
		return r, err
	}
	r.Differences = payment.Reconcile(r.Statement, ledger)
	changes, err := s.changes.Changes(ctx, by.Realm, store.ChangeFilter{Kind: administration.KindRealmDifference, PageSize: maxExplained})
	r.Explained = map[string]administration.Change{}
	for _, c := range changes {
		if key := c.After["difference"]; r.Explained[key].Kind == "" {
			r.Explained[key] = c
		}
	}
	return r, err
}
