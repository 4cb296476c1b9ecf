// Package clearing delivers approved messages and books their answers. The steps of a released message:
//
//  1. load the release, and the message with the approved content and the debtor account;
//  2. compare them with each other and with their seals. A mismatch withholds the message for good; a missing key only delays it;
//  3. make the interbank document of the verified content, the same on every attempt, and store it under seal. A different
//     stored document withholds the message. When this process received the last approval, steps 1 to 3 run with it (Make);
//  4. send these bytes to clearing, under the same message id until it accepts them;
//  5. record the delivery;
//  6. book the answer, or record that the scheme's time passed without one and ask for the status.
//
// A crash after step 3 or 4 repeats the step with the same bytes and the same id, which the receiver recognises; a crash at any other point
// repeats from the start. A nudge after the commit drives the normal way, a poll the work left by a crash or a long outage; both run Send.
package clearing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Network hands documents to the clearing of a scheme. Implementations are safe for concurrent use.
type Network interface {
	// Deliver hands over one document. It returns nil only when clearing has taken it; any error means "unknown": the same document
	// is delivered again under the same reference.
	Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error
}

// Service sends released messages to clearing and processes its documents.
type Service struct {
	cfg       Config
	inbox     *store.Inbox
	outbox    *store.Outbox
	documents *store.Documents
	accounts  *store.Accounts
	core      *store.CoreBookings

	schemes   []*schemeWork
	jobs      []*dispatcher // of Config.Jobs
	clock     *dispatcher   // moves that are due, but for overdue messages
	unmatched *dispatcher   // documents that waited in vain for the payment they are about
	bookings  *dispatcher   // ended payments that core banking is to be told of

	sending  *deliveries // messages being sent by this process
	looking  busy        // the polls
	scanning busy        // the scans for overdue messages

	complaints sync.Map // the repeated tasks that failed last time

	mu      sync.Mutex
	known   []string        // the realms as of the last look
	alarmed map[string]bool // what alarmOnce has raised
	// rejected is the time of the last poll that looked as far back as rejectedAll, by realm.
	rejected map[string]time.Time
}

// Config holds the dependencies and settings of the service.
type Config struct {
	Messages *store.Messages
	Nudges   *store.Nudges
	// Workers is the number of parallel deliveries of a scheme, counted separately for messages and answers; 0 for 32.
	Workers int
	Due     *store.Messages // by connections that only the clock uses
	Network Network
	Core    Core // nil without a port to core banking
	// CreditUnasked lets an incoming payment in when core banking is not reached.
	CreditUnasked bool
	Seal          payment.Sealer
	Now           func() time.Time // UTC in microseconds, as the database keeps times
	Zone          *time.Location   // of the banking day: Europe/Zurich
	Log           *slog.Logger
	NewID         func() uuid.UUID       // UUIDv7
	Metrics       *observability.Metrics // nil for none
	Traces        *observability.Traces  // nil for none
	// Taken reports whether two administrators confirmed that clearing has a message as another document under its id.
	Taken func(ctx context.Context, realm string, id uuid.UUID) (bool, error)
	// Random makes the Global IDs of received messages.
	Random func() [4]byte
	Rules  rulebook.Settings
	// Profiles say in which form documents leave; the zero value leaves them as they are made.
	Profiles profile.Registry
	// OperatorRealm is the realm whose audit trail gets the events of documents without a message; "" for none.
	OperatorRealm string
	// Jobs are further work of the dispatcher.
	Jobs []Job
}

// AnswerWithin is the time from acceptance to answer in both schemes (SCT Inst rulebook 2025; SIC IP).
const AnswerWithin = 10 * time.Second

// DeliverWithin limits one attempt to hand over a document.
const DeliverWithin = 3 * time.Second

// New makes the service.
func New(cfg Config) *Service {
	s := &Service{
		cfg: cfg, inbox: store.NewInbox(cfg.Messages), outbox: store.NewOutbox(cfg.Messages),
		documents: store.NewDocuments(cfg.Messages), accounts: store.NewAccounts(cfg.Messages), core: store.NewCoreBookings(cfg.Messages),
		sending: newDeliveries(), alarmed: make(map[string]bool), rejected: make(map[string]time.Time),
	}
	s.clock, s.unmatched = s.newDispatcher(DoingClock, clockWorkers), s.newDispatcher(DoingHeld, 1)
	for _, job := range cfg.Jobs {
		s.jobs = append(s.jobs, s.newDispatcher(job.Doing, job.Workers))
	}
	s.bookings = s.newDispatcher(DoingBooking, coreWorkers)
	for _, scheme := range rulebook.Schemes() {
		s.schemes = append(s.schemes, s.newSchemeWork(scheme))
	}
	cfg.Nudges.Handle(s.nudged)
	return s
}

// Send carries a released message to clearing: steps 1 to 5. It does nothing for a message that is delivered, and repeats nothing
// that another goroutine of this process is doing. An error means: try again later.
func (s *Service) Send(ctx context.Context, scheme rulebook.Scheme, realm string, id uuid.UUID) error {
	return s.send(ctx, store.Work{Scheme: scheme, Realm: realm, ID: id})
}

func (s *Service) send(ctx context.Context, work store.Work) (err error) {
	w, err := s.scheme(work.Scheme)
	if err != nil {
		return err
	}
	if w.connection.room(1) == 0 {
		return errInterrupted
	}
	if !s.sending.begin(work.ID) {
		return nil
	}
	defer s.sending.end(work.ID)
	ctx, end := s.cfg.Traces.Message(ctx, work.ID, "send")
	defer func() { end(err) }()
	if work.Fresh != nil {
		made, content, err := s.prepare(ctx, *work.Fresh)
		if err == nil {
			return w.deliver(ctx, made, content)
		}
	} // the stored message tells why it cannot be sent so
	out, err := s.cfg.Messages.Outgoing(ctx, work.Realm, work.ID)
	if err != nil || !out.Message.DeliveredAt.IsZero() {
		return err
	}
	made, content, err := s.prepare(ctx, out)
	if errors.Is(err, payment.ErrForged) {
		return s.withhold(ctx, out.Message)
	}
	if err != nil {
		return s.hold(ctx, out.Message, err)
	}
	return w.deliver(ctx, made, content)
}

// deliver sends the document of a verified message to clearing, and records the delivery, unless its answer came first: steps 4 and 5. A
// resolution that the delivery communicates answers its recall.
func (w *schemeWork) deliver(ctx context.Context, made payment.Outbound, content []byte) error {
	m := made.Message()
	goesOn, err := w.reserve(ctx, m)
	if err != nil || !goesOn {
		return err
	}
	err = w.connection.deliver(ctx, made.Reference(), content)
	if errors.Is(err, ErrNotAccepted) {
		err = w.notAccepted(ctx, m, err)
	}
	if err != nil {
		return err
	}
	now := w.cfg.Now()
	err = w.cfg.Messages.TransactFrom(ctx, m, func(m payment.Message) (payment.Transition, error) {
		return moveIf(m.Deliver(w.answerBy(m.Scheme), now))
	}, w.sending.delivered)
	if err != nil {
		return err
	}
	return w.recallAnswered(ctx, m)
}

// prepare makes and stores the interbank document of a released message: steps 2 and 3, unless they ran with the release. It fails with
// payment.ErrForged when the release, the message, its audit rows, the account or the stored document differs from the approved one.
func (s *Service) prepare(ctx context.Context, out store.Outgoing) (payment.Outbound, []byte, error) {
	if out.Made != nil {
		return *out.Made, out.Content, nil
	}
	if out.Unproven != nil {
		return payment.Outbound{}, nil, out.Unproven
	}
	made, content, err := s.Make(out)
	if err == nil {
		content, err = s.storeOutbound(ctx, made, content)
	}
	return made, content, err
}

// Make makes the interbank document of a released message, in the form of the profile in force at its release, validates it against its
// schema, and writes it. Errors: payment.ErrForged; payment.ErrUnknownKey; those of the profile or the schema.
func (s *Service) Make(out store.Outgoing) (payment.Outbound, []byte, error) {
	verified, err := s.cfg.Seal.Verify(out.Release, out.Message)
	if err != nil {
		return payment.Outbound{}, nil, err
	}
	made, err := verified.Outbound(out.Message.AcceptedAt.In(s.cfg.Zone))
	if err != nil {
		return payment.Outbound{}, nil, err
	}
	content, err := s.cfg.Profiles.InForce(string(out.Message.Scheme), out.Message.AcceptedAt.In(s.cfg.Zone)).Write(made.Document())
	return made, content, err
}

// storeOutbound stores a document under seal before it is sent. It returns the bytes to send: the stored ones if they are the same document
// in the form of another profile of the scheme. Errors: as store.Documents.Keep.
func (s *Service) storeOutbound(ctx context.Context, made payment.Outbound, content []byte) ([]byte, error) {
	err := s.documents.Keep(ctx, made, content, s.cfg.Now())
	if !errors.Is(err, store.ErrRemade) {
		return content, err
	}
	// Another profile was in force when the document was made: its seal fits, and it is the same document.
	kept, keptErr := s.documents.Outbound(ctx, made.Message().Realm, made.Reference())
	if keptErr == nil && kept.MessageID == made.Message().InternalID &&
		s.cfg.Profiles.Wrote(string(made.Message().Scheme), made.Document(), kept.Content) {
		return kept.Content, nil
	}
	return nil, err
}

// profile is the clearing profile in force now.
func (s *Service) profile(scheme rulebook.Scheme) *profile.Profile {
	return s.cfg.Profiles.InForce(string(scheme), s.cfg.Now().In(s.cfg.Zone))
}

// answerBy is the last day to answer a recall that the other bank gets now.
func (s *Service) answerBy(scheme rulebook.Scheme) time.Time {
	return rulebook.AnswerBy(scheme, s.cfg.Now().In(s.cfg.Zone), s.cfg.Rules)
}

// recallAnswered records on a received recall that a return or resolution has answered it, if the last move of the answer proves that. The
// poll repeats it after a crash.
func (s *Service) recallAnswered(ctx context.Context, m payment.Message) error {
	if m.AnswersID == uuid.Nil {
		return nil
	}
	return s.noteAnswer(ctx, s.cfg.Messages, m.Realm, m.InternalID)
}

func (s *Service) noteAnswer(ctx context.Context, by *store.Messages, realm string, answer uuid.UUID) error {
	after, err := by.Proven(ctx, realm, answer)
	if err != nil || after.State != payment.StateSettled && after.State != payment.StateCommunicated {
		return err
	}
	if s.trusted(ctx, after) != nil {
		return nil // with an alarm
	}
	_, err = by.Transact(ctx, realm, after.AnswersID, func(m payment.Message) (payment.Transition, error) {
		return moveIf(m.Answer(s.cfg.Now()))
	})
	return err
}

// withhold ends a message whose release or content differs from the approved one, and raises the alarm.
func (s *Service) withhold(ctx context.Context, m payment.Message) error {
	s.cfg.Log.ErrorContext(ctx, "release withheld: the stored content or release differs from the approved one",
		"alarm", true, "realm", m.Realm, "internalId", m.InternalID, "globalId", m.GlobalID)
	_, err := s.cfg.Messages.Transact(ctx, m.Realm, m.InternalID, func(m payment.Message) (payment.Transition, error) {
		return m.Withhold(s.cfg.Now())
	})
	return err
}

// hold keeps a message that cannot be sent or asked about now, and returns the error, so that it is retried. An error for an operator, such
// as a missing key or a document that was made with other bytes before, raises the alarm, once for each message.
func (s *Service) hold(ctx context.Context, m payment.Message, err error) error {
	if errors.Is(err, payment.ErrUnknownKey) || errors.Is(err, payment.ErrForged) || errors.Is(err, store.ErrRemade) {
		s.alarmOnce(ctx, m.InternalID.String(), "release held back: not sent, not ended, tried again", "realm", m.Realm,
			"internalId", m.InternalID, "globalId", m.GlobalID, "error", err.Error())
	}
	return fmt.Errorf("prepare %s: %w", m.Reference(), err)
}

// maxAlarms limits the alarms that are remembered. A forgotten one, as at a restart, is raised again.
const maxAlarms = 10_000

// alarmOnce raises an alarm about a subject of repeated checks once.
func (s *Service) alarmOnce(ctx context.Context, subject, text string, with ...any) {
	s.mu.Lock()
	raised := s.alarmed[subject]
	if len(s.alarmed) >= maxAlarms {
		clear(s.alarmed)
	}
	s.alarmed[subject] = true
	s.mu.Unlock()
	if !raised {
		s.cfg.Log.ErrorContext(ctx, text, append([]any{"alarm", true}, with...)...)
	}
}

// moveIf maps "nothing to move" to store.ErrNoChange.
func moveIf(t payment.Transition, moves bool, err error) (payment.Transition, error) {
	if err == nil && !moves {
		return payment.Transition{}, store.ErrNoChange
	}
	return t, err
}

// busy holds the realms in which some work runs.
type busy struct{ realms sync.Map }

// start does the work of a realm in the background, unless it runs already.
func (b *busy) start(group *sync.WaitGroup, realm string, work func()) {
	_, runs := b.realms.LoadOrStore(realm, true)
	if runs {
		return
	}
	group.Go(func() {
		defer b.realms.Delete(realm)
		work()
	})
}
