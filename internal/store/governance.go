package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Changes stores the changes of each realm.
type Changes struct {
	db *Database
}

// NewChanges makes the store.
func NewChanges(db *Database) *Changes { return &Changes{db: db} }

// ChangeRequest is a request to be stored.
type ChangeRequest struct {
	administration.Request
	CodeHash []byte // of the code by which a password is set afterwards; nil for a kind that sets none
}

// Insert stores a request as a waiting change, with an audit event. The request was checked: its texts reach queries. Errors: those of
// administration.Request.Change; ConflictError while an equal request of the same person waits.
func (c *Changes) Insert(ctx context.Context, r ChangeRequest) (administration.Change, error) {
	var made administration.Change
	err := c.db.InRealm(ctx, r.By.Realm, Changing, func(q *dbsqlc.Queries) error {
		s := c.step(q, r.By.Realm, r.At)
		known, err := s.facts(ctx, requested{r.Kind, r.Subject, r.Values})
		if err != nil {
			return err
		}
		made, err = r.Change(known)
		if err != nil {
			return err
		}
		row, err := changeRow(r, made)
		if err != nil {
			return err
		}
		waits, err := q.ChangeWaits(ctx, dbsqlc.ChangeWaitsParams{
			Realm: row.Realm, Kind: row.Kind, Subject: row.Subject, RequesterPerson: row.RequesterPerson, Content: row.Content,
		})
		if err != nil {
			return err
		}
		if waits {
			return &administration.ConflictError{Text: "You have already requested this change. It is waiting for a decision."}
		}
		keyID, seal, err := Change(row).Sealed(s.keys)
		if err != nil {
			return err
		}
		err = q.ChangeInsert(ctx, dbsqlc.ChangeInsertParams{
			Realm: row.Realm, ChangeID: row.ChangeID, Kind: row.Kind, Subject: row.Subject, BeneficiaryPerson: row.BeneficiaryPerson,
			Content: row.Content, CodeHash: row.CodeHash, RequesterUser: row.RequesterUser, RequesterPerson: row.RequesterPerson,
			RequesterRole: row.RequesterRole, RequesterGrantID: row.RequesterGrantID, RequesterGrantedAt: row.RequesterGrantedAt,
			RequesterClient: row.RequesterClient,
			RequestedAt:     row.RequestedAt, KeyID: keyID, Seal: seal,
		})
		if err != nil {
			return err
		}
		digest := sha256.Sum256([]byte(row.Content))
		return s.tell(ctx, r.By, auditlog.EventChangeRequest, made, digest[:], made.Note)
	})
	if err != nil {
		return administration.Change{}, changeError(err, "store a change")
	}
	return made, nil
}

// changeContent is the canonical form of the content of a change, input of its digest.
type changeContent struct {
	Values administration.Values `json:"values"`
	Before administration.Values `json:"before"`
	After  administration.Values `json:"after"`
	Note   string                `json:"note,omitempty"`
}

func changeRow(r ChangeRequest, c administration.Change) (dbsqlc.RealmChange, error) {
	text, err := json.Marshal(changeContent{Values: c.Values, Before: c.Before, After: c.After, Note: c.Note})
	if err != nil {
		return dbsqlc.RealmChange{}, fmt.Errorf("write a change: %w", err)
	}
	return dbsqlc.RealmChange{
		Realm: r.By.Realm, ChangeID: c.ID, Kind: string(c.Kind), Subject: c.Subject, BeneficiaryPerson: c.Beneficiary, Content: string(text),
		CodeHash: r.CodeHash, RequesterUser: c.Requester.UserID, RequesterPerson: c.Requester.PersonID,
		RequesterRole: string(c.Kind.AskedUnder()), RequesterGrantID: c.Requester.Grant.ID,
		RequesterGrantedAt: c.Requester.Grant.GrantedAt, RequesterClient: c.Requester.ClientID, RequestedAt: c.RequestedAt,
	}, nil
}

// ChangeSecrets are the secrets that a decision may need, made before it.
type ChangeSecrets struct {
	PasswordHash     string // of a password that nobody knows
	LinkHash         []byte // of the link by which a password is set
	ClientSecretHash []byte
	WebhookSecret    []byte // encrypted
}

// DecisionInput is a decision to be made.
type DecisionInput struct {
	ChangeID uuid.UUID
	Verdict  administration.Verdict
	Secrets  ChangeSecrets
}

// Decide decides a change and applies an approved one, in one transaction. Decisions of one realm run one after the other. Errors:
// payment.ErrNotFound, those of administration.Change.Decide, administration.ConflictError for a change that does not fit its seal.
func (c *Changes) Decide(ctx context.Context, d DecisionInput) (administration.Change, error) {
	realm := d.Verdict.By.Realm
	var change administration.Change
	var ledger *Ledger
	err := c.db.InRealm(ctx, realm, Changing, func(q *dbsqlc.Queries) error {
		s := c.step(q, realm, d.Verdict.At)
		s.by, s.secrets = d.Verdict.By, d.Secrets
		ordinal, err := q.AdministrationTurn(ctx, realm)
		if err != nil {
			return err
		}
		ledger, err = c.db.OpenLedger(ctx, q, realm)
		if err != nil {
			return err
		}
		s.ledger = ledger
		row, err := q.ChangeGet(ctx, realm, d.ChangeID)
		if err != nil {
			return err
		}
		change, err = s.read(ctx, row)
		if err != nil {
			return err
		}
		known, err := s.facts(ctx, requested{change.Kind, change.Subject, change.Values})
		if err != nil {
			return err
		}
		known.RequesterHolds, err = q.ChangeRequesterHolds(ctx, realm, d.ChangeID)
		if err != nil {
			return err
		}
		decided, err := change.Decide(d.Verdict, known)
		if err != nil {
			return err
		}
		change.Decision = &decided
		err = s.insertDecision(ctx, row.RealmChange, change, ordinal)
		if err != nil {
			return err
		}
		name := auditlog.EventChangeReject
		if decided.Approved {
			name, s.codeHash = auditlog.EventChangeApprove, row.RealmChange.CodeHash
			err = s.apply(ctx, change)
			if err != nil {
				return err
			}
			err = s.ledger.Close(ctx, Act{Change: change.ID, Actor: d.Verdict.By.Actor(), At: d.Verdict.At})
			if err != nil {
				return err
			}
		}
		return s.tell(ctx, d.Verdict.By, name, change, row.RealmChange.ContentHash, decided.Reason)
	})
	if err == nil {
		c.db.Committed(ledger)
	}
	return change, changeError(err, "decide a change")
}

// changeError maps "no row" to payment.ErrNotFound, and an ended right or a taken name to their errors.
func changeError(err error, action string) error {
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrNoRows), errors.Is(err, ErrNoRealm):
		return payment.ErrNotFound
	case errors.As(err, &refused) && refused.Code == pgerrcode.InsufficientPrivilege:
		return &payment.ForbiddenError{Text: "You no longer have the role that you need for this action. The role has been removed from " +
			"your user account."}
	case errors.As(err, &refused) && refused.Code == pgerrcode.UniqueViolation:
		return &administration.ConflictError{
			Text: "The name in this change is already in use. Reject the change, and request it again with another name.",
		}
	}
	return fmt.Errorf("%s: %w", action, err)
}

// changeStep is one transaction of a change.
type changeStep struct {
	realmWriter
	guard    *Guard
	seal     payment.Sealer
	by       identity.Principal // who decides
	secrets  ChangeSecrets
	codeHash []byte
}

func (c *Changes) step(q *dbsqlc.Queries, realm string, at time.Time) changeStep {
	return changeStep{
		realmWriter: realmWriter{q: q, keys: c.db.masterData, realm: realm, at: at}, guard: c.db.Guard(q),
		seal: c.db.Seal(),
	}
}

func (s changeStep) insertDecision(ctx context.Context, c dbsqlc.RealmChange, change administration.Change, ordinal int64) error {
	d := change.Decision
	row := dbsqlc.RealmChangeDecision{
		Realm: c.Realm, ChangeID: c.ChangeID, RequesterPerson: c.RequesterPerson, BeneficiaryPerson: c.BeneficiaryPerson,
		ContentHash: c.ContentHash, Ordinal: ordinal, Action: "reject", Reason: OrNull(d.Reason), DeciderUser: d.By.UserID,
		DeciderPerson: d.By.PersonID, DeciderRole: string(change.Kind.DecidedUnder()), DeciderGrantID: d.By.Grant.ID,
		DeciderGrantedAt: d.By.Grant.GrantedAt, DeciderClient: d.By.ClientID,
		DecidedAt: d.At,
	}
	if d.Approved {
		row.Action = "approve"
	}
	keyID, seal, err := ChangeDecision(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	return s.q.ChangeDecisionInsert(ctx, dbsqlc.ChangeDecisionInsertParams{
		Realm: row.Realm, ChangeID: row.ChangeID, RequesterPerson: row.RequesterPerson, BeneficiaryPerson: row.BeneficiaryPerson,
		ContentHash: row.ContentHash, Ordinal: row.Ordinal, Action: row.Action, Reason: row.Reason, DeciderUser: row.DeciderUser,
		DeciderPerson: row.DeciderPerson, DeciderRole: row.DeciderRole, DeciderGrantID: row.DeciderGrantID,
		DeciderGrantedAt: row.DeciderGrantedAt,
		DeciderClient:    row.DeciderClient, DecidedAt: row.DecidedAt, KeyID: keyID, Seal: seal,
	})
}

// tell writes the audit event about a change, with the digest of its content.
func (s changeStep) tell(
	ctx context.Context, by identity.Principal, name string, c administration.Change, digest []byte, words string,
) error {
	detail := auditlog.ChangeDetail(c.ID.String(), string(c.Kind), auditlog.Subject{Name: c.Subject, Reason: words})
	return AppendEvent(ctx, s.q, s.keys, Event{
		Realm: s.realm, Actor: by.Actor(), Name: name, Detail: detail, ContentHash: digest, At: s.at,
	})
}

// messageFacts reads the facts about a released message that clearing is not known to have.
func (s changeStep) messageFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	id, _ := uuid.Parse(asked.subject)
	row, err := s.q.MessageUntaken(ctx, s.realm, OrNull(id), OrNull(strings.ToUpper(asked.subject)))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	known.Found, known.Before = err == nil, administration.MessageValues(row.MessageID.String(), row.GlobalID)
	return err
}

// applyMessage does nothing: the change counts when the message is sent.
func (s changeStep) applyMessage(context.Context, administration.Change) error { return nil }

// Taken reports whether two administrators confirmed that clearing has a message as another document under its id. A change or decision
// that does not fit its seal is ignored.
func (c *Changes) Taken(ctx context.Context, realm string, id uuid.UUID) (bool, error) {
	list, err := c.Changes(ctx, realm, ChangeFilter{
		Kind: administration.KindMessageTaken, Subject: id.String(), State: administration.StateApplied, PageSize: 1,
	})
	return len(list) > 0, err
}
