package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// What the identity tables may not hold. Another realm's row counts as none.
var (
	ErrUnknownRealm  = errors.New("unknown realm")
	ErrUnknownClient = errors.New("unknown client")
	ErrUnknownUser   = errors.New("unknown user")
)

// ClientKind tells how a client proves itself.
type ClientKind string

// The kinds of clients. The portal is no client of the API: its people sign in on a page.
const (
	ClientConfidential ClientKind = "confidential" // by a secret
	ClientPublic       ClientKind = "public"       // not at all
	ClientPortal       ClientKind = "portal"
)

// UserStatus tells whether a user account may be used.
type UserStatus string

// The statuses of a user account.
const (
	UserActive     UserStatus = "active"
	UserUnverified UserStatus = "unverified"
	UserSuppressed UserStatus = "suppressed"
)

// TokenLife is how long the tokens of a realm live.
type TokenLife struct {
	Access   time.Duration // of an access token
	Refresh  time.Duration // of a refresh token, counted anew with each rotation
	Absolute time.Duration // of all tokens of one sign-in, however often they are refreshed
}

// Client is a program that acts for users, with the token lives of its realm.
type Client struct {
	ClientID     string
	Kind         ClientKind
	SecretHash   []byte // SHA-256 of the secret; nil unless confidential
	MayDecideOwn bool
	Life         TokenLife
}

// Client finds a client of a realm. Errors: ErrUnknownRealm, ErrUnknownClient.
func (d *Database) Client(ctx context.Context, realm, clientID string) (Client, error) {
	var row dbsqlc.RealmClientGetRow
	err := d.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		row, err = q.RealmClientGet(ctx, storable(clientID), realm)
		return err
	})
	if err != nil {
		return Client{}, identityError(err, "find a client", ErrUnknownRealm)
	}
	if row.ClientID == nil {
		return Client{}, ErrUnknownClient
	}
	return Client{
		ClientID: *row.ClientID, Kind: ClientKind(*row.Kind), SecretHash: row.SecretHash, MayDecideOwn: *row.MayDecideOwn,
		Life: TokenLife{
			Access: seconds(row.AccessTokenSeconds), Refresh: seconds(row.RefreshTokenSeconds), Absolute: seconds(row.RefreshAbsoluteSeconds),
		},
	}, nil
}

// PrincipalKey names a user and the client they act through.
type PrincipalKey struct {
	Realm    string
	UserID   uuid.UUID
	ClientID string
	// Since is when what they are signed in with began; the zero time asks for nothing.
	Since time.Time
}

// Principal reads an active user with the roles of this moment; the channel is the caller's to fill in. Error: ErrUnknownUser, also
// for a user who is not active, or was signed out after key.Since.
func (d *Database) Principal(ctx context.Context, key PrincipalKey) (identity.Principal, error) {
	var row dbsqlc.UserPrincipalGetRow
	err := d.inRealm(ctx, key.Realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		row, err = q.UserPrincipalGet(ctx, key.ClientID, key.Realm, key.UserID)
		return err
	})
	if err != nil {
		return identity.Principal{}, identityError(err, "read a user", ErrUnknownUser)
	}
	signedOut := !key.Since.IsZero() && !key.Since.After(moment(row.SignedOutAt))
	if UserStatus(row.Status) != UserActive || signedOut {
		return identity.Principal{}, ErrUnknownUser
	}
	return identity.Principal{
		Realm: key.Realm, UserID: row.UserID, PersonID: row.PersonID, UserName: row.Name, DisplayName: row.DisplayName,
		Roles: rolesFromDB(row.Roles), Grants: grantsFromDB(row.Roles, row.GrantIds, row.Granted), ClientID: row.ClientID, ClientMayDecideOwn: row.MayDecideOwn,
	}, nil
}

// Preference is how a user wants the portal to look and behave.
type Preference struct {
	Theme     string // auto, light or dark
	Density   string // compact, default or comfortable
	Shortcuts bool   // single-key shortcuts are on
}

// DefaultPreference is that of a user who chose nothing.
var DefaultPreference = Preference{Theme: "auto", Density: "default", Shortcuts: true}

// Preference reads a user's preference.
func (d *Database) Preference(ctx context.Context, realm string, userID uuid.UUID) (Preference, error) {
	preference := DefaultPreference
	err := d.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.PreferenceGet(ctx, realm, userID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		preference = Preference(row)
		return nil
	})
	if err != nil {
		return Preference{}, fmt.Errorf("read a preference: %w", err)
	}
	return preference, nil
}

// SavePreference stores the preference of the user who asks for it.
func (d *Database) SavePreference(ctx context.Context, by identity.Principal, p Preference) error {
	err := d.inRealm(ctx, by.Realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return q.PreferencePut(ctx, dbsqlc.PreferencePutParams{
			Realm: by.Realm, UserID: by.UserID, Theme: p.Theme, Density: p.Density, Shortcuts: p.Shortcuts,
		})
	})
	if err != nil {
		return fmt.Errorf("save a preference: %w", err)
	}
	return nil
}

// identityError makes "no row" the error that fits, and says of all others what was being done.
func identityError(err error, action string, none error) error {
	switch {
	case errors.Is(err, errNoRealm):
		return ErrUnknownRealm
	case errors.Is(err, pgx.ErrNoRows):
		return none
	}
	return fmt.Errorf("%s: %w", action, err)
}

// storable returns the text if a text column can hold it, else "", which no key is.
func storable(given string) string {
	if !utf8.ValidString(given) || strings.ContainsRune(given, 0) {
		return ""
	}
	return given
}

func seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

func grantsFromDB(roles []string, ids []uuid.UUID, times []time.Time) []identity.Grant {
	grants := make([]identity.Grant, 0, len(roles))
	for i, role := range roles {
		grants = append(grants, identity.Grant{ID: ids[i], Role: identity.Role(role), GrantedAt: times[i].UTC()})
	}
	return grants
}

func rolesFromDB(names []string) []identity.Role {
	roles := make([]identity.Role, len(names))
	for i, name := range names {
		roles[i] = identity.Role(name)
	}
	return roles
}
