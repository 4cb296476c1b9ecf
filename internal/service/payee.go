package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/identity"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// The payee of a SEPA payment is verified before the payment is stored (Regulation (EU) 2024/886, article 5c): on the
// review page, and for a JSON order. The bank is asked before the transaction begins, so no database connection
// waits. The payment proceeds with any answer. An order that breaks a rule is not verified.

// Payee returns the payee verification of a new order, or of an amendment of a message (zero for none). It is stored
// with the order if that is submitted within minutes. It is empty if verification is off or the order breaks a rule.
func (s *Payments) Payee(ctx context.Context, by identity.Principal, amends uuid.UUID, in payment.Order) (payee.Verification, error) {
	if amends != uuid.Nil {
		return s.verifyAmended(ctx, by, amends, in)
	}
	return s.verify(ctx, by, in)
}

// verify verifies the payee of an order before it is stored.
func (s *Payments) verify(ctx context.Context, by identity.Principal, in payment.Order) (payee.Verification, error) {
	if !s.Verifies(in.Scheme) || !by.Has(identity.RoleMaker) {
		return payee.Verification{}, nil
	}
	known, err := s.cfg.Messages.CreateContext(ctx, s.ask(by, in, 0))
	if err != nil {
		return payee.Verification{}, err
	}
	order := s.instruction(by, in, known, s.cfg.Now())
	if len(payment.CheckInstruction(order)) > 0 {
		return payee.Verification{}, nil // told at the storing
	}
	return s.asked(ctx, in, order), nil
}

// verifyAmended verifies the payee of a message's new content. It reuses the earlier result if name and account are
// unchanged.
func (s *Payments) verifyAmended(ctx context.Context, by identity.Principal, id uuid.UUID, in payment.Order) (payee.Verification, error) {
	if s.cfg.Payee == nil {
		return payee.Verification{}, nil
	}
	m, err := s.cfg.Messages.Message(ctx, by.Realm, id)
	if err != nil || !s.Verifies(m.Scheme) || !m.State.Pending() {
		return payee.Verification{}, nil //nolint:nilerr // the amendment itself says why it cannot be made
	}
	in.Scheme = m.Scheme
	if keepsPayee(m, in) {
		return m.Payee, nil
	}
	return s.verify(ctx, by, in)
}

// keepsPayee reports whether an order pays the same name and account as the message it amends, which was verified.
func keepsPayee(m payment.Message, in payment.Order) bool {
	summary, err := payment.SummaryOf(in.Document)
	return err == nil && m.Payee.Known() && summary.CreditorName == m.Summary.CreditorName &&
		summary.CreditorAccount == m.Summary.CreditorAccount
}

// Verifies reports whether payees of the scheme are verified here: only those of payments in euro, and only with a verifier.
func (s *Payments) Verifies(scheme rulebook.Scheme) bool {
	return s.cfg.Payee != nil && scheme == rulebook.SchemeSCT
}

// asked returns the payee verification of a valid order: a recent result, or a new answer of the bank.
func (s *Payments) asked(ctx context.Context, in payment.Order, order payment.InstructionInput) payee.Verification {
	if !s.Verifies(in.Scheme) {
		return payee.Verification{}
	}
	if order.By.Channel == identity.ChannelAPI && order.By.ClientWaivesPayee {
		return payee.Verification{Result: payee.Waived, At: s.cfg.Now()}
	}
	q, possible := questionOf(order)
	if !possible {
		return payee.Verification{Result: payee.NotPossible, At: s.cfg.Now()}
	}
	key := askedPayee{realm: order.By.Realm, iban: q.IBAN, name: q.Name}
	found, known := s.payees.recall(key, s.cfg.Now())
	if known {
		return found
	}
	limited, cancel := context.WithTimeout(ctx, payee.Limit)
	defer cancel()
	payee.Asking(ctx)
	answer, err := s.cfg.Payee.Verify(limited, q)
	found = payee.Outcome(answer, err, s.cfg.Now())
	if ctx.Err() == nil {
		s.payees.keep(key, found)
	}
	return found
}

// questionOf returns the verification question of an order; ok is false if either bank is unknown.
func questionOf(order payment.InstructionInput) (payee.Question, bool) {
	summary, err := payment.SummaryOf(order.Document)
	if err != nil || order.Account == nil {
		return payee.Question{}, false
	}
	q := payee.Question{Name: summary.CreditorName, IBAN: summary.CreditorAccount, Bank: summary.CreditorAgent, Asker: order.Account.AgentBIC}
	iban, err := account.Parse(q.IBAN)
	if err == nil && order.Directory != nil {
		bank, listed := order.Directory.BankOf(iban)
		if listed && bank.BIC != "" {
			q.Bank = bank.BIC
		}
	}
	_, err = account.ParseBIC(q.Bank)
	return q, err == nil && q.Asker != ""
}

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
