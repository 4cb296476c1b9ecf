package auth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	password = "correct horse battery"
	secret   = "secret-of-the-client"
)

var passwordHash = sync.OnceValue(func() string {
	hash, err := auth.HashPassword(password)
	if err != nil {
		panic(err)
	}
	return hash
})

var office = auth.ClientCredentials{ClientID: "office", ClientSecret: secret}

type bundle struct {
	*auth.Service
	db    *storetest.DB
	clock *servicetest.Clock
	log   *testutil.Log
	keys  keyring.Ring
}

func setup(t *testing.T) *bundle {
	t.Helper()
	db := storetest.Filled(t, "auth", func(by store.Provisioner) error {
		ctx := context.Background()
		return errors.Join(store.ApplyRealm(ctx, by, realm("alpha", "AA")), store.ApplyRealm(ctx, by, realm("beta", "BB")))
	})
	b := &bundle{db: db, clock: servicetest.ClockAt(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), log: &testutil.Log{}}
	b.keys = storetest.Keys(t)
	b.Service = b.another(t)
	check(t, b.CheckKeys(context.Background())) // as serve does: it reads the master data before anybody changes them
	return b
}

// another is a second process on the same database, with the same key and clock.
func (b *bundle) another(t *testing.T) *auth.Service {
	t.Helper()
	return b.withKeys(t, storetest.Keys(t))
}

// withKeys is a process with keys of its own.
func (b *bundle) withKeys(t *testing.T, keys keyring.Ring) *auth.Service {
	t.Helper()
	return b.station(t, auth.Config{Keys: keys, AddressTries: 10_000, ClientTries: 10_000})
}

// service makes a process with settings of its own on the same database and clock.
func (b *bundle) station(t *testing.T, cfg auth.Config) *auth.Service {
	t.Helper()
	cfg.Database, cfg.Now, cfg.HashWorkers, cfg.HashQueue = b.db.Database, b.clock.Now, 8, 20_000
	cfg.Log = slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	station, err := auth.New(cfg)
	check(t, err)
	return station
}

// realm has whom the demo has not: people who may not sign in, and clients that keep no secret.
func realm(name, mark string) store.RealmDefinition {
	digest := sha256.Sum256([]byte(secret))
	person := func(name string, status string, roles ...identity.Role) store.PersonDefinition {
		return store.PersonDefinition{DisplayName: "The " + name, Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
			{Name: name, PasswordHash: passwordHash(), Status: status, Roles: roles},
		}}
	}
	return store.RealmDefinition{
		Realm: name, Name: name, Mark: mark, MadeBy: store.MadeByOperator,
		Life: store.TokenLife{Access: 300 * time.Second, Refresh: 1800 * time.Second, Absolute: 12 * time.Hour},
		People: []store.PersonDefinition{
			person("maker", administration.StatusActive, identity.RoleMaker), person("checker", administration.StatusActive, identity.RoleChecker),
			person("fresh", administration.StatusUnverified, identity.RoleMaker), person("barred", administration.StatusSuppressed, identity.RoleMaker),
		},
		Clients: []administration.Client{
			{ClientID: "office", Kind: administration.ClientConfidential, SecretHash: digest[:], MayDecideOwn: true},
			{ClientID: "other", Kind: administration.ClientConfidential, SecretHash: digest[:]},
			{ClientID: "phone", Kind: administration.ClientPublic},
			{ClientID: identity.PortalClient, Kind: administration.ClientPortal, MayDecideOwn: true},
		},
		Policies: []administration.Policy{{Approvals: 1, ExpiresAfter: 24 * time.Hour}},
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// login signs a user of alpha in through the office.
func (b *bundle) login(t *testing.T, name string) auth.TokenSet {
	t.Helper()
	tokens, err := b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: name, Password: password})
	check(t, err)
	return tokens
}

func (b *bundle) refresh(ctx context.Context, token string) (auth.TokenSet, error) {
	return b.Refresh(ctx, auth.RefreshInput{Realm: "alpha", Client: office, RefreshToken: token})
}

// try signs in with a password that may be wrong and returns the problem, "" for none.
func (b *bundle) try(t *testing.T, name, password string) auth.AccountProblem {
	t.Helper()
	_, err := b.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: name, Password: password})
	return problem(t, err)
}

func problem(t *testing.T, err error) auth.AccountProblem {
	t.Helper()
	var account *auth.AccountError
	if errors.As(err, &account) {
		return account.Problem
	}
	if err != nil {
		t.Errorf("got error %v, want an account problem or none", err)
	}
	return ""
}

// alive and dead assert what an access token is good for.
func (b *bundle) alive(t *testing.T, access string) {
	t.Helper()
	_, err := b.Authenticate(t.Context(), access)
	if err != nil {
		t.Errorf("access token: got %v, want it alive", err)
	}
}

func (b *bundle) dead(t *testing.T, access string) {
	t.Helper()
	_, err := b.Authenticate(t.Context(), access)
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("access token: got %v, want %v", err, auth.ErrUnauthorized)
	}
}

// owner runs a statement as the owner.
func (b *bundle) owner(t *testing.T, statement string, arguments ...any) {
	t.Helper()
	_, err := b.db.Owner(t).Exec(t.Context(), statement, arguments...)
	check(t, err)
}

// count asks the owner for a number.
func (b *bundle) count(t *testing.T, query string) int {
	t.Helper()
	var n int
	check(t, b.db.Owner(t).QueryRow(t.Context(), query).Scan(&n))
	return n
}

// asApplication counts the rows of a table that the application's role sees inside a realm.
func (b *bundle) asApplication(t *testing.T, table, realm string) int {
	t.Helper()
	conn := b.db.ConnectAsApplication(t, realm)
	var n int
	check(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}
