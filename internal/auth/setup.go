package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"

	"countersign/internal/administration"
	"countersign/internal/store"
)

// Why a set-up did not set a password.
var (
	// ErrSetUpOver: the link is unknown, used, too old, replaced by a later one, or its code was tried too often.
	ErrSetUpOver = store.ErrSetUpOver
	// ErrSetUpCode: the code does not belong to the link.
	ErrSetUpCode = errors.New("the code does not belong to this link")
)

// SetUpInput sets the first password of an account, or a new one after a reset.
type SetUpInput struct {
	Realm         string
	Link          string // the secret part of the link
	Code          string // six digits
	Password      string
	SourceAddress string
}

// SetUpAccount returns the account of a set-up link. Errors: ErrSetUpOver, *LimitError.
func (s *Service) SetUpAccount(ctx context.Context, in SetUpInput) (userName string, err error) {
	err = s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return "", err
	}
	found, err := s.openSetUp(ctx, in)
	return found.UserName, err
}

// SetUp sets the password of an account whose link and code are both known, and makes the account active. Five wrong codes end the link.
// Errors: ErrSetUpOver, ErrSetUpCode, ErrWeakPassword, *LimitError, *BusyError.
func (s *Service) SetUp(ctx context.Context, in SetUpInput) error {
	err := s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return err
	}
	found, err := s.openSetUp(ctx, in)
	if err != nil {
		return err
	}
	err = CheckNewPassword(in.Password)
	if err != nil {
		return err
	}
	// A place comes first: who is sent away for want of one has not tried a code.
	leave, err := s.passwords.enter(ctx, found.ID[0], network(in.SourceAddress))
	if err != nil {
		return err
	}
	hash, err := s.triedSetUp(ctx, found, in)
	leave()
	if err != nil {
		return err
	}
	err = s.people.UseSetUp(ctx, store.SetUpUse{SetUp: found, From: in.SourceAddress, Change: store.AccountChange{
		PasswordHash: hash, SignedOutAt: s.now(),
	}})
	if err != nil {
		return err
	}
	s.bearers.dropUser(found.Account.UserID)
	s.log.LogAttrs(ctx, slog.LevelInfo, "an account was set up", slog.String("realm", in.Realm),
		slog.String("user", found.Account.UserID.String()))
	return nil
}

// triedSetUp counts a try of the link, checks its code, and hashes the password.
func (s *Service) triedSetUp(ctx context.Context, found store.SetUp, in SetUpInput) (hash string, err error) {
	err = s.people.TrySetUp(ctx, in.Realm, found, s.now())
	if err != nil {
		return "", err
	}
	if !matches(found.CodeHash, s.keys.setUps.Code(in.Realm, found.ID, in.Code)) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "wrong set-up code", slog.String("realm", in.Realm),
			slog.String("user", found.Account.UserID.String()), slog.String("source", in.SourceAddress))
		return "", ErrSetUpCode
	}
	genuine, err := s.genuine(ctx, found.Account)
	if err != nil {
		return "", err
	}
	if !genuine {
		return "", ErrSetUpOver
	}
	return HashPassword(in.Password)
}

// openSetUp finds a set-up that can still be used, of an account that may be.
func (s *Service) openSetUp(ctx context.Context, in SetUpInput) (store.SetUp, error) {
	hashes := hashesOf(s.keys.setUps.Link(in.Realm, in.Link))
	found, err := s.people.SetUp(ctx, store.SetUpKey{Realm: in.Realm, LinkHashes: hashes, At: s.now()})
	if err != nil {
		return store.SetUp{}, err
	}
	if found.Account.Status == administration.StatusSuppressed {
		return store.SetUp{}, ErrSetUpOver
	}
	return found, nil
}

// matches reports whether a stored digest equals one of the digests under the keys in force, in constant time.
func matches(stored []byte, made [][sha256.Size]byte) bool {
	found := 0
	for _, digest := range made {
		found |= subtle.ConstantTimeCompare(stored, digest[:])
	}
	return found == 1
}

// UnknownPassword returns the hash of an unknown password, for an account whose owner has not set one yet.
func UnknownPassword() (string, error) { return HashPassword(rand.Text()) }
