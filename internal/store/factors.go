package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// factors reads the settings of the realm, its retention too.
func (s changeStep) factors(ctx context.Context) ([]administration.Factors, error) {
	row, err := s.q.RealmGet(ctx, s.realm)
	if err != nil {
		return nil, err
	}
	known := factorsOf(row)
	known.RetentionMonths, err = s.retention(ctx)
	return []administration.Factors{known}, err
}

func factorsOf(row dbsqlc.Realm) administration.Factors {
	return administration.Factors{Realm: row.Realm, Roles: FactorRoles(row.SecondFactorRoles), NoticeDetails: row.NoticeDetails}
}

// factorsFacts reads the facts about the settings of the realm, which need not be named.
func (s changeStep) factorsFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	row, err := s.q.RealmGet(ctx, s.realm)
	known.Found, known.Before = cmp.Or(asked.subject, row.Realm) == row.Realm, factorsOf(row).Values()
	if asked.kind == administration.KindRealmReconciled {
		known.Before = factorsOf(row).Uncompared()
	}
	if asked.kind == administration.KindRealmErased && err == nil {
		known.Own, err = s.archivedPayments(ctx, asked.values["erasedPayments"])
	}
	if asked.kind == administration.KindRealmRetention && err == nil {
		settings := factorsOf(row)
		settings.RetentionMonths, err = s.retention(ctx)
		known.Before = settings.Values()
	}
	return err
}

// retention returns the months of the newest approved change of the retention; "" for none.
func (s changeStep) retention(ctx context.Context) (string, error) {
	list, _, _, err := s.page(ctx, ChangeFilter{Kind: administration.KindRealmRetention, State: administration.StateApplied, PageSize: 1})
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].After["retentionMonths"], nil
}

// payments are the ids of a field; words that are none are left out.
func payments(field string) []uuid.UUID {
	var ids []uuid.UUID
	for _, word := range administration.WordsOf[string](field) {
		id, err := uuid.Parse(word)
		if err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// archivedPayments are the states of payments by their ids: those of archives, and those in the database.
func (s changeStep) archivedPayments(ctx context.Context, field string) (map[string]administration.ArchivedPayment, error) {
	ids, found := payments(field), map[string]administration.ArchivedPayment{}
	text, err := s.retention(ctx)
	if err != nil {
		return nil, err
	}
	months, unset := strconv.Atoi(text)
	here, err := s.q.FamilyEndList(ctx, names(payment.Final()), s.realm, ids)
	if err != nil {
		return nil, err
	}
	for _, row := range here {
		var is administration.ArchivedPayment
		if row.Ended && unset == nil {
			until, _ := auditlog.EndOf(row.Since.In(i18n.Zone()).Format("2006-01"))
			is.LeavesAt = until.In(i18n.Zone()).AddDate(0, months, 0)
		}
		found[row.Payment.String()] = is
	}
	rows, err := s.q.ArchivedPaymentLock(ctx, s.realm, ids)
	for _, row := range rows {
		if row.ChangeID != nil {
			found[row.PaymentID.String()] = administration.ArchivedPayment{Left: true, Erased: row.Key == nil}
		}
	}
	return found, err
}

// erase deletes the data keys of payments that left with an archive.
func (s changeStep) erase(ctx context.Context, c administration.Change) error {
	rows, err := s.q.ArchivedPaymentLock(ctx, s.realm, payments(c.After["erasedPayments"]))
	for _, row := range rows {
		record := ArchivedPayment(row)
		if err == nil && s.seal.CheckArchivedPayment(record, Seal(row.KeyID, row.Seal)) != nil {
			err = &administration.ConflictError{
				Text: "The record of an archived payment failed its integrity check. Do not continue. Ask an operator to run “countersign check”.",
			}
		}
		if err != nil {
			return err
		}
		record.Key, record.ErasedBy = nil, c.ID
		seal := s.seal.SealArchivedPayment(record)
		err = One(s.q.ArchivedPaymentErase(ctx, dbsqlc.ArchivedPaymentEraseParams{
			Realm: s.realm, PaymentID: row.PaymentID, ErasedBy: &c.ID, KeyID: seal.KeyID, Seal: seal.MAC[:],
		}))
	}
	return err
}

// Reconciled reports whether two administrators confirmed after a time that the payments of the realm agree with clearing. A change or
// decision that does not fit its seal is ignored.
func (c *Changes) Reconciled(ctx context.Context, realm string, after time.Time) (bool, error) {
	list, err := c.Changes(ctx, realm, ChangeFilter{
		Kind: administration.KindRealmReconciled, State: administration.StateApplied, Since: after.Add(time.Microsecond), PageSize: 1,
	})
	return len(list) > 0, err
}

// applyFactors writes the settings of the realm after a change, and signs out people without a newly required factor.
func (s changeStep) applyFactors(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindRealmErased {
		return s.erase(ctx, c)
	}
	if c.Kind != administration.KindRealmFactors && c.Kind != administration.KindRealmNotices {
		return nil // a comparison with clearing counts when the tree is sealed
	}
	asked, err := administration.FactorsOf(c.After, "")
	if err != nil {
		return err
	}
	row, err := s.q.RealmGet(ctx, s.realm)
	if err != nil {
		return err
	}
	if !s.guard.Fits(ctx, Realm(row)) {
		return &administration.ConflictError{
			Text: "The settings of the realm failed their integrity check. Do not continue. Ask an operator to run “countersign check”.",
		}
	}
	before := FactorRoles(row.SecondFactorRoles)
	row.SecondFactorRoles = FactorRolesColumn(asked.Roles)
	row.NoticeDetails = asked.NoticeDetails
	err = s.ledger.Put(Realm(row), One(s.q.RealmFactorsPut(ctx, row.SecondFactorRoles, row.NoticeDetails, s.realm)))
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(asked.Roles, func(role identity.Role) bool { return slices.Contains(before, role) })
	return s.signOutUnproven(ctx, fresh, uuid.Nil)
}

// signOutUnproven ends the sessions and tokens of people, or of one account, that hold one of some roles without a second factor: they add
// one at their next sign-in. An account that does not fit its seal is skipped, because nobody can sign in to it.
func (s changeStep) signOutUnproven(ctx context.Context, roles []identity.Role, only uuid.UUID) error {
	if len(roles) == 0 {
		return nil
	}
	rows, err := s.q.UserUnprovenList(ctx, s.realm, OrNull(only), names(roles))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !s.guard.Fits(ctx, User(row)) {
			continue
		}
		err = s.changeAccount(ctx, row, AccountChange{SignedOutAt: s.at})
		if err != nil {
			return err
		}
	}
	return nil
}

// askedOf returns those of an account's roles for which the realm requires a second factor.
func (s changeStep) askedOf(ctx context.Context, roles []identity.Role) ([]identity.Role, error) {
	row, err := s.q.RealmGet(ctx, s.realm)
	asked := FactorRoles(row.SecondFactorRoles)
	return slices.DeleteFunc(asked, func(role identity.Role) bool { return !slices.Contains(roles, role) }), err
}

// FactorRow is the row of a second factor.
func FactorRow(f dbsqlc.SecondFactor) Row {
	return Row{Table: "second_factor", Realm: f.Realm, Key: f.FactorID.String()}.
		covers(f.FactorID, f.UserID, f.Kind, f.Name, f.Secret, f.CredentialID, f.MadeAt, f.RemovedAt).
		in(f.UserID.String())
}

// FactorUseRow is the row of a successful use of a second factor.
func FactorUseRow(u dbsqlc.FactorUse) Row {
	var message, version any = (*string)(nil), (*int64)(nil)
	if u.MessageID != nil {
		message = *u.MessageID
	}
	if u.Version != nil {
		version = *u.Version
	}
	return Row{Table: "factor_use", Realm: u.Realm, Key: u.UseID.String(), KeyID: u.KeyID, Seal: u.Seal}.
		covers(u.UseID, u.FactorID, u.UserID, u.Token, u.Purpose, u.At, message, version, u.ContentHash, u.Action, u.SignCount)
}

// removeFactors removes factors of a user account, or only one. It also removes a row that differs from the newest change, even a removed
// one: such a row locked its owner out, and the caller may remove all factors.
func (w realmWriter) removeFactors(ctx context.Context, user, only uuid.UUID) error {
	rows, err := w.q.FactorOfUserList(ctx, w.realm, user)
	if err != nil {
		return err
	}
	for _, row := range rows {
		f := row.SecondFactor
		over := f.RemovedAt != nil && w.ledger.Has(FactorRow(f))
		if over || only != uuid.Nil && f.FactorID != only {
			continue
		}
		f.RemovedAt = &w.at
		err = w.ledger.Put(FactorRow(f), One(w.q.FactorRemove(ctx, f.RemovedAt, f.Realm, f.FactorID)))
		if err != nil {
			return err
		}
	}
	return nil
}

// FactorRoles parses the column of the roles for which a realm requires a second factor.
func FactorRoles(column string) []identity.Role {
	var roles []identity.Role
	for name := range strings.SplitSeq(column, ",") {
		if name != "" {
			roles = append(roles, identity.Role(name))
		}
	}
	return roles
}

// FactorRolesColumn formats the roles for that column.
func FactorRolesColumn(roles []identity.Role) string {
	return strings.Join(names(roles), ",")
}
