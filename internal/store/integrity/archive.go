package integrity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// final are the states of payment.Final as texts.
var final = func() []string {
	var states []string
	for _, state := range payment.Final() {
		states = append(states, string(state))
	}
	return states
}()

// ArchiveInput names what an archive holds.
type ArchiveInput struct {
	Realm   string
	Month   string // such as 2026-03; it must be over
	Now     time.Time
	Seal    payment.Sealer      // checks each message before it is archived, and seals the records of the payments
	Trusted auditlog.PublicKeys // verify the written bundles
	Keys    *ContentKeys
}

// ContentKeys reads the data keys of the contents of archives by a login that sees every row, and makes them as the schema's owner.
// Without an address it has none.
type ContentKeys struct {
	URL string

	conn *pgx.Conn
}

// open connects at the first use.
func (k *ContentKeys) open(ctx context.Context) (*dbsqlc.Queries, error) {
	if k.conn == nil {
		var err error
		k.conn, err = pgx.Connect(ctx, k.URL)
		if err != nil {
			return nil, fmt.Errorf("open the database for the data keys: %w", err)
		}
	}
	return dbsqlc.New(k.conn), nil
}

// Close ends the connection.
func (k *ContentKeys) Close(ctx context.Context) {
	if k.conn != nil {
		_ = k.conn.Close(context.WithoutCancel(ctx))
	}
}

// Keys returns the data keys.
func (k *ContentKeys) Keys(ctx context.Context) auditlog.ContentKey {
	if k.URL == "" {
		return nil
	}
	var keys auditlog.ContentKey
	return func(realm, payment string) (key []byte, erased bool, err error) {
		if keys == nil {
			q, err := k.open(ctx)
			if err != nil {
				return nil, false, err
			}
			keys = contentKeys(ctx, q)
		}
		return keys(realm, payment)
	}
}

// contentKeys reads data keys. It reads ahead, because archives have payments in order of their ids.
func contentKeys(ctx context.Context, q *dbsqlc.Queries) auditlog.ContentKey {
	ahead := map[uuid.UUID]dbsqlc.ArchivedPayment{}
	return func(realm, payment string) (key []byte, erased bool, err error) {
		id, err := uuid.Parse(payment)
		if err != nil {
			return nil, false, fmt.Errorf("read the id of a payment: %w", err)
		}
		if ahead[id].Realm != realm {
			rows, err := q.ArchivedPaymentList(ctx, realm, id, auditedPage)
			if err != nil {
				return nil, false, fmt.Errorf("read the data key of payment %s: %w", payment, err)
			}
			clear(ahead)
			for _, row := range rows {
				ahead[row.PaymentID] = row
			}
		}
		row := ahead[id]
		return row.Key, row.ErasedBy != nil, nil
	}
}

// add makes the keys of payments that no archive has yet.
func (k *ContentKeys) add(ctx context.Context, seal payment.Sealer, realm string, payments []uuid.UUID) error {
	q, err := k.open(ctx)
	if err != nil {
		return err
	}
	rows := dbsqlc.ArchivedPaymentAddParams{Realm: realm, Payments: payments}
	for _, id := range payments {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		sealed := seal.SealArchivedPayment(auditlog.ArchivedPayment{Realm: realm, PaymentID: id, Key: key})
		rows.KeyID, rows.Keys, rows.Seals = sealed.KeyID, append(rows.Keys, key), append(rows.Seals, sealed.MAC[:])
	}
	return q.ArchivedPaymentAdd(ctx, rows)
}

// Archive writes the archive of a month: every payment that ended before the end of the month, with all messages about it, and is still in
// the database. It returns the number of messages.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (s *Snapshot) Archive(ctx context.Context, in ArchiveInput, file io.Writer) (int, error) {
	err := s.follow(ctx)
	if err != nil {
		return 0, err
	}
	newest, err := s.newest(ctx, in.Realm)
	if err != nil {
		return 0, err
	}
	until, err := auditlog.EndOf(in.Month)
	if err != nil {
		return 0, err
	}
	if in.Now.Before(until) {
		return 0, fmt.Errorf("the month %s is not over", in.Month)
	}
	header, err := auditlog.NewArchiveHeader(in.Realm, in.Month, newest.Note, in.Trusted)
	if err != nil {
		return 0, err
	}
	out, err := auditlog.NewArchiveWriter(file, header, in.Trusted)
	if err != nil {
		return 0, err
	}
	s.repeated = newRepeats()
	keys := in.Keys.Keys(ctx)
	err = s.eachEnded(ctx, in.Realm, until, func(some []dbsqlc.EndedMessageListRow) error {
		return s.archive(ctx, in, newest, keys, some, out)
	})
	if err == nil && out.Messages == 0 {
		err = errors.New("nothing that ended by the end of " + in.Month + " is in the database")
	}
	if err != nil {
		return 0, err
	}
	return out.Messages, out.Close()
}

// archivedPage is the number of payments read and written together, which bounds the memory. Tests make it small.
var archivedPage int32 = 100

// eachEnded calls archive with the messages of payments that ended before a time, some payments at once, in the order of their ids.
func (s *Snapshot) eachEnded(ctx context.Context, realm string, before time.Time, archive func([]dbsqlc.EndedMessageListRow) error) error {
	waiting, err := s.q.WaitingPaymentList(ctx, realm, before, final)
	if err != nil {
		return fmt.Errorf("read the payments that wait: %w", err)
	}
	wait := make(map[uuid.UUID]bool, len(waiting))
	for _, payment := range waiting {
		wait[payment] = true
	}
	page := dbsqlc.EndedMessageListParams{Realm: realm, Before: before, Final: final, Payments: archivedPage}
	for {
		rows, err := s.q.EndedMessageList(ctx, page)
		if err != nil {
			return fmt.Errorf("read what ended: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		page.After = rows[len(rows)-1].Payment
		rows = slices.DeleteFunc(rows, func(m dbsqlc.EndedMessageListRow) bool { return !m.Ended || wait[m.Payment] })
		if len(rows) == 0 {
			continue
		}
		err = archive(rows)
		if err != nil {
			return err
		}
	}
}

// archive adds messages to an archive, and the data keys of their payments to the database.
func (s *Snapshot) archive(ctx context.Context, in ArchiveInput, newest dbsqlc.AuditCheckpoint, keys auditlog.ContentKey,
	some []dbsqlc.EndedMessageListRow, out *auditlog.ArchiveWriter,
) error {
	payments, messages := make([]uuid.UUID, len(some)), make([]uuid.UUID, len(some))
	for i, m := range some {
		payments[i], messages[i] = m.Payment, m.MessageID
	}
	err := in.Keys.add(ctx, in.Seal, in.Realm, slices.Compact(slices.Clone(payments)))
	if err != nil {
		return fmt.Errorf("make the data keys: %w", err)
	}
	bundles, err := s.bundlesUnder(ctx, in.Seal, newest, messages)
	if err != nil {
		return err
	}
	for i, bundle := range bundles {
		payment := payments[i].String()
		key, _, err := keys(in.Realm, payment)
		if err == nil {
			err = out.Add(payment, key, bundle)
		}
		if err != nil {
			return fmt.Errorf("archive message %s: %w", messages[i], err)
		}
	}
	return nil
}
