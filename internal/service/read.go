package service

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Change reads one change. Errors: payment.ForbiddenError, payment.ErrNotFound, administration.ConflictError for one that does not fit its
// seal.
func (s *Administration) Change(ctx context.Context, by identity.Principal, id uuid.UUID) (administration.Change, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return administration.Change{}, err
	}
	change, err := s.changes.Change(ctx, by.Realm, id)
	if err == nil && change.Kind.DecidedUnder() != identity.RoleAdministrator {
		return administration.Change{}, payment.ErrNotFound // of makers and checkers
	}
	return change, err
}

// Reported reads one change of administrators for a supervisor. Errors: payment.ForbiddenError, payment.ErrNotFound,
// administration.ConflictError for a change that does not fit its seal.
func (s *Administration) Reported(ctx context.Context, by identity.Principal, id uuid.UUID) (administration.Change, error) {
	if !by.Has(identity.RoleSupervisor) {
		return administration.Change{}, &payment.ForbiddenError{
			Text: "You need the supervisor role to read the control reports.",
		}
	}
	change, err := s.changes.Change(ctx, by.Realm, id)
	if err == nil && change.Kind.DecidedUnder() != identity.RoleAdministrator {
		return administration.Change{}, payment.ErrNotFound
	}
	return change, err
}

// Changes lists changes, the newest first unless the filter says otherwise. Error: payment.ForbiddenError.
func (s *Administration) Changes(ctx context.Context, by identity.Principal, f store.ChangeFilter) ([]administration.Change, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return nil, err
	}
	f.DecidedUnder = identity.RoleAdministrator
	return s.changes.Changes(ctx, by.Realm, f)
}

// Waiting counts the changes that wait for this person, up to a limit; none without the right to decide.
func (s *Administration) Waiting(ctx context.Context, by identity.Principal, most int32) (int, error) {
	if administration.MayAdminister(by) != nil {
		return 0, nil
	}
	return s.changes.Waiting(ctx, by, identity.RoleAdministrator, most)
}

// Subjects lists the subjects of a noun in the realm; none of a released message. Error: payment.ForbiddenError.
func (s *Administration) Subjects(ctx context.Context, by identity.Principal, noun string) ([]administration.Subject, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return nil, err
	}
	return s.changes.Subjects(ctx, by.Realm, noun, s.cfg.Now().In(s.cfg.Zone))
}

// DryRun applies a policy to the realm's last thousand messages and counts the approvals it would have required. Errors:
// payment.ForbiddenError, payment.FieldError.
func (s *Administration) DryRun(ctx context.Context, by identity.Principal, values administration.Values) (administration.DryRun, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return administration.DryRun{}, err
	}
	policy, err := administration.PolicyAsked(values)
	if err != nil {
		return administration.DryRun{}, err
	}
	return s.changes.DryRun(ctx, by.Realm, policy, time.Time{})
}

// Effect is the dry run of a change of a policy, as of its decision if there is one. Errors as of DryRun.
func (s *Administration) Effect(ctx context.Context, by identity.Principal, c administration.Change) (administration.DryRun, error) {
	err := payment.MayAudit(by)
	if err != nil {
		return administration.DryRun{}, err
	}
	policy, err := administration.PolicyAsked(c.After)
	if err != nil {
		return administration.DryRun{}, err
	}
	var at time.Time
	if c.Decision != nil {
		at = c.Decision.At
	}
	return s.changes.DryRun(ctx, by.Realm, policy, at)
}

// Rules returns policies by their ids, retired ones too.
func (s *Administration) Rules(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID]administration.Policy, error) {
	return s.changes.Rules(ctx, realm, ids)
}

// Approvers returns the policy under which a message needs approvals, and at most 50 people who could approve.
func (s *Administration) Approvers(ctx context.Context, m payment.Message) (store.Approvers, error) {
	return s.changes.Approvers(ctx, m)
}

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
