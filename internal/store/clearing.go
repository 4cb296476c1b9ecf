package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Outgoing is a released message with all that sending it needs.
type Outgoing struct {
	Message payment.Message
	Release payment.Release
	Content []byte                // the released version's bytes
	Account payment.DebtorAccount // the account an instruction debits, as its bank knows it
}

// Outgoing loads a released message. It fails with payment.ErrNotFound when there is no release.
func (s *Store) Outgoing(ctx context.Context, realm string, id uuid.UUID) (Outgoing, error) {
	var out Outgoing
	err := s.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.ReleaseGet(ctx, realm, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("load the release: %w", err)
		}
		out.Release, out.Content = releaseFromDB(row), row.Content
		out.Message, err = load(ctx, q, realm, id, forRead)
		if err != nil {
			return err
		}
		if out.Message.Kind != payment.KindInstruction {
			return nil
		}
		a, err := q.AccountGet(ctx, realm, out.Message.Summary.DebtorAccount)
		if err != nil {
			return fmt.Errorf("load the debtor account: %w", err)
		}
		out.Account = accountFromDB(a)
		return nil
	})
	return out, err
}

func releaseFromDB(row dbsqlc.ReleaseGetRow) payment.Release {
	r := row.Release
	return payment.Release{
		Realm: r.Realm, InternalID: r.MessageID, Version: int(r.Version), Makers: r.Makers, Approvers: row.Approvers,
		ContentHash: payment.Digest(r.ContentHash), AcceptedAt: r.AcceptedAt.UTC(), KeyID: r.KeyID, MAC: [sha256.Size]byte(r.Mac),
	}
}

func accountFromDB(a dbsqlc.DebtorAccount) payment.DebtorAccount {
	return payment.DebtorAccount{
		IBAN: a.Iban, Scheme: rulebook.Scheme(a.Scheme), Currency: a.Currency, AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Open: a.Open,
		Holder: interbank.Holder{
			Name: a.HolderName, Street: a.HolderStreet, Building: a.HolderBuilding, Postcode: a.HolderPostcode,
			Town: a.HolderTown, Country: a.HolderCountry,
		},
	}
}

// OutboundDocument is an interbank or status document that is kept before anybody sees it.
type OutboundDocument struct {
	Realm     string
	MessageID uuid.UUID
	Scheme    rulebook.Scheme
	Name      iso20022.MessageName
	Reference string
	Content   []byte
	At        time.Time
}

// KeepOutbound stores an outbound document, once for its reference, and returns the bytes that are stored: those of the first call.
func (s *Store) KeepOutbound(ctx context.Context, d OutboundDocument) ([]byte, error) {
	var kept []byte
	err := s.db.inRealm(ctx, d.Realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		err := s.keepOutbound(ctx, q, d)
		if err != nil {
			return err
		}
		row, err := q.DocumentGetOutbound(ctx, d.Realm, d.Reference)
		if err != nil {
			return fmt.Errorf("read the kept document: %w", err)
		}
		kept = row.Content
		return nil
	})
	return kept, err
}

// keepOutbound stores an outbound document in a transaction that is under way, unless its reference is kept already.
func (s *Store) keepOutbound(ctx context.Context, q *dbsqlc.Queries, d OutboundDocument) error {
	err := q.DocumentInsert(ctx, dbsqlc.DocumentInsertParams{
		Realm: d.Realm, DocumentID: s.newID(), MessageID: &d.MessageID, Scheme: string(d.Scheme), Direction: string(payment.DocumentOut),
		Name: string(d.Name), Reference: d.Reference, Content: d.Content, CreatedAt: d.At,
	})
	if err != nil {
		return fmt.Errorf("keep the document: %w", err)
	}
	return nil
}

// Outbound returns a stored outbound document's bytes, or payment.ErrNotFound.
func (s *Store) Outbound(ctx context.Context, realm, reference string) ([]byte, error) {
	var kept []byte
	err := s.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.DocumentGetOutbound(ctx, realm, reference)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.ErrNotFound
		}
		kept = row.Content
		return err
	})
	return kept, err
}

// Inbound is a document clearing sent.
type Inbound struct {
	Scheme     rulebook.Scheme
	Name       iso20022.MessageName
	Reference  string // message id
	Content    []byte
	ReceivedAt time.Time
}

func inboundFromDB(row dbsqlc.InboxListOverdueRow) Inbound {
	return Inbound{
		Scheme: rulebook.Scheme(row.Scheme), Name: iso20022.MessageName(row.Name), Reference: row.Reference, Content: row.Content,
		ReceivedAt: row.ReceivedAt.UTC(),
	}
}

// ErrSeen: a document with this message id and content was stored before.
var ErrSeen = errors.New("the message id was received before")

// Record stores a document that belongs to a message, once for its message id, and makes the transition it asks for, in one
// transaction, with our answers to it. It fails with ErrSeen for a duplicate; a decide that returns ErrNoChange keeps the document and
// moves nothing.
func (s *Store) Record(ctx context.Context, in Inbound, realm string, id uuid.UUID, decide Decide, answers ...Answer) error {
	return s.db.inRealm(ctx, realm, changing, func(tx pgx.Tx, q *dbsqlc.Queries) error {
		m, err := load(ctx, q, realm, id, forUpdate)
		if err != nil {
			return err
		}
		document := s.newID()
		err = s.inbox(ctx, q, in, dbsqlc.InboxInsertParams{Outcome: "matched", Realm: &realm, DocumentID: &document})
		if err != nil {
			return err
		}
		err = q.DocumentInsert(ctx, dbsqlc.DocumentInsertParams{
			Realm: realm, DocumentID: document, MessageID: &id, Scheme: string(in.Scheme), Direction: "in", Name: string(in.Name),
			Reference: in.Reference, Content: in.Content, CreatedAt: in.ReceivedAt,
		})
		if err != nil {
			return fmt.Errorf("store the document: %w", err)
		}
		t, err := decide(m)
		if err == nil {
			err = s.write(ctx, tx, q, t)
		}
		if err != nil && !errors.Is(err, ErrNoChange) {
			return err
		}
		for i := range answers {
			err = s.answer(ctx, tx, q, m, &answers[i])
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Quarantine stores a document that belongs to nothing here, or cannot be booked, with the reason, for an operator. It fails with
// ErrSeen for a duplicate.
func (s *Store) Quarantine(ctx context.Context, in Inbound, reason string) error {
	return s.inbox(ctx, dbsqlc.New(s.db.pool), in, dbsqlc.InboxInsertParams{Outcome: "quarantined", Reason: reason, Content: in.Content})
}

func (s *Store) inbox(ctx context.Context, q *dbsqlc.Queries, in Inbound, p dbsqlc.InboxInsertParams) error {
	digest := sha256.Sum256(in.Content)
	p.Scheme, p.Reference, p.Name, p.ContentHash, p.ReceivedAt = string(in.Scheme), in.Reference, string(in.Name), digest[:], in.ReceivedAt
	added, err := q.InboxInsert(ctx, p)
	if err != nil {
		return fmt.Errorf("note the document in the inbox: %w", err)
	}
	if added == 1 {
		return nil
	}
	if p.Outcome == "waiting" {
		return ErrSeen
	}
	// It may be known as waiting: then this is the moment it waited for.
	settled, err := q.InboxSettleIf(ctx, dbsqlc.InboxSettleIfParams{
		Scheme: p.Scheme, Reference: p.Reference, Outcome: p.Outcome, Reason: p.Reason, Realm: p.Realm, DocumentID: p.DocumentID,
	})
	if err != nil {
		return fmt.Errorf("note the end of waiting in the inbox: %w", err)
	}
	if settled == 0 {
		return ErrSeen
	}
	return nil
}

// Due are the messages that time has something to say about, of one realm, each list oldest first and bounded.
type Due struct {
	Undelivered []uuid.UUID // released before the given time, not yet with clearing
	Overdue     []uuid.UUID // with clearing for longer than its time
	ToInquire   []uuid.UUID // unconfirmed, and it is time to ask
	Expired     []uuid.UUID // pending for longer than their policy lets them
	FallingDue  []uuid.UUID // recalls of ours whose answer is late
	ToAnswer    []uuid.UUID // received recalls that were answered, which is not noted yet
}

// DueTimes are the times Due compares with.
type DueTimes struct {
	Now            time.Time
	ReleasedBefore time.Time
	AcceptedBefore time.Time // now less the scheme's time
	PageSize       int32
}

// Due lists what is due in a realm.
func (s *Store) Due(ctx context.Context, realm string, at DueTimes) (Due, error) {
	var due Due
	err := s.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		due.Undelivered, err = q.MessageListUndelivered(ctx, realm, at.ReleasedBefore, at.PageSize)
		if err != nil {
			return err
		}
		due.Overdue, err = q.MessageListOverdue(ctx, realm, at.AcceptedBefore, at.PageSize)
		if err != nil {
			return err
		}
		due.ToInquire, err = q.MessageListToInquire(ctx, realm, at.Now, at.PageSize)
		if err != nil {
			return err
		}
		due.Expired, err = q.MessageListExpired(ctx, realm, at.Now, at.PageSize)
		if err != nil {
			return err
		}
		due.FallingDue, err = q.MessageListFallingDue(ctx, realm, at.Now.AddDate(0, 0, -1), at.PageSize)
		if err != nil {
			return err
		}
		due.ToAnswer, err = q.MessageListToAnswer(ctx, realm, at.PageSize)
		return err
	})
	if err != nil {
		return Due{}, fmt.Errorf("list what is due: %w", err)
	}
	return due, nil
}

// Realms returns the names of all realms.
func (s *Store) Realms(ctx context.Context) ([]string, error) {
	rows, err := dbsqlc.New(s.db.pool).RealmList(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the realms: %w", err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Realm
	}
	return names, nil
}

// FindByGlobalID returns the realm and the key of the message a Global ID names, or payment.ErrNotFound.
func (s *Store) FindByGlobalID(ctx context.Context, global payment.GlobalID) (realm string, id uuid.UUID, err error) {
	realm, err = dbsqlc.New(s.db.pool).RealmByMark(ctx, global.Mark())
	if errors.Is(err, pgx.ErrNoRows) {
		return "", uuid.Nil, payment.ErrNotFound
	}
	if err != nil {
		return "", uuid.Nil, fmt.Errorf("find the realm: %w", err)
	}
	err = s.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		id, err = q.MessageIDByGlobalID(ctx, realm, string(global))
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.ErrNotFound
		}
		return err
	})
	return realm, id, err
}

// Received reports whether the inbox holds a document with this message id and the same content.
func (s *Store) Received(ctx context.Context, in Inbound) (bool, error) {
	row, err := dbsqlc.New(s.db.pool).InboxGet(ctx, string(in.Scheme), in.Reference)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look into the inbox: %w", err)
	}
	digest := sha256.Sum256(in.Content)
	return bytes.Equal(row.ContentHash, digest[:]), nil
}
