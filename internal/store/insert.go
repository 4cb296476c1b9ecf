package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/audit"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// DuplicateError: the client used one of the message's keys before, its externalId or its MsgId.
type DuplicateError struct {
	Scope       string // "external-id", "message-id" or "idempotency-key"
	MessageID   uuid.UUID
	SameContent bool // the earlier request had the same content: a repeat
}

// Error names the key.
func (e *DuplicateError) Error() string {
	return "the " + e.Scope + " was used before, by message " + e.MessageID.String()
}

// ContextQuery asks for what a new message needs to know about its realm.
type ContextQuery struct {
	Realm         string
	ClientID      string
	Channel       identity.Channel
	Scheme        rulebook.Scheme
	Kind          payment.Kind
	Amount        int64  // minor units
	DebtorAccount string // IBAN
}

// Context is what a new message needs to know about its realm.
type Context struct {
	Mark    string // opens the realm's Global IDs
	Policy  payment.Policy
	Account *payment.DebtorAccount // nil when the realm has no such account
}

// Make makes a new message from what the store knows about its realm. It is pure.
type Make func(Context) (payment.Created, error)

// Insert lets create make a new message and writes it with its document, first version, history and audit, and, when it needs no
// approval, its release and the job that sends it, all in one transaction. It fails with DuplicateError when a key of the message was
// used before, and with what create returns.
func (s *Messages) Insert(ctx context.Context, ask ContextQuery, create Make) (payment.Message, error) {
	c, err := s.insert(ctx, ask.Realm, func(q *dbsqlc.Queries) (payment.Created, error) {
		known, err := submissionContext(ctx, q, ask)
		if err != nil {
			return payment.Created{}, err
		}
		return create(known)
	})
	if violates(err, "creation_key_pkey") {
		return c.Message, s.duplicate(ctx, c)
	}
	return c.Message, err
}

// insert makes a message of what the realm holds and writes it, in one transaction. It returns what was made also when it is not written.
func (s *Messages) insert(ctx context.Context, realm string, create func(*dbsqlc.Queries) (payment.Created, error)) (payment.Created, error) {
	var c payment.Created
	err := s.db.inRealm(ctx, realm, changing, func(tx pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		c, err = create(q)
		if err != nil {
			return err
		}
		return s.put(ctx, tx, q, c)
	})
	return c, err
}

// put writes a new message and, when it needs no approval, the job that sends it.
func (s *Messages) put(ctx context.Context, tx pgx.Tx, q *dbsqlc.Queries, c payment.Created) error {
	err := q.MessageInsert(ctx, s.insertParams(c))
	if err != nil {
		return fmt.Errorf("insert the message: %w", err)
	}
	if c.Release == nil {
		return nil
	}
	return s.jobs.enqueueSend(ctx, tx, c.Message.Realm, c.Message.InternalID)
}

// Context answers what Insert would let create know, without writing anything.
func (s *Messages) Context(ctx context.Context, ask ContextQuery) (Context, error) {
	var known Context
	err := s.db.inRealm(ctx, ask.Realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		known, err = submissionContext(ctx, q, ask)
		return err
	})
	return known, err
}

// ErrNoPolicy: no policy of the realm matches the message, so it cannot be made.
var ErrNoPolicy = errors.New("no policy of the realm matches")

func submissionContext(ctx context.Context, q *dbsqlc.Queries, ask ContextQuery) (Context, error) {
	row, err := q.SubmissionContext(ctx, dbsqlc.SubmissionContextParams{
		Realm: ask.Realm, ClientID: ask.ClientID, Channel: string(ask.Channel), Scheme: string(ask.Scheme), Kind: string(ask.Kind),
		Amount: ask.Amount, DebtorAccount: ask.DebtorAccount,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Context{}, ErrNoPolicy
	}
	if err != nil {
		return Context{}, fmt.Errorf("load the policy and the account: %w", err)
	}
	known := Context{Mark: row.Mark, Policy: payment.Policy{
		ID: row.PolicyID, ApprovalsRequired: int(row.ApprovalsRequired), PendingFor: time.Duration(row.PendingSeconds) * time.Second,
		ContentHashRequired: row.ContentHashRequired,
	}}
	known.Account = accountOrNone(accountColumns{
		IBAN: row.AccountIban, Scheme: row.AccountScheme, Currency: row.AccountCurrency, Name: row.HolderName, Street: row.HolderStreet,
		Building: row.HolderBuilding, Postcode: row.HolderPostcode, Town: row.HolderTown, Country: row.HolderCountry,
		BIC: row.AgentBic, IID: row.AgentIid, Open: row.AccountOpen,
	})
	return known, nil
}

func (s *Messages) insertParams(c payment.Created) dbsqlc.MessageInsertParams {
	m, d := c.Message, c.Draft
	user, person := actorIDs(c.Actor)
	seal := s.db.Seal().SealVersion(m)
	p := dbsqlc.MessageInsertParams{
		Realm: m.Realm, MessageID: m.InternalID, GlobalID: string(m.GlobalID), Kind: string(m.Kind), Scheme: string(m.Scheme),
		Direction: string(m.Direction), Channel: string(m.Channel), ClientID: orNull(m.ClientID), ExternalID: orNull(m.ExternalID),
		MakerUser: user, MakerPerson: person, Makers: append([]uuid.UUID{}, m.Makers...), PolicyID: orNull(m.PolicyID),
		ApprovalsRequired: int32(m.ApprovalsRequired), //nolint:gosec // 0 to 9
		ExpiresAt:         orNull(m.ExpiresAt), OriginalID: orNull(m.OriginalID), AnswersID: orNull(m.AnswersID), AnswerBy: orNull(m.AnswerBy), Deadline: orNull(m.Deadline),
		Reason: orNull(m.Reason), CreatedAt: c.CreatedAt, Action: string(c.Action), State: string(m.State), AcceptedAt: orNull(m.AcceptedAt),
		SettledAt: orNull(m.SettledAt), StatusCode: orNull(m.StatusCode), StatusText: orNull(m.StatusText),
		DocumentID: d.DocumentID, DocumentDirection: string(d.Direction), DocumentName: string(d.Name), Reference: d.Reference,
		Content: d.Content, ContentHash: d.Hash[:], Source: d.Source, SourceType: orNull(d.SourceType),
		Amount: d.Summary.Amount.Minor(), Currency: string(d.Summary.Amount.Currency()), InstructionID: orNull(d.Summary.InstructionID),
		EndToEndID: d.Summary.EndToEndID, TransactionID: orNull(d.Summary.TransactionID), Uetr: orNull(d.Summary.UETR),
		DebtorName: d.Summary.DebtorName, OrderedDebtorName: orNull(d.Summary.OrderedDebtorName), DebtorAccount: d.Summary.DebtorAccount, DebtorAgent: d.Summary.DebtorAgent,
		CreditorName: d.Summary.CreditorName, CreditorAccount: d.Summary.CreditorAccount, CreditorAgent: d.Summary.CreditorAgent,
		Remittance: d.Summary.Remittance,
		ActorName:  c.Actor.Name, EventID: s.newID(), Event: audit.EventOf(string(m.Kind), string(c.Action)),
		RequestID: orNull(c.Actor.RequestID), SourceAddress: orNull(c.Actor.SourceAddress),
		Detail: audit.Detail(string(payment.StateNone), string(m.State), m.StatusText), Fingerprint: c.Fingerprint[:],
		VersionKeyID: seal.KeyID, VersionSeal: seal.MAC[:],
		Note: orNull(d.Note), MessageKey: orNull(c.MessageKey), IdempotencyKey: orNull(c.IdempotencyKey),
	}
	if r := c.Release; r != nil {
		p.KeyID, p.Mac, p.AccountDigest = &r.Seal.KeyID, r.Seal.MAC[:], digestOrNull(r.Account)
	}
	return p
}

// duplicate finds out which key was used before, and by what.
func (s *Messages) duplicate(ctx context.Context, c payment.Created) error {
	err := s.Repeated(ctx, Keys{
		Realm: c.Message.Realm, ClientID: c.Message.ClientID, ExternalID: c.Message.ExternalID, IdempotencyKey: c.IdempotencyKey,
		MessageKey: c.MessageKey,
	}, c.Fingerprint)
	if err == nil {
		return errors.New("a key is taken, but by no message")
	}
	return err
}

// Keys are what a client may use once; an empty key counts for nothing.
type Keys struct {
	Realm, ClientID                        string
	ExternalID, IdempotencyKey, MessageKey string
}

// Repeated returns a DuplicateError when one of the keys was used before, by a request that is the same if its fingerprint is; nil when
// all are free.
func (s *Messages) Repeated(ctx context.Context, keys Keys, fingerprint payment.Digest) error {
	var found error
	err := s.db.inRealm(ctx, keys.Realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		for _, key := range []struct{ scope, key string }{
			{"external-id", keys.ExternalID}, {"idempotency-key", keys.IdempotencyKey}, {"message-id", keys.MessageKey},
		} {
			if key.key == "" {
				continue
			}
			row, err := q.MessageIDByCreationKey(ctx, dbsqlc.MessageIDByCreationKeyParams{
				Realm: keys.Realm, ClientID: keys.ClientID, Scope: key.scope, Key: key.key,
			})
			if errors.Is(err, pgx.ErrNoRows) {
				continue
			}
			if err == nil {
				found = &DuplicateError{Scope: key.scope, MessageID: row.MessageID, SameContent: bytes.Equal(row.Fingerprint, fingerprint[:])}
			}
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up the earlier message: %w", err)
	}
	return found
}

// violates reports whether the error is a unique violation of the named constraint.
func violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == pgerrcode.UniqueViolation && pg.ConstraintName == constraint
}
