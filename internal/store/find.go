package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// address is the realm and the internal id of a message.
type address struct {
	realm string
	id    uuid.UUID
}

// maxRecent is the number of entries in each half of the cache recent.
const maxRecent = 4096

// recent caches the latest entries. The older half is dropped when the younger one is full.
type recent[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
}

func (c *recent[K, V]) add(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= maxRecent {
		c.young, c.old = make(map[K]V), c.young
	}
	c.young[key] = value
}

func (c *recent[K, V]) get(key K) (value V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, known = c.young[key]
	if !known {
		value, known = c.old[key]
	}
	return value, known
}

// FindByGlobalID returns the realm and the internal id of the message with a Global ID, or payment.ErrNotFound.
func (s *Messages) FindByGlobalID(ctx context.Context, global payment.ID) (realm string, id uuid.UUID, err error) {
	if at, known := s.addresses.get(global); known {
		return at.realm, at.id, nil
	}
	realm, err = s.db.Outside().RealmByMark(ctx, global.Mark())
	if err != nil {
		return "", uuid.Nil, wrapped(missing(err), "find the realm")
	}
	id, err = s.db.In(realm, Reading).MessageIDByGlobalID(ctx, realm, string(global))
	return realm, id, missing(err)
}

// IncomingPayment is the place of an incoming payment, and the key that makes its bank's transaction id unique.
type IncomingPayment struct {
	Realm      string
	ID         uuid.UUID
	Bank       string // interbank.BankID of the instructing bank
	Use        int    // how many payments of the bank had the transaction id before
	ReceivedAt time.Time
}

// maxIncoming limits the payments of different banks that are compared with one document.
const maxIncoming = 500

// IncomingByTransaction returns the incoming payments with a transaction id, those of the given bank (interbank.BankID) first, newest
// first; none for an unknown id.
func (s *Messages) IncomingByTransaction(
	ctx context.Context, scheme rulebook.Scheme, transactionID, bank string,
) ([]IncomingPayment, error) {
	rows, err := s.db.Outside().IncomingPaymentList(ctx, dbsqlc.IncomingPaymentListParams{
		Scheme: string(scheme), TransactionID: transactionID, Bank: bank, PageSize: maxIncoming,
	})
	if err != nil {
		return nil, fmt.Errorf("find the incoming payment: %w", err)
	}
	list := make([]IncomingPayment, 0, len(rows))
	for _, row := range rows {
		list = append(list, IncomingPayment{
			Realm: row.Realm, ID: row.MessageID, Bank: row.Bank, Use: int(row.Use), ReceivedAt: row.ReceivedAt.UTC(),
		})
	}
	return list, nil
}

// ArchivedIncoming returns payment.ArchivedError if an incoming payment with a transaction id left the database with an archive, or nil.
func (s *Messages) ArchivedIncoming(ctx context.Context, transactionID string) error {
	realms, err := s.db.Realms(ctx)
	if err != nil {
		return err
	}
	for _, realm := range realms {
		err = archived(ctx, s.db.In(realm, Reading), realm, transactionID)
		if err != nil {
			return err
		}
	}
	return nil
}

// RecallOf returns our open or accepted recall of a payment, or payment.ErrNotFound.
func (s *Messages) RecallOf(ctx context.Context, realm string, original uuid.UUID) (uuid.UUID, error) {
	id, err := s.db.In(realm, Reading).RecallOpenOf(ctx, realm, original)
	return id, missing(err)
}

// ReceivedRecallOf returns the received recall of an incoming payment, or payment.ErrNotFound.
func (s *Messages) ReceivedRecallOf(ctx context.Context, realm string, original uuid.UUID) (uuid.UUID, error) {
	id, err := s.db.In(realm, Reading).ReceivedRecallOf(ctx, realm, original)
	return id, missing(err)
}

// AnswerOf returns the released return or resolution that answers a received recall, or payment.ErrNotFound.
func (s *Messages) AnswerOf(ctx context.Context, realm string, recall uuid.UUID) (payment.Message, error) {
	id, err := s.db.In(realm, Reading).AnswerOf(ctx, realm, recall)
	if err != nil {
		return payment.Message{}, missing(err)
	}
	return s.Message(ctx, realm, id)
}
