package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Reader reads messages, documents and their history. It cannot write; pages and lists only get a Reader.
type Reader struct {
	db    *Database
	banks *directories
	q     *dbsqlc.Queries // of the transaction of Together; nil for one of its own for each read
}

// NewReader makes a Reader.
func NewReader(db *Database) *Reader { return &Reader{db: db, banks: newDirectories(db)} }

// in returns the queries of a realm: those of the transaction of Together, or each in a transaction of its own.
func (r *Reader) in(realm string, mode Mode) *dbsqlc.Queries {
	if r.q != nil {
		return r.q
	}
	return r.db.In(realm, mode)
}

// read runs a read of several statements of a realm; a realm that cannot exist is empty.
func (r *Reader) read(ctx context.Context, realm string, mode Mode, work func(*dbsqlc.Queries) error) error {
	if r.q != nil {
		return missing(work(r.q))
	}
	return missing(r.db.InRealm(ctx, realm, mode, work))
}

// missing returns payment.ErrNotFound for a row that is not there and for a realm that cannot exist.
func missing(err error) error {
	if errors.Is(err, ErrNoRealm) || errors.Is(err, pgx.ErrNoRows) {
		return payment.ErrNotFound
	}
	return err
}

// Together runs several reads of a realm in one transaction of mode Searching. work reads only with the Reader that it gets: it must not
// wait for another connection.
func (r *Reader) Together(ctx context.Context, realm string, work func(*Reader) error) error {
	return r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error { return work(&Reader{db: r.db, banks: r.banks, q: q}) })
}

// Message returns a message with its current content and its decisions, or payment.ErrNotFound, payment.ArchivedError for one that left.
func (r *Reader) Message(ctx context.Context, realm string, id uuid.UUID) (payment.Message, error) {
	var m payment.Message
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		var err error
		m, err = r.db.loader(q).Message(ctx, realm, id, ForRead)
		if errors.Is(err, payment.ErrNotFound) {
			err = left(ctx, q, realm, id.String())
		}
		return err
	})
	return m, err
}

// left returns the error for a message that is not in the database: payment.ArchivedError if it left with an archive, by one of its names,
// or payment.ErrNotFound.
func left(ctx context.Context, q *dbsqlc.Queries, realm string, names ...string) error {
	ids := []uuid.UUID{}
	for _, name := range names {
		if id, err := uuid.Parse(name); err == nil {
			ids = append(ids, id)
		}
	}
	month, err := q.ArchivedMonthOf(ctx, realm, ids, names)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return payment.ErrNotFound
	case err != nil:
		return fmt.Errorf("read the archives of messages: %w", err)
	}
	return &payment.ArchivedError{Month: month}
}

// Left returns payment.ArchivedError if a message left the realm's database with an archive, by its id, its Global ID or its UETR, or nil.
func (r *Reader) Left(ctx context.Context, realm string, names ...string) error {
	return missing(archived(ctx, r.in(realm, Reading), realm, names...))
}

// archived is left, and nil for a message that did not leave.
func archived(ctx context.Context, q *dbsqlc.Queries, realm string, names ...string) error {
	err := left(ctx, q, realm, names...)
	var found *payment.ArchivedError
	if errors.Is(err, payment.ErrNotFound) && !errors.As(err, &found) {
		return nil
	}
	return err
}

// WholeMessages returns messages as Message does, in the order of their ids. It leaves out unknown ones.
func (r *Reader) WholeMessages(ctx context.Context, realm string, ids []uuid.UUID) ([]payment.Message, error) {
	var list []payment.Message
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		var err error
		list, err = r.db.loader(q).Messages(ctx, realm, ids, ForRead)
		return err
	})
	return list, err
}

// InternalID returns the key of the message a Global ID names in this realm, or fails as Message does.
func (r *Reader) InternalID(ctx context.Context, realm string, global payment.ID) (uuid.UUID, error) {
	q := r.in(realm, Reading)
	id, err := q.MessageIDByGlobalID(ctx, realm, string(global))
	if errors.Is(err, pgx.ErrNoRows) {
		err = left(ctx, q, realm, string(global))
	}
	return id, missing(err)
}

// Filter narrows a list of messages; a zero field does not.
type Filter struct {
	OriginalID                                   uuid.UUID // only R-transactions of this message
	Before                                       uuid.UUID // the last key of the page before: only older ones, or younger with OldestFirst
	OldestFirst                                  bool
	ChangedSince                                 time.Time // entered their state then or later
	InternalID                                   uuid.UUID
	GlobalID, Kind, Scheme, Direction            string
	ExternalIDs                                  []string  // of any of them
	CreditID                                     uuid.UUID // this incoming payment, and what answers it or asks for it back
	RecallStatus                                 payment.RecallStatus
	UETR                                         string
	OrKind                                       payment.Kind // of this kind too
	States                                       []payment.State
	CreatedFrom, CreatedTo                       time.Time
	Approved                                     bool // by people, and released: not what needed no approval
	MakerLogin                                   string
	MakerUser                                    uuid.UUID
	InstructionID                                string
	EndToEndIDs                                  []string // any of them
	DebtorAccount, DebtorAgent, DebtorName       string   // names: any part, in any case
	CreditorAccount, CreditorAgent, CreditorName string
	Currency                                     string
	AmountFrom, AmountTo                         int64  // minor units
	Search                                       Search // Page looks for it, but not together with OriginalID or OldestFirst
	PageSize                                     int32

	keys []uuid.UUID // only these; nil for all
}

// unwalked reports whether the filter has a field that no scan over keys supports.
func (f Filter) unwalked() bool {
	return f.InternalID != uuid.Nil || f.CreditID != uuid.Nil || len(f.ExternalIDs)+len(f.EndToEndIDs) > 0 || cmp.Or(
		f.GlobalID, f.UETR, string(f.RecallStatus), f.InstructionID, f.DebtorAccount, f.DebtorAgent, f.DebtorName,
		f.CreditorAccount,
		f.CreditorAgent, f.CreditorName, f.Currency,
	) != ""
}

// names converts a list for a column of texts; an empty one is NULL.
func names[T ~string](list []T) []string {
	var texts []string
	for _, entry := range list {
		texts = append(texts, string(entry))
	}
	return texts
}

func (f Filter) kinds() []string {
	switch {
	case f.Kind == "":
		return nil
	case f.OrKind == "":
		return []string{f.Kind}
	}
	return []string{f.Kind, string(f.OrKind)}
}

// recallStates returns the states of a recall that give its payment the status; nil for any.
func (f Filter) recallStates() []string {
	if f.RecallStatus == "" {
		return nil
	}
	var states []string
	for _, state := range payment.States() {
		if payment.RecallStatusOf(state) == f.RecallStatus {
			states = append(states, string(state))
		}
	}
	return states
}

// Messages lists messages, newest first unless the filter says otherwise. They come without content and without decisions.
func (r *Reader) Messages(ctx context.Context, realm string, f Filter) ([]payment.Message, error) {
	list, err := r.messages(ctx, r.in(realm, Searching), realm, f)
	return list, missing(err)
}

// MessagesOf reads the messages with these keys, as Messages does, by their keys; unknown ones are missing.
func (r *Reader) MessagesOf(ctx context.Context, realm string, keys []uuid.UUID) (map[uuid.UUID]payment.Message, error) {
	if len(keys) == 0 {
		return map[uuid.UUID]payment.Message{}, nil
	}
	list, err := r.Messages(ctx, realm, Filter{keys: keys, PageSize: int32(len(keys))}) //nolint:gosec // a page
	return byKey(list), err
}

// Booked reads the settled messages of a period that debited or credited our account, from a key on, oldest first.
func (r *Reader) Booked(
	ctx context.Context, realm, iban string, since, until time.Time, after uuid.UUID, most int32,
) ([]payment.Message, error) {
	q := r.in(realm, Searching)
	keys, err := q.BookedKeys(ctx, dbsqlc.BookedKeysParams{
		Realm: realm, Account: iban, Since: since, Until: until, After: after, PageSize: most,
	})
	if err != nil || len(keys) == 0 {
		return nil, missing(err)
	}
	return r.messages(ctx, q, realm, Filter{keys: keys, OldestFirst: true, PageSize: most})
}

// Prove withholds each of these messages unless the seal of its last move proves its state.
func (r *Reader) Prove(ctx context.Context, realm string, list []payment.Message) error {
	of := make([]*payment.Message, len(list))
	for i := range list {
		of[i] = &list[i]
	}
	return r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error { return r.db.loader(q).prove(ctx, realm, of) })
}

func (r *Reader) messages(ctx context.Context, q *dbsqlc.Queries, realm string, f Filter) ([]payment.Message, error) {
	rows, err := q.TransactionList(ctx, f.params(realm))
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	var list []payment.Message
	for _, row := range rows {
		list = append(list, ListedMessage(r.db.Seal(), r.db.names(realm), row))
	}
	return list, nil
}

func (f Filter) params(realm string) dbsqlc.TransactionListParams {
	return dbsqlc.TransactionListParams{
		Realm: realm, Keys: f.keys, FromKey: OrNull(f.Before), OldestFirst: f.OldestFirst, ChangedSince: OrNull(f.ChangedSince),
		InternalID: OrNull(f.InternalID), GlobalID: OrNull(f.GlobalID),
		ExternalIds: f.ExternalIDs, CreditID: OrNull(f.CreditID), RecallStates: f.recallStates(), Uetr: OrNull(f.UETR),
		Kinds: f.kinds(), Scheme: OrNull(f.Scheme), Direction: OrNull(f.Direction),
		OriginalID: OrNull(f.OriginalID), States: names(f.States), Approved: f.Approved,
		CreatedFrom: OrNull(f.CreatedFrom), CreatedTo: OrNull(f.CreatedTo), MakerLogin: OrNull(f.MakerLogin),
		MakerUser:     OrNull(f.MakerUser),
		InstructionID: OrNull(f.InstructionID), EndToEndIds: f.EndToEndIDs, DebtorAccount: OrNull(f.DebtorAccount),
		DebtorAgent: OrNull(f.DebtorAgent), DebtorName: OrNull(f.DebtorName), CreditorAccount: OrNull(f.CreditorAccount),
		CreditorAgent: OrNull(f.CreditorAgent), CreditorName: OrNull(f.CreditorName), Currency: OrNull(f.Currency),
		AmountFrom: OrNull(f.AmountFrom), AmountTo: OrNull(f.AmountTo), PageSize: f.PageSize,
	}
}

// Documents lists documents, newest first unless the filter says otherwise, without their content.
func (r *Reader) Documents(ctx context.Context, realm string, f DocumentFilter) ([]OutboundDocument, error) {
	rows, err := r.in(realm, Searching).DocumentList(ctx, dbsqlc.DocumentListParams{
		Realm: realm, MessageID: OrNull(f.MessageID), FromKey: OrNull(f.Before), OldestFirst: f.OldestFirst,
		ChangedSince: OrNull(f.ChangedSince),
		Name:         OrNull(f.Name), Direction: OrNull(f.Direction), Scheme: OrNull(f.Scheme), PageSize: f.PageSize,
		CreatedFrom: OrNull(f.CreatedFrom), CreatedTo: OrNull(f.CreatedTo), GlobalID: OrNull(f.GlobalID),
		ExternalID:    OrNull(f.ExternalID),
		InstructionID: OrNull(f.InstructionID), EndToEndID: OrNull(f.EndToEndID), DebtorAccount: OrNull(f.DebtorAccount),
		DebtorAgent: OrNull(f.DebtorAgent), DebtorName: OrNull(f.DebtorName), CreditorAccount: OrNull(f.CreditorAccount),
		CreditorAgent: OrNull(f.CreditorAgent), CreditorName: OrNull(f.CreditorName),
	})
	var list []OutboundDocument
	for _, row := range rows {
		d := OutboundDocument{
			Document: Document{
				ID: row.DocumentID, Realm: realm, MessageID: OrZero(row.MessageID), Scheme: rulebook.Scheme(row.Scheme),
				Name: iso20022.MessageName(row.Name), Reference: row.Reference, At: row.CreatedAt.UTC(),
			},
			Direction: payment.DocumentDirection(row.Direction), Size: int(row.Size),
			Delivered:  row.Delivered && r.marked(row.Scheme, row.Reference, row.MarkedAt, Seal(Text(row.MarkKeyID), row.MarkMac)),
			SourceType: Text(row.SourceType),
		}
		copy(d.Hash[:], row.ContentHash) // whatever its length: it is held against the seal
		list = append(list, r.sealed(d, payment.Digest(row.SourceHash), Seal(row.KeyID, row.Mac)))
	}
	return list, wrapped(missing(err), "list documents")
}

// Document returns one document with its content, or payment.ErrNotFound.
func (r *Reader) Document(ctx context.Context, realm string, id uuid.UUID) (OutboundDocument, error) {
	row, err := r.in(realm, Reading).DocumentGet(ctx, realm, id)
	if err != nil {
		return OutboundDocument{}, missing(err)
	}
	doc := row.Document
	return r.sealed(OutboundDocument{
		Document: DocumentOf(doc), Direction: payment.DocumentDirection(doc.Direction), Size: len(doc.Content),
		Delivered: row.Delivered && r.marked(doc.Scheme, doc.Reference, row.MarkedAt, Seal(Text(row.MarkKeyID), row.MarkMac)),
		Source:    doc.Source, SourceType: Text(doc.SourceType), Hash: sha256.Sum256(doc.Content),
	}, sha256.Sum256(doc.Source), Seal(doc.KeyID, doc.Mac)), nil
}

// marked reports whether a valid seal proves the mark that clearing has an answer; true for a document without a row in the outbox.
func (r *Reader) marked(scheme, reference string, at *time.Time, seal keyring.Seal) bool {
	if at == nil {
		return true
	}
	return r.db.Seal().CheckDelivery(auditlog.Delivery{Scheme: scheme, Reference: reference, At: *at}, seal) == nil
}

// Accounts lists the debtor accounts of a realm.
func (r *Reader) Accounts(ctx context.Context, realm string) ([]payment.DebtorAccount, error) {
	var list []payment.DebtorAccount
	rows, err := r.in(realm, Reading).AccountList(ctx, realm)
	for _, row := range rows {
		list = append(list, Account(row))
	}
	return list, missing(err)
}

// Total is a waiting amount in one currency.
type Total struct {
	Amount money.Amount
	Count  int64
	Oldest time.Time
}
