package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// RequestQuery asks for what a new R-transaction needs to know.
type RequestQuery struct {
	Realm      string
	ClientID   string
	Channel    identity.Channel
	Kind       payment.Kind
	OriginalID uuid.UUID // the payment it is about
	RecallID   uuid.UUID // the received recall that a resolution answers; zero for the other kinds
}

// RequestContext is what a new R-transaction needs to know.
type RequestContext struct {
	Mark     string
	Policy   payment.Policy
	Original payment.Message
	Account  *payment.DebtorAccount // ours in the payment: debited by one of ours, credited by an incoming one; nil when it is gone
	Sent     []byte                 // the pacs.008 that was sent for Original; nil for an incoming payment
	Recall   payment.Message        // the received recall: the one asked for, or for a return the one of the payment; the zero Message when none
}

// MakeRequest makes an R-transaction from what the store knows. It is pure.
type MakeRequest func(RequestContext) (payment.Created, error)

// ConflictError: another R-transaction about the same payment is under way or done.
type ConflictError struct {
	// Index is what refused it: a second recall of a payment, a second return, or a second answer to a received recall.
	Index string
}

// The indexes that keep R-transactions apart.
const (
	IndexOneRecall = "message_one_recall"
	IndexOneReturn = "message_one_return"
	IndexOneAnswer = "message_one_answer"
)

// Error names the index.
func (e *ConflictError) Error() string { return "refused by " + e.Index }

// InsertRequest lets create make an R-transaction and writes it as Insert does. The payment is locked while create looks at it.
//
// Errors: payment.ErrNotFound for an unknown payment or recall; ConflictError; DuplicateError; what create returns.
func (s *Store) InsertRequest(ctx context.Context, ask RequestQuery, create MakeRequest) (payment.Message, error) {
	c, err := s.insert(ctx, ask.Realm, func(q *dbsqlc.Queries) (payment.Created, error) {
		known, err := s.requestContext(ctx, q, ask)
		if err != nil {
			return payment.Created{}, err
		}
		return create(known)
	})
	for _, index := range []string{IndexOneRecall, IndexOneReturn, IndexOneAnswer} {
		if !violates(err, index) {
			continue
		}
		// A repeat of the request that made the other one is a duplicate, not a conflict.
		var repeated *DuplicateError
		if looked := s.duplicate(ctx, c); errors.As(looked, &repeated) {
			return c.Message, repeated
		}
		return c.Message, &ConflictError{Index: index}
	}
	switch {
	case violates(err, "creation_key_pkey"):
		return c.Message, s.duplicate(ctx, c)
	case errors.Is(err, errNoRealm):
		return c.Message, payment.ErrNotFound
	}
	return c.Message, err
}

func (s *Store) requestContext(ctx context.Context, q *dbsqlc.Queries, ask RequestQuery) (RequestContext, error) {
	original, err := s.db.load(ctx, q, ask.Realm, ask.OriginalID, forUpdate)
	if err != nil {
		return RequestContext{}, err
	}
	known := RequestContext{Original: original}
	row, err := submissionContext(ctx, q, ContextQuery{
		Realm: ask.Realm, ClientID: ask.ClientID, Channel: ask.Channel, Scheme: original.Scheme, Kind: ask.Kind,
		Amount: original.Summary.Amount.Minor(), DebtorAccount: ourAccount(original),
	})
	if err != nil {
		return RequestContext{}, err
	}
	known.Mark, known.Policy, known.Account = row.Mark, row.Policy, row.Account
	if original.Direction == payment.DirectionOut {
		known.Sent, err = s.sentFor(ctx, q, original)
		return known, err
	}
	known.Recall, err = s.receivedRecall(ctx, q, ask)
	return known, err
}

// sentFor is the document that was sent for a message, nil when none was. What was sent before documents were sealed counts as well:
// the recall of it shows its ids to the checker. It fails with payment.WithheldError when it is not what was sent.
func (s *Store) sentFor(ctx context.Context, q *dbsqlc.Queries, original payment.Message) ([]byte, error) {
	sent, err := s.outbound(ctx, q, original.Realm, original.Reference())
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return nil, nil
	case errors.Is(err, payment.ErrForged), errors.Is(err, payment.ErrUnknownKey):
		original.Withheld = payment.DocumentWithheldBy(err)
		return nil, &payment.WithheldError{Message: original}
	case err != nil && !errors.Is(err, payment.ErrUnsealed):
		return nil, err
	}
	return sent.Content, nil
}

// ourAccount is our side of a payment.
func ourAccount(m payment.Message) string {
	if m.Direction == payment.DirectionIn {
		return m.Summary.CreditorAccount
	}
	return m.Summary.DebtorAccount
}

// receivedRecall loads the recall a request names, or the one of its payment.
func (s *Store) receivedRecall(ctx context.Context, q *dbsqlc.Queries, ask RequestQuery) (payment.Message, error) {
	id := ask.RecallID
	if id == uuid.Nil {
		found, err := q.ReceivedRecallOf(ctx, ask.Realm, ask.OriginalID)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.Message{}, nil
		}
		if err != nil {
			return payment.Message{}, fmt.Errorf("look for a recall: %w", err)
		}
		id = found
	}
	return s.db.load(ctx, q, ask.Realm, id, forRead)
}
