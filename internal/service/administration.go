package service

import (
	"context"
	"errors"
	"io"
	"maps"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// AdministrationConfig holds the dependencies of Administration.
type AdministrationConfig struct {
	Database *store.Database
	Keys     keyring.Ring     // of tokens
	Now      func() time.Time // UTC in microseconds, as the database keeps times
	Zone     *time.Location   // of the banking day
	NewID    func() uuid.UUID
	Random   io.Reader // of links and codes
	// UnknownPassword makes the hash of a password that nobody knows.
	UnknownPassword func() (string, error)
}

// Administration administers realms.
type Administration struct {
	cfg     AdministrationConfig
	changes *store.Changes
	setUps  identity.SetUpKeys
	// providers hides secrets of the portal at identity providers.
	providers identity.ProviderKeys
	webhooks  identity.WebhookKeys
}

// NewAdministration makes the service.
func NewAdministration(cfg AdministrationConfig) (*Administration, error) {
	if cfg.Database == nil || cfg.Now == nil || cfg.Zone == nil || cfg.NewID == nil || cfg.Random == nil || cfg.UnknownPassword == nil {
		return nil, errors.New("admin: database, clock, zone, ids, randomness and passwords are needed")
	}
	setUps, err := identity.NewSetUpKeys(cfg.Keys)
	if err != nil {
		return nil, err
	}
	providers, err := identity.NewProviderKeys(cfg.Keys)
	if err != nil {
		return nil, err
	}
	webhooks, err := identity.NewWebhookKeys(cfg.Keys)
	return &Administration{
		cfg: cfg, changes: store.NewChanges(cfg.Database), setUps: setUps, providers: providers, webhooks: webhooks,
	}, err
}

// RequestInput is a change that an administrator requests.
type RequestInput struct {
	Kind    administration.Kind
	Subject string
	Values  administration.Values
	Note    string
}

// Requested is a change that waits.
type Requested struct {
	Change administration.Change
	// Code is the code with which the person sets a password, beside the approver's link; "" for other kinds of change. It is shown once.
	Code string
}

// Request stores a change that another administrator decides. Errors: payment.ForbiddenError, payment.FieldError.
func (s *Administration) Request(ctx context.Context, by identity.Principal, in RequestInput) (Requested, error) {
	at := s.cfg.Now()
	ask := store.ChangeRequest{Request: administration.Request{
		ID: s.cfg.NewID(), Kind: in.Kind, Subject: in.Subject, Values: in.Values, Note: in.Note, By: by, At: at,
	}}
	var made Requested
	err := ask.Check()
	if err != nil {
		s.refused(ctx, refusal{by: by, event: auditlog.EventChangeRequest, cause: err, at: at})
		return Requested{}, err
	}
	ask.Values, err = s.hideSecret(by.Realm, in.Values)
	if err != nil {
		return Requested{}, err
	}
	if in.Kind.SetsUp() {
		made.Code, err = identity.NewSetUpCode(s.cfg.Random)
		if err != nil {
			return Requested{}, err
		}
		digest := s.setUps.Code(by.Realm, ask.ID, made.Code)[0]
		ask.CodeHash = digest[:]
	}
	made.Change, err = s.changes.Insert(ctx, ask)
	if err != nil {
		s.refused(ctx, refusal{by: by, event: auditlog.EventChangeRequest, cause: err, at: at})
		return Requested{}, err
	}
	return made, nil
}

// maxSecret is the longest secret of the portal at a provider, in bytes.
const maxSecret = 1024

// hideSecret encrypts the secret of the portal at an identity provider in the requested values; only the sign-in through the provider
// decrypts it. Error: payment.FieldError.
func (s *Administration) hideSecret(realm string, values administration.Values) (administration.Values, error) {
	secret := values["providerSecret"]
	if secret == "" {
		return values, nil
	}
	if len(secret) > maxSecret {
		return nil, &payment.FieldError{Findings: []payment.Finding{{
			Pointer: "/values/providerSecret", Code: "FF01", Text: i18n.Text("Enter a secret of at most %d characters.").With(maxSecret),
		}}}
	}
	hidden, err := s.providers.Hide(s.cfg.Random, identity.ProviderSecret{
		Realm: realm, Issuer: values["issuer"], ClientID: values["providerClient"], Secret: secret,
	})
	values = maps.Clone(values)
	values["providerSecret"] = hidden
	return values, err
}

// DecideInput is the decision of an administrator about a change.
type DecideInput struct {
	ChangeID uuid.UUID
	Approve  bool
	Reason   string
}

// Decided is a decided change, with the values that are shown to the approver once.
type Decided struct {
	Change administration.Change
	// SetUpPath is the page at which a password is set, below the portal's address; "" where none is.
	SetUpPath string
	// ClientSecret is a new secret of a client; "" where there is none.
	ClientSecret string
	// WebhookSecret is a new secret of a webhook; "" where there is none.
	WebhookSecret string
}

// Decide decides a change. Errors: payment.ErrNotFound, payment.ForbiddenError, payment.FourEyesError, administration.ConflictError,
// payment.FieldError for the reason.
func (s *Administration) Decide(ctx context.Context, by identity.Principal, in DecideInput) (Decided, error) {
	change, err := s.Change(ctx, by, in.ChangeID)
	return s.decide(ctx, administration.Verdict{Approve: in.Approve, Reason: in.Reason, By: by, At: s.cfg.Now()}, change, err)
}

// decide decides a loaded change, or returns the reason why not.
func (s *Administration) decide(ctx context.Context, verdict administration.Verdict, change administration.Change,
	err error,
) (Decided, error) {
	by := verdict.By
	if err == nil {
		err = change.MayDecide(by) // asked again under the lock; here it spares the making of secrets
	}
	var decided Decided
	var secrets store.ChangeSecrets
	if err == nil && verdict.Approve {
		secrets, err = s.secrets(by.Realm, change, &decided)
	}
	if err == nil {
		decided.Change, err = s.changes.Decide(ctx, store.DecisionInput{ChangeID: change.ID, Verdict: verdict, Secrets: secrets})
	}
	if err != nil {
		event := auditlog.EventChangeReject
		if verdict.Approve {
			event = auditlog.EventChangeApprove
		}
		s.refused(ctx, refusal{by: by, event: event, cause: err, at: verdict.At})
		return Decided{Change: change}, err
	}
	return decided, nil
}

// secrets makes what an approval shows.
func (s *Administration) secrets(realm string, change administration.Change, into *Decided) (store.ChangeSecrets, error) {
	var secrets store.ChangeSecrets
	if change.Kind.SetsUp() {
		link, err := identity.NewSetUpLink(s.cfg.Random)
		if err != nil {
			return secrets, err
		}
		digest := s.setUps.Link(realm, link)[0]
		secrets.LinkHash, into.SetUpPath = digest[:], identity.SetUpPath(realm, link)
		secrets.PasswordHash, err = s.cfg.UnknownPassword()
		if err != nil {
			return secrets, err
		}
	}
	if change.Kind.MakesSecret() && change.After["kind"] == administration.ClientConfidential {
		into.ClientSecret = identity.NewClientSecret()
		secrets.ClientSecretHash = identity.ClientSecretDigest(into.ClientSecret)
	}
	if change.Kind == administration.KindWebhookCreate || change.Kind == administration.KindWebhookSecret {
		id, err := uuid.Parse(change.Subject)
		if err == nil {
			into.WebhookSecret, secrets.WebhookSecret, err = s.webhooks.New(realm, id)
		}
		return secrets, err
	}
	return secrets, nil
}

// refusal is a refused request of an administrator.
type refusal struct {
	by    identity.Principal
	event string
	cause error
	at    time.Time
}

func (s *Administration) refused(ctx context.Context, r refusal) {
	why, refused := payment.Refused(r.cause)
	if !refused {
		return
	}
	s.cfg.Database.Refused(ctx, store.Refusal{
		Realm: r.by.Realm, Event: r.event + "-refused", Actor: r.by.Actor(), Why: why, Cause: r.cause, At: r.at,
	})
}
