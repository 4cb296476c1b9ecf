package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/internal/dbsqlc"
)

// TestQueriesAskForTheirRealmThemselves runs them as the owner, whom no row-level security holds: it hides the rows of other realms from
// the service, and so a query that forgets its realm too.
func TestQueriesAskForTheirRealmThemselves(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC) // one that waits
	conn := h.DB.Connect(t)
	document, later := uuid.UUID{}, time.Now().AddDate(10, 0, 0)
	err = conn.QueryRow(ctx, "SELECT document_id FROM document WHERE direction = 'out'").Scan(&document)
	if err != nil {
		t.Fatal(err)
	}
	q, id, none := dbsqlc.New(conn), m.InternalID, []uuid.UUID{}
	queries := map[string]func(realm string) (int, error){
		"HistoryList":  func(r string) (int, error) { return many(q.HistoryList(ctx, r, []uuid.UUID{id})) },
		"DecisionList": func(r string) (int, error) { return many(q.DecisionList(ctx, r, []uuid.UUID{id})) },
		"VersionList":  func(r string) (int, error) { return many(q.VersionList(ctx, r, id)) },
		"AuditList":    func(r string) (int, error) { return many(q.AuditList(ctx, r, &id)) },
		"ReleaseGet":   func(r string) (int, error) { return one(q.ReleaseGet(ctx, r, id)) },
		"MessageGet": func(r string) (int, error) {
			count := 0
			q.MessageGet(ctx, []dbsqlc.MessageGetParams{{Realm: r, MessageID: id}}).QueryRow(func(_ int, _ dbsqlc.MessageGetRow, err error) {
				if err == nil {
					count++
				}
			})
			return count, nil
		},
		"MessageLock":         func(r string) (int, error) { return one(q.MessageLock(ctx, r, id)) },
		"DocumentGet":         func(r string) (int, error) { return one(q.DocumentGet(ctx, r, document)) },
		"DocumentGetByID":     func(r string) (int, error) { return one(q.DocumentGetByID(ctx, r, document)) },
		"DocumentGetOutbound": func(r string) (int, error) { return one(q.DocumentGetOutbound(ctx, r, m.Reference())) },
		"DocumentList": func(r string) (int, error) {
			return many(q.DocumentList(ctx, dbsqlc.DocumentListParams{Realm: r, MessageID: &id, PageSize: 9}))
		},
		"TransactionList": func(r string) (int, error) {
			return many(q.TransactionList(ctx, dbsqlc.TransactionListParams{Realm: r, PageSize: 9}))
		},
		"QueueList": func(r string) (int, error) {
			return many(q.QueueList(ctx, dbsqlc.QueueListParams{Realm: r, PageSize: 9}))
		},
		"MessageListOverdue": func(r string) (int, error) {
			return many(q.MessageListOverdue(
				ctx, dbsqlc.MessageListOverdueParams{Realm: r, AcceptedBefore: later, AcceptedAfter: later, Held: none, PageSize: 9},
			))
		},
		"MessageListExpired": func(r string) (int, error) {
			return many(q.MessageListExpired(ctx, dbsqlc.MessageListExpiredParams{Realm: r, Due: later, Held: none, PageSize: 9}))
		},
	}
	for name, ask := range queries {
		own, err := ask(m.Realm)
		other, otherErr := ask("demo2")
		if err != nil || own == 0 || otherErr != nil || other != 0 {
			t.Errorf("%s finds %d rows of its realm (%v), and %d of it for another realm (%v)", name, own, err, other, otherErr)
		}
	}
}

func many[T any](rows []T, err error) (int, error) { return len(rows), err }

func one[T any](_ T, err error) (int, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return 1, err
}
