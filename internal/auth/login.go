package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/store"
)

// failuresForgotten is the time after which failures no longer count; equal to the longest sign-in of 12 hours.
const failuresForgotten = 12 * time.Hour

// maxPassword is the longest password looked at, in bytes. A longer one is wrong.
const maxPassword = 1024

// ClientCredentials authenticate the calling client.
type ClientCredentials struct {
	ClientID     string
	ClientSecret string // "" is right for a public client
}

// LoginInput is a sign-in through the API.
type LoginInput struct {
	Realm  string
	Client ClientCredentials
	// Name and Password as typed.
	Name          string
	Password      string
	Scope         string // optional, words separated by one space
	SourceAddress string // for the log, and for the tries that one address has
	// SecondFactor is a code of an authenticator app or a recovery code, of somebody who has a second factor.
	SecondFactor string
}

// Login signs a user in through a client of the API. Errors: ErrUnknownRealm, ErrInvalidClient, ErrInvalidScope, *AccountError,
// *BusyError, *LimitError, *FactorNeededError, ErrFactor, ErrFactorsForged.
func (s *Service) Login(ctx context.Context, in LoginInput) (TokenSet, error) {
	client, err := s.loginClient(ctx, ClientLoginInput{Realm: in.Realm, Client: in.Client, Scope: in.Scope, SourceAddress: in.SourceAddress})
	if err != nil {
		return TokenSet{}, err
	}
	account, err := s.checkPassword(ctx, attempt{
		realm: in.Realm, name: in.Name, password: in.Password, clientID: client.ClientID, source: in.SourceAddress,
	})
	if err != nil {
		return TokenSet{}, err
	}
	err = s.loginFactor(ctx, in, store.PrincipalKey{Realm: in.Realm, UserID: account.UserID, ClientID: client.ClientID})
	if err != nil {
		return TokenSet{}, err
	}
	return s.startFamily(ctx, store.NewFamily{
		Realm: in.Realm, ClientID: client.ClientID, UserID: account.UserID, AsOf: account.AsOf, Scope: in.Scope,
	}, client.Life)
}

// ClientLoginInput is a sign-in of a program by itself.
type ClientLoginInput struct {
	Realm         string
	Client        ClientCredentials
	Scope         string
	SourceAddress string
}

// LoginClient returns an access token for a client with roles of its own, without a refresh token. Errors: ErrUnknownRealm,
// ErrInvalidClient, ErrUnauthorizedClient, ErrInvalidScope, *LimitError.
func (s *Service) LoginClient(ctx context.Context, in ClientLoginInput) (TokenSet, error) {
	client, err := s.loginClient(ctx, in)
	if err != nil {
		return TokenSet{}, err
	}
	a := attempt{realm: in.Realm, clientID: client.ClientID, source: in.SourceAddress}
	if client.Kind != administration.ClientConfidential || !identity.MayActAlone(client.Roles) {
		s.logAttempt(ctx, a, problemNoRoles, uuid.Nil)
		return TokenSet{}, ErrUnauthorizedClient
	}
	s.logAttempt(ctx, a, "", uuid.Nil)
	return s.startFamily(ctx, store.NewFamily{Realm: in.Realm, ClientID: client.ClientID, Scope: in.Scope}, client.Life)
}

// loginClient checks the client of a sign-in, after the limits of its address and before its own, and the scope.
func (s *Service) loginClient(ctx context.Context, in ClientLoginInput) (store.Client, error) {
	err := s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return store.Client{}, err
	}
	client, err := s.checkClient(ctx, in.Realm, in.Client)
	if err == nil {
		err = s.limitClient(in.Realm, client)
	}
	if err == nil && !validScope(in.Scope) {
		err = ErrInvalidScope
	}
	return client, err
}

// loginFactor checks the second factor of a sign-in through the API, for people who have or need one.
func (s *Service) loginFactor(ctx context.Context, in LoginInput, who store.PrincipalKey) error {
	by, err := s.people.Principal(ctx, who)
	if errors.Is(err, store.ErrUnknownUser) { // of before there were seals: its tokens are good for nothing, its factors count all the same
		by, err = identity.Principal{Realm: who.Realm, UserID: who.UserID, ClientID: who.ClientID}, nil
	}
	if err != nil {
		return err
	}
	by.Channel, by.SourceAddress = identity.ChannelAPI, in.SourceAddress
	err = s.askFactor(ctx, by)
	needed, is := errors.AsType[*FactorNeededError](err)
	if !is || needed.Enrol || in.SecondFactor == "" {
		return err
	}
	_, err = s.checkFactor(ctx, factorCheck{by: by, answer: FactorAnswer{Code: in.SecondFactor}, purpose: identity.PurposeSignIn})
	return err
}

// SignInInput is a sign-in on the portal's page.
type SignInInput struct {
	Realm         string
	Name          string
	Password      string
	SourceAddress string
	// Device is the cookie that NewDevice set at an earlier sign-in; "" when there is none.
	Device string
}

// SignIn signs a user in to the portal; the caller stores the session. Errors: ErrUnknownRealm, ErrInvalidClient (the realm has no portal),
// *AccountError, *BusyError, *LimitError, ErrFactorsForged, ErrPasswordsBarred, and *FactorNeededError when the password was right: the
// caller continues with SecondSignIn or, with Enrol, by adding a factor.
func (s *Service) SignIn(ctx context.Context, in SignInInput) (identity.Principal, error) {
	err := s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return identity.Principal{}, err
	}
	client, err := s.people.Client(ctx, in.Realm, identity.PortalClient)
	if err != nil {
		return identity.Principal{}, clientError(err)
	}
	if client.Kind != administration.ClientPortal {
		return identity.Principal{}, ErrInvalidClient
	}
	account, err := s.checkPassword(ctx, attempt{
		realm: in.Realm, name: in.Name, password: in.Password, clientID: client.ClientID, source: in.SourceAddress, device: in.Device,
	})
	if err != nil {
		return identity.Principal{}, err
	}
	principal, err := s.portalPrincipal(ctx, PortalSession{Realm: in.Realm, UserID: account.UserID, AsOf: account.AsOf})
	if errors.Is(err, ErrUnauthorized) { // the account changed since its password was looked at
		return identity.Principal{}, &AccountError{Problem: ProblemIncorrect}
	}
	if err != nil {
		return identity.Principal{}, err
	}
	principal.SourceAddress = in.SourceAddress
	err = s.mayUsePassword(ctx, principal)
	if err != nil {
		return identity.Principal{}, err
	}
	err = s.askFactor(ctx, principal)
	if err != nil {
		return identity.Principal{}, err
	}
	return principal, nil
}

func (s *Service) portalPrincipal(ctx context.Context, session PortalSession) (identity.Principal, error) {
	principal, err := s.people.Principal(ctx, store.PrincipalKey{
		Realm: session.Realm, UserID: session.UserID, ClientID: identity.PortalClient, Since: session.Since, AsOf: session.AsOf,
	})
	switch {
	case errors.Is(err, store.ErrUnknownUser), errors.Is(err, store.ErrUnknownRealm):
		return identity.Principal{}, ErrUnauthorized
	case err != nil:
		return identity.Principal{}, err
	}
	principal.Channel = identity.ChannelPortal
	return principal, nil
}

// Acting returns an active user with the present roles, acting through an active client of the API without a sign-in: for an order that the
// user gave before. Error: ErrUnauthorized.
func (s *Service) Acting(ctx context.Context, realm string, user uuid.UUID, clientID string) (identity.Principal, error) {
	_, err := s.people.Client(ctx, realm, clientID)
	if err == nil {
		var by identity.Principal
		by, err = s.people.Principal(ctx, store.PrincipalKey{Realm: realm, UserID: user, ClientID: clientID})
		by.Channel = identity.ChannelAPI
		if err == nil {
			return by, nil
		}
	}
	if errors.Is(err, store.ErrUnknownUser) || errors.Is(err, store.ErrUnknownClient) || errors.Is(err, store.ErrUnknownRealm) {
		err = ErrUnauthorized
	}
	return identity.Principal{}, err
}

// PortalSession is whom a session of the portal was started for, and when.
type PortalSession struct {
	Realm  string
	UserID uuid.UUID
	Since  time.Time
	AsOf   time.Time // of the principal that it was started for; zero in a session of before
}

// SessionPrincipal reads the user of a portal session again, so that a removed role or a suppressed account counts from the next request
// on. A session that began, or whose password was checked, before its account was signed out everywhere is over. Error: ErrUnauthorized,
// also when the account is not active or does not exist.
func (s *Service) SessionPrincipal(ctx context.Context, session PortalSession) (identity.Principal, error) {
	if session.Since.Unix() <= 0 {
		return identity.Principal{}, ErrUnauthorized
	}
	return s.portalPrincipal(ctx, session)
}

// checkClient finds a client of the API and checks its secret, whose digest is compared in constant time.
func (s *Service) checkClient(ctx context.Context, realm string, given ClientCredentials) (store.Client, error) {
	client, err := s.people.Client(ctx, realm, given.ClientID)
	if err != nil {
		return store.Client{}, clientError(err)
	}
	switch client.Kind {
	case administration.ClientPublic:
		return client, nil
	case administration.ClientConfidential:
		digest := sha256.Sum256([]byte(given.ClientSecret))
		if subtle.ConstantTimeCompare(digest[:], client.SecretHash) == 1 {
			return client, nil
		}
	case administration.ClientPortal:
	}
	return store.Client{}, ErrInvalidClient
}

// limitClient counts a try of an authenticated client. Tries of a public client, like those of the portal, are counted by address alone:
// anybody can claim to be that client, and could lock out all its other users.
func (s *Service) limitClient(realm string, client store.Client) error {
	if client.Kind != administration.ClientConfidential {
		return nil
	}
	return s.clients.take(realm+"/"+client.ClientID, s.now())
}

// CheckRealm checks that a realm of this name exists. Error: ErrUnknownRealm.
func (s *Service) CheckRealm(ctx context.Context, realm string) error {
	_, err := s.people.Client(ctx, realm, identity.PortalClient)
	err = clientError(err)
	if errors.Is(err, ErrInvalidClient) {
		return nil // the realm has no portal, but it is there
	}
	return err
}

func clientError(err error) error {
	if errors.Is(err, store.ErrUnknownClient) {
		return ErrInvalidClient
	}
	return err
}

// attempt is a name with a password, from the API or the portal.
type attempt struct {
	realm, name, password string
	clientID, source      string
	device                string // of the portal; "" elsewhere
}

// checkPassword counts the try, checks the password and returns its account. The steps are the same for an unknown name, whose password is
// compared with a hash of an unknown password. Errors: *AccountError, *BusyError, ErrUnknownRealm.
func (s *Service) checkPassword(ctx context.Context, a attempt) (store.UserAccount, error) {
	var none store.UserAccount
	name := identity.NormaliseName(a.name)
	nameHash := s.counter(a, name)
	leave, err := s.passwords.enter(ctx, nameHash[0], network(a.source))
	if err != nil {
		return none, err
	}
	defer leave()
	now := s.now()
	account, found, err := s.logins.Reserve(ctx, store.LoginTry{
		Realm: a.realm, Name: name, NameHash: nameHash[:], At: now, ForgetBefore: now.Add(-failuresForgotten),
	})
	if err != nil {
		return none, s.reserveError(ctx, a, err)
	}
	hash := s.passwords.none
	genuine := false
	if found {
		genuine, err = s.genuine(ctx, account)
		if err != nil {
			return none, err
		}
	}
	if genuine {
		hash = account.PasswordHash // another one may be no hash at all
	}
	s.verified.Add(1)
	match, err := argon2id.ComparePasswordAndHash(a.password[:min(len(a.password), maxPassword)], hash) // a long one costs nothing
	if err != nil {
		return none, fmt.Errorf("check a password: %w", err)
	}
	if !match || !genuine || len(a.password) > maxPassword {
		s.logAttempt(ctx, a, ProblemIncorrect, account.UserID)
		return none, &AccountError{Problem: ProblemIncorrect}
	}
	// The caller may be gone by now, but the password was right: the failures are taken back all the same.
	err = s.logins.Clear(context.WithoutCancel(ctx), a.realm, nameHash[:])
	if err != nil {
		return none, err
	}
	problem := problemOf(account.Status)
	s.logAttempt(ctx, a, problem, account.UserID)
	if problem != "" {
		return none, &AccountError{Problem: problem}
	}
	return account, nil
}

// genuine reports whether the account is as the newest change left it: neither a password hash written into the table nor an earlier one
// opens anything.
func (s *Service) genuine(ctx context.Context, account store.UserAccount) (bool, error) {
	genuine, err := s.people.Genuine(ctx, account)
	if err == nil && !genuine {
		s.log.LogAttrs(ctx, slog.LevelError, "a user account is not as the newest change left it, nobody signs in to it",
			slog.Bool("alarm", true),
			slog.String("user", account.UserID.String()))
	}
	return genuine, err
}

func (s *Service) reserveError(ctx context.Context, a attempt, err error) error {
	locked, is := errors.AsType[*store.LockedError](err)
	if !is {
		return err
	}
	s.logAttempt(ctx, a, ProblemLocked, locked.UserID)
	return &AccountError{Problem: ProblemLocked, RetryAfter: max(locked.Until.Sub(s.now()), time.Second)}
}

// problemOf returns the problem that bars an account with this status, or "".
func problemOf(status string) AccountProblem {
	switch status {
	case administration.StatusActive:
		return ""
	case administration.StatusUnverified:
		return ProblemNotVerified
	}
	return ProblemSuppressed
}

// logAttempt logs an attempt without the name: people type passwords into its field. The user is zero for an unknown name.
func (s *Service) logAttempt(ctx context.Context, a attempt, problem AccountProblem, user uuid.UUID) {
	level, outcome := slog.LevelInfo, "ok"
	if problem != "" {
		level, outcome = slog.LevelWarn, string(problem)
	}
	fields := []slog.Attr{
		slog.String("realm", a.realm), slog.String("client", a.clientID), slog.String("outcome", outcome), slog.String("source", a.source),
	}
	if user != uuid.Nil {
		fields = append(fields, slog.String("user", user.String()))
	}
	s.log.LogAttrs(ctx, level, "sign-in", fields...)
	if problem != "" {
		s.keepRefusal(ctx, a, problem, user)
	}
}

// refusedSignIns are the reasons in the audit trail.
var refusedSignIns = map[AccountProblem]i18n.Text{
	ProblemIncorrect: "Wrong user name or password.", ProblemLocked: "The user name is locked for a while because of too many failed " +
		"sign-ins.",
	ProblemNotVerified: "The user account is not set up yet.", ProblemSuppressed: "The user account is blocked.",
}

// keepRefusal writes the audit event of a failed sign-in: the tried account, if there is one, and the address. It names no person, because
// nobody was identified.
func (s *Service) keepRefusal(ctx context.Context, a attempt, problem AccountProblem, user uuid.UUID) {
	event := auditlog.EventSignInRefused
	if problem == ProblemLocked {
		event = auditlog.EventSignInLocked
	}
	channel := identity.ChannelAPI
	if a.clientID == identity.PortalClient {
		channel = identity.ChannelPortal
	}
	s.database.Refused(ctx, store.Refusal{
		Realm: a.realm, Event: event, Why: string(problem),
		Sentence: cmp.Or(refusedSignIns[problem], "The sign-in failed."), At: s.now(),
		Actor: identity.Actor{UserID: user, Name: "not signed in", ClientID: a.clientID, Channel: channel, SourceAddress: a.source},
	})
}
