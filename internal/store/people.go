package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Client is a program that acts for users, with the token lives of its realm.
type Client struct {
	ClientID     string
	Kind         string
	SecretHash   []byte // SHA-256 of the secret; nil unless confidential
	MayDecideOwn bool
	Roles        []identity.Role // of the program itself
	Life         TokenLife
}

// People reads and writes the users of each realm with their roles and preferences, and the clients.
type People struct {
	db *Database
}

// NewPeople makes the store.
func NewPeople(db *Database) *People { return &People{db: db} }

// CheckKeys reads the master data of every realm, and fails when its head was sealed with other token keys: with them the service would
// admit nobody, and treat every row as forged.
func (p *People) CheckKeys(ctx context.Context) error {
	realms, err := p.db.Realms(ctx)
	if err != nil {
		return err
	}
	for _, realm := range realms {
		err = p.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
			err := TryKeys(ctx, q, realm, p.db.masterData)
			if err == nil {
				p.db.Guard(nil).Warm(ctx, q, realm)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Client finds a client of a realm. Errors: ErrUnknownRealm, ErrUnknownClient, also for a suppressed client and one that does not fit its
// seal.
func (p *People) Client(ctx context.Context, realm, clientID string) (Client, error) {
	row, err := p.db.In(realm, Reading).RealmClientGet(ctx, storable(clientID), realm)
	if err != nil {
		return Client{}, identityError(err, "find a client", ErrUnknownRealm)
	}
	guard := p.db.Guard(nil).At(row.RealmHead)
	if !guard.Fits(ctx, Realm(row.Realm)) {
		return Client{}, cmp.Or(guard.Err(), ErrUnknownRealm)
	}
	if row.ClientID == nil {
		return Client{}, ErrUnknownClient
	}
	stored := dbsqlc.Client{
		Realm: realm, ClientID: *row.ClientID, Kind: *row.Kind, SecretHash: row.SecretHash, MayDecideOwn: *row.MayDecideOwn,
		PayeeWaived: *row.PayeeWaived, SuppressedAt: row.SuppressedAt, Roles: *row.Roles, CreatedAt: OrZero(row.CreatedAt),
	}
	if stored.SuppressedAt != nil || !guard.Fits(ctx, ClientRow(stored)) {
		return Client{}, ErrUnknownClient
	}
	return Client{
		ClientID: *row.ClientID, Kind: *row.Kind, SecretHash: row.SecretHash, MayDecideOwn: *row.MayDecideOwn,
		Roles: administration.WordsOf[identity.Role](*row.Roles),
		Life: TokenLife{
			Access: Seconds(row.Realm.AccessTokenSeconds), Refresh: Seconds(row.Realm.RefreshTokenSeconds),
			Absolute: Seconds(row.Realm.RefreshAbsoluteSeconds),
		},
	}, nil
}

// PrincipalKey names a user and the client they act through.
type PrincipalKey struct {
	Realm    string
	UserID   uuid.UUID
	ClientID string
	// Since is the start of the session or token; the zero time skips the check.
	Since time.Time
	// AsOf is the account that they signed in to (identity.Principal); the zero time asks for nothing.
	AsOf time.Time
}

// Principal reads an active user with the present roles; the caller sets the channel. Error: ErrUnknownUser, also for a user who is
// not active, was signed out after key.Since or key.AsOf, or does not fit the seal.
func (p *People) Principal(ctx context.Context, key PrincipalKey) (identity.Principal, error) {
	row, err := p.db.In(key.Realm, Reading).UserPrincipalGet(ctx, key.ClientID, key.Realm, key.UserID)
	if err != nil {
		return identity.Principal{}, identityError(err, "read a user", ErrUnknownUser)
	}
	user := row.UserAccount
	now := asOf(user.SignedOutAt)
	signedOut := !key.Since.IsZero() && !key.Since.After(now) || !key.AsOf.IsZero() && !key.AsOf.Equal(now)
	guard := p.db.Guard(nil).At(row.RealmHead)
	if user.Status != administration.StatusActive || signedOut || !guard.Principal(ctx, row) {
		return identity.Principal{}, cmp.Or(guard.Err(), ErrUnknownUser)
	}
	return principalOf(row), nil
}

// principalOf converts rows to a principal, after their seals were checked.
func principalOf(p dbsqlc.UserPrincipalGetRow) identity.Principal {
	user := p.UserAccount
	return identity.Principal{
		Realm: user.Realm, UserID: user.UserID, PersonID: user.PersonID, UserName: user.Name, DisplayName: p.Person.DisplayName,
		Roles: Roles(p.Roles), Grants: grantsFromDB(p.Roles, p.GrantIds, p.Granted),
		ClientID: p.Client.ClientID, ClientMayDecideOwn: p.Client.MayDecideOwn, ClientWaivesPayee: p.Client.PayeeWaived,
		AsOf: asOf(user.SignedOutAt),
	}
}

// asOf returns the identity.Principal.AsOf of an account.
func asOf(signedOutAt *time.Time) time.Time {
	if signedOutAt == nil {
		return time.Unix(0, 0).UTC()
	}
	return signedOutAt.UTC()
}

// identityError maps "no row" to the error none, and wraps other errors with the action.
func identityError(err error, action string, none error) error {
	switch {
	case errors.Is(err, ErrNoRealm):
		return ErrUnknownRealm
	case errors.Is(err, pgx.ErrNoRows):
		return none
	}
	return wrapped(err, action)
}

// storable returns the text if a text column can hold it, else "", which is not a key.
func storable(given string) string {
	if !utf8.ValidString(given) || strings.ContainsRune(given, 0) {
		return ""
	}
	return given
}

func grantsFromDB(roles []string, ids []uuid.UUID, times []time.Time) []identity.Grant {
	grants := make([]identity.Grant, 0, len(roles))
	for i, role := range roles {
		grants = append(grants, identity.Grant{ID: ids[i], Role: identity.Role(role), GrantedAt: times[i].UTC()})
	}
	return grants
}

// NameTaken reports whether a person of a realm has this name, or one that looks like it.
func NameTaken(ctx context.Context, q *dbsqlc.Queries, realm, name string) (bool, error) {
	people, err := q.PersonList(ctx, realm)
	return slices.ContainsFunc(people, func(p dbsqlc.Person) bool { return identity.LooksLike(p.DisplayName, name) }), err
}

// Violations of the identity tables. A row of another realm counts as missing.
var (
	ErrUnknownRealm  = errors.New("unknown realm")
	ErrUnknownClient = errors.New("unknown client")
	ErrUnknownUser   = errors.New("unknown user")
)

// Preference holds the settings of a user for the portal.
type Preference struct {
	Theme     string // auto, light or dark
	Density   string // compact, default or comfortable
	Shortcuts bool   // single-key shortcuts are on
	Language  string // de, fr, it or en; "" is as the browser asks
}

// DefaultPreference is the preference of a user without choices.
var DefaultPreference = Preference{Theme: "auto", Density: "default", Shortcuts: true}

// Preference reads a user's preference.
func (p *People) Preference(ctx context.Context, realm string, userID uuid.UUID) (Preference, error) {
	row, err := p.db.In(realm, Reading).PreferenceGet(ctx, realm, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return DefaultPreference, nil
	}
	if err != nil {
		return DefaultPreference, fmt.Errorf("read a preference: %w", err)
	}
	return Preference(row), nil
}

// SavePreference stores the caller's preference.
func (p *People) SavePreference(ctx context.Context, by identity.Principal, wanted Preference) error {
	err := p.db.In(by.Realm, Changing).PreferencePut(ctx, dbsqlc.PreferencePutParams{
		Realm: by.Realm, UserID: by.UserID, Theme: wanted.Theme, Density: wanted.Density, Shortcuts: wanted.Shortcuts,
		Language: wanted.Language,
	})
	return wrapped(err, "save a preference")
}
