package auth

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"unicode/utf8"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// MinimumPassword is the shortest new password, in characters. There is no rule for its form, but common passwords are refused
// (NIST SP 800-63B section 5.1.1.2).
const MinimumPassword = 12

// ErrWeakPassword reports that the new password is too short, too long, easy to guess, or the old one.
var ErrWeakPassword = errors.New("choose a password of 12 characters or more that is hard to guess and not the old one: a few words do")

// ChangePasswordInput is a person's own change of their password.
type ChangePasswordInput struct {
	By  identity.Principal
	Old string
	New string
}

// ChangePassword changes the caller's password after checking the old one, and ends all sessions and tokens of the account, the caller's
// included: it signs in again. A wrong old password counts as a failed sign-in. Errors: *AccountError, *BusyError, *LimitError,
// ErrWeakPassword, ErrUnauthorized.
func (s *Service) ChangePassword(ctx context.Context, in ChangePasswordInput) error {
	err := s.addresses.take(network(in.By.SourceAddress), s.now())
	if err != nil {
		return err
	}
	err = CheckNewPassword(in.New)
	if err != nil {
		return err
	}
	if in.New == in.Old {
		return ErrWeakPassword
	}
	err = s.checkOwnPassword(ctx, in.By, in.Old)
	if err != nil {
		return err
	}
	hash, err := HashPassword(in.New)
	if err != nil {
		return err
	}
	return s.changeAccount(ctx, in.By, hash)
}

// checkOwnPassword checks the password of a signed-in person. Errors: those of checkPassword, ErrUnauthorized when the name now belongs to
// another account.
func (s *Service) checkOwnPassword(ctx context.Context, by identity.Principal, password string) error {
	account, err := s.checkPassword(ctx, attempt{
		realm: by.Realm, name: by.UserName, password: password, clientID: by.ClientID, source: by.SourceAddress,
	})
	if err != nil {
		return err
	}
	if account.UserID != by.UserID {
		return ErrUnauthorized
	}
	return nil
}

// EndSessions ends all sessions and tokens of the caller's account. Error: ErrUnauthorized when there is no such account.
func (s *Service) EndSessions(ctx context.Context, by identity.Principal) error {
	return s.changeAccount(ctx, by, "")
}

// CheckNewPassword validates a new password. Error: ErrWeakPassword.
func CheckNewPassword(password string) error {
	if utf8.RuneCountInString(password) < MinimumPassword || len(password) > maxPassword || !utf8.ValidString(password) ||
		isCommonPassword(password) {
		return ErrWeakPassword
	}
	return nil
}

// changeAccount ends all sessions and tokens of a person's account, and changes its password unless the hash is "". An account that does
// not fit its seal stays unchanged: a new seal would hide tampering.
func (s *Service) changeAccount(ctx context.Context, by identity.Principal, hash string) error {
	account, err := s.people.Account(ctx, by.Realm, by.UserID)
	if errors.Is(err, store.ErrUnknownUser) || errors.Is(err, store.ErrUnknownRealm) {
		return ErrUnauthorized
	}
	if err != nil {
		return err
	}
	genuine, err := s.genuine(ctx, account)
	if err != nil {
		return err
	}
	if !genuine {
		return ErrUnauthorized
	}
	err = s.people.ChangeAccount(ctx, account, store.AccountChange{PasswordHash: hash, SignedOutAt: s.now()}, by)
	if errors.Is(err, store.ErrUnknownUser) {
		return ErrUnauthorized
	}
	if err != nil {
		return err
	}
	s.bearers.dropUser(by.UserID)
	s.log.LogAttrs(ctx, slog.LevelInfo, "all sessions and tokens of an account ended", slog.String("realm", by.Realm),
		slog.String("user", by.UserID.String()), slog.Bool("newPassword", hash != ""))
	return nil
}

// Preference holds the settings of a user for the portal.
type Preference = store.Preference

// Preference reads the preference of the user; one who chose nothing has the default.
func (s *Service) Preference(ctx context.Context, by identity.Principal) (Preference, error) {
	return s.people.Preference(ctx, by.Realm, by.UserID)
}

// SavePreference stores the user's preference. Error: ErrInvalidPreference for a value the portal does not offer.
func (s *Service) SavePreference(ctx context.Context, by identity.Principal, p Preference) error {
	if !slices.Contains([]string{"auto", "light", "dark"}, p.Theme) ||
		!slices.Contains([]string{"compact", "default", "comfortable"}, p.Density) ||
		!slices.Contains([]string{"", "de", "fr", "it", "en"}, p.Language) {
		return ErrInvalidPreference
	}
	return s.people.SavePreference(ctx, by, p)
}
