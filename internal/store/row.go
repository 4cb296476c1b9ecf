package store

import (
	"context"
	"crypto/sha256"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// Row is a row of master data: its table and key, and the fields that its record covers. Only rows outside the set of a head have a seal.
type Row struct {
	Table string
	Realm string
	Key   string // within its realm
	KeyID string
	Seal  []byte

	// group collects rows that readers take as a whole: one that is missing gives or widens a right. "" for none.
	group       string
	fingerprint []byte // of all policies, with a policy
	record      identity.Record
	err         error // the record could not be made
}

// Digest is the digest of the fields of the row.
func (r Row) Digest() [sha256.Size]byte { return r.record.Digest() }

// Record is the content of the digest.
func (r Row) Record() []byte { return r.record.Bytes() }

// in puts the row into a group.
func (r Row) in(group string) Row {
	r.group = group
	return r
}

// Check holds the row against its seal, under keys made by identity.MasterDataKeys. Errors: keyring.ErrForged, keyring.ErrUnknownKey.
func (r Row) Check(keys keyring.Ring) error {
	if r.err != nil {
		return r.err
	}
	return r.record.Check(keys, r.KeyID, r.Seal)
}

// Sealed makes the two columns of the row's seal.
func (r Row) Sealed(keys keyring.Ring) (keyID string, seal []byte, err error) {
	if r.err != nil {
		return "", nil, r.err
	}
	made := r.record.Seal(keys)
	return made.KeyID, made.MAC[:], nil
}

// covers adds sealed fields.
func (r Row) covers(values ...any) Row {
	r.record, r.err = identity.NewRecord(r.Table, r.Realm, values...)
	return r
}

// Realm is the row of a realm.
func Realm(r dbsqlc.Realm) Row {
	return Row{Table: "realm", Realm: r.Realm, Key: r.Realm}.
		covers(r.Name, r.Mark, r.MadeBy, r.AccessTokenSeconds, r.RefreshTokenSeconds, r.RefreshAbsoluteSeconds, r.SecondFactorRoles,
			r.NoticeDetails, r.CreatedAt)
}

// IncomingAccount is the row of an account that receives.
func IncomingAccount(a dbsqlc.IncomingAccount) Row {
	return Row{Table: "incoming_account", Realm: a.Realm, Key: a.Iban}.covers(&a.Iban, &a.Account)
}

// Person is the row of a person.
func Person(p dbsqlc.Person) Row {
	return Row{Table: "person", Realm: p.Realm, Key: p.PersonID.String()}.
		covers(p.PersonID, p.DisplayName, p.Duty, p.CreatedAt)
}

// User is the row of a user account.
func User(u dbsqlc.UserAccount) Row {
	return Row{Table: "user_account", Realm: u.Realm, Key: u.UserID.String()}.
		covers(u.UserID, u.PersonID, u.Duty, u.Name, u.PasswordHash, u.Status, u.SignedOutAt, u.Email, u.CreatedAt)
}

// Grant is the row of a grant of a role.
func Grant(g dbsqlc.UserRole) Row {
	return Row{Table: "user_role", Realm: g.Realm, Key: g.GrantID.String()}.
		covers(g.GrantID, g.UserID, g.Duty, g.Role, g.GrantedAt, g.EndedAt)
}

// ClientRow is the row of a client.
func ClientRow(c dbsqlc.Client) Row {
	return Row{Table: "client", Realm: c.Realm, Key: c.ClientID}.
		covers(c.ClientID, c.Kind, c.SecretHash, c.MayDecideOwn, c.SuppressedAt, c.PayeeWaived, c.Roles, c.CreatedAt)
}

// Policy is the row of a policy.
func Policy(p dbsqlc.Policy) Row {
	return Row{Table: "policy", Realm: p.Realm, Key: p.PolicyID.String()}.
		covers(p.PolicyID, p.Rank, p.ClientID, p.Channel, p.Scheme, p.Kind, p.AmountFrom, p.AmountTo, p.ApprovalsRequired, p.PendingSeconds,
			p.CreatedAt, p.RetiredAt, p.ContentHashRequired, p.StepUp, p.Funds)
}

// DebtorAccount is the row of a debtor account.
func DebtorAccount(a dbsqlc.DebtorAccount) Row {
	return Row{Table: "debtor_account", Realm: a.Realm, Key: a.Iban}.
		covers(&a.Iban, &a.Scheme, &a.Currency, &a.HolderName, &a.HolderStreet, &a.HolderBuilding, &a.HolderPostcode, &a.HolderTown,
			&a.HolderCountry, &a.AgentBic, &a.AgentIid, a.Open)
}

// Limit is the row of a limit.
func Limit(l dbsqlc.SpendingLimit) Row {
	return Row{Table: "spending_limit", Realm: l.Realm, Key: l.LimitID.String()}.
		covers(l.LimitID, l.LimitOf, l.Holder, l.Currency, l.PerPayment, l.PerDay, l.PerDaySince, l.SetAt).
		in(limitGroup(l))
}

// limitGroup is the group of the limits of a holder that have an amount; "" for a limit without one.
func limitGroup(l dbsqlc.SpendingLimit) string {
	if l.PerPayment == nil && l.PerDay == nil {
		return ""
	}
	return l.LimitOf + " " + l.Holder
}

// SetUpRow is the row of a set-up.
func SetUpRow(s dbsqlc.UserSetup) Row {
	return Row{Table: "user_setup", Realm: s.Realm, Key: s.SetupID.String()}.
		covers(s.SetupID, s.UserID, s.LinkHash, s.CodeHash, s.MadeAt, s.ExpiresAt)
}

// Directory is the row of an edition of a directory of banks. Its rows are those of the digest.
func Directory(d dbsqlc.DirectoryNewestListRow) Row {
	return Row{Table: "routing_directory", Realm: d.Realm, Key: d.DirectoryID.String()}.
		covers(d.DirectoryID, d.Scheme, d.Edition, d.Source, d.Entries, d.ContentHash, d.LoadedAt)
}

// Reference returns the row of an edition of reference data, which has no realm. The digest covers the content.
func Reference(r dbsqlc.ReferenceNewestListRow) Row {
	return Row{Table: "reference_edition", Key: r.EditionID.String(), KeyID: r.KeyID, Seal: r.Seal}.
		covers(r.EditionID, r.Kind, r.Edition, r.FromDay, r.Scope, r.Source, r.Entries, r.ContentHash, r.LoadedAt)
}

// Change returns the row of a change of administration.
func Change(c dbsqlc.RealmChange) Row {
	return Row{Table: "realm_change", Realm: c.Realm, Key: c.ChangeID.String(), KeyID: c.KeyID, Seal: c.Seal}.
		covers(c.ChangeID, c.Kind, c.Subject, c.BeneficiaryPerson, c.Content, c.CodeHash, c.RequesterUser, c.RequesterPerson, c.RequesterGrantID,
			c.RequesterClient, c.RequestedAt)
}

// ChangeDecision returns the row of a decision on a change. The column decided_in is set by the database and not
// covered.
func ChangeDecision(d dbsqlc.RealmChangeDecision) Row {
	return Row{Table: "realm_change_decision", Realm: d.Realm, Key: d.ChangeID.String(), KeyID: d.KeyID, Seal: d.Seal}.
		covers(d.ChangeID, d.RequesterPerson, d.BeneficiaryPerson, d.ContentHash, d.Ordinal, d.Action, d.Reason, d.DeciderUser, d.DeciderPerson,
			d.DeciderGrantID, d.DeciderClient, d.DecidedAt)
}

// Beneficiary is the row of a creditor that two people of payments agreed on.
func Beneficiary(b dbsqlc.Beneficiary) Row {
	return Row{Table: "beneficiary", Realm: b.Realm, Key: b.BeneficiaryID.String()}.
		covers(b.BeneficiaryID, b.Name, b.Iban, b.Street, b.BuildingNumber, b.AddressLine1, b.AddressLine2, b.Postcode, b.Town, b.Country,
			b.AddedAt, b.AccountChangedAt, b.EarlierIban, b.Removed)
}

// BreakGlass is the row of an action of the operator past two administrators.
func BreakGlass(b dbsqlc.BreakGlass) Row {
	return Row{Table: "break_glass", Realm: b.Realm, Key: b.BreakGlassID.String()}.covers(b.BreakGlassID, b.UserID, b.Reason, b.At, b.Deed)
}

// Set reads the rows of the master data of a realm, or of all realms for "", as a login that sees them. They are the rows under the head
// of a realm.
func Set(ctx context.Context, q *dbsqlc.Queries, realm string) ([]Row, error) {
	return rowsOfAll([]func() ([]Row, error){
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.RealmListAll), Realm) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.IncomingAccountListAll), IncomingAccount) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.PersonListAll), Person) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.UserListAll), User) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.GrantListAll), Grant) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.ClientListAll), ClientRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.PolicyListAll), policyRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.DebtorAccountListAll), DebtorAccount) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.LimitListAll), Limit) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.SetUpListAll), SetUpRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.FactorListAll), FactorRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.ProviderListAll), ProviderRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.WebhookListAll), WebhookRow) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.OuterIdentityListAll), OuterIdentity) },
		func() ([]Row, error) {
			return rowsOf(ctx, of(realm, q.DirectoryListAll), func(d dbsqlc.DirectoryListAllRow) Row {
				return Directory(dbsqlc.DirectoryNewestListRow(d))
			})
		},
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.BeneficiaryListAll), Beneficiary) },
		func() ([]Row, error) { return rowsOf(ctx, of(realm, q.BreakGlassListAll), BreakGlass) },
	})
}

// Sealed reads every row with a seal under the keys of master data, of every realm, as a login that sees them: facts that never change,
// and editions that belong to no realm.
func Sealed(ctx context.Context, q *dbsqlc.Queries) ([]Row, error) {
	return rowsOfAll([]func() ([]Row, error){
		func() ([]Row, error) { return rowsOf(ctx, q.FactorUseListAll, FactorUseRow) },
		func() ([]Row, error) {
			return rowsOf(ctx, q.ReferenceListAll, func(r dbsqlc.ReferenceListAllRow) Row { return Reference(dbsqlc.ReferenceNewestListRow(r)) })
		},
		func() ([]Row, error) { return rowsOf(ctx, q.ChangeListAll, Change) },
		func() ([]Row, error) { return rowsOf(ctx, q.ChangeDecisionListAll, ChangeDecision) },
	})
}

func policyRow(p dbsqlc.PolicyListAllRow) Row {
	row := Policy(p.Policy)
	row.fingerprint = p.Fingerprint
	return row
}

// of gives a query its realm.
func of[T any](realm string, read func(context.Context, string) ([]T, error)) func(context.Context) ([]T, error) {
	return func(ctx context.Context) ([]T, error) { return read(ctx, realm) }
}

func rowsOfAll(reads []func() ([]Row, error)) ([]Row, error) {
	var all []Row
	for _, read := range reads {
		rows, err := read()
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func rowsOf[T any](ctx context.Context, read func(context.Context) ([]T, error), row func(T) Row) ([]Row, error) {
	stored, err := read(ctx)
	rows := make([]Row, len(stored))
	for i := range stored {
		rows[i] = row(stored[i])
	}
	return rows, err
}
