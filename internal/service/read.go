package service

import (
	"context"

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

// Reported reads one change of administrators for somebody who supervises. Errors: payment.ForbiddenError, payment.ErrNotFound,
// administration.ConflictError for one that does not fit its seal.
func (s *Administration) Reported(ctx context.Context, by identity.Principal, id uuid.UUID) (administration.Change, error) {
	if !by.Has(identity.RoleSupervisor) {
		return administration.Change{}, &payment.ForbiddenError{
			Text: "You may not read the control reports: this needs the role supervisor.",
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

// Waiting counts the changes that wait for this person, up to a limit; none for somebody who may decide none.
func (s *Administration) Waiting(ctx context.Context, by identity.Principal, most int32) (int, error) {
	if administration.MayAdminister(by) != nil {
		return 0, nil
	}
	return s.changes.Waiting(ctx, by, identity.RoleAdministrator, most)
}

// administered reads of the realm of somebody who may administer it. Error: payment.ForbiddenError.
func administered[T any](ctx context.Context, by identity.Principal, read func(ctx context.Context, realm string) (T, error)) (T, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		var none T
		return none, err
	}
	return read(ctx, by.Realm)
}

// Users lists the user accounts of the realm. Error: payment.ForbiddenError.
func (s *Administration) Users(ctx context.Context, by identity.Principal) ([]administration.User, error) {
	return administered(ctx, by, s.changes.Users)
}

// Clients lists the clients of the realm. Error: payment.ForbiddenError.
func (s *Administration) Clients(ctx context.Context, by identity.Principal) ([]administration.Client, error) {
	return administered(ctx, by, s.changes.Clients)
}

// Accounts lists the debtor accounts of the realm. Error: payment.ForbiddenError.
func (s *Administration) Accounts(ctx context.Context, by identity.Principal) ([]administration.Account, error) {
	return administered(ctx, by, s.changes.Accounts)
}

// Policies lists the policies of the realm, those in force first. Error: payment.ForbiddenError.
func (s *Administration) Policies(ctx context.Context, by identity.Principal) ([]administration.Policy, error) {
	return administered(ctx, by, s.changes.Policies)
}

// Provider is the identity provider of the realm; found is false for none. Error: payment.ForbiddenError.
func (s *Administration) Provider(ctx context.Context, by identity.Principal) (p administration.Provider, found bool, err error) {
	err = administration.MayAdminister(by)
	if err != nil {
		return administration.Provider{}, false, err
	}
	return s.changes.Provider(ctx, by.Realm)
}

// Webhooks lists the webhooks of the realm, those in force first. Error: payment.ForbiddenError.
func (s *Administration) Webhooks(ctx context.Context, by identity.Principal) ([]administration.Webhook, error) {
	return administered(ctx, by, s.changes.Webhooks)
}

// Factors is of which roles the realm asks a second factor. Error: payment.ForbiddenError.
func (s *Administration) Factors(ctx context.Context, by identity.Principal) (administration.Factors, error) {
	return administered(ctx, by, s.changes.Factors)
}

// Limits lists the limits of the realm with the amounts used today. Error: payment.ForbiddenError.
func (s *Administration) Limits(ctx context.Context, by identity.Principal) ([]administration.LimitToday, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return nil, err
	}
	return s.changes.Limits(ctx, by.Realm, s.cfg.Now().In(s.cfg.Zone))
}

// Subjects lists the subjects of a noun in the realm; none of a released message. Error: payment.ForbiddenError.
func (s *Administration) Subjects(ctx context.Context, by identity.Principal, noun string) ([]administration.Subject, error) {
	switch noun {
	case "user":
		return subjects(s.Users(ctx, by))
	case "client":
		return subjects(s.Clients(ctx, by))
	case "account":
		return subjects(s.Accounts(ctx, by))
	case "policy":
		return subjects(s.Policies(ctx, by))
	case "limit":
		return subjects(s.Limits(ctx, by))
	case "realm":
		factors, err := s.Factors(ctx, by)
		return []administration.Subject{factors}, err
	case "webhook":
		return subjects(s.Webhooks(ctx, by))
	case "provider":
		provider, found, err := s.Provider(ctx, by)
		if found {
			return []administration.Subject{provider}, err
		}
		return nil, err
	}
	return nil, administration.MayAdminister(by)
}

func subjects[T administration.Subject](list []T, err error) ([]administration.Subject, error) {
	all := make([]administration.Subject, len(list))
	for i, one := range list {
		all[i] = one
	}
	return all, err
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
	return s.changes.DryRun(ctx, by.Realm, policy)
}

// Rules returns policies by their ids, retired ones too.
func (s *Administration) Rules(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID]administration.Policy, error) {
	return s.changes.Rules(ctx, realm, ids)
}

// Approvers returns the policy under which a message needs approvals, and at most 50 people who could give them.
func (s *Administration) Approvers(ctx context.Context, m payment.Message) (store.Approvers, error) {
	return s.changes.Approvers(ctx, m)
}
