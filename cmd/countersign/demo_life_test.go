package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/testutil"
)

// incoming has the simulator send a payment to a customer of the demo, and returns its TxId. The gateway has to accept it.
func (h *house) incoming(t *testing.T, scheme string) string {
	t.Helper()
	answer, err := http.Post(
		"http://"+h.simulator+"/scenario/incoming-payment", "application/json",
		strings.NewReader(`{"scheme":"`+scheme+`"}`),
	)
	must(t, err)
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	must(t, answer.Body.Close())
	var made struct{ TransactionID, Status string }
	must(t, json.Unmarshal(body, &made))
	if answer.StatusCode != http.StatusOK || made.Status != "ACCP" {
		t.Errorf("incoming payment: %d %s", answer.StatusCode, body)
	}
	return made.TransactionID
}

// recall has the simulator recall a payment it sent.
func (h *house) recall(t *testing.T, scheme, transactionID string) {
	t.Helper()
	answer, err := http.Post("http://"+h.simulator+"/scenario/recall", "application/json",
		strings.NewReader(`{"scheme":"`+scheme+`","transactionId":"`+transactionID+`"}`))
	must(t, err)
	body, _ := io.ReadAll(answer.Body)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		t.Errorf("recall: %d %s", answer.StatusCode, body)
	}
}

// TestADemoThatStartsAgainGoesOn starts a demo three times on one folder: what comes in after a restart is new, what came in before can
// be recalled, and a key that is lost or another one is told.
func TestADemoThatStartsAgainGoesOn(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	first := []string{h.incoming(t, "sic-inst"), h.incoming(t, "sct-inst")}
	p.kill(t)
	p = h.open(t)
	for i, scheme := range []string{"sic-inst", "sct-inst"} {
		if again := h.incoming(t, scheme); again == first[i] {
			t.Errorf("%s was sent twice", again)
		}
		h.recall(t, scheme, first[i])
	}
	o := newOffice(t, h)
	released := o.newPaper(0)
	for _, step := range []func(*paper) (reply, error){o.create, o.approve} {
		r, err := step(released)
		must(t, err)
		if r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.text)
		}
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	for _, name := range []string{"release.key", "token.key", "audit.key"} {
		key := filepath.Join(h.data, name)
		must(t, os.Rename(key, key+".away"))
		h.refuses(t, name+" is gone, and the database holds", "put the file back, or begin anew in another folder (COUNTERSIGN_DATA_DIR)")
		if _, err := os.Stat(key); !os.IsNotExist(err) {
			t.Errorf("a key was made: %v", err)
		}
		must(t, os.Rename(key+".away", key))
	}
	key := filepath.Join(h.data, "release.key")
	must(t, os.Rename(key, key+".away"))
	must(t, os.Rename(keyIn(t, h.data), key))
	h.refuses(t, "the key release-1 in the key file is not the one that sealed what is stored", "put the right file back")
	must(t, os.Rename(key+".away", key))
	token := filepath.Join(h.data, "token.key")
	must(t, os.Rename(token, token+".away"))
	must(t, os.Rename(keyIn(t, h.data), token))
	h.refuses(t, "the key token-1 in the key file is not the one that sealed the people and policies of realm demo")
	must(t, os.Rename(token+".away", token))
	p = h.open(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// refuses starts a demo that must not start, and holds what it says.
func (h *house) refuses(t *testing.T, words ...string) {
	t.Helper()
	p := start(t, h.settings(), "demo")
	code := p.wait(t)
	for _, want := range words {
		if code != exitFailed || !strings.Contains(p.output.String(), want) {
			t.Errorf("the demo ends with %d and does not say %q:\n%s", code, want, p.output)
		}
	}
}

// TestTheDemoGainsNothingByResetRole works as the demo's login, as an injected statement would.
func TestTheDemoGainsNothingByResetRole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	owner, err := pgx.Connect(t.Context(), h.databaseURL(t))
	must(t, err)
	var others int
	must(t, owner.QueryRow(
		t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'countersign/%' AND usename <> $1", demoLogin,
	).Scan(&others))
	if others != 0 {
		t.Errorf("%d connections of the gateway have another login", others)
	}
	must(t, owner.Close(t.Context()))
	login, err := pgx.Connect(t.Context(), strings.Replace(h.databaseURL(t), "user=postgres", "user="+demoLogin, 1))
	must(t, err)
	for _, statement := range []string{
		"RESET ROLE; DELETE FROM audit_event", "RESET ROLE; UPDATE decision SET reason = 'x'", "SET ROLE postgres",
		"SET SESSION AUTHORIZATION postgres",
		"RESET ROLE; CREATE ROLE mighty SUPERUSER", "RESET ROLE; ALTER ROLE countersign_demo SUPERUSER",
		"RESET ROLE; ALTER TABLE release DISABLE TRIGGER ALL",
		"RESET ROLE; CREATE TABLE public.mine ()", "RESET ROLE; COPY (SELECT 1) TO '/tmp/x'", "ALTER SYSTEM SET fsync = off",
	} {
		_, err = login.Exec(t.Context(), statement)
		if err == nil || !strings.Contains(err.Error(), "SQLSTATE 42501") {
			t.Errorf("%s: %v, want a refusal for want of privilege", statement, err)
		}
	}
	must(t, login.Close(t.Context()))
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

func TestTheDemoStartsItsDatabaseAgain(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	o.tokens["maker1"] = o.signIn(t, "maker1") // who signs in too early gets no token
	before := h.postmaster(t)
	must(t, syscall.Kill(before, syscall.SIGKILL))
	until := time.Now().Add(patience)
	for h.postmaster(t) == before && time.Now().Before(until) {
		time.Sleep(20 * time.Millisecond)
	}
	p.answers(t, "http://"+h.gateway+"/readyz")
	order := o.newPaper(0)
	var r reply
	if !poll(func() bool { // what is asked too early is answered 503, and asked again
		var err error
		r, err = o.create(order)
		must(t, err)
		return r.status != http.StatusServiceUnavailable
	}) || r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.text)
	}
	if code := p.terminate(t); code != 0 || h.postmaster(t) != 0 {
		t.Errorf("the demo ends with %d, its database is process %d", code, h.postmaster(t))
	}
}

// TestAFirstStartShowsADay waits for the day of a new demo and holds that a second start adds nothing to it.
func TestAFirstStartShowsADay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.day = true
	p := h.open(t)
	o := newOffice(t, h)
	want := []string{
		"instruction Approval Pending", "instruction Rejected", "instruction Withdrawn", "instruction Settled", "instruction Failed",
		"instruction Unconfirmed", "recall Approval Pending", "recall Accepted", "recall Refused", "recall Acknowledged",
		"recall Awaiting Decision", "recall Answered", "return Settled", "resolution Communicated", "payment Booked",
	}
	var missing []string
	var count int
	if !poll(func() bool {
		count, missing = o.day(t, want)
		return len(missing) == 0
	}) {
		t.Errorf("the day has %d messages and misses %q", count, missing)
	}
	// One expires a minute after it was entered, when the rest is there: that is waited for apart.
	expired := []string{"instruction Expired"}
	there := false
	for range 2 {
		if there = poll(func() bool { _, missing = o.day(t, expired); return len(missing) == 0 }); there {
			break
		}
	}
	if !there {
		t.Errorf("the day misses %q", missing)
	}
	h.check(t)
	if code := p.terminate(t); code != 0 || !strings.Contains(p.output.String(), "A day's payments are there") {
		t.Errorf("the demo ends with %d, or has not said that its day is there", code)
	}
	p = h.open(t)
	h.incoming(t, "sct-inst") // by then the second start has looked
	o = newOffice(t, h)
	if again, _ := o.day(t, want); again != count+1 {
		t.Errorf("after the second start there are %d messages, want %d and the one that came in", again, count)
	}
	if code := p.terminate(t); code != 0 || strings.Contains(p.output.String(), "not complete") ||
		strings.Contains(p.output.String(), "A day's payments are there") {
		t.Errorf("the demo ends with %d", code)
	}
}

// day counts the messages of the realm and says which of the wanted kinds and states are not among them.
func (o *office) day(t *testing.T, want []string) (count int, missing []string) {
	t.Helper()
	r, err := o.askAs("maker1", http.MethodGet, "/api/common/v1/transaction/list?pageSize=100", "")
	must(t, err)
	var list struct {
		Transactions []struct{ Kind, State string }
	}
	must(t, json.Unmarshal([]byte(r.text), &list))
	seen := map[string]bool{}
	for _, message := range list.Transactions {
		seen[message.Kind+" "+message.State] = true
	}
	for _, one := range want {
		if !seen[one] {
			missing = append(missing, one)
		}
	}
	return len(list.Transactions), missing
}
