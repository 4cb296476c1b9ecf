package service

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
)

// writesWithin is the longest wait of a write for its turn. A large batch takes some tens of milliseconds on a busy
// machine; a slower one is stuck and must not block other writes.
const writesWithin = 100 * time.Millisecond

// Config holds the settings of one gateway.
type Config struct {
	Database *store.Database
	// Seal makes and checks seals, TokenKeys make the digests of tokens and sessions. The keys are not in the
	// database.
	Seal      payment.Sealer
	TokenKeys keyring.Ring
	// AuditKeys sign the checkpoints of the audit trail; without one it is not sealed.
	AuditKeys keyring.Ring
	Rules     rulebook.Settings
	// OperatorRealm is the realm of those who look after the gateway itself; "" for none.
	OperatorRealm string
	Network       clearing.Network // how documents travel to clearing
	Workers       int              // parallel deliveries of a scheme, counted separately for messages and answers; 0 for 32
	Profiles      profile.Registry // in which form
	// CheckFile is the file in which countersign check leaves its outcome; "" for none.
	CheckFile string
	// WebhookNetworks are the networks beside the public ones that webhooks may reach.
	WebhookNetworks []netip.Prefix
	// Mail sends notices to people; nil sends none.
	Mail *MailConfig
	// Payee verifies the payees of payments in euro; nil verifies none.
	Payee payee.Verifier
	// Core is the port to core banking; nil for none. CreditUnasked lets incoming payments in when it is not reached.
	Core          clearing.Core
	CreditUnasked bool
	Now           func() time.Time
	Log           *slog.Logger // what clearing and sign-in have to tell
}

// Service are the application services and their shared dependencies.
type Service struct {
	Config
	Messages   *store.Messages
	Reader     *store.Reader
	Drafts     *store.Drafts
	Desk       *store.Desk
	Sessions   *store.Sessions
	Nudges     *store.Nudges
	Submission *Payments
	Batches    *Batches
	Webhooks   *Webhooks
	Notices    *Notices
	Approval   *Approvals
	Events     *Events
	Clearing   *clearing.Service
	Auth       *auth.Service
	Admin      *Administration
	Notary     *integrity.Service // nil without AuditKeys
	Holder     *PayeeLookup
	// Moment is the clock of the services and endpoints: UTC in microseconds, the precision of the database, so that
	// times in memory equal stored ones. Durations use Now.
	Moment func() time.Time
	// Zone is the time zone of the banking day: both schemes of this gateway use Zurich.
	Zone *time.Location
}

// New makes the services. It fails when a part is missing, a key ring is empty, or the system does not know the banks' time zone.
func New(cfg Config) (*Service, error) {
	if cfg.Database == nil || cfg.Now == nil || cfg.Log == nil {
		return nil, errors.New("stations: database, clock and log are needed")
	}
	cfg.Rules.Published = &rulebook.Published{} // what is imported; all who check share it
	if cfg.Rules.Terms == nil {
		cfg.Rules.Terms = cfg.Profiles.Terms
	}
	moment := func() time.Time { return cfg.Now().UTC().Truncate(time.Microsecond) }
	nudges := &store.Nudges{}
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		return nil, fmt.Errorf("load the banks' time zone: %w", err)
	}
	pages := cfg.Database.For(store.ForPages)
	sessions, err := store.NewSessions(pages, cfg.TokenKeys, cfg.Now)
	if err != nil {
		return nil, err
	}
	writes := store.NewFairMutex(writesWithin)
	s := &Service{
		Config: cfg, Messages: store.NewMessages(cfg.Database, writes, nudges, NewID), Reader: store.NewReader(pages),
		Drafts: store.NewDrafts(pages), Desk: store.NewDesk(pages), Sessions: sessions, Nudges: nudges, Moment: moment, Zone: zone,
	}
	s.Events = &Events{reader: s.Reader, nudges: nudges}
	s.Submission = &Payments{cfg: PaymentsConfig{
		Messages: s.Messages, Rules: cfg.Rules, Seal: cfg.Seal, Now: moment, NewID: NewID, Random: random, Zone: zone, Payee: cfg.Payee,
	}}
	s.Auth, err = auth.New(auth.Config{Database: cfg.Database, Now: moment, Keys: cfg.TokenKeys, Log: cfg.Log})
	if err != nil {
		return nil, err
	}
	s.Batches = &Batches{BatchesConfig{
		Store: store.NewOrderBatches(cfg.Database.For(store.ForClearing)), Submission: s.Submission, Acting: s.Auth.Acting,
		Rules: cfg.Rules, Now: moment, NewID: NewID, Zone: zone,
	}}
	webhookKeys, err := identity.NewWebhookKeys(cfg.TokenKeys)
	if err != nil {
		return nil, err
	}
	s.Webhooks = NewWebhooks(WebhooksConfig{
		Store: store.NewWebhooks(cfg.Database.For(store.ForClearing)), Reader: s.Reader, Keys: webhookKeys, Now: moment, NewID: NewID,
		Client: WebhookClient(cfg.WebhookNetworks),
	})
	s.Notices = NewNotices(NoticesConfig{
		Store: store.NewNotices(pages), Reader: s.Reader, Mail: cfg.Mail, Now: moment, NewID: NewID, Zone: zone,
	})
	s.Approval = NewApprovals(ApprovalsConfig{
		Messages: s.Messages, Rules: cfg.Rules, Seal: cfg.Seal, Now: moment, Zone: zone, StepUp: s.Auth.StepUp,
	})
	s.Clearing = s.newClearing(writes)
	s.Messages.Carry(s.Clearing.Make)
	s.Admin, err = NewAdministration(AdministrationConfig{
		Zone:     zone,
		Database: cfg.Database, Keys: cfg.TokenKeys, Now: moment, NewID: NewID, Random: rand.Reader, UnknownPassword: auth.UnknownPassword,
	})
	if err != nil {
		return nil, err
	}
	// A separate lock keeps the questions of banks from delaying other writes.
	s.Holder = &PayeeLookup{store.NewAccounts(store.NewMessages(pages, store.NewFairMutex(store.TurnWithin), nudges, NewID))}
	return s, s.openNotary(cfg.Database)
}

// newClearing makes the dispatcher; writes is the mutex of the money path.
func (s *Service) newClearing(writes *store.FairMutex) *clearing.Service {
	cfg := s.Config
	return clearing.New(clearing.Config{
		Messages: store.NewMessages(cfg.Database.For(store.ForClearing), writes, s.Nudges, NewID),
		Due:      store.NewMessages(cfg.Database.For(store.ForClock), store.NewFairMutex(store.TurnWithin), s.Nudges, NewID),
		Nudges:   s.Nudges, Workers: cfg.Workers,
		Network: cfg.Network, Core: cfg.Core, CreditUnasked: cfg.CreditUnasked, Rules: cfg.Rules, Seal: cfg.Seal, Now: s.Moment, NewID: NewID,
		Random: random, Zone: s.Zone, Log: cfg.Log, Metrics: cfg.Database.Metrics(), Traces: cfg.Database.Traces(),
		Profiles: cfg.Profiles, OperatorRealm: cfg.OperatorRealm, Taken: store.NewChanges(cfg.Database.For(store.ForClearing)).Taken,
		Jobs: s.jobs(),
	})
}

// jobs returns the further work of the dispatcher beside that of clearing.
func (s *Service) jobs() []clearing.Job {
	jobs := []clearing.Job{
		{Doing: clearing.DoingRelease, Workers: releaseWorkers, List: s.Approval.scheduled, Do: s.Approval.Release},
		{Doing: clearing.DoingBatch, Workers: batchWorkers, List: s.Batches.cfg.Store.ToDo, Do: s.Batches.Make},
		{Doing: clearing.DoingWebhook, Workers: webhookWorkers, List: s.Webhooks.todo, Do: s.Webhooks.Deliver},
	}
	if s.Mail != nil {
		jobs = append(jobs, clearing.Job{Doing: clearing.DoingNotice, Workers: noticeWorkers, List: s.Notices.todo, Do: s.Notices.Deliver})
	}
	return jobs
}

// Sealing returns the state of the audit log's sealing; it is off without a key.
func (s *Service) Sealing() integrity.SignerStanding {
	if s.Notary == nil {
		return integrity.SignerStanding{}
	}
	return s.Notary.Standing()
}

// VerifyTrail returns the function that verifies a realm's audit log against its seals; nil without sealing.
func (s *Service) VerifyTrail() func(context.Context, string) (integrity.Verification, error) {
	if s.Notary == nil {
		return nil
	}
	return s.Notary.Verify
}

// Evidence returns the function that makes the bundle of a message, which proves it without a database; nil without sealing.
func (s *Service) Evidence() func(context.Context, string, uuid.UUID) ([]byte, error) {
	if s.Notary == nil {
		return nil
	}
	return s.Notary.Bundle
}

// openNotary makes the service that seals the audit trail, if there is a key for it.
func (s *Service) openNotary(db *store.Database) error {
	signer, err := auditlog.NewSigner(s.AuditKeys)
	if err != nil || signer.Empty() {
		return err
	}
	s.Notary, err = integrity.New(integrity.SignerConfig{
		Trees: integrity.NewTrees(db.For(store.ForSeals), signer), Pages: integrity.NewTrees(db.For(store.ForPages), signer),
		Marks: db.Marks(), Reconciled: store.NewChanges(db.For(store.ForSeals)).Reconciled, Now: s.Now, Log: s.Log,
	})
	return err
}

// Wait returns how long an approved message waits in this process for its delivery while clearing accepts messages.
func (s *Service) Wait() time.Duration {
	longest := time.Duration(0)
	for _, c := range s.Clearing.Connections() {
		if c.State == clearing.ConnectionWorking && !c.Failing {
			longest = max(longest, s.Clearing.Wait(c.Scheme))
		}
	}
	return longest
}

// CleanUp deletes expired data: tokens, counters of failed sign-ins, sessions, drafts.
func (s *Service) CleanUp(ctx context.Context) error {
	_, err := s.Auth.CleanUp(ctx)
	_, sessionErr := s.Sessions.Clean(ctx, s.Now())
	_, draftErr := s.Drafts.Clean(ctx, s.Now())
	return errors.Join(err, sessionErr, draftErr, s.Webhooks.cfg.Store.Clean(ctx, s.Now()), s.Notices.cfg.Store.Clean(ctx, s.Now()))
}

// NewID makes an identifier of a row: UUIDv7, so that rows made after each other are neighbours. It does not return when the system has no
// randomness left.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// random makes the unguessable part of a Global ID.
func random() (bits [4]byte) {
	_, _ = rand.Read(bits[:]) // never fails
	return bits
}
