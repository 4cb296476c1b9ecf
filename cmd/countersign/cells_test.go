//go:build long

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

const (
	cellRate   = 8                // payments a second of each cell
	cellWindow = 15 * time.Second // in which acknowledgements are counted
	serverBin  = "/usr/lib/postgresql/15/bin/"
)

// cell is a set of gateways with a database cluster and a clearing connection of its own, and an office at work in its only realm.
type cell struct {
	*rehearsal
	host string // address of portal and clearing at HAProxy
}

// cells are two cells behind the HAProxy of deploy/cells, and the addresses of the gateways of a third.
type cells struct {
	t             *testing.T
	folder        string
	address       string // of HAProxy, for calls with a realm in token or path
	first, second *cell
	third         []string
}

// TestCells rehearses docs/cells.md: two cells under load, of which one dies and comes back, and then the realm of the other moves to a
// third cell. Every acknowledged payment took effect once. The checkpoints of the gateways let the true move pass and notice an older copy.
func TestCells(t *testing.T) {
	wanted := testutil.Count(t, "COUNTERSIGN_CELLS", 0)
	if wanted == 0 {
		t.Skip("make rehearse-cells plays it")
	}
	c := newCells(t)
	c.routes()
	stop, group := make(chan struct{}), &errgroup.Group{}
	for _, one := range []*cell{c.first, c.second} {
		limit := rate.NewLimiter(cellRate, 1)
		for range workers {
			group.Go(func() error { one.work(stop, limit); return nil })
		}
	}
	c.first.goesOn(100)
	c.second.goesOn(100)
	c.dies()
	older := c.copy("older", c.first.cluster[0])
	c.moves()
	for c.first.office.acknowledged.Load()+c.second.office.acknowledged.Load() < int64(wanted) && !t.Failed() {
		c.first.goesOn(20)
	}
	close(stop)
	must(t, group.Wait())
	for _, one := range []*cell{c.first, c.second} {
		one.settled()
		time.Sleep(2 * time.Second) // the newest rows are sealed
		one.check("read-write")
	}
	c.notices(older)
}

// newCells starts two cells and HAProxy.
func newCells(t *testing.T) *cells {
	t.Helper()
	c := &cells{t: t, folder: shortFolder(t), address: freeAddress(t)}
	_, port, err := net.SplitHostPort(c.address)
	must(t, err)
	var places []string // names in the files of deploy/cells and their replacements
	for number, realm := range demo.Realms() {
		one := &cell{rehearsal: &rehearsal{t: t}, host: fmt.Sprintf("127.0.0.%d", number+2)}
		one.house = &house{gateway: one.host + ":" + port, simulator: freeAddress(t), external: true}
		m := newMachine(t, c.folder, fmt.Sprintf("cell%d", number+1))
		m.do(t, serverBin+"initdb", "-D", m.data(), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8")
		m.startPostgres(t)
		one.cluster = cluster{m}
		one.cluster.prepare(t)
		one.fill(one.cluster.url("countersign_owner", "read-write"), func(ctx context.Context, by store.Provisioner) error {
			realm.Directories, err = demo.Directories(by.At)
			must(t, err)
			return store.ApplyRealm(ctx, by, realm)
		})
		gateways := []string{freeAddress(t), freeAddress(t)}
		one.add(one.cluster.url("countersign_service", "read-write"), gateways...)
		places = append(places, fmt.Sprintf("gw%d:8080", 2*number+1), gateways[0], fmt.Sprintf("gw%d:8080", 2*number+2), gateways[1])
		one.office = newOffice(t, one.house)
		one.office.base, one.office.comesAgain, one.office.client.Timeout = "http://"+c.address, true, 8*time.Second
		if number == 0 {
			c.first = one
		} else {
			c.second = one
			one.office.realm, one.office.backoffice = demo.SecondRealm, demo.SecondClient
		}
	}
	c.third = []string{freeAddress(t), freeAddress(t)}
	places = append(places,
		"/etc/haproxy/realms", c.folder+"/realms", "/etc/haproxy/hosts", c.folder+"/hosts", "/run/haproxy", c.folder,
		"bank.pay.example", c.first.host, "savings.pay.example", c.second.host,
		"bank ", demo.Realm+" ", "savings ", demo.SecondRealm+" ")
	text := strings.NewReplacer(places...)
	for _, name := range []string{"realms.map", "hosts.map"} {
		must(t, os.WriteFile(filepath.Join(c.folder, name), []byte(text.Replace(readDeployed(t, "deploy/cells/"+name))), 0o600))
	}
	listen := c.address + "," + c.first.house.gateway + "," + c.second.house.gateway
	startHAProxy(t, c.folder, text.Replace(readDeployed(t, "deploy/cells/haproxy.cfg"))+
		fmt.Sprintf("\nbackend cell3\n    server gw5 %s\n    server gw6 %s\n", c.third[0], c.third[1]), listen)
	for _, one := range []*cell{c.first, c.second} {
		if !poll(func() bool { status, _ := asks(t, one.house.gateway+"/readyz"); return status == http.StatusOK }) {
			t.Fatalf("HAProxy does not reach the cell of %s", one.office.realm)
		}
	}
	return c
}

// goesOn waits until so many more requests of the cell were acknowledged.
func (c *cell) goesOn(count int64) {
	c.t.Helper()
	c.office.waitFor(c.t, c.office.acknowledged.Load(), count)
}

// goodput is the number of acknowledged requests, and of failed calls, in a window.
func (c *cell) goodput() (acknowledged, failed int64) {
	acknowledged, failed = c.office.acknowledged.Load(), c.failed.Load()
	time.Sleep(cellWindow)
	return c.office.acknowledged.Load() - acknowledged, c.failed.Load() - failed
}

// routes checks what names a cell: the path, the token, the host name. A token of another cell is refused there.
func (c *cells) routes() {
	c.t.Helper()
	if status, _ := asks(c.t, c.address+"/readyz"); status != http.StatusNotFound {
		c.t.Errorf("an address without a cell answers %d", status)
	}
	const list = "/api/common/v1/transaction/list?pageSize=1"
	foreign := newOffice(c.t, c.first.house) // whose host name is that of the first cell
	token := foreign.signInTo(c.t, c.second.office.realm, c.second.office.backoffice, "maker1")
	_, secret, _ := strings.Cut(token, ".")
	for bearer, want := range map[string]int{
		token: http.StatusOK, c.first.office.realm + "." + secret: http.StatusUnauthorized, "nobody." + secret: http.StatusUnauthorized,
	} {
		r, err := foreign.ask(http.MethodGet, list, bearer, "")
		must(c.t, err)
		if r.status != want {
			c.t.Errorf("a token of the realm %s is answered %d, not %d", bearer[:strings.Index(bearer, ".")], r.status, want)
		}
	}
}

// dies kills the second cell, gateways and database, counts what the first one does meanwhile, and starts the second again.
func (c *cells) dies() {
	c.t.Helper()
	both, _ := c.first.goodput()
	began := time.Now()
	for _, p := range c.second.gateways {
		must(c.t, p.process.Kill())
	}
	c.second.cluster[0].die()
	alone, failed := c.first.goodput()
	c.second.cluster[0].startPostgres(c.t)
	for number, p := range c.second.gateways {
		p.wait(c.t)
		c.second.gateways[number] = start(c.t, c.second.settings[number], "serve")
	}
	c.second.goesOn(40)
	gap, _ := c.second.gap(began)
	first, _ := c.first.gap(began)
	ratio := float64(alone) / float64(both)
	if failed != 0 || ratio < 0.5 {
		c.t.Errorf("while the other cell is dead, goodput is %.2f of before, and %d calls fail", ratio, failed)
	}
	c.t.Logf("one cell killed: the other one acknowledges %d requests in %s, before %d: %.2f; its failed calls %d, its longest time "+
		"without acknowledgement %.1f s. The killed cell acknowledges again after %.1f s",
		alone, cellWindow, both, ratio, failed, first.Seconds(), gap.Seconds())
}

// copy makes a copy of a running server.
func (c *cells) copy(name string, of *machine, options ...string) *machine {
	c.t.Helper()
	m := newMachine(c.t, c.folder, name)
	host, port, err := net.SplitHostPort(of.database)
	must(c.t, err)
	m.do(c.t, serverBin+"pg_basebackup", append(options, "-D", m.data(), "-c", "fast", "-h", host, "-p", port, "-U", "postgres")...)
	return m
}

// moves gives the realm of the first cell other gateways and then another database server, as docs/cells.md says, under load.
func (c *cells) moves() {
	t, one := c.t, c.first
	t.Helper()
	failedBefore := c.second.failed.Load()
	began, old := time.Now(), one.cluster[0]
	target := c.copy("cell3", old, "-R", "-C", "-S", "cell3")
	target.startPostgres(t)
	if !poll(func() bool {
		return old.query(t, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')::text") == "true"
	}) {
		t.Fatal("the new server does not follow the old one")
	}
	copied := time.Since(began)
	for number := range c.third {
		content, err := os.ReadFile(one.marks(number))
		must(t, err)
		must(t, os.WriteFile(one.marks(len(one.gateways)+number), content, 0o600))
	}
	one.add(cluster{old, target}.url("countersign_service", "read-write"), c.third...)
	for _, name := range []string{"gw5", "gw6"} {
		if !poll(func() bool {
			return regexp.MustCompile(`(?m)^cell3,` + name + `,.*,UP,`).MatchString(c.runtime("show stat"))
		}) {
			t.Fatal("HAProxy does not see " + name)
		}
	}
	switched, failed := time.Now(), one.failed.Load()
	c.runtime("set map " + filepath.Join(c.folder, "realms.map") + " " + one.office.realm + " cell3")
	c.runtime("set map " + filepath.Join(c.folder, "hosts.map") + " " + one.host + " cell3")
	for _, p := range one.gateways[:2] {
		if code := p.terminate(t); code != 0 {
			t.Errorf("a gateway ends with %d", code)
		}
	}
	one.goesOn(40)
	gateways, _ := one.gap(switched)
	failedGateways := one.failed.Load() - failed
	if failedGateways != 0 {
		t.Errorf("%d calls failed while gateways were replaced", failedGateways)
	}
	cut := time.Now()
	old.hands(t, target)
	one.cluster = cluster{target}
	one.goesOn(40)
	database, _ := one.gap(cut)
	for number := 2; number < len(one.gateways); number++ { // the checkpoints let the moved database pass
		if code := one.gateways[number].terminate(t); code != 0 {
			t.Errorf("a gateway ends with %d", code)
		}
		one.settings[number] = append(one.settings[number], "COUNTERSIGN_DATABASE_URL="+one.cluster.url("countersign_service", "read-write"))
		one.gateways[number] = start(t, one.settings[number], "serve")
		one.gateways[number].answers(t, "http://"+one.addresses[number]+"/readyz")
	}
	one.goesOn(40)
	if others := c.second.failed.Load() - failedBefore; others != 0 {
		t.Errorf("%d calls of the other cell failed", others)
	}
	t.Logf("realm moved: copy and catch-up %.1f s; no acknowledgement for %.1f s at the change of gateways (failed calls: %d) "+
		"and for %.1f s at the change of the database", copied.Seconds(), gateways.Seconds(), failedGateways, database.Seconds())
}

// hands stops the server and has its standby take over, if the standby has everything.
func (m *machine) hands(t *testing.T, standby *machine) {
	t.Helper()
	must(t, syscall.Kill(m.postmaster(), syscall.SIGINT)) // as pg_ctl stop -m fast
	if !poll(func() bool { return m.postmaster() == 0 }) {
		t.Fatal("the old server does not stop")
	}
	last := regexp.MustCompile(`(?m)^Latest checkpoint location: +(\S+)$`).FindStringSubmatch(m.do(t, serverBin+"pg_controldata", m.data()))
	if last == nil || standby.query(t, "SELECT (pg_last_wal_receive_lsn() > '"+last[1]+"')::text") != "true" {
		t.Fatalf("the new server lacks the end of the old one: %v", last)
	}
	standby.query(t, "SELECT pg_promote()::text")
}

// notices starts a gateway with the checkpoints of the moved realm on an older copy of its database, and expects payments to be stopped.
func (c *cells) notices(older *machine) {
	one := c.first
	for _, p := range one.gateways[2:] {
		p.terminate(c.t)
	}
	older.startPostgres(c.t)
	settings := slices.Concat(one.settings[2], []string{"COUNTERSIGN_DATABASE_URL=" + cluster{older}.url("countersign_service", "read-write")})
	p := start(c.t, settings, "serve")
	p.answers(c.t, "http://"+one.addresses[2]+"/livez")
	o := newOffice(c.t, one.house)
	o.base = "http://" + one.addresses[2]
	var last string
	stopped := poll(func() bool {
		r, err := o.create(o.newPaper(0))
		last = fmt.Sprint(r.text, err)
		return err == nil && r.status == http.StatusServiceUnavailable && strings.Contains(r.text, "503_STOPPED")
	})
	if !stopped {
		c.t.Errorf("a gateway works on an older copy of the database: %s\n%s", last, p.output)
	}
	c.t.Logf("an older copy of the database is noticed: %t", stopped)
}

// runtime sends a command to HAProxy, and returns the answer.
func (c *cells) runtime(command string) string {
	c.t.Helper()
	conn, err := net.Dial("unix", filepath.Join(c.folder, "admin.sock"))
	must(c.t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, command+"\n")
	must(c.t, err)
	answer, err := io.ReadAll(conn)
	must(c.t, err)
	if strings.HasPrefix(command, "set ") && strings.TrimSpace(string(answer)) != "" {
		c.t.Errorf("%s: %s", command, answer)
	}
	return string(answer)
}

func (m *machine) data() string { return filepath.Join(m.folder, "data") }

// do runs a program of PostgreSQL to its end, as the database's user.
func (m *machine) do(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir, command.SysProcAttr = m.folder, &syscall.SysProcAttr{Credential: m.who}
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
	return string(said)
}

// startPostgres starts the machine's server without Patroni, and waits until it answers.
func (m *machine) startPostgres(t *testing.T) {
	t.Helper()
	host, port, err := net.SplitHostPort(m.database)
	must(t, err)
	var server *exec.Cmd
	answers := poll(func() bool {
		if server == nil || syscall.Kill(server.Process.Pid, 0) != nil { // processes of a killed server may still be ending
			server = m.run(t, "postgres.log", serverBin+"postgres", "-D", m.data(), "-h", host, "-p", port, "-k", m.folder,
				"-c", "max_connections=200", "-c", "shared_buffers=64MB")
		}
		conn, err := pgx.Connect(context.Background(), m.administrator())
		if err == nil {
			_ = conn.Close(context.Background())
		}
		return err == nil
	})
	t.Cleanup(m.die)
	if !answers {
		log, _ := os.ReadFile(filepath.Join(m.folder, "postgres.log"))
		t.Fatalf("%s does not answer:\n%s", m.name, log)
	}
}

func (m *machine) administrator() string {
	return "postgres://postgres@" + m.database + "/postgres?sslmode=disable&connect_timeout=2"
}

// query returns the value of a statement of the administrator.
func (m *machine) query(t *testing.T, statement string) (value string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), m.administrator())
	must(t, err)
	must(t, conn.QueryRow(context.Background(), statement).Scan(&value))
	must(t, conn.Close(context.Background()))
	return value
}
