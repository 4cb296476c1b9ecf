package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// RTransactionQuery selects the subject of a new R-transaction.
type RTransactionQuery struct {
	By    identity.Principal
	Asked payment.RTransaction
	Day   string // the banking day, as 2026-11-22
}

// NewRTransactionFunc makes an R-transaction from the stored subject. It is pure.
type NewRTransactionFunc func(payment.RTransactionSubject) (payment.Created, error)

// InsertRTransaction calls create to make an R-transaction and writes it as Insert does. The payment is locked during
// create.
//
// Errors: payment.ErrNotFound for an unknown payment or recall; payment.ErrOneRecall, ErrOneReturn and ErrOneAnswer
// for a concurrent one; payment.WithheldError when the payment's sent document fails its seal; the errors of Insert.
func (s *Messages) InsertRTransaction(ctx context.Context, ask RTransactionQuery, create NewRTransactionFunc) (payment.Message, error) {
	err := s.db.marks.runs(ask.By.Realm)
	if err != nil {
		return payment.Message{}, err
	}
	c, err := s.insert(ctx, ask.By.Realm, func(q *dbsqlc.Queries) (payment.Created, error) {
		about, err := s.rTransactionSubject(ctx, q, ask, ForUpdate)
		if err != nil {
			return payment.Created{}, err
		}
		return create(about)
	})
	for index, excluded := range map[string]error{
		"message_one_recall": payment.ErrOneRecall, "message_one_return": payment.ErrOneReturn, "message_one_answer": payment.ErrOneAnswer,
	} {
		if !violates(err, index) {
			continue
		}
		// A repeat of the request that made the other one is a duplicate, not a conflict.
		var repeated *DuplicateError
		if looked := s.duplicate(ctx, c); errors.As(looked, &repeated) {
			return c.Message, repeated
		}
		return c.Message, excluded
	}
	switch {
	case errors.Is(err, errKeyTaken):
		return c.Message, s.duplicate(ctx, c)
	case errors.Is(err, ErrNoRealm):
		return c.Message, payment.ErrNotFound
	}
	return c.Message, err
}

// RTransactionSubject reads the data that InsertRTransaction passes to create, without writing or locking anything. Errors:
// payment.ErrNotFound, ErrNoPolicy, payment.WithheldError.
func (s *Messages) RTransactionSubject(ctx context.Context, ask RTransactionQuery) (payment.RTransactionSubject, error) {
	about, err := Read(ctx, s.db, ask.By.Realm, func(q *dbsqlc.Queries) (payment.RTransactionSubject, error) {
		return s.rTransactionSubject(ctx, q, ask, ForRead)
	})
	if errors.Is(err, ErrNoRealm) {
		return about, payment.ErrNotFound
	}
	return about, err
}

func (s *Messages) rTransactionSubject(
	ctx context.Context, q *dbsqlc.Queries, ask RTransactionQuery, mode Lock,
) (payment.RTransactionSubject, error) {
	about, err := s.originalAndRecall(ctx, q, ask, mode)
	if err != nil {
		return payment.RTransactionSubject{}, err
	}
	original := about.Original
	asked := ContextQuery{
		Realm: ask.By.Realm, ClientID: ask.By.ClientID, Channel: ask.By.Channel, Scheme: original.Scheme, Kind: ask.Asked.Kind,
		Amount: original.Summary.Amount.Minor(), DebtorAccount: ourAccount(original), People: []uuid.UUID{ask.By.PersonID}, Day: ask.Day,
	}
	asked.DebtorAccount, err = s.db.ofQRIBAN(ctx, q, asked.DebtorAccount)
	if err != nil {
		return payment.RTransactionSubject{}, err
	}
	row, err := s.readContext(ctx, q, asked)
	if err == nil {
		err = s.bind(ctx, q, asked, &row, mode == ForUpdate)
	}
	if err != nil {
		return payment.RTransactionSubject{}, err
	}
	about.Mark, about.Policy, about.Account, about.Limits = row.Mark, row.Policy, row.Account, row.Limits
	others, err := q.RTransactionListOf(ctx, ask.By.Realm, original.InternalID)
	if err != nil {
		return payment.RTransactionSubject{}, fmt.Errorf("list what was asked about the payment before: %w", err)
	}
	for _, other := range others {
		about.Others = append(about.Others, payment.Message{
			InternalID: other.MessageID, GlobalID: payment.ID(other.GlobalID), Kind: payment.Kind(other.Kind),
			State: payment.State(other.State), AnswersID: OrZero(other.AnswersID),
		})
	}
	if original.Direction == payment.DirectionOut {
		about.Sent, err = s.sentFor(ctx, q, original)
	}
	return about, err
}

// sentFor returns the document that was sent for a message, nil for none. It fails with payment.WithheldError for a document that fails
// its seal.
func (s *Messages) sentFor(ctx context.Context, q *dbsqlc.Queries, original payment.Message) ([]byte, error) {
	sent, err := s.documents.outbound(ctx, q, original.Realm, original.Reference())
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return nil, nil
	case errors.Is(err, payment.ErrForged), errors.Is(err, payment.ErrUnknownKey):
		original.Withheld = auditlog.WithheldBy(err)
		return nil, &payment.WithheldError{Message: original}
	case err != nil:
		return nil, err
	}
	return sent.Content, nil
}

// originalAndRecall loads the payment and, for an incoming one, the recall the request names or the one of the payment. A request that
// names the recall alone is about its payment.
func (s *Messages) originalAndRecall(
	ctx context.Context, q *dbsqlc.Queries, ask RTransactionQuery, mode Lock,
) (payment.RTransactionSubject, error) {
	var about payment.RTransactionSubject
	var err error
	originalID, recallID := ask.Asked.OriginalID, ask.Asked.RecallID
	if originalID == uuid.Nil {
		about.Recall, err = s.db.loader(q).Message(ctx, ask.By.Realm, recallID, ForRead)
		if err == nil && about.Recall.Kind != payment.KindReceivedRecall {
			err = payment.ErrNotFound
		}
		if err != nil {
			return about, err
		}
		originalID = about.Recall.OriginalID
	}
	loader := s.db.loader(q)
	about.Original, err = loader.Message(ctx, ask.By.Realm, originalID, mode)
	if err == nil {
		about.Original, err = loader.proven(ctx, about.Original) // what may be asked about it follows from its state
	}
	if err != nil || about.Original.Direction == payment.DirectionOut {
		return about, err
	}
	about.Recall, err = s.receivedRecall(ctx, q, ask) // again where it told the payment: only now is it sure to stand still
	return about, err
}

// ourAccount returns the account of our side of a payment.
func ourAccount(m payment.Message) string {
	if m.Direction == payment.DirectionIn {
		return m.Summary.CreditorAccount
	}
	return m.Summary.DebtorAccount
}

// payer returns our account that a message debits. A return debits the account that was credited.
func payer(m payment.Message) string {
	if m.Kind == payment.KindReturn {
		return m.Summary.CreditorAccount
	}
	return ourAccount(m)
}

// receivedRecall loads the recall a request names, or the one of its payment; the zero Message when there is none.
func (s *Messages) receivedRecall(ctx context.Context, q *dbsqlc.Queries, ask RTransactionQuery) (payment.Message, error) {
	id := ask.Asked.RecallID
	if id == uuid.Nil {
		found, err := q.ReceivedRecallOf(ctx, ask.By.Realm, ask.Asked.OriginalID)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.Message{}, nil
		}
		if err != nil {
			return payment.Message{}, fmt.Errorf("look for a recall: %w", err)
		}
		id = found
	}
	return s.db.loader(q).Message(ctx, ask.By.Realm, id, ForRead)
}

// Answer is a return or a resolution that answers a recall.
type Answer struct {
	Kind  payment.Kind
	State payment.State
}

// Answers returns the newest answer to each of these received recalls that was not rejected, by the recall's InternalID.
func (r *Reader) Answers(ctx context.Context, realm string, recalls []payment.Message) (map[uuid.UUID]Answer, error) {
	ids, originals := make([]uuid.UUID, len(recalls)), make([]uuid.UUID, len(recalls))
	for i, m := range recalls {
		ids[i], originals[i] = m.InternalID, m.OriginalID
	}
	found := make(map[uuid.UUID]Answer, len(recalls))
	rows, err := r.in(realm, Searching).RecallAnswerList(ctx, realm, originals, ids)
	for _, row := range rows {
		if _, newer := found[row.RecallID]; !newer {
			found[row.RecallID] = Answer{Kind: payment.Kind(row.Kind), State: payment.State(row.State)}
		}
	}
	return found, wrapped(missing(err), "list the answers to recalls")
}
