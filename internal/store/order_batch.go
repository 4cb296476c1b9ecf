package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// OrderBatch is a batch that a program sent.
type OrderBatch struct {
	ID          uuid.UUID
	Realm       string
	ExternalID  string
	Fingerprint payment.Digest // of its content
	Payments    int
	Sender      BatchSender
	CreatedAt   time.Time
	DoneAt      time.Time // zero while payments are left
	// Accepted and Refused count the results so far.
	Accepted, Refused int
}

// BatchSender names the maker of the payments of a batch, and the channel of the batch.
type BatchSender struct {
	UserID        uuid.UUID
	ClientID      string
	Scheme        rulebook.Scheme
	JSON          bool // the form of its payments; else XML
	RequestID     string
	SourceAddress string
}

// BatchPart is a payment of a batch that was not processed yet.
type BatchPart struct {
	Position int    // in the batch, from 1
	Place    string // of the payment in the document, as a pointer
	Content  []byte
	// DraftID follows from the batch and the position. It is the externalId of the message, so that a payment is made once.
	DraftID uuid.UUID
}

// BatchResult is the message that a payment of a batch became, or the findings that refuse it.
type BatchResult struct {
	Position   int
	MessageID  uuid.UUID // zero for a refused payment
	GlobalID   payment.ID
	ExternalID string
	State      payment.State
	Findings   []payment.Finding
}

// batchLife is the time after which the payments of a batch that could not be made are deleted.
const batchLife = 366 * 24 * time.Hour

// OrderBatches stores the batches of programs. Their payments are drafts.
type OrderBatches struct{ db *Database }

// NewOrderBatches makes the store.
func NewOrderBatches(db *Database) *OrderBatches { return &OrderBatches{db: db} }

func (s *OrderBatches) hidden(table, realm string, row uuid.UUID) hidden {
	return hidden{keys: s.db.answers, table: table, realm: realm, row: row, strict: true}
}

// draftID returns the id of the draft of a payment. A draft is encrypted under its id, so another draft cannot take its place.
func draftID(batch uuid.UUID, position int) uuid.UUID {
	return uuid.NewSHA1(batch, []byte(strconv.Itoa(position)))
}

// Add stores a batch with its payments, and returns the batch. If its client used the externalId before, it stores nothing and returns that
// batch: a repeat has the same Fingerprint.
func (s *OrderBatches) Add(ctx context.Context, b OrderBatch, parts []BatchPart) (stored OrderBatch, added bool, err error) {
	sender, err := json.Marshal(b.Sender)
	if err == nil {
		sender, err = s.hidden("batch", b.Realm, b.ID).hide("sender", sender)
	}
	if err != nil {
		return OrderBatch{}, false, fmt.Errorf("encrypt a batch: %w", err)
	}
	drafts := dbsqlc.BatchDraftsInsertParams{
		Realm: b.Realm, UserID: b.Sender.UserID, Scheme: string(b.Sender.Scheme), BatchID: &b.ID, CreatedAt: b.CreatedAt,
		ExpiresAt: b.CreatedAt.Add(batchLife),
	}
	for _, part := range parts {
		id := draftID(b.ID, part.Position)
		kept, err := s.hidden("draft", b.Realm, id).hideForm("answers", form{typed: []byte(part.Place), file: part.Content})
		if err != nil {
			return OrderBatch{}, false, err
		}
		drafts.DraftIds, drafts.Lines = append(drafts.DraftIds, id), append(drafts.Lines, int32(part.Position)) //nolint:gosec // up to 1,000
		drafts.Answers, drafts.Files = append(drafts.Answers, kept.typed), append(drafts.Files, kept.file)
	}
	id := b.ID
	err = s.db.InRealm(ctx, b.Realm, Changing, func(q *dbsqlc.Queries) error {
		rows, err := q.BatchInsert(ctx, dbsqlc.BatchInsertParams{
			Realm: b.Realm, BatchID: b.ID, ClientID: b.Sender.ClientID, UserID: b.Sender.UserID, ExternalID: b.ExternalID,
			Fingerprint: b.Fingerprint[:], Payments: int32(b.Payments), Sender: sender, CreatedAt: b.CreatedAt, //nolint:gosec // up to 1,000
		})
		if err != nil {
			return err
		}
		added = rows == 1
		if added {
			return q.BatchDraftsInsert(ctx, drafts)
		}
		before, err := q.BatchOf(ctx, b.Realm, b.Sender.ClientID, b.ExternalID)
		id = before.BatchID
		return err
	})
	if err != nil {
		return OrderBatch{}, false, fmt.Errorf("store a batch: %w", err)
	}
	stored, err = s.Get(ctx, b.Realm, id)
	return stored, added, err
}

// Get returns a batch. Errors: payment.ErrNotFound, ErrUnreadable.
func (s *OrderBatches) Get(ctx context.Context, realm string, id uuid.UUID) (OrderBatch, error) {
	row, err := s.db.In(realm, Reading).BatchGet(ctx, realm, id)
	if err != nil {
		return OrderBatch{}, wrapped(missing(err), "load a batch")
	}
	b := OrderBatch{
		ID: id, Realm: realm, ExternalID: row.ExternalID, Payments: int(row.Payments), CreatedAt: row.CreatedAt.UTC(),
		Accepted: int(row.Accepted), Refused: int(row.Refused),
	}
	copy(b.Fingerprint[:], row.Fingerprint)
	if row.DoneAt != nil {
		b.DoneAt = row.DoneAt.UTC()
	}
	sender, err := s.hidden("batch", realm, id).reveal("sender", row.Sender)
	if err == nil {
		err = json.Unmarshal(sender, &b.Sender)
	}
	return b, err
}

// Results returns the results of a batch so far, in its order.
func (s *OrderBatches) Results(ctx context.Context, realm string, id uuid.UUID) ([]BatchResult, error) {
	rows, err := s.db.In(realm, Reading).BatchResults(ctx, realm, id)
	if err != nil {
		return nil, fmt.Errorf("load the results of a batch: %w", err)
	}
	results := make([]BatchResult, len(rows))
	for i, row := range rows {
		results[i] = BatchResult{
			Position: int(row.Position), MessageID: OrZero(row.MessageID), GlobalID: payment.ID(Text(row.GlobalID)),
			ExternalID: Text(row.ExternalID), State: payment.State(Text(row.State)),
		}
		if row.MessageID != nil {
			continue
		}
		plain, err := s.hidden("batch_payment", realm, id).reveal(findingsColumn(row.Position), row.Findings)
		if err == nil {
			err = json.Unmarshal(plain, &results[i].Findings)
		}
		if err != nil {
			return nil, fmt.Errorf("read a result of a batch: %w", err)
		}
	}
	return results, nil
}

// findingsColumn names a result in its encryption: the rows of a batch have one id.
func findingsColumn(position int32) string { return "findings " + strconv.Itoa(int(position)) }

// ToDo lists the batches of a realm with unprocessed payments, the oldest first, without those of held.
func (s *OrderBatches) ToDo(ctx context.Context, realm string, held []uuid.UUID, most int32) ([]uuid.UUID, error) {
	ids, err := s.db.In(realm, Reading).BatchesToDo(ctx, realm, append([]uuid.UUID{}, held...), most)
	return ids, wrapped(err, "list the batches")
}

// Left returns the first unprocessed payments of a batch. Error: ErrUnreadable.
func (s *OrderBatches) Left(ctx context.Context, b OrderBatch, most int32) ([]BatchPart, error) {
	rows, err := s.db.In(b.Realm, Reading).BatchDrafts(ctx, dbsqlc.BatchDraftsParams{
		Realm: b.Realm, UserID: b.Sender.UserID, BatchID: b.ID, PageSize: most,
	})
	if err != nil {
		return nil, fmt.Errorf("load the payments of a batch: %w", err)
	}
	parts := make([]BatchPart, len(rows))
	for i, row := range rows {
		parts[i] = BatchPart{Position: int(row.Line), DraftID: row.DraftID}
		if row.DraftID != draftID(b.ID, parts[i].Position) {
			return nil, fmt.Errorf("%w: payment %d of the batch is another draft", ErrUnreadable, row.Line)
		}
		plain, err := s.hidden("draft", b.Realm, row.DraftID).revealForm("answers", form{typed: row.Answers, file: row.File})
		if err != nil {
			return nil, err
		}
		parts[i].Place, parts[i].Content = string(plain.typed), plain.file
	}
	return parts, nil
}

// Note replaces unprocessed payments by their results, and ends the batch after the last one.
func (s *OrderBatches) Note(ctx context.Context, b OrderBatch, results []BatchResult, now time.Time) error {
	put := dbsqlc.BatchResultsPutParams{Realm: b.Realm, BatchID: b.ID, FileName: b.ExternalID}
	for _, r := range results {
		position := int32(r.Position) //nolint:gosec // up to 1,000
		var findings []byte
		if r.MessageID == uuid.Nil {
			plain, err := json.Marshal(r.Findings)
			if err == nil {
				findings, err = s.hidden("batch_payment", b.Realm, b.ID).hide(findingsColumn(position), plain)
			}
			if err != nil {
				return fmt.Errorf("encrypt a result of a batch: %w", err)
			}
		}
		put.Positions, put.MessageIds = append(put.Positions, position), append(put.MessageIds, r.MessageID)
		put.Findings, put.DraftIds = append(put.Findings, findings), append(put.DraftIds, draftID(b.ID, r.Position))
	}
	err := s.db.InRealm(ctx, b.Realm, Changing, func(q *dbsqlc.Queries) error {
		if len(results) > 0 {
			err := q.BatchResultsPut(ctx, put)
			if err != nil {
				return err
			}
		}
		return q.BatchDone(ctx, now, b.Realm, b.ID)
	})
	return wrapped(err, "store the results of a batch")
}

// SentBy returns the principal's part of a batch's sender.
func SentBy(by identity.Principal, scheme rulebook.Scheme, isJSON bool) BatchSender {
	return BatchSender{
		UserID: by.UserID, ClientID: by.ClientID, Scheme: scheme, JSON: isJSON, RequestID: by.RequestID, SourceAddress: by.SourceAddress,
	}
}
