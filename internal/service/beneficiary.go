package service

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Beneficiaries are no matter of administrators: makers ask for changes of them, checkers decide, and everybody who reads payments reads
// them. The steps are those of every change.

// Beneficiaries lists the beneficiaries in force by name. Error: payment.ForbiddenError.
func (s *Administration) Beneficiaries(
	ctx context.Context, by identity.Principal, of store.Book,
) ([]administration.Beneficiary, error) {
	err := payment.MayRead(by)
	if err != nil {
		return nil, err
	}
	of.Search = strings.TrimSpace(of.Search)
	of.Compact = strings.ToUpper(strings.Join(strings.Fields(of.Search), ""))
	return s.changes.Beneficiaries(ctx, by.Realm, of)
}

// Beneficiary reads one, removed or not. Errors: payment.ForbiddenError, payment.ErrNotFound.
func (s *Administration) Beneficiary(ctx context.Context, by identity.Principal, id uuid.UUID) (administration.Beneficiary, error) {
	err := payment.MayRead(by)
	if err != nil {
		return administration.Beneficiary{}, err
	}
	return s.changes.Beneficiary(ctx, by.Realm, id)
}

// BeneficiaryChange reads a change of a beneficiary. Errors: payment.ForbiddenError, payment.ErrNotFound, administration.ConflictError for
// one that does not fit its seal.
func (s *Administration) BeneficiaryChange(ctx context.Context, by identity.Principal, id uuid.UUID) (administration.Change, error) {
	err := payment.MayRead(by)
	if err != nil {
		return administration.Change{}, err
	}
	change, err := s.changes.Change(ctx, by.Realm, id)
	if err == nil && change.Kind.DecidedUnder() != identity.RoleChecker {
		return administration.Change{}, payment.ErrNotFound // of administrators
	}
	return change, err
}

// BeneficiaryChanges lists changes of beneficiaries, the newest first unless the filter says otherwise. Error: payment.ForbiddenError.
func (s *Administration) BeneficiaryChanges(
	ctx context.Context, by identity.Principal, f store.ChangeFilter,
) ([]administration.Change, error) {
	err := payment.MayRead(by)
	if err != nil {
		return nil, err
	}
	f.DecidedUnder = identity.RoleChecker
	return s.changes.Changes(ctx, by.Realm, f)
}

// BeneficiariesWaiting counts the changes of beneficiaries that this person may decide, up to a limit; none for somebody who decides none.
func (s *Administration) BeneficiariesWaiting(ctx context.Context, by identity.Principal, most int32) (int, error) {
	if !by.Has(identity.RoleChecker) {
		return 0, nil
	}
	return s.changes.Waiting(ctx, by, identity.RoleChecker, most)
}

// DecideBeneficiary decides a change of a beneficiary. Errors: payment.ErrNotFound, payment.ForbiddenError, payment.FourEyesError,
// administration.ConflictError, payment.FieldError for the reason.
func (s *Administration) DecideBeneficiary(ctx context.Context, by identity.Principal, in DecideInput) (administration.Change, error) {
	change, err := s.BeneficiaryChange(ctx, by, in.ChangeID)
	decided, err := s.decide(ctx, administration.Verdict{Approve: in.Approve, Reason: in.Reason, By: by, At: s.cfg.Now()}, change, err)
	return decided.Change, err
}
