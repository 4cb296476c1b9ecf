package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// CoreBookings stores answers of core banking and reports to it. Each record is sealed.
type CoreBookings struct{ db *Database }

// NewCoreBookings makes the store of the records of messages at core banking.
func NewCoreBookings(messages *Messages) *CoreBookings { return &CoreBookings{db: messages.db} }

// Begin stores the record of a message before core banking is called, and returns it, or the existing record. Errors: payment.ErrForged,
// payment.ErrUnknownKey.
func (s *CoreBookings) Begin(ctx context.Context, b payment.CoreBooking) (payment.CoreBooking, error) {
	added, err := putCoreBooking(ctx, s.db.In(b.Realm, Changing), s.db.Seal(), &b)
	if err == nil && added == 0 {
		return s.Of(ctx, b.Realm, b.MessageID)
	}
	return b, err
}

// putCoreBooking seals and inserts a record.
func putCoreBooking(ctx context.Context, q *dbsqlc.Queries, seal payment.Sealer, b *payment.CoreBooking) (int64, error) {
	b.Seal = seal.SealCore(*b)
	added, err := q.CoreBookingInsert(ctx, dbsqlc.CoreBookingInsertParams{
		Realm: b.Realm, MessageID: b.MessageID, Version: int32(b.Version), //nolint:gosec // counted up one by one
		ContentHash: b.ContentHash[:], AskedAt: b.AskedAt, Outcome: OrNull(string(b.Answer.Outcome)), Code: OrNull(b.Answer.Code),
		Words: OrNull(b.Answer.Text), AnsweredAt: OrNull(b.Answer.At), KeyID: b.Seal.KeyID, Mac: b.Seal.MAC[:],
	})
	return added, wrapped(err, "record the question to core banking")
}

// Of returns the record of a message. Errors: payment.ErrNotFound, payment.ErrForged, payment.ErrUnknownKey.
func (s *CoreBookings) Of(ctx context.Context, realm string, id uuid.UUID) (payment.CoreBooking, error) {
	return coreBooking(ctx, s.db.In(realm, Reading), s.db.Seal(), realm, id)
}

// CoreBooking returns the record of a message at core banking for display; nil for none. A record that fails its seal is withheld.
func (r *Reader) CoreBooking(ctx context.Context, m payment.Message) (*payment.CoreBooking, error) {
	if !m.PassesCore() {
		return nil, nil
	}
	b, err := (&CoreBookings{db: r.db}).Of(ctx, m.Realm, m.InternalID)
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return nil, nil
	case errors.Is(err, payment.ErrForged), errors.Is(err, payment.ErrUnknownKey):
		return &payment.CoreBooking{Withheld: payment.WithheldBy(err)}, nil
	}
	return &b, err
}

func coreBooking(ctx context.Context, q *dbsqlc.Queries, seal payment.Sealer, realm string, id uuid.UUID) (payment.CoreBooking, error) {
	row, err := q.CoreBookingGet(ctx, realm, id)
	if err != nil {
		return payment.CoreBooking{}, wrapped(missing(err), "read the answers of core banking")
	}
	b := CoreBookingOf(row)
	return b, seal.CheckCore(b)
}

// CoreBookingOf converts a row to the domain's record.
func CoreBookingOf(row dbsqlc.CoreBooking) payment.CoreBooking {
	b := payment.CoreBooking{
		Realm: row.Realm, MessageID: row.MessageID, Version: int(row.Version), AskedAt: row.AskedAt.UTC(),
		Answer: payment.CoreAnswer{
			Outcome: payment.CoreOutcome(Text(row.Outcome)), Code: Text(row.Code), Text: Text(row.Words), At: Time(row.AnsweredAt),
		},
		Told: payment.CoreResult(Text(row.Told)), ToldSequence: int(OrZero(row.ToldSequence)), ToldAt: Time(row.ToldAt),
		Seal: Seal(row.KeyID, row.Mac),
	}
	copy(b.ContentHash[:], row.ContentHash)
	return b
}

// Answered stores the answer and returns the record, or the record with the answer that another process stored first.
func (s *CoreBookings) Answered(ctx context.Context, b payment.CoreBooking, a payment.CoreAnswer) (payment.CoreBooking, error) {
	return s.change(ctx, b, func(b *payment.CoreBooking) bool {
		open := b.Answer.Outcome == ""
		if open {
			b.Answer = a
		}
		return open
	})
}

// Told stores that core banking confirmed the end of a message at its present sequence. An older confirmation changes nothing.
func (s *CoreBookings) Told(ctx context.Context, b payment.CoreBooking, m payment.Message, result payment.CoreResult, at time.Time) error {
	_, err := s.change(ctx, b, func(b *payment.CoreBooking) bool {
		newer := b.ToldSequence < m.Sequence
		if newer {
			b.Told, b.ToldSequence, b.ToldAt = result, m.Sequence, at
		}
		return newer
	})
	return err
}

// maxCoreChanges limits the attempts to change a record that others change too; few changes of a record are possible.
const maxCoreChanges = 5

// change updates a record under a new seal. It reads the record again when another process changed it. apply returns false for a record
// that stays as it is.
func (s *CoreBookings) change(
	ctx context.Context, b payment.CoreBooking, apply func(*payment.CoreBooking) bool,
) (payment.CoreBooking, error) {
	for range maxCoreChanges {
		seen := b.Seal
		if !apply(&b) {
			return b, nil
		}
		b.Seal = s.db.Seal().SealCore(b)
		updated, err := s.db.In(b.Realm, Changing).CoreBookingUpdate(ctx, coreUpdate(b, seen.MAC[:]))
		if err != nil {
			return b, fmt.Errorf("record an answer of core banking or a report to it: %w", err)
		}
		if updated == 1 {
			return b, nil
		}
		b, err = s.Of(ctx, b.Realm, b.MessageID)
		if err != nil {
			return b, err
		}
	}
	return b, ErrMoved
}

func coreUpdate(b payment.CoreBooking, seen []byte) dbsqlc.CoreBookingUpdateParams {
	p := dbsqlc.CoreBookingUpdateParams{
		Realm: b.Realm, MessageID: b.MessageID, Outcome: OrNull(string(b.Answer.Outcome)), Code: OrNull(b.Answer.Code),
		Words: OrNull(b.Answer.Text), AnsweredAt: OrNull(b.Answer.At), Told: OrNull(string(b.Told)), ToldAt: OrNull(b.ToldAt),
		KeyID: b.Seal.KeyID, Mac: b.Seal.MAC[:], Seen: seen,
	}
	if b.Told != "" {
		sequence := int32(b.ToldSequence) //nolint:gosec // counted up one by one
		p.ToldSequence = &sequence
	}
	return p
}

// CoreDue says which payments to list.
type CoreDue struct {
	FailedSince time.Time   // rejections after a booking are looked for from here on
	Held        []uuid.UUID // tried a moment ago: left out
	Most        int32
}

// Due lists the payments of a realm whose end was not reported to core banking.
func (s *CoreBookings) Due(ctx context.Context, realm string, due CoreDue) ([]uuid.UUID, error) {
	ids, err := s.db.In(realm, Reading).CoreBookingDueList(ctx, dbsqlc.CoreBookingDueListParams{
		Realm: realm, Held: append([]uuid.UUID{}, due.Held...), PageSize: due.Most, FailedSince: due.FailedSince,
	})
	return ids, wrapped(err, "list the reports that core banking lacks")
}
