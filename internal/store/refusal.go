package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// maxRefusals is the number of stored refusals of one event and account per realm and minute. Further ones are only counted, in
// refusal_count.
const maxRefusals = 100

// refusalTime is the time-out for storing a refusal; its caller waits.
const refusalTime = 2 * time.Second

// maxRefusalText is the longest sentence kept, in characters.
const maxRefusalText = 512

// Refusal is a refused request, for the auditor.
type Refusal struct {
	Realm string
	Event string // audit.RefusedEventOf, or one of the events of package audit
	// MessageID is the message it was about; zero for none.
	MessageID uuid.UUID
	Actor     identity.Actor // who asked; of a sign-in that failed, what is known of them
	Why       string         // in a word, for example "four-eyes"
	Sentence  i18n.Text      // the reason; at most 512 characters of its English are kept, and never a secret or a full account number
	Cause     error          // the refusal itself, which gives the reason; nil where Sentence does
	At        time.Time
}

// Refused stores a refusal in the audit trail. The first hundred of an event and account in a realm's minute are rows, the others are only
// counted, so that a flood of refusals cannot fill the table and hides no other account's. A refusal that cannot be stored is logged. A
// crash of the database may lose those of its last moment.
func (d *Database) Refused(ctx context.Context, r Refusal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalTime)
	defer cancel()
	err := d.keepRefusal(ctx, r)
	if err != nil {
		d.log.ErrorContext(ctx, "refusal not kept in the audit trail", "realm", r.Realm, "event", r.Event, "why", r.Why, "error", err)
	}
}

func (d *Database) keepRefusal(ctx context.Context, r Refusal) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	text := r.Sentence
	english := text
	if r.Cause != nil {
		text, english = i18n.OfError(r.Cause), i18n.Data(r.Cause.Error())
	}
	user, person := ActorIDs(r.Actor)
	detail := auditlog.RefusalDetail(r.Why, english.AtMost(maxRefusalText).String(), text.AtMost(maxRefusalText))
	e := eventBy(payment.Message{Realm: r.Realm, InternalID: r.MessageID}, r.Actor, detail, stamped(r.At))
	e.EventID, e.Event, e.Outcome, e.ContentHash = id, r.Event, "refused", nil
	seal, err := e.Seal(d.masterData)
	if err != nil {
		return err
	}
	_, err = d.In(r.Realm, Counting).AuditRefusalInsert(ctx, dbsqlc.AuditRefusalInsertParams{
		Realm: r.Realm, Event: r.Event, At: r.At, EventID: id, MessageID: OrNull(r.MessageID), ActorUser: user, ActorPerson: person,
		ActorName: r.Actor.Name, ClientID: OrNull(r.Actor.ClientID), Channel: string(r.Actor.Channel),
		RequestID: OrNull(r.Actor.RequestID), SourceAddress: OrNull(r.Actor.SourceAddress),
		Detail: detail, KeyID: seal.KeyID, Seal: seal.MAC[:], Most: maxRefusals,
	})
	return err
}
