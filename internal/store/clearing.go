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

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

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
		m, err := s.db.load(ctx, q, realm, id, forUpdate)
		if err != nil {
			return err
		}
		document := s.newID()
		err = s.inbox(ctx, q, in, dbsqlc.InboxInsertParams{Outcome: "matched", Realm: &realm, DocumentID: &document})
		if err != nil {
			return err
		}
		_, err = q.DocumentInsert(ctx, dbsqlc.DocumentInsertParams{
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

// Quarantine stores a document that belongs to nothing here, or cannot be booked, with the reason, for an operator, and the answer it
// gets all the same, if there is one. It fails with ErrSeen for a duplicate.
func (s *Store) Quarantine(ctx context.Context, in Inbound, reason string, answer *Answer) error {
	return pgx.BeginFunc(ctx, s.db.pool, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		err := s.inbox(ctx, q, in, dbsqlc.InboxInsertParams{Outcome: "quarantined", Reason: reason, Content: in.Content})
		if err != nil {
			return err
		}
		return s.answer(ctx, tx, q, payment.Message{}, answer)
	})
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
	// AcceptedAfter and InquireAfter are times that nothing was accepted at, or put off to, unless the clock was set back since.
	AcceptedAfter time.Time
	InquireAfter  time.Time
	PageSize      int32
}

// Due lists what is due in a realm.
func (s *Store) Due(ctx context.Context, realm string, at DueTimes) (Due, error) {
	var due Due
	err := s.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		due.Undelivered, err = q.MessageListUndelivered(ctx, dbsqlc.MessageListUndeliveredParams{
			Realm: realm, AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter, PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.Overdue, err = q.MessageListOverdue(ctx, dbsqlc.MessageListOverdueParams{
			Realm: realm, AcceptedBefore: at.AcceptedBefore, AcceptedAfter: at.AcceptedAfter, PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.ToInquire, err = q.MessageListToInquire(ctx, dbsqlc.MessageListToInquireParams{
			Realm: realm, Due: at.Now, NeverAfter: at.InquireAfter, PageSize: at.PageSize,
		})
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
