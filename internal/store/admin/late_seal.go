package admin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/rowmap"
)

// LateRow is a row without a seal, as the auditor names it.
type LateRow struct {
	Realm, Relation, Key string
}

// LateSealing is a call of the operator, who answers for rows that are older than seals are.
type LateSealing struct {
	OwnerURL   string // PostgreSQL URL of the schema's owner
	Seal       payment.Sealer
	By, Reason string
	Before, At time.Time
	DryRun     bool // looks, and writes nothing
}

// LateOutcome is what became of the rows.
type LateOutcome struct {
	Sealed []LateRow
	// Left are rows that are not older than the time, have a seal meanwhile, are a decision about a message that still waits, or are of a
	// table that nobody answers for row by row.
	Left []LateRow
}

// errDryRun takes back what a dry run did.
var errDryRun = errors.New("a dry run")

// SealLate seals rows that have no seal, as the owner, in one transaction, with a note for each of them and an audit row for each realm. A
// release has its seal; of it the note alone is made, by which somebody answers for what was sent of it.
// What the rows say is not looked at: the auditor has found nothing else wrong with them before.
func SealLate(ctx context.Context, in LateSealing, rows []LateRow) (LateOutcome, error) {
	if len(in.Seal.KeyIDs()) == 0 || in.By == "" || in.Reason == "" || in.At.IsZero() || in.Before.IsZero() {
		return LateOutcome{}, errors.New("seal afterwards: keys, a name, a reason and times are needed")
	}
	run, err := uuid.NewV7()
	if err != nil {
		return LateOutcome{}, err
	}
	in.At, in.Before = in.At.UTC().Truncate(time.Microsecond), in.Before.UTC().Truncate(time.Microsecond)
	conn, done, err := asOwner(ctx, in.OwnerURL)
	if err != nil {
		return LateOutcome{}, err
	}
	defer done()
	var outcome LateOutcome
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		s := lateRun{LateSealing: in, q: dbsqlc.New(tx), id: run}
		outcome, err = s.rows(ctx, rows)
		if err == nil && in.DryRun {
			err = errDryRun
		}
		return err
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return LateOutcome{}, fmt.Errorf("seal afterwards: %w", err)
	}
	return outcome, nil
}

type lateRun struct {
	LateSealing

	q  *dbsqlc.Queries
	id uuid.UUID
}

func (s lateRun) rows(ctx context.Context, rows []LateRow) (LateOutcome, error) {
	var outcome LateOutcome
	of := make(map[string]int)
	for _, row := range rows {
		realm, err := s.row(ctx, row)
		if errors.Is(err, pgx.ErrNoRows) {
			outcome.Left = append(outcome.Left, row)
			continue
		}
		if err != nil {
			return outcome, fmt.Errorf("%s %s: %w", row.Relation, row.Key, err)
		}
		row.Realm = realm
		err = s.note(ctx, row)
		if err != nil {
			return outcome, err
		}
		of[realm]++
		outcome.Sealed = append(outcome.Sealed, row)
	}
	for realm, count := range of {
		if realm == "" {
			continue
		}
		err := s.tell(ctx, realm, count)
		if err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// row seals one row, or finds a release, and returns its realm. Error: pgx.ErrNoRows for one that is not to be sealed.
func (s lateRun) row(ctx context.Context, row LateRow) (realm string, err error) {
	switch row.Relation {
	case "document":
		return row.Realm, s.document(ctx, row)
	case "decision":
		return row.Realm, s.decision(ctx, row)
	case "outbox":
		return s.delivery(ctx, row)
	case "creation_key":
		return row.Realm, s.requestKey(ctx, row)
	case "release":
		id, err := uuid.Parse(row.Key)
		if err != nil {
			return "", err
		}
		_, err = s.q.LateReleaseGet(ctx, row.Realm, id, s.Before)
		return row.Realm, err
	}
	return "", pgx.ErrNoRows
}

func (s lateRun) document(ctx context.Context, row LateRow) error {
	id, err := uuid.Parse(row.Key)
	if err != nil {
		return err
	}
	stored, err := s.q.LateDocumentGet(ctx, row.Realm, id, s.Before)
	if err != nil {
		return err
	}
	facts := rowmap.Kept(stored)
	seal := s.Seal.SealKept(facts)
	if stored.Direction == string(payment.DocumentOut) {
		seal = s.Seal.SealDocument(facts.Outbound)
	}
	return s.q.LateDocumentSeal(ctx, dbsqlc.LateDocumentSealParams{Realm: row.Realm, DocumentID: id, KeyID: &seal.KeyID, Mac: seal.MAC[:]})
}

func (s lateRun) decision(ctx context.Context, row LateRow) error {
	place := strings.Fields(row.Key) // the message, its version, the ordinal
	if len(place) != 3 {
		return pgx.ErrNoRows
	}
	id, err := uuid.Parse(place[0])
	version, notNumber := strconv.ParseInt(place[1], 10, 32)
	ordinal, notOrdinal := strconv.ParseInt(place[2], 10, 32)
	if errors.Join(err, notNumber, notOrdinal) != nil {
		return errors.Join(err, notNumber, notOrdinal)
	}
	stored, err := s.q.LateDecisionGet(ctx, dbsqlc.LateDecisionGetParams{
		Realm: row.Realm, MessageID: id, Version: int32(version), Ordinal: int32(ordinal), Before: s.Before,
	})
	if err != nil {
		return err
	}
	seal := s.Seal.SealDecision(rowmap.SealedDecision(stored))
	return s.q.LateDecisionSeal(ctx, dbsqlc.LateDecisionSealParams{
		Realm: row.Realm, MessageID: id, Version: stored.Version, Ordinal: stored.Ordinal, KeyID: &seal.KeyID, Seal: seal.MAC[:],
	})
}

func (s lateRun) delivery(ctx context.Context, row LateRow) (realm string, err error) {
	scheme, reference, _ := strings.Cut(row.Key, " ")
	stored, err := s.q.LateDeliveryGet(ctx, scheme, reference, s.Before)
	if err != nil {
		return "", err
	}
	seal := s.Seal.SealDelivery(auditlog.Delivery{Scheme: rulebook.Scheme(scheme), Reference: reference, At: *stored.DeliveredAt})
	return rowmap.Text(stored.Realm), s.q.LateDeliverySeal(ctx, dbsqlc.LateDeliverySealParams{
		Scheme: scheme, Reference: reference, KeyID: &seal.KeyID, Mac: seal.MAC[:],
	})
}

func (s lateRun) requestKey(ctx context.Context, row LateRow) error {
	client, rest, _ := strings.Cut(row.Key, " ")
	scope, key, _ := strings.Cut(rest, " ")
	stored, err := s.q.LateRequestKeyGet(ctx, dbsqlc.LateRequestKeyGetParams{
		Realm: row.Realm, ClientID: client, Scope: scope, Key: key, Before: s.Before,
	})
	if err != nil {
		return err
	}
	seal := s.Seal.SealRequestKey(rowmap.RequestKey(stored))
	return s.q.LateRequestKeySeal(ctx, dbsqlc.LateRequestKeySealParams{
		Realm: row.Realm, ClientID: client, Scope: scope, Key: key, KeyID: &seal.KeyID, Seal: seal.MAC[:],
	})
}

// note keeps that the row was sealed afterwards.
func (s lateRun) note(ctx context.Context, row LateRow) error {
	late := auditlog.Late{
		Realm: row.Realm, Relation: row.Relation, Key: row.Key, RunID: s.id, By: s.By, Reason: s.Reason, Before: s.Before, At: s.At,
	}
	seal := s.Seal.SealLate(late)
	return s.q.LateSealInsert(ctx, dbsqlc.LateSealInsertParams{
		Realm: late.Realm, Relation: late.Relation, Key: late.Key, RunID: late.RunID, SealedBy: late.By, Reason: late.Reason,
		Before: late.Before, At: late.At, KeyID: seal.KeyID, Seal: seal.MAC[:],
	})
}

func (s lateRun) tell(ctx context.Context, realm string, rows int) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return s.q.AuditRealmInsert(ctx, dbsqlc.AuditRealmInsertParams{
		Realm: realm, EventID: id, Event: auditlog.EventRealmSealed, ActorName: s.By, Channel: string(identity.ChannelOperator), At: s.At,
		Detail: auditlog.SealDetail(s.id.String(), rows, s.Reason),
	})
}
