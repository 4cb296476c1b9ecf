package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022/codec"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// DecideFunc is a pure decision about a message: it returns the transition to write. It may be called twice: for the message as it was
// read, and for the message under the lock.
type DecideFunc func(payment.Message) (payment.Transition, error)

// ErrNoChange is returned by a DecideFunc that changes nothing and found no error.
var ErrNoChange = errors.New("nothing to change")

// Transact loads a message under a lock, calls decide, and writes the transition by one guarded statement (state,
// history, audit, decision, release), in one transaction. After the commit it enqueues the job that sends a release.
// The other methods fall back to it after a conflict. It returns the message that decide read.
//
// Errors: payment.ErrNotFound for an unknown message; payment.StateError when another user moved it first;
// payment.ForbiddenError when the actor's role has ended; the errors of decide (ErrNoChange ends the work without an
// error).
func (s *Messages) Transact(ctx context.Context, realm string, id uuid.UUID, decide DecideFunc) (payment.Message, error) {
	return s.transact(ctx, realm, id, func(_ *dbsqlc.Queries, m payment.Message) (payment.Transition, error) { return decide(m) })
}

// DecisionCallback is a decision that also needs current data of the realm: the policy in force and the debtor account.
type DecisionCallback struct {
	// Ask returns the query for new content; nil for the message's current content.
	Ask    func(payment.Message) ContextQuery
	Scope  LimitScope
	Decide func(payment.Message, CreateContext) (payment.Transition, error)
}

// Consider is Transact for a decision that also needs realm data. Concurrent decisions are batched (see store.Batcher):
// message and data are read without a lock, and the guard of the UPDATE refuses a message that changed since. A refused
// decision is made again on the message as it then is: losers of a race so get their error without a wait for the lock.
// Decisions that need a lock are made in a transaction of their own. Errors: as Transact, ErrNoPolicy, and ErrStopped for a release.
func (s *Messages) Consider(ctx context.Context, realm string, id uuid.UUID, c DecisionCallback) (payment.Message, error) {
	decide := c.Decide
	c.Decide = func(m payment.Message, known CreateContext) (payment.Transition, error) {
		t, err := decide(m, known)
		if err == nil && released(t) != nil {
			err = s.db.marks.runs(realm)
		}
		return t, err
	}
	if c.Ask != nil {
		return s.considerLocked(ctx, realm, id, c)
	}
	for range 2 {
		seen, known, err := s.read(ctx, realm, id)
		if err != nil {
			return payment.Message{}, err
		}
		if seen == nil || known.mustLock(*seen) {
			break
		}
		t, err := c.Decide(seen.RequiringApprovals(known.ApprovalsAsked), known)
		if err != nil {
			return *seen, noChange(err)
		}
		written, err := s.move(ctx, t, nil, func() {})
		if err != nil || written {
			return *seen, err
		}
	}
	return s.considerLocked(ctx, realm, id, c)
}

// read reads a message with the data for a decision, in batches; a nil message for one that must be read under its lock.
func (s *Messages) read(ctx context.Context, realm string, id uuid.UUID) (*payment.Message, CreateContext, error) {
	seen, err := s.reading.Do(ctx, realm, id, nil)
	if err != nil || seen == nil {
		return nil, CreateContext{}, err
	}
	known, err := s.contexts.Do(ctx, realm, ContextQueryOf(*seen), nil)
	if err != nil || known == nil {
		return nil, CreateContext{}, err
	}
	return seen, *known, nil
}

// mustLock reports whether a message must be decided under a lock: a policy needs a second factor, it changed since the
// message was made, or a limit may apply.
func (f CreateContext) mustLock(m payment.Message) bool {
	return f.Policy.StepUp || m.PolicyID != f.Policy.ID || f.mayBind(m.Kind)
}

// considerLocked is Consider under the lock of the message.
func (s *Messages) considerLocked(ctx context.Context, realm string, id uuid.UUID, c DecisionCallback) (payment.Message, error) {
	return s.transact(ctx, realm, id, func(q *dbsqlc.Queries, m payment.Message) (payment.Transition, error) {
		ask := ContextQueryOf(m)
		if c.Ask != nil {
			ask = c.Ask(m)
		}
		ask.People, ask.Day = c.Scope.people(m), c.Scope.Day
		var err error
		ask.DebtorAccount, err = s.db.ofQRIBAN(ctx, q, ask.DebtorAccount)
		if err != nil {
			return payment.Transition{}, err
		}
		known, err := s.readContext(ctx, q, ask)
		if err == nil {
			err = s.bind(ctx, q, ask, &known, true)
		}
		if err != nil {
			return payment.Transition{}, err
		}
		known.StepUp, err = s.asksStepUp(ctx, q, m, known.Policy)
		if err != nil {
			return payment.Transition{}, err
		}
		t, err := c.Decide(m.RequiringApprovals(known.ApprovalsAsked), known)
		if err == nil {
			err = unlike(ctx, q, ask.Seen, t.After())
		}
		return t, err
	})
}

// ContextQueryOf returns the query for a new message with the same client, channel, scheme, kind and amount.
func ContextQueryOf(m payment.Message) ContextQuery {
	return ContextQuery{
		Realm: m.Realm, ClientID: m.ClientID, Channel: m.Channel, Scheme: m.Scheme, Kind: m.Kind, Amount: m.Summary.Amount.Minor(),
		DebtorAccount: payer(m), About: m.InternalID,
	}
}

type decideWith func(*dbsqlc.Queries, payment.Message) (payment.Transition, error)

func (s *Messages) transact(ctx context.Context, realm string, id uuid.UUID, decide decideWith) (payment.Message, error) {
	var seen payment.Message
	var t payment.Transition
	var grant identity.Grant
	err := s.db.InRealm(ctx, realm, Keyed, func(q *dbsqlc.Queries) error {
		var err error
		seen, err = s.db.loader(q).Message(ctx, realm, id, ForUpdate)
		if err != nil {
			return err
		}
		if s.movedSince(seen) { // under the lock: no move is under way
			seen = seen.PutBack()
		}
		t, err = decide(q, seen)
		if err != nil {
			return err
		}
		grant = t.Grant()
		return s.write(ctx, q, t)
	})
	if err == nil {
		s.stored(t, released(t))
	}
	switch {
	case errors.Is(err, ErrNoChange):
		return seen, nil
	case errors.Is(err, ErrNoRealm):
		return seen, payment.ErrNotFound
	}
	return seen, s.explain(ctx, realm, grant, err)
}

// stored counts a stored transition and the time since the release, and enqueues the job that sends the release; nil
// for none.
func (s *Messages) stored(t payment.Transition, out *Outgoing) {
	if !t.Valid() {
		return
	}
	m := t.Message()
	s.nudges.committed(m.Realm)
	s.used(t.LimitUses())
	if from := t.Move().From; out == nil && from.Waits() {
		s.db.moves.add(m.InternalID, t.After().Sequence)
	}
	since := time.Duration(-1)
	if !m.AcceptedAt.IsZero() {
		since = t.At().Sub(m.AcceptedAt)
	}
	s.db.Metrics().Moved(observability.Move{Kind: string(m.Kind), Scheme: string(m.Scheme), Action: string(t.Move().Action), Since: since})
	if out != nil {
		s.announce(*out)
	}
}

// announce caches the address of a released message for the answer of clearing, and enqueues its delivery. Call it after the commit.
func (s *Messages) announce(out Outgoing) {
	m := out.Message
	s.addresses.add(m.GlobalID, address{m.Realm, m.InternalID})
	s.nudges.Enqueue(Work{Scheme: m.Scheme, Realm: m.Realm, ID: m.InternalID, Fresh: &out})
}

// write stores a transition.
func (s *Messages) write(ctx context.Context, q *dbsqlc.Queries, t payment.Transition) error {
	if !t.Valid() {
		return payment.ErrIllegalMove
	}
	if t.Version() != nil {
		return s.amend(ctx, q, t)
	}
	events, err := q.MessageMove(ctx, s.moveParams(t))
	if err != nil {
		return fmt.Errorf("%s the message: %w", t.Move().Action, err)
	}
	if len(events) == 0 {
		return &payment.StateError{Message: t.Message(), Wanted: t.Move().From}
	}
	err = s.use(ctx, q, t.Message(), t.LimitUses())
	out, ends := t.Report() // for the client of an instruction to fetch
	if err != nil || !ends {
		return err
	}
	content, err := codec.EncodeXML(out.Document())
	if err != nil {
		return fmt.Errorf("write the status report: %w", err)
	}
	return s.documents.keepBeside(ctx, q, outboundDocument(out, content, t.At()))
}

func (s *Messages) amend(ctx context.Context, q *dbsqlc.Queries, t payment.Transition) error {
	m, after, by := t.Message(), t.After(), t.Actor()
	grant, from, about := t.Version().Grant, t.Version().Origin, &after.Summary
	seal, kept := s.db.Seal().SealVersion(after), s.sealContent(after, from)
	used := s.db.Seal().SealRequestKey(payment.RequestKey{
		Realm: m.Realm, ClientID: by.ClientID, Scope: payment.KeyMessageID, Key: from.Reference, MessageID: m.InternalID,
		Fingerprint: after.ContentHash, CreatedAt: t.At(),
	})
	detail := s.db.withHead(m.Realm, auditlog.WithPayee(auditlog.Detail(string(t.Move().From), string(t.Move().To), t.Reason()),
		string(after.Payee.Result), after.Payee.MatchedName, after.Content))
	event := s.sealStep(t, detail)
	_, err := q.MessageAmendIf(ctx, dbsqlc.MessageAmendIfParams{
		EventID: auditlog.MoveID(m.InternalID, m.Sequence+1), Reason: OrNull(t.Reason().String()),
		Event:      auditlog.EventOf(string(m.Kind), string(t.Move().Action)),
		EditorUser: by.UserID, EditorPerson: by.PersonID,
		ActorName: by.Name, ClientID: by.ClientID, Channel: string(by.Channel), RequestID: OrNull(by.RequestID),
		SourceAddress: OrNull(by.SourceAddress), ContentHash: after.ContentHash[:], ExecutionDay: OrNull(after.ExecutionDay),
		Detail: detail, EventKeyID: event.KeyID, EventSeal: event.MAC[:],
		At: t.At(), PayeeResult: OrNull(string(after.Payee.Result)), PayeeName: OrNull(after.Payee.MatchedName),
		PayeeAt: OrNull(after.Payee.At),
		Realm:   m.Realm, MessageID: m.InternalID, FromState: string(t.Move().From),
		Sequence: int32(m.Sequence), Version: int32(m.Version), //nolint:gosec // count from 1
		DocumentID: after.DocumentID, DocumentName: string(from.Name), Reference: from.Reference, Content: after.Content,
		Source: from.Source, SourceType: OrNull(from.SourceType), Makers: m.Makers, Amount: about.Amount.Minor(),
		Currency:      string(about.Amount.Currency()),
		InstructionID: OrNull(about.InstructionID), EndToEndID: about.EndToEndID, Uetr: OrNull(about.UETR),
		DebtorName: about.DebtorName, OrderedDebtorName: OrNull(about.OrderedDebtorName), DebtorAccount: about.DebtorAccount,
		DebtorAgent:  about.DebtorAgent,
		CreditorName: about.CreditorName, CreditorAccount: about.CreditorAccount, CreditorAgent: about.CreditorAgent,
		Remittance: about.Remittance, NewReference: t.Version().NewReference,
		EditorRole: string(grant.Role), EditorGrantID: grant.ID, EditorGrantedAt: grant.GrantedAt, VersionKeyID: seal.KeyID,
		VersionSeal: seal.MAC[:], Clients: after.Clients,
		DocumentKeyID: kept.KeyID, DocumentMac: kept.MAC[:], KeySeal: used.MAC[:], Words: Words(after),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &payment.StateError{Message: m, Wanted: t.Move().From}
	case violates(err, "creation_key_pkey"):
		return &DuplicateError{Scope: payment.KeyMessageID, MessageID: m.InternalID}
	case err != nil:
		return fmt.Errorf("amend the message: %w", err)
	}
	return nil
}

// Message returns a message with its current content and its decisions, or payment.ErrNotFound.
func (s *Messages) Message(ctx context.Context, realm string, id uuid.UUID) (payment.Message, error) {
	m, err := Read(ctx, s.db, realm, func(q *dbsqlc.Queries) (payment.Message, error) {
		return s.db.loader(q).Message(ctx, realm, id, ForRead)
	})
	return m, missing(err)
}

// Proven is Message for somebody outside who acts by its state: it is withheld unless the seal of its last move proves the state.
func (s *Messages) Proven(ctx context.Context, realm string, id uuid.UUID) (payment.Message, error) {
	m, err := Read(ctx, s.db, realm, func(q *dbsqlc.Queries) (payment.Message, error) {
		l := s.db.loader(q)
		m, err := l.Message(ctx, realm, id, ForRead)
		if err != nil {
			return m, err
		}
		return l.proven(ctx, m)
	})
	return m, missing(err)
}

// explain turns the refusal of the database into a payment.ForbiddenError where the grant of the role has ended, and leaves every other
// error as it is; the zero grant is of a step of no person. The transaction is over by now, so the grant is read anew.
func (s *Messages) explain(ctx context.Context, realm string, grant identity.Grant, err error) error {
	var refused *pgconn.PgError
	if grant.ID == uuid.Nil || !errors.As(err, &refused) || refused.Code != pgerrcode.InsufficientPrivilege {
		return err
	}
	ended, looked := s.db.In(realm, Reading).GrantEnded(ctx, realm, grant.ID)
	if looked != nil || !ended {
		return errors.Join(err, looked)
	}
	return &payment.ForbiddenError{
		Text: i18n.Text("You no longer have the role %s, so nothing was changed. Ask a person with this role.").With(grant.Role.Text()),
	}
}
