//go:build long

package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/postgres"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/web/webtest"
)

// onASmallDisk is the usual gateway on a PostgreSQL with a small disk of its own.
func onASmallDisk(t *testing.T) (b *bundle, disk string, restart func()) {
	t.Helper()
	disk = testutil.SmallDisk(t)
	var server *postgres.Cluster
	begin := func() {
		var err error
		server, err = postgres.Start(t.Context(), postgres.Config{DataDir: filepath.Join(disk, "data")})
		must(t, err)
	}
	begin()
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	b = setupWith(t, webtest.Options{Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		connection, err := pgx.Connect(t.Context(), server.URL("postgres"))
		must(t, err)
		_, err = connection.Exec(t.Context(), "CREATE DATABASE countersign")
		must(t, err)
		must(t, connection.Close(t.Context()))
		url := server.URL("countersign")
		must(t, store.Migrate(t.Context(), url))
		must(t, demo.Ensure(t.Context(), store.Provisioner{OwnerURL: url, Keys: storetest.Keys(t), At: storetest.Provisioned}))
		database, err := store.Open(t.Context(), store.Config{URL: url, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	return b, disk, func() {
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if server.Wait(limited) == nil { // it ended for want of room
			must(t, server.Stop(t.Context()))
			begin()
		}
	}
}

// TestEveryDoorIsCalmInFaultsOfAFullDisk fills the disk of the database while payments are created and approved, people sign in and clearing sends
// documents. A call succeeds, or answers 503 with Retry-After; where the outcome is unknown, creation and approval say so by 400_TIMEOUT. Every
// door meets the full disk, and works again when there is room.
func TestEveryDoorIsCalmInFaultsOfAFullDisk(t *testing.T) {
	b, disk, restart := onASmallDisk(t)
	const waiting, atLeast, atMost = 200, 6 * time.Second, time.Minute
	const calm = "503 503_UNAVAILABLE"
	ids := make(chan string, waiting)
	for range waiting {
		ids <- b.Created(t, webtest.Maker1)
	}
	b.Token(t, webtest.Checker1)
	report := webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000")
	number := regexp.MustCompile(`<MsgId>[^<]*<`)
	approve := func() webtest.Call {
		return webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(<-ids, "approve")}
	}
	doors := map[string]func() webtest.Call{
		"creation": func() webtest.Call {
			return webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample)}
		},
		"approval": approve,
		"clearing": func() webtest.Call {
			return webtest.ClearingCall(number.ReplaceAllString(report, "<MsgId>"+uuid.NewString()[:30]+"<"), nil)
		},
		"sign-in": func() webtest.Call {
			return webtest.Call{
				Path: "/api/auth/v1/realms/demo/login", Kind: "application/x-www-form-urlencoded",
				Body: "grant_type=password&client_id=demo-backoffice&client_secret=" + demo.ClientSecret + "&username=maker2&password=" + demo.UserPassword,
			}
		},
	}
	answers := map[string]map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	free := testutil.FillDisk(t, disk)
	began := time.Now()
	for door, next := range doors {
		answers[door] = map[string]int{}
		for range 3 {
			all.Go(func() {
				for call, done := next(), false; !done; {
					a := b.Send(t, call)
					said := fmt.Sprintf("%d %s", a.Status, a.Text("errorCode"))
					switch {
					case a.Status < 300:
						call = next()
					case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
					case a.Status == http.StatusBadRequest && a.Text("error", "message") != "":
						said += "unknown outcome"
					default:
						t.Errorf("%s: %d %v %s", door, a.Status, a.Header, a.Body)
					}
					mu.Lock()
					answers[door][said]++
					full := time.Since(began)
					done = full > atLeast && answers[door][calm] > 0 || full > atMost
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	free()
	restart()
	for door, said := range answers {
		t.Logf("%s: %v", door, said)
		if said[calm] == 0 {
			t.Errorf("%s: no call met the full disk", door)
		}
	}
	for door, next := range doors {
		call, a := next(), webtest.Answer{}
		for deadline := time.Now().Add(time.Minute); a.Status != http.StatusOK && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			a = b.Send(t, call)
			if a.Status < 300 {
				break
			}
		}
		if a.Status >= 300 || a.Status == 0 {
			t.Errorf("%s with room again: %d %s", door, a.Status, a.Body)
		}
	}
}
