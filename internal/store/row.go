package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/payee"
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
	group  string
	policy *dbsqlc.Policy // of the table policy
	name   string         // of a person or an account, as people read it
	record identity.Record
	err    error // the record could not be made
}

// Digest is the digest of the fields of the row.
func (r Row) Digest() [sha256.Size]byte { return r.record.Digest() }

// Record returns the content of the digest.
func (r Row) Record() []byte { return r.record.Bytes() }

// in adds the row to a group.
func (r Row) in(group string) Row {
	r.group = group
	return r
}

// Check checks the row's seal, under keys made by identity.MasterDataKeys. Errors: keyring.ErrForged, keyring.ErrUnknownKey.
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

// Directory is the row of an edition of a bank directory. Its entries are covered by the digest.
func Directory(d dbsqlc.DirectoryNewestListRow) Row {
	return Row{Table: "routing_directory", Realm: d.Realm, Key: d.DirectoryID.String()}.
		in(d.Scheme).covers(d.DirectoryID, d.Scheme, d.Edition, d.Source, d.Entries, d.ContentHash, d.LoadedAt)
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

// BreakGlass is the row of an action of the operator in a realm with two administrators.
func BreakGlass(b dbsqlc.BreakGlass) Row {
	return Row{Table: "break_glass", Realm: b.Realm, Key: b.BreakGlassID.String()}.covers(b.BreakGlassID, b.UserID, b.Reason, b.At, b.Deed)
}

// Sealed reads all rows with a seal under the keys of master data, of every realm, as a login that sees them: immutable facts, and editions
// that belong to no realm.
func Sealed(ctx context.Context, q *dbsqlc.Queries) ([]Row, error) {
	return readRows(ctx, q, "",
		rowsOf(ofAll((*dbsqlc.Queries).FactorUseListAll), FactorUseRow),
		rowsOf(ofAll((*dbsqlc.Queries).ReferenceListAll), func(r dbsqlc.ReferenceListAllRow) Row {
			return Reference(dbsqlc.ReferenceNewestListRow(r))
		}),
		rowsOf(ofAll((*dbsqlc.Queries).ChangeListAll), Change),
		rowsOf(ofAll((*dbsqlc.Queries).ChangeDecisionListAll), ChangeDecision),
	)
}

// rowReader reads the rows of one table.
type rowReader func(ctx context.Context, q *dbsqlc.Queries, realm string) ([]Row, error)

func rowsOf[T any](read func(*dbsqlc.Queries, context.Context, string) ([]T, error), row func(T) Row) rowReader {
	return func(ctx context.Context, q *dbsqlc.Queries, realm string) ([]Row, error) {
		stored, err := read(q, ctx, realm)
		rows := make([]Row, len(stored))
		for i := range stored {
			rows[i] = row(stored[i])
		}
		return rows, err
	}
}

// ofAll adapts a query over all realms.
func ofAll[T any](read func(*dbsqlc.Queries, context.Context) ([]T, error)) func(*dbsqlc.Queries, context.Context, string) ([]T, error) {
	return func(q *dbsqlc.Queries, ctx context.Context, _ string) ([]T, error) { return read(q, ctx) }
}

func readRows(ctx context.Context, q *dbsqlc.Queries, realm string, readers ...rowReader) ([]Row, error) {
	var all []Row
	for _, read := range readers {
		rows, err := read(ctx, q, realm)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// Seal reads the two columns of a seal; a row without one has the zero Seal.
func Seal(keyID string, mac []byte) keyring.Seal {
	seal := keyring.Seal{KeyID: keyID}
	copy(seal.MAC[:], mac)
	return seal
}

// Payee reads the three columns of a verification of the payee; a version without one has none.
func Payee(result, matchedName *string, at *time.Time) payee.Verification {
	return payee.Verification{Result: payee.Result(Text(result)), MatchedName: Text(matchedName), At: Time(at)}
}

// Text reads a nullable column; NULL is "".
func Text(column *string) string {
	if column == nil {
		return ""
	}
	return *column
}

// Time reads a nullable time; NULL is the zero time.
func Time(column *time.Time) time.Time {
	if column == nil {
		return time.Time{}
	}
	return column.UTC()
}

// OrNull writes a value for a nullable column; the zero value is NULL.
func OrNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// ActorIDs returns the actor's user and person for nullable columns; both are NULL when the gateway acts.
func ActorIDs(a identity.Actor) (user, person *uuid.UUID) {
	return OrNull(a.UserID), OrNull(a.PersonID)
}

// Roles converts names of roles to the domain's.
func Roles(names []string) []identity.Role {
	roles := make([]identity.Role, len(names))
	for i, name := range names {
		roles[i] = identity.Role(name)
	}
	return roles
}

// Seconds reads a column that counts seconds.
func Seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

// OrZero reads a nullable column; NULL is the zero value.
func OrZero[T any](column *T) T {
	if column == nil {
		var zero T
		return zero
	}
	return *column
}

// Kept returns the fields that the seal of a stored document covers, with the digest of the stored content.
func Kept(d dbsqlc.Document) auditlog.Kept {
	return auditlog.Kept{
		Outbound: auditlog.Outbound{
			Realm: d.Realm, MessageID: OrZero(d.MessageID), Scheme: d.Scheme, Name: iso20022.MessageName(d.Name),
			Reference: d.Reference, Hash: sha256.Sum256(d.Content),
		},
		Direction: d.Direction, SourceHash: sha256.Sum256(d.Source), SourceType: Text(d.SourceType),
	}
}
