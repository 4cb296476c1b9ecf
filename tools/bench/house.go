package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/demo"
	"countersign/internal/postgres"
)

// house is a filled database with its gateway, and the browsers of the people who are signed in there.
type house struct {
	size    int
	gateway *gateway
	server  Server
	people  map[string]*http.Client
	log     *statementLog
}

// gone is how long a gateway gets to notice that the database behind its connections was replaced.
const gone = 3 * time.Second

// open starts the gateway of a house, and fills it if it is new. A gateway refuses a database of which its key sealed nothing, so that it
// starts on an empty one, and what is filled takes its place.
func (cfg PagesConfig) open(ctx context.Context, cluster *postgres.Cluster, size int) (h *house, err error) {
	name := fmt.Sprintf("house_%d", size)
	server, filledName := cluster.URL("postgres"), name+"_filled"
	there, err := Databases(ctx, server)
	known := slices.Contains(there, filledName)
	if err == nil && !known && slices.Contains(there, name) {
		known, err = true, Rename(ctx, server, name, filledName)
	}
	if err == nil && (!known || !slices.Contains(there, name) || !slices.Contains(there, filledName)) {
		err = MakeDatabases(ctx, server, name)
	}
	if err == nil && known {
		err = exec.CommandContext(ctx, cfg.Program, "migrate", "--database-url="+cluster.URL(filledName)).Run() //nolint:gosec // this program
	}
	if err != nil {
		return nil, err
	}
	g, err := cfg.startGateway(ctx, gatewayOptions{Name: name, Database: cluster.URL(name), Resting: true})
	if err != nil {
		return nil, err
	}
	h = &house{size: size, gateway: g, people: map[string]*http.Client{}}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	if known {
		err = Rename(ctx, server, filledName, name)
		time.Sleep(gone)
		err = errors.Join(err, g.ready(ctx))
	}
	if err != nil {
		return nil, err
	}
	filled, err := Messages(ctx, cluster.URL(name))
	if err == nil && filled < size {
		err = fill(ctx, cluster.URL(name), Filling{There: filled, Messages: size, Waiting: cfg.Waiting}, cfg.Say)
	}
	if err != nil {
		return nil, err
	}
	h.server, err = ServerOf(ctx, cluster.URL(name))
	if err != nil {
		return nil, err
	}
	h.log, err = openStatementLog(filepath.Join(cfg.Folder, "postgres.log"))
	return h, err
}

// worked is the processor time that gateway and PostgreSQL used so far.
func (h *house) worked() (time.Duration, error) {
	server, err := h.server.ProcessorTime()
	if err != nil {
		return 0, err
	}
	gateway, err := h.gateway.used()
	return server + gateway.Processor, err
}

func (h *house) close() {
	h.gateway.stop()
	if h.log != nil {
		_ = h.log.file.Close()
	}
}

// fillRealm fills the demo's realm with messages that nothing proves.
func fillRealm(ctx context.Context, address string, messages int, say func(string, ...any)) error {
	return fill(ctx, address, Filling{Messages: messages}, say)
}

// fill fills the demo's realm with so many messages, behind those that are there.
func fill(ctx context.Context, address string, f Filling, say func(string, ...any)) error {
	f.URL, f.Realm, f.Client, f.KeyID, f.Until = address, demo.Realm, demo.Backoffice, demoReleaseKey, time.Now()
	f.Done = func(done int) { say("%d of %d messages", done, f.Messages) }
	return fillMessages(ctx, f)
}

// signIn is a browser in which somebody is signed in, the same for every page of theirs.
func (h *house) signIn(ctx context.Context, name string) (*http.Client, error) {
	if browser := h.people[name]; browser != nil {
		return browser, nil
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	form := url.Values{"realm": {demo.Realm}, "username": {name}, "password": {demo.UserPassword}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.gateway.base+"/signin", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", h.gateway.base)
	answer, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("sign in %s: %s", name, answer.Status)
	}
	h.people[name] = browser
	return browser, nil
}

// sight is one page of a house, and what it took each time.
type sight struct {
	house      *house
	browser    *http.Client
	address    string
	number     int
	took       []time.Duration
	work       time.Duration // of all looks
	statements map[float64]string
}

var nextPage = regexp.MustCompile(`href="([^"]+)" rel="next"`)

// find goes to a page as a person does, from the first one on, or to the last that there is. Its first sight does not count.
func (h *house) find(ctx context.Context, a asked) (*sight, error) {
	browser, err := h.signIn(ctx, a.person)
	if err != nil {
		return nil, err
	}
	s := &sight{house: h, browser: browser, address: h.gateway.base + a.path, number: 1, statements: map[float64]string{}}
	for {
		body, err := fetch(ctx, browser, s.address)
		if err != nil {
			return nil, err
		}
		next := nextPage.FindSubmatch(body)
		if s.number >= a.number || next == nil {
			_, _, err = h.log.slowest() // what was asked so far does not count
			return s, err
		}
		s.number++
		s.address = h.gateway.base + html.UnescapeString(string(next[1]))
	}
}

// look asks for the page once.
func (s *sight) look(ctx context.Context) error {
	_, _, err := s.house.log.slowest() // what another house was asked does not count
	if err != nil {
		return err
	}
	before, err := s.house.worked()
	if err != nil {
		return err
	}
	began := time.Now()
	_, err = fetch(ctx, s.browser, s.address)
	if err != nil {
		return err
	}
	s.took = append(s.took, time.Since(began))
	after, err := s.house.worked()
	if err != nil {
		return err
	}
	s.work += after - before
	slowest, name, err := s.house.log.slowest()
	s.statements[slowest] = name
	return err
}

// page is what the page took.
func (s *sight) page() Page {
	slices.Sort(s.took)
	share := func(of100 int) float64 { return s.took[len(s.took)*of100/100].Seconds() * 1000 }
	p := Page{Messages: s.house.size, Number: s.number, P50Ms: share(50), P95Ms: share(95)}
	p.WorkMs = s.work.Seconds() * 1000 / float64(len(s.took))
	order := slices.Sorted(maps.Keys(s.statements))
	p.StatementMs = order[len(order)/2]
	p.Statement = s.statements[p.StatementMs]
	return p
}

func fetch(ctx context.Context, browser *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New("the answer is " + answer.Status)
	}
	return body, err
}
