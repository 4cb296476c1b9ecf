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
	return func(realm, payment string) (key []byte, erased bool, err error) {
		q, err := k.open(ctx)
		if err != nil {
			return nil, false, err
		}
		return contentKeys(ctx, q)(realm, payment)
	}
}

// contentKeys reads data keys.
func contentKeys(ctx context.Context, q *dbsqlc.Queries) auditlog.ContentKey {
	return func(realm, payment string) (key []byte, erased bool, err error) {
		id, err := uuid.Parse(payment)
		if err != nil {
			return nil, false, fmt.Errorf("read the id of a payment: %w", err)
		}
		row, err := q.ArchivedPaymentGet(ctx, realm, id)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return nil, false, fmt.Errorf("read the data key of payment %s: %w", payment, err)
		}
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
	ended, err := s.q.EndedMessageList(ctx, in.Realm, until, final)
	if err != nil {
		return 0, fmt.Errorf("read what ended: %w", err)
	}
	if len(ended) == 0 {
		return 0, errors.New("nothing that ended by the end of " + in.Month + " is in the database")
	}
	s.repeated = repeats{
		rights: map[string]shownRights{}, told: map[string][]auditlog.Hash{}, hashes: map[string][]auditlog.Hash{},
	}
	payments := make([]uuid.UUID, 0, len(ended))
	for _, m := range ended {
		payments = append(payments, m.Payment)
	}
	err = in.Keys.add(ctx, in.Seal, in.Realm, slices.Compact(payments))
	if err != nil {
		return 0, fmt.Errorf("make the data keys: %w", err)
	}
	return s.writeArchive(ctx, in, newest, ended, file)
}

// writeArchive writes the messages of an archive.
func (s *Snapshot) writeArchive(ctx context.Context, in ArchiveInput, newest dbsqlc.AuditCheckpoint, ended []dbsqlc.EndedMessageListRow,
	file io.Writer,
) (int, error) {
	header, err := auditlog.NewArchiveHeader(in.Realm, in.Month, newest.Note, in.Trusted)
	if err != nil {
		return 0, err
	}
	out, err := auditlog.NewArchiveWriter(file, header, in.Trusted)
	keys := in.Keys.Keys(ctx)
	for _, m := range ended {
		var bundle auditlog.Bundle
		if err == nil {
			bundle, err = s.bundleUnder(ctx, in.Seal, newest, m.MessageID)
		}
		var key []byte
		if err == nil {
			key, _, err = keys(in.Realm, m.Payment.String())
		}
		if err == nil {
			err = out.Add(m.Payment.String(), key, bundle)
		}
		if err != nil {
			return 0, fmt.Errorf("archive message %s: %w", m.MessageID, err)
		}
	}
	return out.Messages, out.Close()
}
