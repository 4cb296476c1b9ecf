package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/auth/oidc"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/store"
)

// Sign-in through the identity provider of a realm stands beside the password, and for nothing more: who it is at the provider leads to an
// account by a link that two administrators made; roles, second factors, the limits of the session and four-eyes are those of the account.
//
//  1. BeginAtProvider: the browser is given the address at the provider, and a sealed text that holds what the answer is held against.
//  2. SignInAtProvider: the text is this browser's, of this realm and not older than ten minutes; its state came back from nowhere before;
//     the provider is still the one in force; the answer counts (package openid); the subject is linked with an active account.
//
// A crash after the state is noted lets the person begin again; nothing else is kept.

// flowLife limits the time a user may spend at the provider.
const flowLife = 10 * time.Minute

// maxAtProvider limits the users of a realm that wait for an answer of its provider at once; further ones are refused.
const maxAtProvider = 32

// The errors of a sign-in through a provider.
var (
	// ErrNoProvider: the realm has no identity provider.
	ErrNoProvider = errors.New("the realm has no identity provider")
	// ErrProviderAway: the provider does not answer, or not as it should.
	ErrProviderAway = errors.New("the identity provider does not answer as it should")
	// ErrProviderForged: the provider of the realm is not as it was stored.
	ErrProviderForged = store.ErrProviderForged
	// ErrFlowOver: the answer belongs to no sign-in that this browser began here, or to one that is over.
	ErrFlowOver = errors.New("this sign-in is over: begin again")
	// ErrPasswordsBarred: people of the realm sign in through its identity provider; told to those who know the password.
	ErrPasswordsBarred = errors.New("people of this realm sign in through its identity provider")
)

// ProviderError reports that a person returned from the provider and is refused.
type ProviderError struct {
	Why     string // in a word
	Subject string // who the provider says it is, when it is known: for an administrator who is to link it
}

func (e *ProviderError) Error() string {
	return "not signed in through the identity provider: " + e.Why
}

// whyUnknown is the Why of a subject that no account is linked with.
const whyUnknown = "unknown-subject"

// Unknown reports whether the provider knows the person and the realm does not.
func (e *ProviderError) Unknown() bool { return e.Why == whyUnknown }

// HasProvider reports whether people of a realm may sign in through an identity provider.
func (s *Service) HasProvider(ctx context.Context, realm string) (bool, error) {
	_, found, err := s.people.Provider(ctx, realm)
	if errors.Is(err, ErrProviderForged) {
		return false, nil
	}
	return found, err
}

// BeginInput starts a sign-in through a provider.
type BeginInput struct {
	Realm         string
	Next          string // where they go on to
	SourceAddress string
}

// Begun is a sign-in on its way.
type Begun struct {
	Address string // at the provider
	Held    string // what the browser keeps until it comes back
}

// held is the state of a sign-in at the provider. The browser stores it encrypted.
type held struct {
	Flow     oidc.Flow `json:"flow"`
	Provider uuid.UUID `json:"provider"`
	Since    time.Time `json:"since"`
	Next     string    `json:"next"`
}

// BeginAtProvider begins a sign-in. Errors: ErrNoProvider, ErrProviderAway, ErrProviderForged, *LimitError, *BusyError.
func (s *Service) BeginAtProvider(ctx context.Context, in BeginInput) (Begun, error) {
	err := s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return Begun{}, err
	}
	provider, settings, err := s.provider(ctx, in.Realm)
	if err != nil {
		return Begun{}, err
	}
	leave, err := s.providers.take(in.Realm)
	if err != nil {
		return Begun{}, err
	}
	defer leave()
	flow, address, err := s.openID.Begin(ctx, settings)
	if err != nil {
		return Begun{}, s.providerAway(ctx, in.Realm, err)
	}
	text, err := json.Marshal(held{Flow: flow, Provider: provider.ID, Since: s.now(), Next: in.Next})
	if err != nil {
		return Begun{}, fmt.Errorf("write a sign-in down: %w", err)
	}
	hidden, err := s.keys.flows.Encrypt(rand.Reader, text, []byte(in.Realm))
	return Begun{Address: address, Held: base64.RawURLEncoding.EncodeToString(hidden)}, err
}

// provider returns the identity provider of a realm and the settings of this portal there. Errors: ErrNoProvider, ErrProviderForged.
func (s *Service) provider(ctx context.Context, realm string) (store.Provider, oidc.Settings, error) {
	p, found, err := s.people.Provider(ctx, realm)
	if err == nil && !found {
		err = ErrNoProvider
	}
	if err != nil {
		return p, oidc.Settings{}, err
	}
	settings := oidc.Settings{
		Issuer: p.Issuer, ClientID: p.ClientID, RedirectURL: p.PortalAddress + administration.RedirectPath(realm), MaxAge: p.SignInAge,
	}
	if p.HiddenSecret != nil {
		settings.Secret, err = s.keys.providers.Show(p.HiddenSecret, identity.ProviderSecret{
			Realm: realm, Issuer: p.Issuer, ClientID: p.ClientID,
		})
	}
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "the secret of an identity provider cannot be read: its key is missing, or it was written by hand",
			slog.Bool("alarm", true), slog.String("realm", realm), slog.String("error", err.Error()))
		return p, settings, ErrProviderForged
	}
	return p, settings, nil
}

func (s *Service) providerAway(ctx context.Context, realm string, err error) error {
	if !errors.Is(err, oidc.ErrUnreachable) {
		return err
	}
	s.log.LogAttrs(ctx, slog.LevelError, "the identity provider of a realm does not answer as it should", slog.String("realm", realm),
		slog.String("error", beginning(err)))
	return ErrProviderAway
}

// maxOfError limits the characters logged of an error that may quote the answer of a provider.
const maxOfError = 500

// beginning returns the first maxOfError characters of an error.
func beginning(err error) string {
	text := []rune(err.Error())
	return string(text[:min(len(text), maxOfError)])
}

// CameBackInput holds the data of a browser that returns from a provider.
type CameBackInput struct {
	Realm         string // of the address it came back to
	Held          string // what it kept
	Answer        oidc.Answer
	SourceAddress string
}

// SignInAtProvider signs in a user who returns from the provider of the realm; the caller stores the session. next is the page to continue
// with. Errors: ErrFlowOver, ErrNoProvider, ErrProviderAway, ErrProviderForged, *ProviderError, *LimitError, *BusyError, ErrFactorsForged,
// and *FactorNeededError as of SignIn.
func (s *Service) SignInAtProvider(ctx context.Context, in CameBackInput) (by identity.Principal, next string, err error) {
	now := s.now()
	err = s.addresses.take(network(in.SourceAddress), now)
	if err != nil {
		return by, "", err
	}
	flow, err := s.openFlow(in)
	if err != nil {
		return by, "", err
	}
	err = s.people.SpendOuterState(ctx, in.Realm, sha256.Sum256([]byte(flow.Flow.State)), now)
	if errors.Is(err, store.ErrOuterStateSpent) {
		return by, "", s.refuseOuter(ctx, in, &ProviderError{Why: "state-used-before"}, nil)
	}
	if err != nil {
		return by, "", err
	}
	subject, err := s.askProvider(ctx, in, flow)
	if err != nil {
		return by, "", err
	}
	by, err = s.linkedPrincipal(ctx, in, subject)
	if err != nil {
		return by, "", err
	}
	err = s.people.TellSignIn(ctx, store.SignInTold{
		By: by, Event: auditlog.EventSignInProvider, Detail: store.OuterDetail(subject), At: now,
	})
	if err != nil {
		return by, "", err
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "sign-in", slog.String("realm", in.Realm), slog.String("client", identity.PortalClient),
		slog.String("outcome", "ok"), slog.String("way", "identity provider"), slog.String("source", in.SourceAddress),
		slog.String("user", by.UserID.String()))
	return by, flow.Next, s.askFactor(ctx, by)
}

// openFlow decrypts the state from the browser and compares it with the realm of the address and the answer. Every mismatch gives the same
// error, ErrFlowOver.
func (s *Service) openFlow(in CameBackInput) (held, error) {
	hidden, err := base64.RawURLEncoding.DecodeString(in.Held)
	if err != nil {
		return held{}, ErrFlowOver
	}
	text, err := s.keys.flows.Decrypt(hidden, []byte(in.Realm))
	if err != nil {
		return held{}, ErrFlowOver
	}
	var flow held
	err = json.Unmarshal(text, &flow)
	since := s.now().Sub(flow.Since)
	if err != nil || since > flowLife || since < -flowLife || flow.Flow.State == "" || in.Answer.State != flow.Flow.State {
		return held{}, ErrFlowOver
	}
	return flow, nil
}

// askProvider checks the answer against its flow and exchanges the code for the subject. Errors: as SignInAtProvider.
func (s *Service) askProvider(ctx context.Context, in CameBackInput, flow held) (store.OuterSubject, error) {
	provider, settings, err := s.provider(ctx, in.Realm)
	if err != nil {
		return store.OuterSubject{}, err
	}
	if provider.ID != flow.Provider {
		return store.OuterSubject{}, s.refuseOuter(ctx, in, &ProviderError{Why: "provider-replaced"}, nil)
	}
	leave, err := s.providers.take(in.Realm)
	if err != nil {
		return store.OuterSubject{}, err
	}
	defer leave()
	subject, err := s.openID.Finish(ctx, settings, flow.Flow, in.Answer)
	if refused, is := errors.AsType[*oidc.RefusedError](err); is {
		return store.OuterSubject{}, s.refuseOuter(ctx, in, &ProviderError{Why: refused.Why}, refused.Cause)
	}
	return store.OuterSubject{Realm: in.Realm, Issuer: settings.Issuer, Subject: subject}, s.providerAway(ctx, in.Realm, err)
}

// linkedPrincipal is the account that a subject is linked with. Error: *ProviderError.
func (s *Service) linkedPrincipal(ctx context.Context, in CameBackInput, of store.OuterSubject) (identity.Principal, error) {
	linked, err := s.people.OuterUser(ctx, of)
	if errors.Is(err, store.ErrOuterUnknown) {
		return identity.Principal{}, s.refuseOuter(ctx, in, &ProviderError{Why: whyUnknown, Subject: of.Subject}, nil)
	}
	if err != nil {
		return identity.Principal{}, err
	}
	by, err := s.portalPrincipal(ctx, PortalSession{Realm: in.Realm, UserID: linked.UserID, AsOf: linked.AsOf})
	if errors.Is(err, ErrUnauthorized) {
		return by, s.refuseOuter(ctx, in, &ProviderError{Why: "account-not-active", Subject: of.Subject}, nil)
	}
	by.SourceAddress = in.SourceAddress
	return by, err
}

// refuseOuter writes a refused sign-in through the provider to the log and the audit trail, and returns the error for the user.
func (s *Service) refuseOuter(ctx context.Context, in CameBackInput, refused *ProviderError, cause error) error {
	fields := []slog.Attr{
		slog.String("realm", in.Realm), slog.String("client", identity.PortalClient), slog.String("outcome", refused.Why),
		slog.String("way", "identity provider"), slog.String("source", in.SourceAddress),
	}
	if cause != nil {
		fields = append(fields, slog.String("error", beginning(cause)))
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "sign-in", fields...)
	sentence := i18n.Text("A sign-in through the identity provider was refused.")
	if refused.Subject != "" {
		sentence = i18n.Text("A sign-in through the identity provider was refused. The provider identifies the person as %s.").
			With(refused.Subject)
	}
	s.database.Refused(ctx, store.Refusal{
		Realm: in.Realm, Event: auditlog.EventSignInProviderRefused, Why: refused.Why, Sentence: sentence, At: s.now(),
		Actor: identity.Actor{
			Name: "not signed in", ClientID: identity.PortalClient, Channel: identity.ChannelPortal, SourceAddress: in.SourceAddress,
		},
	})
	return refused
}

// mayUsePassword refuses the right password in a realm whose people sign in through its identity provider. Administrators may use theirs,
// so that the realm can be run while the provider is away; each use is an alarm. Error: ErrPasswordsBarred.
func (s *Service) mayUsePassword(ctx context.Context, by identity.Principal) error {
	p, found, err := s.people.Provider(ctx, by.Realm)
	forged := errors.Is(err, ErrProviderForged)
	if err != nil && !forged {
		return err
	}
	if !found || !p.BreakGlass && !forged {
		return nil
	}
	if !by.Has(identity.RoleAdministrator) {
		s.database.Refused(ctx, store.Refusal{
			Realm: by.Realm, Event: auditlog.EventSignInRefused, Why: "password-barred", At: s.now(), Actor: by.Actor(),
			Sentence: "Someone tried to sign in with a password, but users of this realm must sign in through the identity provider.",
		})
		return ErrPasswordsBarred
	}
	s.log.LogAttrs(ctx, slog.LevelError, "an administrator signed in by password past the identity provider of the realm",
		slog.Bool("alarm", true), slog.String("realm", by.Realm), slog.String("user", by.UserID.String()),
		slog.String("source", by.SourceAddress))
	return s.people.TellSignIn(ctx, store.SignInTold{
		By: by, Event: auditlog.EventSignInBreakGlass, Detail: auditlog.SubjectDetail(by.UserName, "by password, past the identity provider"),
		At: s.now(),
	})
}
