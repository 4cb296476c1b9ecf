package service

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/account"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// PayeeLookup answers.
type PayeeLookup struct {
	accounts *store.Accounts
}

// Answer reports whether the name in the question matches the account's holder. A close match returns the holder's
// name. An unknown or closed account cannot be verified.
func (s *PayeeLookup) Answer(ctx context.Context, q payee.Question) (payee.Answer, error) {
	notPossible := payee.Answer{Result: payee.NotPossible}
	realm, iban, err := s.accounts.Incoming(ctx, q.IBAN)
	if errors.Is(err, payment.ErrNotFound) {
		return notPossible, nil
	}
	if err != nil {
		return notPossible, fmt.Errorf("find the realm of an account: %w", err)
	}
	kept, _, err := s.accounts.Account(ctx, realm, iban)
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		return notPossible, fmt.Errorf("read an account: %w", err)
	}
	if err != nil || !kept.Open || !account.SameBank(kept.AgentBIC, q.Bank) || q.Name == "" {
		return notPossible, nil
	}
	answer := payee.Answer{Result: payee.Compare(q.Name, kept.Holder.Name)}
	if answer.Result == payee.CloseMatch {
		answer.MatchedName = kept.Holder.Name
	}
	return answer, nil
}
