//go:build long

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// machine is one of the three of deploy/ha, on loopback: its etcd and its Patroni, which starts PostgreSQL.
type machine struct {
	name, folder          string
	database, rest        string // addresses
	etcd, patroni         *exec.Cmd
	etcdFile, patroniFile string
	who                   *syscall.Credential
}

// cluster are the three machines.
type cluster []*machine

// newCluster starts the files of deploy/ha with the names of the machines put as ports of 127.0.0.1, and without TLS.
func newCluster(t *testing.T) cluster {
	t.Helper()
	folder := shortFolder(t)
	var addresses []string
	var all cluster
	for number := range 3 {
		m := newMachine(t, folder, fmt.Sprintf("db%d", number+1))
		addresses = append(addresses, m.name+":5432", m.database, m.name+":8008", m.rest, m.name+":2379", freeAddress(t), m.name+":2380", freeAddress(t))
		all = append(all, m)
	}
	onLoopback := strings.NewReplacer(addresses...)
	for _, m := range all {
		write := func(name string, replaced ...string) string {
			text := strings.NewReplacer(replaced...).Replace(readDeployed(t, "deploy/ha/"+name))
			text = regexp.MustCompile(`(?m)^((\s*)(listen|connect_address|\S+-urls|name): (http://)?)db1`).ReplaceAllString(text, "${1}"+m.name)
			path := filepath.Join(m.folder, name)
			must(t, os.WriteFile(path, []byte(onLoopback.Replace(text)), 0o644))
			return path
		}
		m.etcdFile = write("etcd.yml", "/var/lib/etcd", filepath.Join(m.folder, "etcd"))
		m.patroniFile = write("patroni.yml", "/var/lib/postgresql/15/countersign", filepath.Join(m.folder, "data"), "/var/run/postgresql", m.folder,
			"hostssl", "host", "samenet", "127.0.0.1/32", `ssl: "on"`, `ssl: "off"`, "max_connections: 200", "max_connections: 200\n        shared_buffers: 64MB",
			"mode: automatic", `mode: "off"`)
		m.startEtcd(t)
	}
	for _, m := range all {
		m.startPatroni(t)
	}
	t.Cleanup(func() {
		for _, m := range all {
			m.kill(syscall.SIGCONT)
			m.die()
			_ = m.etcd.Process.Kill()
		}
	})
	return all
}

// shortFolder is a temporary folder whose path is short enough for sockets.
func shortFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "ha")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(t, os.Chmod(folder, 0o755))
	return folder
}

// newMachine makes the folder and the addresses of a machine.
func newMachine(t *testing.T, folder, name string) *machine {
	t.Helper()
	m := &machine{name: name, folder: filepath.Join(folder, name), database: freeAddress(t), rest: freeAddress(t)}
	must(t, os.Mkdir(m.folder, 0o700))
	m.who = databaseUser(t, m.folder)
	return m
}

// databaseUser is the user that may run PostgreSQL: nil for oneself. The folder becomes the user's.
func databaseUser(t *testing.T, folder string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	must(t, err)
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	must(t, os.Chown(folder, int(uid), int(gid)))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (m *machine) run(t *testing.T, log, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	out, err := os.OpenFile(filepath.Join(m.folder, log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr, command.Dir = out, out, m.folder
	command.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=", "HOME="+m.folder)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: m.who, Setpgid: true}
	must(t, command.Start())
	go func() { _ = command.Wait(); _ = out.Close() }()
	return command
}

func (m *machine) startEtcd(t *testing.T) {
	m.etcd = m.run(t, "etcd.log", "etcd", "--config-file", m.etcdFile)
}

func (m *machine) startPatroni(t *testing.T) {
	m.patroni = m.run(t, "patroni.log", "/usr/bin/patroni", m.patroniFile)
}

// postmaster is the process of the machine's PostgreSQL; 0 for none.
func (m *machine) postmaster() int {
	content, err := os.ReadFile(filepath.Join(m.folder, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), "\n")
	process, _ := strconv.Atoi(first)
	return process
}

// processes are Patroni and all of the machine's PostgreSQL.
func (m *machine) processes() []int {
	var list []int
	if m.patroni != nil {
		list = append(list, m.patroni.Process.Pid)
	}
	if postmaster := m.postmaster(); postmaster != 0 {
		list = append(list, postmaster)
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", postmaster))
		if err != nil {
			return list
		}
		for _, word := range strings.Fields(string(children)) {
			child, _ := strconv.Atoi(word)
			list = append(list, child)
		}
	}
	return list
}

func (m *machine) kill(signal syscall.Signal) {
	for _, process := range m.processes() {
		_ = syscall.Kill(process, signal)
	}
}

// die kills Patroni and PostgreSQL at once, as when the machine loses its power.
func (m *machine) die() { m.kill(syscall.SIGKILL) }

// leader is the machine that says it is the primary; nil for none.
func (c cluster) leader() *machine {
	client := http.Client{Timeout: 500 * time.Millisecond}
	for _, m := range c {
		answer, err := client.Get("http://" + m.rest + "/primary")
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return m
		}
	}
	return nil
}

// whole reports whether there is a primary with two streaming standbys, one of them synchronous.
func (c cluster) whole() bool {
	leader := c.leader()
	if leader == nil {
		return false
	}
	answer, err := (&http.Client{Timeout: time.Second}).Get("http://" + leader.rest + "/cluster")
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	var seen struct {
		Members []struct{ Role, State string }
	}
	if json.NewDecoder(answer.Body).Decode(&seen) != nil || len(seen.Members) != len(c) {
		return false
	}
	synchronous, running := 0, 0
	for _, member := range seen.Members {
		if member.Role == "sync_standby" {
			synchronous++
		}
		if slices.Contains([]string{"running", "streaming"}, member.State) {
			running++
		}
	}
	return synchronous == 1 && running == len(c)
}

// await waits until the cluster is whole.
func (c cluster) await(t *testing.T) {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); !c.whole(); time.Sleep(300 * time.Millisecond) {
		if time.Now().After(until) {
			for _, m := range c {
				log, _ := os.ReadFile(filepath.Join(m.folder, "patroni.log"))
				t.Logf("%s:\n%s", m.name, lastLines(string(log), 15))
			}
			t.Fatal("the cluster does not become whole")
		}
	}
}

// switchOver makes the synchronous standby the primary.
func (c cluster) switchOver(t *testing.T) {
	t.Helper()
	leader := c.leader()
	body, err := json.Marshal(map[string]string{"leader": leader.name})
	must(t, err)
	answer, err := http.Post("http://"+leader.rest+"/switchover", "application/json", bytes.NewReader(body))
	must(t, err)
	said, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Logf("switchover: %d %s", answer.StatusCode, said)
	}
}

// url reaches the primary as a login, or a standby.
func (c cluster) url(login, of string) string {
	hosts := make([]string, len(c))
	for i, m := range c {
		hosts[i] = m.database
	}
	return "postgres://" + login + "@" + strings.Join(hosts, ",") + "/countersign?sslmode=disable&connect_timeout=1&target_session_attrs=" + of
}

// prepare makes the logins and the database of deploy/postgres-logins.sh.
func (c cluster) prepare(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), strings.Replace(c.url("postgres:change-me-1", "read-write"), "/countersign?", "/postgres?", 1))
	must(t, err)
	for _, statement := range []string{
		"CREATE ROLE countersign_owner LOGIN PASSWORD 'owner' CREATEROLE", "CREATE ROLE countersign_service LOGIN PASSWORD 'service'",
		"CREATE DATABASE countersign OWNER countersign_owner",
	} {
		_, err = conn.Exec(context.Background(), statement)
		must(t, err)
	}
	must(t, conn.Close(context.Background()))
}
