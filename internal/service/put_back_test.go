package service_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// tablesOfMessages hold the rows of a message, apart from the audit tree.
var tablesOfMessages = []string{
	"message", "message_version", "message_history", "decision", "release", "document", "creation_key", "audit_event",
}

// rowsOf reads all rows of a message, by table.
func rowsOf(t *testing.T, conn *pgx.Conn, m payment.Message) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for _, table := range tablesOfMessages {
		found, err := conn.Query(ctx, "SELECT to_jsonb(r)::text FROM "+table+" r WHERE message_id = $1", m.InternalID)
		must(t, err)
		rows[table], err = pgx.CollectRows(found, pgx.RowTo[string])
		must(t, err)
	}
	return rows
}

// putRowsBack makes the rows of a message the earlier ones, as a superuser.
func putRowsBack(t *testing.T, conn *pgx.Conn, m payment.Message, rows map[string][]string) {
	t.Helper()
	_, err := conn.Exec(ctx, "SET session_replication_role = replica")
	must(t, err)
	must(t, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, table := range tablesOfMessages {
			_, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE message_id = $1", m.InternalID)
			if err != nil {
				return err
			}
			for _, row := range rows[table] {
				_, err = tx.Exec(ctx, fmt.Sprintf("INSERT INTO %[1]s SELECT * FROM jsonb_populate_record(NULL::%[1]s, $1)", table), row)
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// movesAway are the ways in which a message stops to wait as it does.
var movesAway = map[string]func(*testing.T, *servicetest.Env, payment.Message){
	"withdrawn": func(t *testing.T, h *servicetest.Env, m payment.Message) {
		_, err := h.Submission.Withdraw(ctx, h.Person(t, "maker1"), m.InternalID, "")
		must(t, err)
	},
	"rejected": func(t *testing.T, h *servicetest.Env, m payment.Message) {
		_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}, "no")
		must(t, err)
	},
	"expired": func(t *testing.T, h *servicetest.Env, m payment.Message) {
		at := h.Clock.Now()
		h.Clock.Set(m.ExpiresAt)
		h.Clearing.RunOnce(ctx)
		h.Clock.Set(at)
	},
	"amended": func(t *testing.T, h *servicetest.Env, m payment.Message) {
		_, err := h.Submission.Amend(ctx, h.Person(t, "maker1"), m.InternalID, h.Order(rulebook.SchemeSIC))
		must(t, err)
	},
}

// TestAMessagePutBackIsNotDecided: a superuser makes all rows of a message those of before it was withdrawn, rejected, expired or amended. From
// the moment at which its move is in the audit tree no gateway lets it be decided; before that, and when the leaf is deleted too, the gateway
// that made the move does not. The check names what was done to the trail.
func TestAMessagePutBackIsNotDecided(t *testing.T) {
	t.Parallel()
	for move, away := range movesAway {
		for when, c := range map[string]struct {
			sealed, restarted bool
			besides           string // what the superuser does as well
		}{
			"once its move is sealed, and the gateways restarted": {sealed: true, restarted: true},
			"before its move is sealed":                           {},
			"with the leaf of its move": {
				sealed: true, besides: "DELETE FROM audit_leaf l WHERE leaf_index = (SELECT max(leaf_index) FROM audit_leaf WHERE kind = 'event')",
			},
			"with moves made up beside it": {
				sealed: true, restarted: true, besides: `UPDATE message SET state_sequence = 3 WHERE state = 'Approval Pending';
					INSERT INTO message_history SELECT (jsonb_populate_record(h, jsonb_build_object('sequence', n, 'previous_sequence', n - 1))).*
					FROM message_history h, generate_series(2, 3) n WHERE sequence = 1`,
			},
		} {
			t.Run(move+" "+when, func(t *testing.T) {
				t.Parallel()
				h := servicetest.New(t)
				m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
				h.Notary.Sweep(ctx)
				conn := h.DB.Connect(t)
				was := rowsOf(t, conn, m)
				away(t, h, m)
				if c.sealed {
					h.Notary.Sweep(ctx)
				}
				putRowsBack(t, conn, m, was)
				_, err := conn.Exec(ctx, c.besides)
				must(t, err)
				other := h
				if c.restarted {
					other = restarted(t, h)
				}
				var withheld *payment.WithheldError
				_, err = other.Approval.Approve(ctx, other.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
				if !errors.As(err, &withheld) {
					t.Errorf("an approval of the message that was put back: %v, want it withheld", err)
				}
				sentNothing(t, other)
				shown, err := other.Reader.Message(ctx, m.Realm, m.InternalID)
				must(t, err)
				if shown.Withheld == "" && c.restarted {
					t.Error("the page shows the message that was put back as if it waited")
				}
				if c.sealed && c.besides == "" {
					report, err := integrity.CheckTrail(ctx, integrity.Config{
						DatabaseURL: h.DB.OwnerURL, AuditKeys: storetest.AuditKeys(t), Now: h.Clock.Now(),
					})
					must(t, err)
					gone := func(v integrity.Violation) bool { return v.Key == auditlog.MoveID(m.InternalID, 2).String() }
					if !slices.ContainsFunc(report.Invariants[0].Violations, gone) {
						t.Errorf("the check does not name the move that is gone: %v", report.Invariants[0].Violations)
					}
				}
			})
		}
	}
}

// TestTheServicesRolePutsNoMessageBack: the login of the service may write the state of a message, and no row of its history is gone. No
// decision is written after that, with or without the leaf of the move in the tree.
func TestTheServicesRolePutsNoMessageBack(t *testing.T) {
	t.Parallel()
	for move, away := range movesAway {
		for _, sealed := range []bool{false, true} {
			t.Run(fmt.Sprint(move, " ", sealed), func(t *testing.T) {
				t.Parallel()
				h := servicetest.New(t)
				m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
				away(t, h, m)
				if sealed {
					h.Notary.Sweep(ctx)
				}
				_, err := h.DB.ConnectAsApplication(t, m.Realm).Exec(ctx, `UPDATE message
					SET state = 'Approval Pending', state_sequence = 1, version = 1, approvals = 0 WHERE message_id = $1`, m.InternalID)
				must(t, err)
				other := restarted(t, h)
				_, err = other.Approval.Approve(ctx, other.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
				if err == nil {
					t.Error("the message that was put back is approved")
				}
				sentNothing(t, other)
			})
		}
	}
}

// restarted returns another gateway on the same database, which remembers nothing.
func restarted(t *testing.T, h *servicetest.Env) *servicetest.Env {
	t.Helper()
	return servicetest.On(t, h.DB, servicetest.Options{
		Database: func(db *storetest.DB) *store.Database { return db.Open(t, db.Seal) },
	})
}

// TestAWaitingMessageIsDecidedAsBefore: an approval of an earlier version, a question and its answer are moves and no approvals.
func TestAWaitingMessageIsDecidedAsBefore(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "15000.00")
	made, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	must(t, err)
	m := made.Message
	decide := func(person string) {
		t.Helper()
		m, err = h.Approval.Approve(ctx, h.Person(t, person), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
		must(t, err)
		h.Notary.Sweep(ctx)
	}
	decide("checker1")
	order = h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "15001.00")
	m, err = h.Submission.Amend(ctx, h.Person(t, "maker2"), m.InternalID, order)
	must(t, err)
	h.Notary.Sweep(ctx)
	decide("checker1")
	_, err = h.Approval.Ask(ctx, h.Person(t, "checker2"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}, "Why?")
	must(t, err)
	h.Notary.Sweep(ctx)
	_, err = h.Submission.Answer(ctx, h.Person(t, "maker1"), m.InternalID, "As agreed.")
	must(t, err)
	h.Notary.Sweep(ctx)
	decide("checker2")
	if m.State != payment.StateApproved {
		t.Errorf("after an approval, an amendment, a question and two approvals the message is %s", m.State)
	}
}
