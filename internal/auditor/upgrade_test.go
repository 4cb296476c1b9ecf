package auditor_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/approval"
	"countersign/internal/auditor"
	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store/provision"
	"countersign/internal/store/storetest"
)

// firstDelivered is the last migration of the first version that was delivered. testdata/schema14.sql.gz holds the rows that version wrote
// (commit 450f4c9, by its own stations, with the keys of tests): both schemes, every kind, every state.
const firstDelivered = 14

// firstClock is where that version's clock stood at its end.
var firstClock = time.Date(2026, time.June, 30, 11, 0, 52, 0, time.UTC)

// notKept are tables of which an upgrade keeps nothing, because whoever is signed in signs in again, and those that migrations alone write.
var notKept = []string{
	"token_family", "refresh_token", "access_token", "sessions", "login_throttle", "goose_db_version", "legal_move",
}

func TestAFilledDatabaseOfTheFirstVersionIsUpgradedAndNothingIsLost(t *testing.T) {
	t.Parallel()
	db := storetest.At(t, firstDelivered)
	conn := db.Connect(t)
	_, err := conn.Exec(ctx, "SET session_replication_role = replica; "+firstRows(t)+"; SET session_replication_role = origin")
	must(t, err)
	columns, before := contents(t, conn, nil)
	db.Upgrade(t)
	_, after := contents(t, conn, columns)
	for table, digest := range before {
		if after[table] != digest {
			t.Errorf("the upgrade changed the rows of %s", table)
		}
	}
	// as countersign demo does at its start, and whoever provisions after an upgrade
	must(t, demo.Ensure(ctx, db.Provisioner(t)))
	// with identifiers of its own
	h := stationtest.On(t, db, stationtest.Options{At: firstClock.In(zurich(t))}).Again(t, stationtest.Options{})
	onlyUnsealed(t, h.Check(t))
	carryOn(t, h, allMessages(t, h, conn))
	onlyUnsealed(t, h.Check(t))
	sealAfterwards(t, h)
}

// sealAfterwards has an operator answer for what is older than its seals: then nothing is broken, and the report says who did it and when.
// A dry run writes nothing, and what is younger than the day is left.
func sealAfterwards(t *testing.T, h *stationtest.House) {
	t.Helper()
	unproven, others := h.Check(t).Unproven()
	if len(unproven) == 0 || others != 0 {
		t.Fatalf("%d rows are unproven, %d otherwise wrong", len(unproven), others)
	}
	rows := make([]provision.LateRow, len(unproven))
	for i, v := range unproven {
		rows[i] = provision.LateRow{Realm: v.Realm, Relation: v.Table, Key: v.Key}
	}
	in := provision.LateSealing{
		OwnerURL: h.DB.OwnerURL, Seal: h.Seal, By: "Olga Operator", Reason: "Compared with clearing's statement.",
		Before: firstClock.AddDate(-1, 0, 0),
		At:     h.Clock.Now(),
	}
	early, err := provision.SealLate(ctx, in, rows)
	must(t, err)
	in.Before, in.DryRun = firstClock.Add(time.Hour), true
	tried, err := provision.SealLate(ctx, in, rows)
	must(t, err)
	still, _ := h.Check(t).Unproven()
	if len(early.Sealed) != 0 || len(early.Left) != len(rows) || len(tried.Sealed) != len(rows) || len(still) != len(rows) {
		t.Errorf("of %d rows %d were sealed before their time, %d would be, and %d are left after that", len(rows),
			len(early.Sealed), len(tried.Sealed), len(still))
	}
	in.DryRun = false
	_, err = provision.SealLate(ctx, in, rows)
	must(t, err)
	after := h.Check(t)
	for _, i := range after.Invariants {
		for _, v := range i.Violations {
			t.Errorf("sealed afterwards, and yet %s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
		}
	}
	named := len(after.Late) == 1 && after.Late[0].By == in.By && after.Late[0].Rows == len(rows) && after.Late[0].At.Equal(in.At)
	if !named || after.MadeOtherwise == 0 {
		t.Errorf("the report says %+v, and %d documents made otherwise", after.Late, after.MadeOtherwise)
	}
	again, err := provision.SealLate(ctx, in, rows)
	if err == nil || len(again.Sealed) != 0 {
		t.Errorf("sealed twice: %d, %v", len(again.Sealed), err)
	}
}

// firstRows are the rows of the first version as SQL.
func firstRows(t *testing.T) string {
	t.Helper()
	file, err := os.Open("testdata/schema14.sql.gz")
	must(t, err)
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(file)
	must(t, err)
	text, err := io.ReadAll(unpacked)
	must(t, err)
	return string(text)
}

// contents digests the rows of every table, in the given columns of each; nil takes all there are, and returns them.
func contents(t *testing.T, conn *pgx.Conn, columns map[string]string) (of, digests map[string]string) {
	t.Helper()
	if columns == nil {
		columns = make(map[string]string)
		rows, err := conn.Query(ctx, `SELECT c.relname::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
			WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1) GROUP BY c.relname`, notKept)
		must(t, err)
		var table, list string
		_, err = pgx.ForEachRow(rows, []any{&table, &list}, func() error { columns[table] = list; return nil })
		must(t, err)
	}
	digests = make(map[string]string)
	for table, list := range columns {
		var digest string
		err := conn.QueryRow(ctx,
			fmt.Sprintf("SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' ORDER BY r::text)), '') FROM (SELECT %s FROM %s) r", list,
				table)).Scan(&digest)
		must(t, err)
		digests[table] = digest
	}
	return columns, digests
}

// onlyUnsealed holds that nothing is wrong but that rows of before have no seal where seals came later.
func onlyUnsealed(t *testing.T, report auditor.Report) {
	t.Helper()
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			// Documents are written otherwise since: the seal of what was sent stands for them (docs/operations.md, I17).
			if v.Table == "release" && strings.Contains(v.What, "made again") || strings.Contains(v.What, "is not what is made of it now") {
				continue
			}
			if !strings.Contains(v.What, "has no seal") || !slices.Contains([]string{"decision", "document", "outbox", "creation_key"}, v.Table) {
				t.Errorf("%s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
			}
		}
	}
}

// allMessages reads every message as pages do.
func allMessages(t *testing.T, h *stationtest.House, conn *pgx.Conn) []payment.Message {
	t.Helper()
	rows, err := conn.Query(ctx, "SELECT realm, message_id FROM message ORDER BY message_id")
	must(t, err)
	type place struct {
		realm string
		id    uuid.UUID
	}
	places, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p place, err error) { return p, row.Scan(&p.realm, &p.id) })
	must(t, err)
	list := make([]payment.Message, len(places))
	for i, p := range places {
		list[i], err = h.Reader.Message(ctx, p.realm, p.id)
		must(t, err)
	}
	return list
}

// carryOn decides what waits and sends what was approved. A message that waits with one of two approvals of before is withheld.
func carryOn(t *testing.T, h *stationtest.House, messages []payment.Message) {
	t.Helper()
	states := make(map[payment.State]int)
	for _, m := range messages {
		states[m.State]++
		half := m.State == payment.StateApprovalPending && len(m.Decisions) > 0
		if (m.Withheld != "") != half {
			t.Errorf("%s %s %s is withheld: %q", m.Kind, m.State, m.InternalID, m.Withheld)
		}
		switch {
		case half:
			_, err := h.Submission.Withdraw(ctx, h.Person(t, makerOf(t, h, m)), m.InternalID, "It is entered anew.")
			must(t, err)
		case m.State == payment.StateApprovalPending:
			goOn(t, h, m)
		case (m.State == payment.StateApproved || m.State == payment.StateProcessing) && m.Kind == payment.KindInstruction &&
			m.Scheme == rulebook.SchemeSIC:
			settle(t, h, m)
		}
	}
	for _, state := range []payment.State{
		payment.StateApprovalPending, payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateSettled,
		payment.StateFailed, payment.StateRejected, payment.StateWithdrawn, payment.StateExpired,
		payment.StateAccepted, payment.StateRefused, payment.StateOverdue, payment.StateCommunicated, payment.StateBooked,
		payment.StateAwaitingDecision, payment.StateAnswered,
	} {
		if states[state] == 0 {
			t.Errorf("the first version left no message in the state %s", state)
		}
	}
}

func makerOf(t *testing.T, h *stationtest.House, m payment.Message) (name string) {
	t.Helper()
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT name FROM user_account WHERE user_id = $1", m.MakerUser).Scan(&name))
	return name
}

// goOn has a message of before decided. The first version did not look up the bank of a SEPA payee and showed the order's wording of the
// debtor: such a payment is refused with the sentence what to do, and entered anew.
func goOn(t *testing.T, h *stationtest.House, m payment.Message) {
	t.Helper()
	in := approval.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), in)
	var refused *payment.RefusalError
	if errors.As(err, &refused) && strings.Contains(refused.Error(), "enter it anew") {
		_, err = h.Approval.Reject(ctx, h.Person(t, "checker1"), in, "It is entered anew.")
		must(t, err)
		m = approve(t, h, h.Create(t, h.Person(t, "maker1"), m.Scheme))
	}
	must(t, err)
	settle(t, h, m)
}

func zurich(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	return zone
}
