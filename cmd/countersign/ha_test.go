//go:build long

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// rehearsal is the form of deploy/ha on loopback, with an office at work before it.
type rehearsal struct {
	t       *testing.T
	cluster cluster
	house   *house // whose gateway is HAProxy
	office  *office
	folder  string   // of keys and marks
	keys    []string // settings of the key files

	gateways  []*program
	addresses []string   // of the gateways
	settings  [][]string // of the gateways
	counters  string     // address of HAProxy's counters

	mu    sync.Mutex
	acked []time.Time

	failed atomic.Int64 // calls without the expected answer
}

// perSecond limits the payments that the office enters.
const perSecond = 20

// TestHighAvailability plays what can happen to the machines of deploy/ha while payments are entered and approved through HAProxy. Every
// acknowledged payment is there afterwards, took effect at clearing once, and is in the state that clearing says.
func TestHighAvailability(t *testing.T) {
	rounds := testutil.Count(t, "COUNTERSIGN_HA_ROUNDS", 0)
	if rounds == 0 {
		t.Skip("make rehearse-ha plays it")
	}
	r := newRehearsal(t)
	events := []struct {
		name string
		play func(*rehearsal)
	}{
		{"machine dies", (*rehearsal).machineDies},
		{"postmaster killed", (*rehearsal).postmasterKilled},
		{"primary frozen", (*rehearsal).primaryFrozen},
		{"planned switchover", (*rehearsal).switchOver},
		{"gateway frozen", (*rehearsal).gatewayFrozen},
		{"etcd member lost", (*rehearsal).etcdLost},
	}
	stop, group := make(chan struct{}), &errgroup.Group{}
	limit := rate.NewLimiter(perSecond, 1)
	for range workers {
		group.Go(func() error { r.work(stop, limit); return nil })
	}
	report := fmt.Sprintf("%-20s %12s %18s %12s %6s\n", "event", "new leader", "no acknowledgement", "clock late", "acked")
	for range rounds {
		for _, event := range events {
			report += r.play(event.name, event.play)
		}
	}
	wanted := testutil.Count(t, "COUNTERSIGN_HA_PAYMENTS", 0)
	for until := time.Now().Add(10 * time.Minute); int(r.office.acknowledged.Load()) < wanted && time.Now().Before(until); {
		time.Sleep(time.Second)
	}
	close(stop)
	must(t, group.Wait())
	t.Logf("%d acknowledged requests\n%s", r.office.acknowledged.Load(), report)
	r.holds()
}

// newRehearsal starts the machines, two gateways, HAProxy and the simulator.
func newRehearsal(t *testing.T) *rehearsal {
	t.Helper()
	r := &rehearsal{t: t, cluster: newCluster(t)}
	r.cluster.await(t)
	r.cluster.prepare(t)
	r.open(r.cluster.url("countersign_owner:owner", "read-write"), r.cluster.url("countersign_service:service", "read-write"), 2)
	r.office.comesAgain, r.office.client.Timeout = true, 8*time.Second
	return r
}

// open starts a rehearsal behind the HAProxy of deploy/ha, with an office before it.
func (r *rehearsal) open(owner, service string, gateways int) {
	r.t.Helper()
	r.house = &house{gateway: freeAddress(r.t), simulator: freeAddress(r.t), external: true}
	r.fill(owner, demo.Ensure)
	addresses := make([]string, gateways)
	for number := range addresses {
		addresses[number] = freeAddress(r.t)
	}
	r.add(service, addresses...)
	r.balance()
	r.office = newOffice(r.t, r.house)
}

// rehearsedToken is the bearer token of the rehearsed clearing.
const rehearsedToken = "rehearsed-clearing-token"

// fill migrates a database, provisions realms, makes the key files and starts the simulator. The database has the logins of prepare.
func (r *rehearsal) fill(owner string, provision func(context.Context, store.Provisioner) error) {
	t := r.t
	t.Helper()
	p := start(t, []string{"COUNTERSIGN_DATABASE_OWNER_URL=" + owner}, "migrate")
	if code := p.wait(t); code != 0 {
		t.Fatalf("migrate ends with %d:\n%s", code, p.output)
	}
	conn, err := pgx.Connect(context.Background(), owner)
	must(t, err)
	_, err = conn.Exec(context.Background(), "GRANT countersign_app TO countersign_service")
	must(t, errors.Join(err, conn.Close(context.Background())))
	keys, err := keyring.Parse([]byte(bankKey()), "")
	must(t, err)
	must(t, provision(context.Background(), store.Provisioner{OwnerURL: owner, Keys: keys, At: storetest.Provisioned}))
	r.folder = t.TempDir()
	r.keys = []string{
		"COUNTERSIGN_RELEASE_KEY_FILE=" + keyIn(t, r.folder), "COUNTERSIGN_TOKEN_KEY_FILE=" + bankKeyIn(t, r.folder),
		"COUNTERSIGN_AUDIT_KEY_FILE=" + keyIn(t, r.folder),
	}
	simulator := start(t, append(r.house.settings(),
		"COUNTERSIGN_GATEWAY_URL=http://"+r.house.gateway, "COUNTERSIGN_CLEARING_TOKEN="+rehearsedToken), "simulator")
	simulator.answers(t, "http://"+r.house.simulator+"/livez")
}

// add starts gateways on a database, and waits until they are ready.
func (r *rehearsal) add(service string, addresses ...string) {
	r.t.Helper()
	first := len(r.gateways)
	for _, address := range addresses {
		number := len(r.gateways)
		r.addresses = append(r.addresses, address)
		r.settings = append(r.settings, slices.Concat(r.house.settings(), r.keys, []string{
			"COUNTERSIGN_LISTEN=" + address, "COUNTERSIGN_TLS=false", "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_DRAIN_PAUSE=3s",
			"COUNTERSIGN_MARKS_FILE=" + r.marks(number), "COUNTERSIGN_DATABASE_URL=" + service,
			"COUNTERSIGN_CLEARING_TOKEN_FILE=" + secretIn(r.t, r.folder, rehearsedToken, 0o600),
		}))
		r.gateways = append(r.gateways, start(r.t, r.settings[number], "serve"))
	}
	for number, p := range r.gateways[first:] {
		p.answers(r.t, "http://"+r.addresses[first+number]+"/readyz")
	}
}

// marks is the file of a gateway's newest checkpoints.
func (r *rehearsal) marks(number int) string {
	return filepath.Join(r.folder, fmt.Sprintf("marks%d.json", number))
}

// balance starts HAProxy with the file of deploy/ha, on loopback and without TLS, and with a page of its counters.
func (r *rehearsal) balance() {
	r.t.Helper()
	r.counters = freeAddress(r.t)
	before, _, found := strings.Cut(readDeployed(r.t, "deploy/ha/haproxy.cfg"), "    server gw1 ")
	if !found {
		r.t.Fatal("the file of HAProxy has no server gw1")
	}
	for number, address := range r.addresses {
		before += fmt.Sprintf("    server gw%d %s\n", number+1, address)
	}
	startHAProxy(r.t, r.t.TempDir(), before+"listen counters\n    bind "+r.counters+"\n    stats enable\n    stats uri /\n", r.house.gateway)
	ready := poll(func() bool { status, _ := asks(r.t, r.house.gateway+"/readyz"); return status == http.StatusOK })
	if !ready {
		r.t.Fatal("HAProxy does not reach a gateway")
	}
}

// startHAProxy starts HAProxy in a folder with a file of deploy/, without TLS and log.
func startHAProxy(t *testing.T, folder, text, listen string) {
	t.Helper()
	path := filepath.Join(folder, "haproxy.cfg")
	must(t, os.WriteFile(path, []byte(strings.NewReplacer(
		":443 ssl crt /etc/haproxy/countersign.pem alpn h2,http/1.1", listen,
		"    log /dev/log local0\n", "", "    log global\n", "", "X-Forwarded-Proto https", "X-Forwarded-Proto http",
	).Replace(text)), 0o600))
	command := exec.Command("haproxy", "-db", "-f", path)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	must(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
}

// work enters and approves payments until stop. What had no answer is repeated, under the same key.
func (r *rehearsal) work(stop <-chan struct{}, limit *rate.Limiter) {
	for number := 0; ; number++ {
		_ = limit.Wait(context.Background())
		p := r.office.newPaper(number)
		for p.unanswered() {
			select {
			case <-stop:
				return
			default:
			}
			before := r.office.acknowledged.Load()
			err := r.office.comeBack(p)
			if r.office.acknowledged.Load() > before {
				r.mu.Lock()
				r.acked = append(r.acked, time.Now())
				r.mu.Unlock()
			}
			if err != nil {
				r.failed.Add(1)
				time.Sleep(100 * time.Millisecond)
			}
			var unexpected refusal
			if errors.As(err, &unexpected) {
				r.t.Errorf("%s: %v", p.id, err)
				return
			}
		}
	}
}

// steady is the time before and after an event in which nothing is done.
const steady = 8 * time.Second

// play has one event happen, and returns its line of the report.
func (r *rehearsal) play(name string, event func(*rehearsal)) string {
	r.cluster.await(r.t)
	time.Sleep(steady)
	began, before := time.Now(), r.cluster.leader()
	watched, led := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		for {
			select {
			case <-watched:
				led <- 0
				return
			case <-time.After(100 * time.Millisecond):
			}
			if now := r.cluster.leader(); now != nil && before != nil && now != before {
				led <- time.Since(began)
				return
			}
		}
	}()
	event(r)
	r.cluster.await(r.t)
	for number, p := range r.gateways {
		p.answers(r.t, "http://"+r.addresses[number]+"/readyz")
	}
	time.Sleep(steady)
	close(watched)
	leader := <-led
	gap, back := r.gap(began)
	if leader > 0 {
		back = began.Add(leader)
	}
	late := r.late(began, back)
	line := fmt.Sprintf("%-20s %10.1f s %16.1f s %10.1f s %6d\n", name, leader.Seconds(), gap.Seconds(), late, r.office.acknowledged.Load())
	r.t.Log(line)
	return line
}

// gap is the longest time without an acknowledgement since a moment, and when it ended.
func (r *rehearsal) gap(since time.Time) (longest time.Duration, back time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := since
	for _, at := range r.acked {
		if at.Before(since) {
			continue
		}
		if between := at.Sub(last); between > longest {
			longest, back = between, at
		}
		last = at
	}
	return longest, back
}

// late is by how many seconds a payment became Unconfirmed too late: after its ten seconds, and after there was a primary again.
func (r *rehearsal) late(since, back time.Time) (most float64) {
	r.t.Helper()
	conn, err := pgx.Connect(context.Background(), r.cluster.url("countersign_owner:owner", "read-write"))
	must(r.t, err)
	must(r.t, conn.QueryRow(context.Background(), `
SELECT coalesce(max(extract(epoch FROM y.at - greatest(m.accepted_at + interval '10 s', $2))), 0)::float8
FROM message m JOIN message_history y USING (realm, message_id) WHERE y.action = 'time out' AND y.at >= $1`, since, back).Scan(&most))
	must(r.t, conn.Close(context.Background()))
	return max(most, 0)
}

func (r *rehearsal) machineDies() {
	m := r.cluster.leader()
	m.die()
	r.otherLeader(m)
	m.startPatroni(r.t)
}

func (r *rehearsal) postmasterKilled() {
	m := r.cluster.leader()
	must(r.t, syscall.Kill(m.postmaster(), syscall.SIGKILL))
	r.otherLeader(m)
}

// primaryFrozen stops every process of the machine's database, and has them go on when another machine has taken over.
func (r *rehearsal) primaryFrozen() {
	m := r.cluster.leader()
	frozen := m.processes()
	for _, process := range frozen {
		_ = syscall.Kill(process, syscall.SIGSTOP)
	}
	r.otherLeader(m)
	time.Sleep(steady)
	for _, process := range slices.Backward(frozen) {
		_ = syscall.Kill(process, syscall.SIGCONT)
	}
}

func (r *rehearsal) switchOver() {
	m := r.cluster.leader()
	r.cluster.switchOver(r.t)
	r.otherLeader(m)
}

func (r *rehearsal) gatewayFrozen() {
	p := r.gateways[len(r.acked)%2]
	must(r.t, p.process.Signal(syscall.SIGSTOP))
	time.Sleep(2 * steady)
	must(r.t, p.process.Signal(syscall.SIGCONT))
}

func (r *rehearsal) etcdLost() {
	m := r.cluster.leader()
	must(r.t, m.etcd.Process.Kill())
	time.Sleep(2 * steady)
	m.startEtcd(r.t)
}

// otherLeader waits for another primary than before.
func (r *rehearsal) otherLeader(before *machine) {
	r.t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if now := r.cluster.leader(); now != nil && now != before {
			return
		}
		if time.Now().After(until) {
			r.t.Fatal("no other machine becomes the primary")
		}
	}
}

// holds compares with clearing's log, and checks a standby.
func (r *rehearsal) holds() {
	r.cluster.await(r.t)
	r.settled()
	time.Sleep(2 * time.Second) // what the newest rows are sealed with reaches the standby
	r.check("standby")
}

// settled repeats what had no answer, waits for every payment to come to its end, and compares with clearing's log.
func (r *rehearsal) settled() {
	r.t.Helper()
	r.office.finish(r.t)
	r.office.settle(r.t, func(p *paper, state string) bool { return state == p.ends() })
	r.office.compare(r.t, r.house.log(r.t))
}

// check runs the auditor on a server of the cluster.
func (r *rehearsal) check(of string) {
	r.t.Helper()
	p := start(r.t, append(r.keys, "COUNTERSIGN_DATABASE_OWNER_URL="+r.cluster.url("countersign_owner:owner", of)), "check")
	if code := p.waitFor(r.t, 20*patience); code != 0 {
		r.t.Errorf("check ends with %d:\n%s", code, p.output)
	}
	r.t.Logf("%d payments, %d acknowledged requests: nothing lost, doubled or wrong: %t",
		len(r.office.papers()), r.office.acknowledged.Load(), !r.t.Failed())
}
