package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/auditlog"
	"countersign/internal/directory"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// DuplicateError says that the client used one of the message's keys before: its externalId, its Idempotency-Key or its MsgId.
type DuplicateError struct {
	Scope       payment.KeyScope
	MessageID   uuid.UUID
	SameContent bool // the earlier request had the same content: a repeat
}

// Error names the key.
func (e *DuplicateError) Error() string {
	return "the " + string(e.Scope) + " was used before, by message " + e.MessageID.String()
}

// SubmissionQuery selects the realm data for a new message.
type SubmissionQuery struct {
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
	// About is the message whose current version is asked about; zero for content that is not stored yet.
	About uuid.UUID
}

// SubmissionFacts are the realm data for a new message.
type SubmissionFacts struct {
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
	Directory *directory.Directory
	// Limits bind the message; none where it is made together with others.
	Limits []rulebook.SpendingLimit

	limited bool // limits may bind it
}

// NewMessageFunc makes a new message from the realm data. It is pure.
type NewMessageFunc func(SubmissionFacts) (payment.Created, error)

// Insert lets create make a new message and writes it with its document, first version, history and audit, and, when it needs no
// approval, its release, all in one transaction; the job that sends it follows. It returns the message as create made it, also when it
// was not written. Many at a time share their statements (see store.Gather), and create may then be called a second time.
//
// Errors: DuplicateError when a key of the message was used before; payment.WithheldError when that key is not as it was stored;
// ErrNoPolicy; payment.ForbiddenError when the maker's role has ended meanwhile; what create returns.
func (s *Messages) Insert(ctx context.Context, ask SubmissionQuery, create NewMessageFunc) (payment.Message, error) {
	known, err := s.ask(ctx, ask)
	var c payment.Created
	if err == nil {
		c, err = create(known)
	}
	if err == nil && !sharable(c.Message) {
		err = ErrAlone
	}
	if err == nil {
		values := s.insertParams(c)
		_, err = s.writing.Do(ctx, ask.Realm, writing{created: &values, follow: s.following(c)})
	}
	if errors.Is(err, ErrAlone) {
		return s.insertAlone(ctx, ask, create)
	}
	return c.Message, err
}

// sharable reports whether the statement for several can hold a message: an instruction of one maker and one client.
func sharable(m payment.Message) bool {
	return m.Kind == payment.KindInstruction && len(m.Makers) == 1 && len(m.Clients) == 1 && m.Clients[0] == m.ClientID
}

// insertAlone is Insert in a transaction of its own, in which the limits that bind the message are locked and the right error is found.
func (s *Messages) insertAlone(ctx context.Context, ask SubmissionQuery, create NewMessageFunc) (payment.Message, error) {
	c, err := s.insert(ctx, ask.Realm, func(q *dbsqlc.Queries) (payment.Created, error) {
		known, err := s.submissionFacts(ctx, q, ask)
		if err == nil {
			err = s.bind(ctx, q, ask, &known, true)
		}
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

// insert makes a message from the realm data and writes it, in one transaction. It returns the message even if the
// write fails.
func (s *Messages) insert(
	ctx context.Context, realm string, create func(*dbsqlc.Queries) (payment.Created, error),
) (payment.Created, error) {
	var c payment.Created
	err := s.db.InRealm(ctx, realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
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
	return c, s.explain(ctx, stepBy{realm: realm, grant: c.Grant}, err)
}

// following returns the work after the commit of a new message: it updates the metrics and, without need of approval,
// enqueues the job that sends the message.
func (s *Messages) following(c payment.Created) func() {
	m := c.Message
	var after AfterCommit
	if c.Release != nil {
		out := Outgoing{Message: m, Release: *c.Release}
		out.Message.Seal = s.db.Seal().SealVersion(m) // as it is stored
		after.Send(out)
	}
	return func() {
		s.db.Metrics().Moved(observability.Move{Kind: string(m.Kind), Scheme: string(m.Scheme), Action: string(c.Action), Since: -1})
		s.nudges.Enqueue(after)
	}
}

// put writes a new message.
func (s *Messages) put(ctx context.Context, q *dbsqlc.Queries, c payment.Created) error {
	err := q.MessageInsert(ctx, s.insertParams(c))
	if err != nil {
		return fmt.Errorf("insert the message: %w", err)
	}
	return s.use(ctx, q, c.Message, c.Uses)
}

// Facts answers what Insert would let create know, without writing anything.
func (s *Messages) Facts(ctx context.Context, ask SubmissionQuery) (SubmissionFacts, error) {
	var known SubmissionFacts
	err := s.db.InRealm(ctx, ask.Realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		known, err = s.submissionFacts(ctx, q, ask)
		if err != nil {
			return err
		}
		return s.bind(ctx, q, ask, &known, false)
	})
	return known, err
}

// ErrNoPolicy reports that no policy of the realm matches the message, or that the policy or the realm's mark fails
// its seal. The message can then be neither made nor decided.
var ErrNoPolicy = errors.New("no policy of the realm matches")

func (s *Messages) submissionFacts(ctx context.Context, q *dbsqlc.Queries, ask SubmissionQuery) (SubmissionFacts, error) {
	row, err := q.SubmissionContext(ctx, contextParams(ask))
	if errors.Is(err, pgx.ErrNoRows) {
		return SubmissionFacts{}, ErrNoPolicy
	}
	if err != nil {
		return SubmissionFacts{}, fmt.Errorf("load the policy and the account: %w", err)
	}
	return s.factsOf(ctx, q, ask.Realm, row)
}

func contextParams(ask SubmissionQuery) dbsqlc.SubmissionContextParams {
	return dbsqlc.SubmissionContextParams{
		Realm: ask.Realm, ClientID: ask.ClientID, Channel: string(ask.Channel), Scheme: string(ask.Scheme), Kind: string(ask.Kind),
		Amount: ask.Amount, DebtorAccount: ask.DebtorAccount, About: OrNull(ask.About),
	}
}

// factsOf checks the seals of the rows and returns the facts. Error: ErrNoPolicy.
func (s *Messages) factsOf(ctx context.Context, q *dbsqlc.Queries, realm string, row dbsqlc.SubmissionContextRow) (SubmissionFacts, error) {
	guard, policy := Guard{Keys: s.db.MasterDataKeys(), Log: s.db.Log()}, row.Policy
	if !guard.Policy(ctx, policy) || !guard.Realm(ctx, row.Realm) {
		return SubmissionFacts{}, ErrNoPolicy
	}
	known := SubmissionFacts{Mark: row.Realm.Mark, ApprovalsAsked: int(row.ApprovalsAsked), limited: row.Limited, Policy: payment.Policy{
		ID: policy.PolicyID, ApprovalsRequired: int(policy.ApprovalsRequired), PendingFor: Seconds(policy.PendingSeconds),
		ContentHashRequired: policy.ContentHashRequired, StepUp: policy.StepUp,
	}}
	if row.AccountIban != nil {
		known.Account = sealedAccount(ctx, guard, realm, row)
	}
	var err error
	known.Directory, err = s.banks.inForce(ctx, q, directoryKey{Realm: realm, ID: row.DirectoryID})
	return known, err
}

// sealedAccount returns the debtor account, or nil if it fails its seal.
func sealedAccount(ctx context.Context, guard Guard, realm string, row dbsqlc.SubmissionContextRow) *payment.DebtorAccount {
	stored := dbsqlc.DebtorAccount{
		Realm: realm, Iban: Text(row.AccountIban), Scheme: Text(row.AccountScheme), Currency: Text(row.AccountCurrency),
		HolderName: Text(row.HolderName), HolderStreet: Text(row.HolderStreet), HolderBuilding: Text(row.HolderBuilding),
		HolderPostcode: Text(row.HolderPostcode), HolderTown: Text(row.HolderTown), HolderCountry: Text(row.HolderCountry),
		AgentBic: Text(row.AgentBic), AgentIid: Text(row.AgentIid), Open: OrZero(row.AccountOpen),
		KeyID: row.AccountKeyID, Seal: row.AccountSeal,
	}
	if !guard.DebtorAccount(ctx, stored) {
		return nil
	}
	account := Account(stored)
	return &account
}

func (s *Messages) insertParams(c payment.Created) dbsqlc.MessageInsertParams {
	m, from, by := c.Message, c.Origin, c.Actor
	about := &m.Summary
	seal, kept := s.db.Seal().SealVersion(m), s.sealContent(m, from)
	p := dbsqlc.MessageInsertParams{
		Realm: m.Realm, MessageID: m.InternalID, GlobalID: string(m.GlobalID), Kind: string(m.Kind), Scheme: string(m.Scheme),
		Direction: string(m.Direction), Channel: string(m.Channel), ClientID: KeptField(&m.ClientID),
		ExternalID: KeptField(&m.ExternalID),
		MakerUser:  KeptField(&by.UserID), MakerPerson: KeptField(&by.PersonID), Makers: append([]uuid.UUID{}, m.Makers...),
		PolicyID:          KeptField(&m.PolicyID),
		ApprovalsRequired: int32(m.ApprovalsRequired), //nolint:gosec // 0 to 9
		ExpiresAt:         KeptField(&m.ExpiresAt), OriginalID: KeptField(&m.OriginalID), AnswersID: KeptField(&m.AnswersID),
		AnswerBy: KeptField(&m.AnswerBy), Deadline: KeptField(&m.Deadline),
		Reason: KeptField(&m.Reason), CreatedAt: m.CreatedAt, Action: string(c.Action), State: string(m.State),
		AcceptedAt: KeptField(&m.AcceptedAt),
		SettledAt:  KeptField(&m.SettledAt), StatusCode: KeptField(&m.StatusCode), StatusText: KeptField(&m.StatusText),
		DocumentID: m.DocumentID, DocumentDirection: string(from.Direction), DocumentName: string(from.Name), Reference: from.Reference,
		Content: m.Content, ContentHash: m.ContentHash[:], Source: from.Source, SourceType: KeptField(&from.SourceType),
		Amount: about.Amount.Minor(), Currency: string(about.Amount.Currency()), InstructionID: KeptField(&about.InstructionID),
		EndToEndID: about.EndToEndID, TransactionID: KeptField(&about.TransactionID), Uetr: KeptField(&about.UETR),
		DebtorName: about.DebtorName, OrderedDebtorName: KeptField(&about.OrderedDebtorName), DebtorAccount: about.DebtorAccount,
		DebtorAgent:  about.DebtorAgent,
		CreditorName: about.CreditorName, CreditorAccount: about.CreditorAccount, CreditorAgent: about.CreditorAgent,
		Remittance: about.Remittance,
		ActorName:  by.Name, EventID: s.newID(), Event: auditlog.EventOf(string(m.Kind), string(c.Action)),
		RequestID: KeptField(&by.RequestID), SourceAddress: KeptField(&by.SourceAddress),
		Detail: withLimits(auditlog.WithPayee(auditlog.OpeningDetail(auditlog.Opening{
			To: string(m.State), Reason: cmp.Or(from.Note, m.StatusText), RequestKey: c.IdempotencyKey,
		}), string(m.Payee.Result), m.Payee.MatchedName), c.Uses),
		Fingerprint: c.Fingerprint[:],
		PayeeResult: OrNull(string(m.Payee.Result)), PayeeName: KeptField(&m.Payee.MatchedName),
		PayeeAt:      KeptField(&m.Payee.At),
		VersionKeyID: seal.KeyID, VersionSeal: seal.MAC[:], DocumentKeyID: kept.KeyID, DocumentMac: kept.MAC[:],
		MakerRole: OrNull(string(c.Grant.Role)), MakerGrantID: KeptField(&c.Grant.ID),
		MakerGrantedAt: KeptField(&c.Grant.GrantedAt),
		Clients:        m.Clients,
		Note:           KeptField(&from.Note),
		Words:          Words(m),
	}
	for _, key := range c.RequestKeys() {
		sealed := s.db.Seal().SealRequestKey(key)
		p.KeyScopes, p.Keys, p.KeySeals = append(p.KeyScopes, string(key.Scope)), append(p.Keys, key.Key), append(p.KeySeals, sealed.MAC[:])
	}
	if r := c.Release; r != nil {
		p.KeyID, p.Mac, p.AccountDigest = &r.Seal.KeyID, r.Seal.MAC[:], digestOrNull(r.Account)
	}
	return p
}

// sealContent seals the document of a version, with the client's original.
func (s *Messages) sealContent(m payment.Message, from payment.Origin) keyring.Seal {
	return s.db.Seal().SealKept(auditlog.Kept{
		Outbound: auditlog.Outbound{
			Realm: m.Realm, MessageID: m.InternalID, Scheme: m.Scheme, Name: from.Name, Reference: from.Reference, Hash: m.ContentHash,
		},
		Direction: string(from.Direction), SourceHash: sha256.Sum256(from.Source), SourceType: from.SourceType,
	})
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

// Keys are the keys that a client may use once; an empty key is ignored.
type MessageKeys struct {
	Realm, ClientID                        string
	ExternalID, IdempotencyKey, MessageKey string
}

// Repeated returns a DuplicateError when one of the keys was used before, by a request that is the same if its fingerprint is; nil when
// all are free. Error: payment.WithheldError for a key that this gateway did not store, or that was changed since.
func (s *Messages) Repeated(ctx context.Context, keys MessageKeys, fingerprint payment.Digest) error {
	var found error
	err := s.db.InRealm(ctx, keys.Realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
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
		Withheld: "A key of this request was used before, and what it was used for is not what was stored then. Ask an operator, " +
			"who runs countersign check, before you send it again under another key.",
	}}
}

// violates reports whether the error is a unique violation of the named constraint.
func violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == pgerrcode.UniqueViolation && pg.ConstraintName == constraint
}
