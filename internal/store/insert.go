package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/account"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// DuplicateError reports that the client used one of the message's keys before: its externalId, its Idempotency-Key or its MsgId.
type DuplicateError struct {
	Scope       payment.KeyScope
	MessageID   uuid.UUID
	SameContent bool // the earlier request had the same content: a repeat
}

func (e *DuplicateError) Error() string {
	return "the " + string(e.Scope) + " was used before, by message " + e.MessageID.String()
}

// ContextQuery selects the realm data for a new message.
type ContextQuery struct {
	Realm         string
	ClientID      string
	Channel       identity.Channel
	Scheme        rulebook.Scheme
	Kind          payment.Kind
	Amount        int64  // minor units
	DebtorAccount string // IBAN
	// People are those whose limits bind it, and Day is the banking day, as 2026-11-22.
	People []uuid.UUID
	Day    string
	On     time.Time // the later day for which the payment is, at midnight UTC; zero for today
	// About is the message whose current version is asked about; zero for content that is not stored yet.
	About uuid.UUID
	// Seen are the payments like new content that its maker was shown; nil asks for no comparison.
	Seen *payment.SeenAlike
}

// CreateContext is the realm data for a new message or a decision.
type CreateContext struct {
	Mark   string // opens the realm's Global IDs
	Policy payment.Policy
	// StepUp: the current policy, or the policy of a stored message's time, requires a second factor. Set only for
	// decisions.
	StepUp  bool
	Account *payment.DebtorAccount // nil when the realm has no such account
	// ApprovalsAsked is the number of approvals that the policies of its time required for a stored message; 0 for
	// new content.
	ApprovalsAsked int
	// Directory is that of the scheme in force; never nil, but there may be none loaded.
	Directory *account.Directory
	// Limits bind the message; none where it is made together with others.
	Limits []rulebook.SpendingLimit

	limited bool // limits may bind it
}

// NewMessageFunc makes a new message from the realm data. It is pure.
type NewMessageFunc func(CreateContext) (payment.Created, error)

// Insert calls create to make a new message and writes it with its document, first version, history and audit and, without need of
// approval, its release, in one transaction. After the commit it enqueues the delivery. It returns the message of create even if it was not
// written. Concurrent calls are batched (see Batcher); create may be called twice.
//
// Errors: ErrStopped; DuplicateError when a key of the message was used before; payment.WithheldError when that key fails its seal;
// ErrNoPolicy; payment.ErrAlike; payment.ForbiddenError when the role of the maker ended meanwhile; the errors of create.
func (s *Messages) Insert(ctx context.Context, ask ContextQuery, create NewMessageFunc) (payment.Message, error) {
	err := s.db.marks.runs(ask.Realm)
	if err != nil {
		return payment.Message{}, err
	}
	known, err := s.contexts.Do(ctx, ask.Realm, ask, nil)
	if err == nil && known == nil {
		err = ErrNoPolicy
	}
	if err != nil {
		return payment.Message{}, err
	}
	if !known.mayBind(ask.Kind) && ask.Seen == nil {
		c, err := create(*known)
		if err != nil {
			return c.Message, err
		}
		values := s.insertParams(c)
		written, err := s.writing.Do(ctx, ask.Realm, write{created: &values, after: s.following(c)}, nil)
		if err != nil || written {
			return c.Message, err
		}
	}
	return s.insertLocked(ctx, ask, create)
}

// insertLocked is Insert in a transaction of its own, which locks the limits that apply and returns the exact error.
func (s *Messages) insertLocked(ctx context.Context, ask ContextQuery, create NewMessageFunc) (payment.Message, error) {
	c, err := s.insert(ctx, ask.Realm, func(q *dbsqlc.Queries) (payment.Created, error) {
		known, err := s.readContext(ctx, q, ask)
		if err == nil {
			err = s.bind(ctx, q, ask, &known, true)
		}
		if err != nil {
			return payment.Created{}, err
		}
		c, err := create(known)
		if err == nil {
			err = unlike(ctx, q, ask.Seen, c.Message)
		}
		return c, err
	})
	if errors.Is(err, errKeyTaken) {
		return c.Message, s.duplicate(ctx, c)
	}
	return c.Message, err
}

// unlike fails with payment.ErrAlike if a payment like a message is stored that its maker was not shown.
func unlike(ctx context.Context, q *dbsqlc.Queries, seen *payment.SeenAlike, m payment.Message) error {
	if seen == nil {
		return nil
	}
	err := q.DuplicateTurn(ctx, m.Realm)
	if err != nil {
		return fmt.Errorf("wait for other entries: %w", err)
	}
	rows, err := q.DuplicateList(ctx, duplicatesOf(m.Realm, Likeness{Summary: m.Summary, Since: seen.Since, Except: m.InternalID}))
	if err != nil {
		return fmt.Errorf("list similar payments: %w", err)
	}
	for _, row := range rows {
		if !slices.Contains(seen.IDs, row.MessageID) {
			return payment.ErrAlike
		}
	}
	return nil
}

// errKeyTaken reports that a key of a new message is in use.
var errKeyTaken = errors.New("a key of the message is taken")

// insert makes a message from the realm data and writes it, in one transaction. It returns the message even if the
// write fails.
func (s *Messages) insert(
	ctx context.Context, realm string, create func(*dbsqlc.Queries) (payment.Created, error),
) (payment.Created, error) {
	var c payment.Created
	err := s.db.InRealm(ctx, realm, Keyed, func(q *dbsqlc.Queries) error {
		var err error
		c, err = create(q)
		if err != nil {
			return err
		}
		return s.put(ctx, q, c)
	})
	if err == nil {
		s.following(c)()
	}
	return c, s.explain(ctx, realm, c.Grant, err)
}

// following returns the work after the commit of a new message: it updates the metrics and, without need of approval,
// enqueues the job that sends the message.
func (s *Messages) following(c payment.Created) func() {
	m := c.Message
	var out *Outgoing
	if c.Release != nil {
		out = &Outgoing{Message: m, Release: *c.Release}
		out.Message.Seal = s.db.Seal().SealVersion(m) // as it is stored
	}
	return func() {
		s.nudges.committed(m.Realm)
		s.used(c.Uses)
		if m.Waits() {
			s.db.entered.add(m.InternalID, entered{m.State, s.db.Seal().SealVersion(m)})
		}
		s.db.Metrics().Moved(observability.Move{Kind: string(m.Kind), Scheme: string(m.Scheme), Action: string(c.Action), Since: -1})
		if out != nil {
			s.announce(*out)
		}
	}
}

// put writes a new message.
func (s *Messages) put(ctx context.Context, q *dbsqlc.Queries, c payment.Created) error {
	written, err := q.MessageInsert(ctx, s.insertParams(c))
	if err == nil && len(written) == 0 || refusedBy(err, "creation_key_realm_message_id_fkey") {
		return errKeyTaken
	}
	if err != nil {
		return fmt.Errorf("insert the message: %w", err)
	}
	return s.use(ctx, q, c.Message, c.Uses)
}

// CreateContext reads the data that Insert passes to create, without writing anything.
func (s *Messages) CreateContext(ctx context.Context, ask ContextQuery) (CreateContext, error) {
	known, err := s.CreateContexts(ctx, ask.Realm, []ContextQuery{ask})
	return known[0], err
}

// CreateContexts is CreateContext for several messages of a realm, in one transaction.
func (s *Messages) CreateContexts(ctx context.Context, realm string, asked []ContextQuery) ([]CreateContext, error) {
	known := make([]CreateContext, len(asked))
	if len(asked) == 0 {
		return known, nil
	}
	err := s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		found, err := s.readContexts(ctx, q, realm, asked)
		if err != nil {
			return fmt.Errorf("load the policies and the accounts: %w", err)
		}
		for i, one := range found {
			if one == nil {
				return ErrNoPolicy
			}
			known[i] = *one
			err = s.bind(ctx, q, asked[i], &known[i], false)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return known, err
}

// ErrNoPolicy reports that no policy of the realm matches the message, or that the policy or the realm's mark fails
// its seal. The message can then be neither made nor decided.
var ErrNoPolicy = errors.New("no policy of the realm matches")

// readContext reads the realm data for one message. Error: ErrNoPolicy.
func (s *Messages) readContext(ctx context.Context, q *dbsqlc.Queries, ask ContextQuery) (CreateContext, error) {
	found, err := s.readContexts(ctx, q, ask.Realm, []ContextQuery{ask})
	if err != nil {
		return CreateContext{}, fmt.Errorf("load the policy and the account: %w", err)
	}
	if found[0] == nil {
		return CreateContext{}, ErrNoPolicy
	}
	return *found[0], nil
}

// contextBatch is readContexts in a transaction of its own.
func (s *Messages) contextBatch(ctx context.Context, realm string, asked []ContextQuery) ([]*CreateContext, error) {
	return Read(ctx, s.db.For(ForBatches), realm, func(q *dbsqlc.Queries) ([]*CreateContext, error) {
		return s.readContexts(ctx, q, realm, asked)
	})
}

// readContexts reads the realm data for several messages; nil for a message that no valid policy matches.
func (s *Messages) readContexts(
	ctx context.Context, q *dbsqlc.Queries, realm string, asked []ContextQuery,
) ([]*CreateContext, error) {
	p, found := dbsqlc.SubmissionContextParams{Realm: realm}, make([]*CreateContext, len(asked))
	for i, ask := range asked {
		p.Items, p.ClientIds = append(p.Items, int32(i)), append(p.ClientIds, ask.ClientID)
		p.Channels, p.Schemes = append(p.Channels, string(ask.Channel)), append(p.Schemes, string(ask.Scheme))
		p.Kinds, p.Amounts = append(p.Kinds, string(ask.Kind)), append(p.Amounts, ask.Amount)
		p.DebtorAccounts, p.Abouts = append(p.DebtorAccounts, ask.DebtorAccount), append(p.Abouts, ask.About)
	}
	rows, err := q.SubmissionContext(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		known, err := s.contextOf(ctx, q, asked[row.Item], row)
		switch {
		case err == nil:
			found[row.Item] = &known
		case !errors.Is(err, ErrNoPolicy):
			return nil, err
		}
	}
	return found, nil
}

// contextOf checks the seals of the rows and returns the facts. Error: ErrNoPolicy.
func (s *Messages) contextOf(
	ctx context.Context, q *dbsqlc.Queries, ask ContextQuery, row dbsqlc.SubmissionContextRow,
) (CreateContext, error) {
	realm := ask.Realm
	guard, policy := s.db.Guard(q).At(row.RealmHead), row.Policy
	if !guard.Policy(ctx, ask, policy.PolicyID) || !guard.Fits(ctx, Policy(policy)) || !guard.Fits(ctx, Realm(row.Realm)) {
		return CreateContext{}, cmp.Or(guard.Err(), ErrNoPolicy)
	}
	known := CreateContext{Mark: row.Realm.Mark, ApprovalsAsked: int(row.ApprovalsAsked), Policy: payment.Policy{
		ID: policy.PolicyID, ApprovalsRequired: int(policy.ApprovalsRequired), PendingFor: Seconds(policy.PendingSeconds),
		ContentHashRequired: policy.ContentHashRequired, StepUp: policy.StepUp, Funds: payment.Funds(Text(policy.Funds)),
	}}
	known.limited = guard.Limited(ctx, realm, ask.ClientID, ask.DebtorAccount)
	stored, found := accountColumns{
		IBAN: row.AccountIban, Scheme: row.AccountScheme, Currency: row.AccountCurrency, Name: row.HolderName, Street: row.HolderStreet,
		Building: row.HolderBuilding, Postcode: row.HolderPostcode, Town: row.HolderTown, Country: row.HolderCountry,
		BIC: row.AgentBic, IID: row.AgentIid, Open: row.AccountOpen,
	}.row(realm)
	if found && guard.Fits(ctx, DebtorAccount(stored)) {
		debtor := Account(stored)
		known.Account = &debtor
	}
	known.Directory = account.Broken()
	newest := guard.Newest(ctx, realm, "routing_directory", string(ask.Scheme), idText(OrNull(row.DirectoryID)))
	err := guard.Err()
	if err == nil && newest {
		known.Directory, err = s.banks.inForce(ctx, q, directoryKey{Realm: realm, ID: row.DirectoryID})
	}
	return known, err
}

// openingDetail is the detail of the audit event of a new message.
func (d *Database) openingDetail(c payment.Created) string {
	m := c.Message
	opening := auditlog.OpeningDetail(auditlog.Opening{
		To: string(m.State), Reason: cmp.Or(c.Origin.Note, m.StatusText), RequestKey: c.IdempotencyKey,
	})
	detail := withLimits(auditlog.WithPayee(opening, string(m.Payee.Result), m.Payee.MatchedName, m.Content), c.Uses)
	if m.MakerUser != uuid.Nil {
		detail = d.withHead(m.Realm, detail)
	}
	return detail
}

// duplicate finds the used key and its message.
func (s *Messages) duplicate(ctx context.Context, c payment.Created) error {
	err := s.Repeated(ctx, MessageKeys{
		Realm: c.Message.Realm, ClientID: c.Message.ClientID, ExternalID: c.Message.ExternalID, IdempotencyKey: c.IdempotencyKey,
		MessageKey: c.MessageKey,
	}, c.Fingerprint)
	if err == nil {
		return errors.New("a key is taken, but by no message")
	}
	return err
}

// MessageKeys are the keys that a client may use once; an empty key is ignored.
type MessageKeys struct {
	Realm, ClientID                        string
	ExternalID, IdempotencyKey, MessageKey string
}

// Repeated returns a DuplicateError when one of the keys was used before; equal fingerprints mean the same request. It returns nil when all
// keys are free. Error: payment.WithheldError for a key that fails its seal.
func (s *Messages) Repeated(ctx context.Context, keys MessageKeys, fingerprint payment.Digest) error {
	var found error
	err := s.db.InRealm(ctx, keys.Realm, Reading, func(q *dbsqlc.Queries) error {
		for _, key := range []payment.RequestKey{
			{Scope: payment.KeyExternalID, Key: keys.ExternalID},
			{Scope: payment.KeyIdempotency, Key: keys.IdempotencyKey},
			{Scope: payment.KeyMessageID, Key: keys.MessageKey},
		} {
			if key.Key == "" {
				continue
			}
			row, err := q.CreationKeyGet(ctx, dbsqlc.CreationKeyGetParams{
				Realm: keys.Realm, ClientID: keys.ClientID, Scope: string(key.Scope), Key: key.Key,
			})
			if errors.Is(err, pgx.ErrNoRows) {
				continue
			}
			if err == nil {
				err = s.requestKeyFits(ctx, row)
			}
			if err == nil {
				found = &DuplicateError{Scope: key.Scope, MessageID: row.MessageID, SameContent: bytes.Equal(row.Fingerprint, fingerprint[:])}
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

// requestKeyFits checks the seal of a stored key and raises an alarm if it fails. Without the check, a forged key
// would make a new request look like a repeat.
func (s *Messages) requestKeyFits(ctx context.Context, row dbsqlc.CreationKey) error {
	err := s.db.Seal().CheckRequestKey(RequestKey(row), Seal(row.KeyID, row.Seal))
	if err == nil {
		return nil
	}
	s.db.Log().LogAttrs(ctx, slog.LevelError, "a key of a request does not fit its seal, and the request is refused", slog.Bool("alarm", true),
		slog.String("realm", row.Realm), slog.String("scope", row.Scope), slog.String("message", row.MessageID.String()),
		slog.String("error", err.Error()))
	return &payment.WithheldError{Message: payment.Message{
		Realm: row.Realm, InternalID: row.MessageID,
		Withheld: "An ID or idempotency key in this request was used before, but the message stored with it has since changed. Ask an " +
			"operator to run “countersign check” before you send the request again with a new ID or idempotency key.",
	}}
}

// violates reports whether the error is a unique violation of the named constraint.
func violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return refusedBy(err, constraint) && errors.As(err, &pg) && pg.Code == pgerrcode.UniqueViolation
}

// refusedBy reports whether the error is a violation of the named constraint.
func refusedBy(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.ConstraintName == constraint
}
