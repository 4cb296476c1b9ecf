package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// The errors of second factors that do not count.
var (
	// ErrFactorForged: a factor of the account does not fit its seal. The owner's real factors are unknown, so the account is barred.
	ErrFactorForged = errors.New("a second factor of the account does not fit its seal")
	// ErrFactorSpent: the same was shown before, or the factor was removed meanwhile.
	ErrFactorSpent = errors.New("the second factor was used before")
	// ErrFactorsChanged: the account has other factors than those that a change of them was looked at with.
	ErrFactorsChanged = errors.New("the second factors of the account changed meanwhile")
)

// Factor is a second factor in force.
type Factor struct {
	ID   uuid.UUID
	Kind identity.FactorKind
	Name string
	// Secret is, encrypted, the key of an authenticator app; the public part of a passkey; or the digests of recovery codes, 32 bytes each.
	Secret       []byte
	CredentialID []byte // of a passkey
	MadeAt       time.Time
	LastUsedAt   time.Time // the time it was made where it never was
	Uses         int       // how often it was shown and was right
	SignCount    uint32    // what a passkey counted when it was shown last; 0 where it does not count, or never was
}

// Factors lists the second factors of an account that are in force, the oldest first. Error: ErrFactorForged, also when one was removed by
// hand.
func (p *People) Factors(ctx context.Context, realm string, user uuid.UUID) ([]Factor, error) {
	guard := p.db.Guard(nil)
	rows, err := Read(ctx, p.db, realm, func(q *dbsqlc.Queries) ([]dbsqlc.FactorOfUserListRow, error) {
		guard.Warm(ctx, q, realm)
		return q.FactorOfUserList(ctx, realm, user)
	})
	if err != nil {
		return nil, identityError(err, "list second factors", ErrUnknownUser)
	}
	if !guard.Whole(ctx, realm, "second_factor", user.String(), len(rows)) {
		return nil, cmp.Or(guard.Err(), ErrFactorForged)
	}
	var list []Factor
	for _, row := range rows {
		f := row.SecondFactor
		if !guard.Fits(ctx, FactorRow(f)) {
			return nil, cmp.Or(guard.Err(), ErrFactorForged)
		}
		if f.RemovedAt != nil {
			continue
		}
		list = append(list, Factor{
			ID: f.FactorID, Kind: identity.FactorKind(f.Kind), Name: f.Name, Secret: f.Secret, CredentialID: f.CredentialID, MadeAt: f.MadeAt.UTC(),
			LastUsedAt: row.LastUsedAt.UTC(), Uses: int(row.Uses),
			SignCount: uint32(row.SignCount), //nolint:gosec // WebAuthn counts in 32 bits
		})
	}
	return list, nil
}

// FactorRoles returns the roles for which a realm requires a second factor.
func (p *People) FactorRoles(ctx context.Context, realm string) ([]identity.Role, error) {
	var text string
	err := p.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		row, err := q.RealmGet(ctx, realm)
		text = row.SecondFactorRoles
		if err == nil && !p.db.Guard(q).Fits(ctx, Realm(row)) {
			return ErrFactorForged
		}
		return err
	})
	if errors.Is(err, ErrFactorForged) {
		return nil, err
	}
	if err != nil {
		return nil, identityError(err, "read the settings of the realm", ErrUnknownRealm)
	}
	return FactorRoles(text), nil
}

// FactorUse is the successful use of a factor.
type FactorUse struct {
	ID      uuid.UUID
	By      identity.Principal
	Factor  Factor
	Token   [32]byte // the digest of what was shown; it counts once
	Purpose identity.FactorPurpose
	For     identity.Approval // for PurposeApproval
	At      time.Time
	Count   uint32 // of a passkey; 0 where it does not count
}

// UseFactor stores the use of a factor with an audit event. Error: ErrFactorSpent when the same code was used before, the counter of a
// passkey did not rise, or the factor was removed meanwhile.
func (p *People) UseFactor(ctx context.Context, u FactorUse) error {
	err := p.db.InRealm(ctx, u.By.Realm, Changing, func(q *dbsqlc.Queries) error {
		return realmWriter{q: q, keys: p.db.masterData, realm: u.By.Realm, at: u.At}.insertUse(ctx, u)
	})
	return factorError(err, "note the use of a second factor")
}

func (w realmWriter) insertUse(ctx context.Context, u FactorUse) error {
	row := dbsqlc.FactorUse{
		Realm: u.By.Realm, UseID: u.ID, FactorID: u.Factor.ID, UserID: u.By.UserID, Token: u.Token[:], Purpose: string(u.Purpose), At: u.At,
	}
	detail := auditlog.Factor{Kind: string(u.Factor.Kind), Name: u.Factor.Name, Purpose: string(u.Purpose)}
	if u.Purpose == identity.PurposeApproval {
		version, action := int32(u.For.Version), "approve" //nolint:gosec // versions are counted one by one
		row.MessageID, row.Version, row.ContentHash, row.Action = &u.For.MessageID, &version, u.For.ContentHash[:], &action
		detail.Message = u.For.MessageID.String()
	}
	if u.Count > 0 {
		count := int64(u.Count)
		row.SignCount = &count
	}
	var err error
	row.KeyID, row.Seal, err = FactorUseRow(row).Sealed(w.keys)
	if err != nil {
		return err
	}
	noted, err := w.q.FactorUseInsert(ctx, dbsqlc.FactorUseInsertParams(row))
	if err != nil {
		return err
	}
	if noted == 0 {
		return ErrFactorSpent
	}
	if u.Purpose == identity.PurposeEnrol {
		return nil // the taking up is told once
	}
	return w.told(ctx, u.By.Actor(), auditlog.EventFactorUse, auditlog.FactorDetail(detail))
}

// NewFactor is a factor to be added, with the proof that its owner has it.
type NewFactor struct {
	By     identity.Principal
	Factor Factor
	Token  [32]byte // what was shown to prove it
	UseID  uuid.UUID
}

// FactorAddition holds the factors to add to an account.
type FactorAddition struct {
	By    identity.Principal
	Known []Factor    // those in force when it was looked at whether the owner may
	New   []NewFactor // at least one
}

// AddFactors stores factors of one account and removes recovery codes that new ones replace, with an audit event, in one transaction.
// Errors: ErrFactorSpent, ErrFactorsChanged.
func (p *People) AddFactors(ctx context.Context, a FactorAddition) error {
	err := p.db.Change(ctx, a.By.Realm, Act{Actor: a.By.Actor(), At: a.New[0].Factor.MadeAt}, func(w realmWriter) error {
		err := sameFactors(ctx, w.q, a.By, a.Known)
		if err != nil {
			return err
		}
		for _, n := range a.New {
			err = w.addFactor(ctx, n)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return factorError(err, "store a second factor")
}

// sameFactors locks the factors of an account, and fails when they differ from the given ones: the conditions of the change were checked
// against those, and a concurrent change may have broken them.
func sameFactors(ctx context.Context, q *dbsqlc.Queries, by identity.Principal, known []Factor) error {
	err := q.AccountLock(ctx, by.Realm, by.UserID)
	if err != nil {
		return err
	}
	rows, err := q.FactorOfUserList(ctx, by.Realm, by.UserID) // a statement of its own: it sees what the other one did
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row dbsqlc.FactorOfUserListRow) bool { return row.SecondFactor.RemovedAt != nil })
	same := slices.EqualFunc(rows, known, func(row dbsqlc.FactorOfUserListRow, f Factor) bool { return row.SecondFactor.FactorID == f.ID })
	if !same {
		return ErrFactorsChanged
	}
	return nil
}

func (w realmWriter) addFactor(ctx context.Context, n NewFactor) error {
	w.at = n.Factor.MadeAt
	row := dbsqlc.SecondFactor{
		Realm: n.By.Realm, FactorID: n.Factor.ID, UserID: n.By.UserID, Kind: string(n.Factor.Kind), Name: n.Factor.Name, Secret: n.Factor.Secret,
		CredentialID: n.Factor.CredentialID, MadeAt: n.Factor.MadeAt,
	}
	if n.Factor.Kind == identity.FactorRecovery {
		err := w.removeCodes(ctx, n.By.UserID)
		if err != nil {
			return err
		}
	}
	err := w.ledger.Put(FactorRow(row), w.q.FactorInsert(ctx, dbsqlc.FactorInsertParams(row)))
	if err != nil {
		return err
	}
	err = w.insertUse(ctx, FactorUse{
		ID: n.UseID, By: n.By, Factor: n.Factor, Token: n.Token, Purpose: identity.PurposeEnrol, At: n.Factor.MadeAt,
	})
	if err != nil {
		return err
	}
	return w.told(ctx, n.By.Actor(), auditlog.EventFactorEnrol, auditlog.FactorDetail(auditlog.Factor{Kind: row.Kind, Name: row.Name}))
}

// removeCodes removes the recovery codes that new ones replace.
func (w realmWriter) removeCodes(ctx context.Context, user uuid.UUID) error {
	rows, err := w.q.FactorOfUserList(ctx, w.realm, user)
	for _, row := range rows {
		if err == nil && row.SecondFactor.Kind == string(identity.FactorRecovery) && row.SecondFactor.RemovedAt == nil {
			err = w.removeFactors(ctx, user, row.SecondFactor.FactorID)
		}
	}
	return err
}

// FactorRemoval is the removal of a factor by its owner.
type FactorRemoval struct {
	By      identity.Principal
	Known   []Factor // those in force when it was looked at whether the owner may
	Factors []Factor
	At      time.Time
}

// RemoveFactors removes factors of one account with an audit event, in one transaction. Error: ErrFactorsChanged.
func (p *People) RemoveFactors(ctx context.Context, r FactorRemoval) error {
	err := p.db.Change(ctx, r.By.Realm, Act{Actor: r.By.Actor(), At: r.At}, func(w realmWriter) error {
		err := sameFactors(ctx, w.q, r.By, r.Known)
		for _, f := range r.Factors {
			if err == nil {
				err = w.removeFactors(ctx, r.By.UserID, f.ID)
			}
			if err == nil {
				detail := auditlog.FactorDetail(auditlog.Factor{Kind: string(f.Kind), Name: f.Name})
				err = w.told(ctx, r.By.Actor(), auditlog.EventFactorRemove, detail)
			}
		}
		return err
	})
	return factorError(err, "remove a second factor")
}

func factorError(err error, action string) error {
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrFactorsChanged):
		return ErrFactorsChanged
	case errors.Is(err, ErrFactorSpent), errors.As(err, &refused) && refused.Code == pgerrcode.InsufficientPrivilege:
		return ErrFactorSpent
	}
	return fmt.Errorf("%s: %w", action, err)
}
