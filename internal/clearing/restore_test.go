package clearing_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/postgres"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// memory is a clearing that remembers: another document under a message id it knows is refused.
type memory struct {
	mu  sync.Mutex
	has map[string]string
}

func (m *memory) refuse(d servicetest.Delivery) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, there := m.has[d.Reference]
	if there && known != d.Content {
		return clearing.ErrOtherDocument
	}
	m.has[d.Reference] = d.Content
	return nil
}

// dump writes the database as docs/operations.md says, at this moment.
func dump(t *testing.T, h *servicetest.Env) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "countersign.dump")
	run(t, "pg_dump", "--format=custom", "--file="+file, h.DB.OwnerURL)
	return file
}

// run runs a program of PostgreSQL's.
func run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	said, err := exec.CommandContext(ctx, program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
}

// restored is a dump on another server, which knows none of the roles, brought back as docs/operations.md says.
func restored(t *testing.T, file string) *storetest.DB {
	t.Helper()
	folder, err := os.MkdirTemp("", "csr")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	server, err := postgres.Start(ctx, postgres.Config{
		DataDir: filepath.Join(folder, "data"), Log: slog.New(slog.DiscardHandler), Settings: map[string]string{"fsync": "off"},
	})
	must(t, err)
	t.Cleanup(func() { _ = server.Stop(ctx) })
	return into(t, server, file)
}

// into brings a dump back on a server that knows none of the roles.
func into(t *testing.T, server *postgres.Cluster, file string) *storetest.DB {
	t.Helper()
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	must(t, err)
	for _, statement := range []string{
		"CREATE ROLE countersign_app NOLOGIN", "CREATE ROLE countersign_reader NOLOGIN", "CREATE DATABASE countersign",
		"REVOKE TEMPORARY ON DATABASE countersign FROM PUBLIC",
	} {
		_, err = conn.Exec(ctx, statement)
		must(t, err)
	}
	must(t, conn.Close(ctx))
	run(t, "pg_restore", "--exit-on-error", "--dbname="+server.URL("countersign"), file)
	return on(t, server)
}

// on is the gateway's database on a server.
func on(t *testing.T, server *postgres.Cluster) *storetest.DB {
	t.Helper()
	url := server.URL("countersign")
	db := &storetest.DB{URL: url, OwnerURL: url, Seal: storetest.Sealer(t, storetest.Key)}
	db.Database = db.Open(t, db.Seal)
	return db
}

// TestWhatWasSentAfterTheBackupIsFoundAgain: a payment waits in the backup, and is approved, sent and settled afterwards. On the restored
// database it waits again; approved again it is another document under the same id, which clearing refuses. Two administrators say so,
// clearing is asked, and its answer settles it, once. What ended on the restored database cannot follow: see endedHere.
func TestWhatWasSentAfterTheBackupIsFoundAgain(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	needsPrograms(t)
	h := servicetest.New(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	var others [5]payment.Message
	for i := range others {
		others[i] = h.Create(t, maker, rulebook.SchemeSIC)
	}
	backup := dump(t, h)
	there := &memory{has: map[string]string{}}
	h.Network.Refuse = there.refuse
	for i, one := range append([]payment.Message{m}, others[:3]...) {
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: one.InternalID})
		must(t, err)
		send(t, h, one)
		receive(t, h, answer(t, one, fmt.Sprint("A", i+1), "ACSC", ""))
		want{state: payment.StateSettled}.check(t, h, one)
	}
	_, err := h.Approval.Reject(ctx, checker, service.Input{InternalID: others[3].InternalID}, "not ours")
	must(t, err)
	again := servicetest.On(t, restored(t, backup), servicetest.Options{At: h.Clock.Now().Add(time.Minute)})
	foundAgain(t, again, there, m)
	endedHere(t, again, others)
}

// endedHere: of what clearing settled after the backup one is rejected on the restored database, one withdrawn and one expires, before
// anybody compared; one was rejected after the backup, and one expired. Nothing of them is sent, clearing's answers change nothing and
// raise the alarm, and nobody can say that clearing has what can no longer follow it.
func endedHere(t *testing.T, h *servicetest.Env, others [5]payment.Message) {
	t.Helper()
	defer h.CheckInvariants(t)
	log := listen(h)
	before := len(h.Network.Delivered())
	for _, one := range others { // what was rejected is not known to be
		want{state: payment.StateApprovalPending}.check(t, h, one)
	}
	receive(t, h, answer(t, others[2], "B0", "ACSC", ""))
	_, reason := inboxOf(t, h, "B0")
	if !strings.Contains(reason, "ask for the message to be approved again before it expires") || alarms(log) != 1 {
		t.Errorf("the answer to what waits: %s\n%s", reason, log)
	}
	_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: others[0].InternalID}, "not ours")
	must(t, err)
	_, err = h.Submission.Withdraw(ctx, h.Person(t, "maker1"), others[1].InternalID, "")
	must(t, err)
	_, err = h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: others[3].InternalID}, "not ours")
	must(t, err)
	h.Clock.Set(others[2].ExpiresAt)
	h.Clearing.RunOnce(ctx)
	ended := []payment.State{
		payment.StateRejected, payment.StateWithdrawn, payment.StateExpired, payment.StateRejected, payment.StateExpired,
	}
	for i, one := range others[:3] {
		receive(t, h, answer(t, one, fmt.Sprint("B", i+1), "ACSC", ""))
		outcome, reason := inboxOf(t, h, fmt.Sprint("B", i+1))
		if outcome != "quarantined" || !strings.Contains(reason, "its state in this gateway is “"+string(ended[i])+"”, which is final") ||
			!strings.Contains(reason, "outside this gateway") {
			t.Errorf("the answer to what is %s here is %s: %s", ended[i], outcome, reason)
		}
		_, err = h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
			Kind: administration.KindMessageTaken, Subject: string(one.GlobalID), Note: "clearing's statement, line 13",
		})
		var malformed *payment.FieldError
		if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/subject" {
			t.Errorf("that clearing has what is %s here: %v", ended[i], err)
		}
	}
	look(h)
	for i, one := range others {
		want{state: ended[i]}.check(t, h, one)
	}
	if sent := len(h.Network.Delivered()) - before; sent != 0 || alarms(log) != 3 {
		t.Errorf("%d documents were sent, %d alarms raised\n%s", sent, alarms(log), log)
	}
}

// needsPrograms skips a test on a machine that lacks PostgreSQL's client programs.
func needsPrograms(t *testing.T) {
	t.Helper()
	for _, program := range []string{"pg_dump", "pg_restore"} {
		testutil.OfPostgres(t, program)
	}
}

// foundAgain: a payment waits in a restored database that clearing has settled; people bring it to its true state.
func foundAgain(t *testing.T, again *servicetest.Env, there *memory, m payment.Message) {
	t.Helper()
	defer again.CheckInvariants(t)
	again.Network.Refuse = there.refuse
	log := listen(again)
	want{state: payment.StateApprovalPending}.check(t, again, m)
	receive(t, again, answer(t, m, "A1", "ACSC", ""))
	outcome, reason := inboxOf(t, again, "A1")
	if outcome != "quarantined" || !strings.Contains(reason, "If the gateway was restored from a backup") {
		t.Errorf("the answer to what waits here is %s: %s", outcome, reason)
	}
	_, err := again.Approval.Approve(ctx, again.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	must(t, err)
	again.Clock.Add(11 * time.Second)
	again.Clearing.RunOnce(ctx)
	stuck(t, again, m, log.String())
	sayTaken(t, again, m)
	settledOnceAsked(t, again, m)
}

// stuck: clearing refuses the message for good, and nobody asks it about what it never took from this database.
func stuck(t *testing.T, h *servicetest.Env, m payment.Message, log string) {
	t.Helper()
	for range 3 {
		h.Clock.Add(time.Minute)
		h.Clearing.RunOnce(ctx)
	}
	want{state: payment.StateUnconfirmed}.check(t, h, m)
	if asked := len(h.Network.Delivered()); asked != 0 {
		t.Errorf("clearing took %d documents about %s, which two administrators have said nothing of", asked, m.GlobalID)
	}
	if !strings.Contains(log, "clearing has another document under the id") || !strings.Contains(log, "alarm=true") {
		t.Errorf("nobody is told:\n%s", log)
	}
}

// sayTaken has two administrators say that clearing has the message; one alone changes nothing.
func sayTaken(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	one, other := h.Person(t, "admin1"), h.Person(t, "admin2")
	in := service.RequestInput{Kind: administration.KindMessageTaken, Subject: string(m.GlobalID)}
	_, err := h.Admin.Request(ctx, one, in)
	var malformed *payment.FieldError
	if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/note" {
		t.Errorf("without a word how it is known: %v", err)
	}
	in.Note = "clearing's statement, line 12"
	made, err := h.Admin.Request(ctx, one, in)
	must(t, err)
	_, err = h.Admin.Decide(ctx, one, service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	var alone *payment.FourEyesError
	if !errors.As(err, &alone) {
		t.Errorf("one administrator alone: %v", err)
	}
	h.Clock.Add(time.Minute)
	h.Clearing.RunOnce(ctx)
	if current(t, h, m).DeliveredAt != (time.Time{}) {
		t.Error("what one administrator says counts")
	}
	_, err = h.Admin.Decide(ctx, other, service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	must(t, err)
	_, err = h.Admin.Request(ctx, one, service.RequestInput{Kind: in.Kind, Subject: "DM00000000000000", Note: in.Note})
	if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/subject" {
		t.Errorf("of a message that is not there: %v", err)
	}
}

func settledOnceAsked(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	for range 3 {
		h.Clock.Add(time.Minute)
		h.Clearing.RunOnce(ctx)
	}
	var asked []string
	for _, d := range h.Network.Delivered() {
		asked = append(asked, d.Reference)
	}
	if len(asked) == 0 || asked[0] != fmt.Sprintf("P28%s-1", m.GlobalID) {
		t.Fatalf("clearing took %v, want the question what became of it, and nothing else", asked)
	}
	receive(t, h, answer(t, m, "A2", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, m)
	h.Log = io.Discard
}
