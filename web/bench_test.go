package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/postgres"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web"
	"countersign/web/webtest"
)

// durableCluster is a PostgreSQL of the benchmark's own with the settings of production, unlike the tests' one.
func durableCluster(b *testing.B) *postgres.Cluster {
	b.Helper()
	cache, err := filepath.Abs(filepath.Join("..", ".cache"))
	must(b, err)
	cluster, err := postgres.Start(b.Context(), postgres.Config{DataDir: filepath.Join(b.TempDir(), "data"), CacheDir: cache})
	must(b, err)
	b.Cleanup(func() {
		err := cluster.Stop(context.Background())
		if err != nil {
			b.Error(err)
		}
	})
	return cluster
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// shop is the server on a port of its own, with a maker and a checker signed in.
type shop struct {
	base           string
	client         *http.Client
	maker, checker string
}

func newShop(b testing.TB, address string) *shop {
	b.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil)) // written out as in production, but to nowhere
	database, err := store.Open(
		b.Context(), store.Config{URL: address, Log: log, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b)},
	)
	must(b, err)
	b.Cleanup(database.Close)
	server := newServer(b, database, log)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	s := shopAt("http://"+listener.Addr().String(), 8)
	b.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		err := <-ended
		if err != nil {
			b.Error(err)
		}
	})
	s.maker, s.checker = s.signIn(b, "maker1"), s.signIn(b, "checker1")
	return s
}

// shopAt is a server that runs somewhere, for so many clients.
func shopAt(base string, clients int) *shop {
	return &shop{base: base, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
}

func newServer(b testing.TB, database *store.Database, log *slog.Logger) *web.Server {
	b.Helper()
	began := time.Now()
	now := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) } // the day of the sample
	parts, err := service.New(service.Config{
		Database: database, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b), Now: now, Log: log,
	})
	must(b, err)
	server, err := web.OpenWith(parts, web.Settings{Environment: "TEST"}, nil)
	must(b, err)
	return server
}

func (s *shop) signIn(b testing.TB, user string) string {
	b.Helper()
	answer, err := s.client.PostForm(s.base+"/api/auth/v1/realms/"+demo.Realm+"/login", url.Values{
		"grant_type": {"password"}, "client_id": {demo.Backoffice}, "client_secret": {demo.ClientSecret},
		"username": {user}, "password": {demo.UserPassword},
	})
	must(b, err)
	var tokens struct {
		Access string `json:"access_token"`
	}
	must(b, errors.Join(json.NewDecoder(answer.Body).Decode(&tokens), answer.Body.Close()))
	return tokens.Access
}

// pair makes a payment and approves it.
func (s *shop) pair() error {
	id, err := s.create()
	if err != nil {
		return err
	}
	return s.approve(id)
}

// create makes a payment and returns its internal id.
func (s *shop) create() (id string, err error) {
	content, err := s.post(webtest.CreateSwiss, s.maker, webtest.Order(webtest.Sample))
	if err != nil {
		return "", err
	}
	return internalID(content), nil
}

func (s *shop) approve(id string) error {
	_, err := s.post(webtest.ApprovePath, s.checker, `{"identifiers":{"internalId":"`+id+`"},"ApprovalDetails":{"action":"approve"}}`)
	return err
}

// internalID finds the id in an answer.
func internalID(content string) string {
	_, rest, _ := strings.Cut(content, `"internalId":"`)
	return rest[:min(36, len(rest))]
}

func (s *shop) post(path, token, body string) (string, error) {
	request, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-Request-Id", "bench")
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", path, answer.Status, content)
	}
	return string(content), err
}
