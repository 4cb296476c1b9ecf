package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// ErrUnknownToken reports that the realm has no such token, or no live one.
var ErrUnknownToken = errors.New("unknown token")

// Revocation is the reason of a revoked family of tokens.
type Revocation string

// The reasons to revoke a family.
const (
	RevokedByLogout  Revocation = "logout"
	RevokedByRequest Revocation = "revocation"
	RevokedByReuse   Revocation = "reuse" // a spent refresh token came again
)

// IssuedToken is a token as it is stored: never the text itself.
type IssuedToken struct {
	Hash      []byte // keyed digest of the text, under the first key
	ExpiresAt time.Time
}

// NewFamily is a sign-in with its first tokens.
type NewFamily struct {
	Realm    string
	FamilyID uuid.UUID
	UserID   uuid.UUID
	ClientID string
	Scope    string
	At       time.Time
	EndsAt   time.Time
	AsOf     time.Time // of the account whose password was checked
	Refresh  IssuedToken
	Access   IssuedToken
}

// Tokens stores the tokens of the API in families, one for each sign-in.
//
// A row is found by the keyed digest of a token's text, and carries a seal over the owner and the validity of the token: somebody who can
// write rows without the key can end a token, but not make one.
type Tokens struct {
	db    *Database
	seals keyring.Ring
}

// NewTokens makes the store with the keys of tokens.
func NewTokens(db *Database, keys keyring.Ring) (*Tokens, error) {
	seals, err := TokenSealKeys(keys)
	if err != nil {
		return nil, err
	}
	return &Tokens{db: db, seals: seals}, nil
}

// Start stores a sign-in with its first tokens. Without a user it is that of a client that acts by itself, which has no refresh token and
// ends with its access token.
func (t *Tokens) Start(ctx context.Context, f NewFamily) error {
	family := dbsqlc.TokenFamily{
		Realm: f.Realm, FamilyID: f.FamilyID, UserID: OrNull(f.UserID), ClientID: f.ClientID, Scope: f.Scope, StartedAt: f.At,
		EndsAt: f.EndsAt, AsOf: OrNull(f.AsOf),
	}
	refresh, access := t.sealIssued(family, f.At, f.Refresh, Refresh), t.sealIssued(family, f.At, f.Access, Access)
	err := t.db.In(f.Realm, Changing).FamilyStart(ctx, dbsqlc.FamilyStartParams{
		Realm: f.Realm, FamilyID: f.FamilyID, UserID: family.UserID, ClientID: f.ClientID, Scope: f.Scope, At: f.At, EndsAt: f.EndsAt,
		AsOf:        family.AsOf,
		RefreshHash: f.Refresh.Hash, RefreshExpiresAt: f.Refresh.ExpiresAt,
		AccessHash: f.Access.Hash, AccessExpiresAt: f.Access.ExpiresAt,
		RefreshKeyID: refresh.KeyID, RefreshSeal: refresh.MAC[:], AccessKeyID: access.KeyID, AccessSeal: access.MAC[:],
	})
	return wrapped(err, "start a token family")
}

// RefreshToken is a stored refresh token with the facts that decide about its use. Times are zero for events that did not happen.
type RefreshToken struct {
	Hash               []byte // the digest it is stored under
	FamilyID           uuid.UUID
	ClientID           string
	UserID             uuid.UUID
	UserStatus         string
	UserAsOf           time.Time // what was signed in until then is over
	FamilyAsOf         time.Time // zero where it is not known
	Scope              string
	FamilyStartedAt    time.Time
	FamilyEndsAt       time.Time
	FamilyRevokedAt    time.Time
	ExpiresAt          time.Time
	SpentAt            time.Time
	SuccessorHash      []byte
	SuccessorSpentAt   time.Time
	SuccessorExpiresAt time.Time
}

// Rotation is the outcome of using a refresh token: new tokens, the end of the family, or neither.
type Rotation struct {
	Refresh IssuedToken // the successor; no Hash means no rotation
	Access  IssuedToken
	Revoke  Revocation // "" means no revocation
}

// RotateInput names the refresh token in use.
type RotateInput struct {
	Realm  string
	Hashes [][]byte // its digests under all keys in force
	At     time.Time
}

// Rotate loads a refresh token under a lock of its family, calls decide, and stores the returned rotation. Of two concurrent uses the
// second sees the result of the first. Errors: ErrUnknownToken, also for a token that does not fit its seal; ErrUnknownRealm.
func (t *Tokens) Rotate(ctx context.Context, in RotateInput, decide func(RefreshToken) Rotation) error {
	err := t.db.InRealm(ctx, in.Realm, Changing, func(q *dbsqlc.Queries) error {
		// Two statements: the second has a snapshot of its own, taken when the lock was ours.
		_, err := q.FamilyLockByRefreshToken(ctx, in.Realm, in.Hashes)
		if err != nil {
			return err
		}
		row, err := q.RefreshTokenGet(ctx, in.Realm, in.Hashes)
		if err != nil {
			return err
		}
		stored := row.RefreshToken
		err = t.seals.Verify(Seal(stored.KeyID, stored.Seal), OfRefresh(stored, row.TokenFamily).Fields())
		if err != nil {
			return t.unfit(ctx, row.TokenFamily, err)
		}
		return t.storeRotation(ctx, q, in, row, decide(refreshTokenFromDB(row)))
	})
	return identityError(err, "use a refresh token", ErrUnknownToken)
}

func (t *Tokens) storeRotation(ctx context.Context, q *dbsqlc.Queries, in RotateInput, row dbsqlc.RefreshTokenGetRow, r Rotation) error {
	family := row.TokenFamily
	if r.Revoke != "" {
		return t.revoke(ctx, q, in.Realm, family.FamilyID, in.At, r.Revoke)
	}
	if r.Refresh.Hash == nil {
		return nil
	}
	refresh, access := t.sealIssued(family, in.At, r.Refresh, Refresh), t.sealIssued(family, in.At, r.Access, Access)
	rotated, err := q.RefreshTokenRotateUnspent(ctx, dbsqlc.RefreshTokenRotateUnspentParams{
		Realm: in.Realm, TokenHash: row.RefreshToken.TokenHash, At: in.At, SuccessorHash: r.Refresh.Hash,
		RefreshExpiresAt: r.Refresh.ExpiresAt, AccessHash: r.Access.Hash, AccessExpiresAt: r.Access.ExpiresAt,
		RefreshKeyID: refresh.KeyID, RefreshSeal: refresh.MAC[:], AccessKeyID: access.KeyID, AccessSeal: access.MAC[:],
	})
	if err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	if rotated != 1 {
		return errors.New("rotate: the token was spent under the lock of its family")
	}
	return nil
}

func refreshTokenFromDB(row dbsqlc.RefreshTokenGetRow) RefreshToken {
	token, family := row.RefreshToken, row.TokenFamily
	return RefreshToken{
		Hash: token.TokenHash, FamilyID: family.FamilyID, ClientID: family.ClientID, UserID: OrZero(family.UserID),
		UserStatus: row.Status, Scope: family.Scope, UserAsOf: asOf(row.SignedOutAt), FamilyAsOf: Time(family.AsOf),
		FamilyStartedAt: family.StartedAt.UTC(), FamilyEndsAt: family.EndsAt.UTC(), FamilyRevokedAt: Time(family.RevokedAt),
		ExpiresAt: token.ExpiresAt.UTC(), SpentAt: Time(token.SpentAt), SuccessorHash: token.SuccessorHash,
		SuccessorSpentAt: Time(row.SuccessorSpentAt), SuccessorExpiresAt: Time(row.SuccessorExpiresAt),
	}
}

// RevokeInput names the token whose family ends.
type RevokeInput struct {
	Realm       string
	Hashes      [][]byte // of the token, under all keys in force
	ClientID    string   // only a family of this client is touched
	AccessToken bool     // the token may be an access token too
	At          time.Time
	Reason      Revocation
}

// Revoke ends the family of a token, live or spent, and with it all its access tokens. A family that ended before stays unchanged, without
// an error. Errors: ErrUnknownToken, also for a token of another client; ErrUnknownRealm.
func (t *Tokens) Revoke(ctx context.Context, in RevokeInput) (uuid.UUID, error) {
	var family uuid.UUID
	err := t.db.InRealm(ctx, in.Realm, Changing, func(q *dbsqlc.Queries) error {
		row, err := q.FamilyByToken(ctx, in.Realm, in.Hashes, in.AccessToken)
		if err != nil {
			return err
		}
		if row.ClientID != in.ClientID {
			return ErrUnknownToken
		}
		family = row.FamilyID
		return t.revoke(ctx, q, in.Realm, family, in.At, in.Reason)
	})
	if errors.Is(err, ErrUnknownToken) {
		return uuid.Nil, ErrUnknownToken
	}
	if err != nil {
		return uuid.Nil, identityError(err, "revoke a token", ErrUnknownToken)
	}
	return family, nil
}

// revoke ends a family with an audit event, so that a restored sign-in is noticed. The event of a spent token that was sent again names
// nobody, because a thief may have sent it.
func (t *Tokens) revoke(
	ctx context.Context, q *dbsqlc.Queries, realm string, family uuid.UUID, at time.Time, reason Revocation,
) error {
	ended, err := q.FamilyRevoke(ctx, dbsqlc.FamilyRevokeParams{
		Realm: realm, FamilyID: family, At: &at, Reason: OrNull(string(reason)),
	})
	if err != nil {
		return fmt.Errorf("revoke a family: %w", err)
	}
	for _, of := range ended {
		by := identity.Gateway(identity.ChannelAPI)
		if reason != RevokedByReuse {
			by.UserID, by.PersonID, by.Name = OrZero(of.UserID), OrZero(of.PersonID), of.Name
		}
		by.ClientID = of.ClientID
		err = AppendEvent(ctx, q, t.db.masterData, Event{
			Realm: realm, Actor: by, Name: auditlog.EventSignInEnded, Detail: auditlog.EndDetail(family.String(), string(reason)), At: at,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Bearer is the user or client of a live access token.
type Bearer struct {
	Principal identity.Principal // the channel is the caller's to fill in
	FamilyID  uuid.UUID
	ExpiresAt time.Time
}

// BearerKey names an access token at a time.
type BearerKey struct {
	Realm  string
	Hashes [][]byte // under all keys in force
	At     time.Time
}

// Bearer finds a live access token of an active user or of a client that acts by itself, and checks the seals of the token, the user, the
// roles and the client. Error: ErrUnknownToken for everything else.
func (t *Tokens) Bearer(ctx context.Context, key BearerKey) (Bearer, error) {
	row, err := t.db.In(key.Realm, Reading).AccessTokenPrincipalGet(ctx, key.Realm, key.Hashes, key.At)
	switch {
	case errors.Is(err, ErrNoRealm):
		return Bearer{}, ErrUnknownToken
	case errors.Is(err, pgx.ErrNoRows):
		return t.clientBearer(ctx, key)
	}
	if err != nil {
		return Bearer{}, identityError(err, "find an access token", ErrUnknownToken)
	}
	token := row.AccessToken
	err = t.seals.Verify(Seal(token.KeyID, token.Seal), OfAccess(token, row.TokenFamily).Fields())
	if err != nil {
		return Bearer{}, t.unfit(ctx, row.TokenFamily, err)
	}
	rows := dbsqlc.UserPrincipalGetRow{
		UserAccount: row.UserAccount, Person: row.Person, Client: row.Client, RealmHead: row.RealmHead, Roles: row.Roles,
		GrantIds: row.GrantIds, Granted: row.Granted,
	}
	guard := t.db.Guard(nil).At(row.RealmHead)
	if !guard.Principal(ctx, rows) {
		return Bearer{}, cmp.Or(guard.Err(), ErrUnknownToken)
	}
	return Bearer{FamilyID: row.TokenFamily.FamilyID, ExpiresAt: token.ExpiresAt.UTC(), Principal: principalOf(rows)}, nil
}

// clientBearer finds a live access token of a client that acts by itself.
func (t *Tokens) clientBearer(ctx context.Context, key BearerKey) (Bearer, error) {
	row, err := t.db.In(key.Realm, Reading).AccessTokenClientGet(ctx, key.Realm, key.Hashes, key.At)
	if err != nil {
		return Bearer{}, identityError(err, "find an access token", ErrUnknownToken)
	}
	token, client := row.AccessToken, row.Client
	err = t.seals.Verify(Seal(token.KeyID, token.Seal), OfAccess(token, row.TokenFamily).Fields())
	if err != nil {
		return Bearer{}, t.unfit(ctx, row.TokenFamily, err)
	}
	guard, roles := t.db.Guard(nil).At(row.RealmHead), administration.WordsOf[identity.Role](client.Roles)
	if !guard.Fits(ctx, ClientRow(client)) || client.SuppressedAt != nil || !identity.MayActAlone(roles) {
		return Bearer{}, cmp.Or(guard.Err(), ErrUnknownToken)
	}
	return Bearer{FamilyID: row.TokenFamily.FamilyID, ExpiresAt: token.ExpiresAt.UTC(), Principal: identity.Principal{
		Realm: client.Realm, UserName: client.ClientID, DisplayName: client.ClientID, Roles: roles, ClientID: client.ClientID,
	}}, nil
}

// CleanupLimits holds the times before which rows are deleted.
type CleanupLimits struct {
	Ended     time.Time // families, access tokens and sessions that ended before; sign-ins at a provider stay an hour longer
	Forgotten time.Time // names whose last try was before
}

// Clean deletes ended rows of every realm, in small transactions, and returns their number (the tokens of a family are deleted uncounted).
func (t *Tokens) Clean(ctx context.Context, limits CleanupLimits) (int64, error) {
	return t.db.dropEverywhere(ctx,
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.AccessTokenDropExpired(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.FamilyDropEnded(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.UserSessionDropOver(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.OuterSignInDropOver(ctx, realm, limits.Ended.Add(-outerSignInKept), DropBatch)
		},
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.ThrottleDropForgotten(ctx, realm, limits.Forgotten, DropBatch)
		},
	)
}
