package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Step is one row of a message's history.
type Step struct {
	Sequence   int
	From       payment.State
	Action     payment.Action
	To         payment.State
	Version    int
	Actor      i18n.Text // a person as shown to people, or the fixed name of the gateway
	ActorLogin string    // the name of the actor's account, "" when the gateway acted
	ClientID   string
	Channel    string
	Reason     i18n.Text // data where a person or another bank gave it
	At         time.Time
}

// HistoryEvent is one row of the audit trail.
type HistoryEvent struct {
	ID            uuid.UUID
	MessageID     uuid.UUID // it is about; zero for none
	Sequence      int       // of the step it belongs to; 0 for a refusal
	Event         string
	Refused       bool
	Actor         i18n.Text // a person, or the fixed name of the gateway, the operator or a visitor
	ActorLogin    string    // the name of the actor's account, "" when there is none
	ClientID      string
	Channel       string
	RequestID     string
	SourceAddress string
	ContentHash   []byte
	Detail        string    // canonical JSON
	Reason        i18n.Text // in the detail, as that of a Step
	At            time.Time
}

// Similar is another payment to the same account of the same amount.
type Similar struct {
	MessageID uuid.UUID
	GlobalID  payment.ID
	State     payment.State
	MakerName string
	CreatedAt time.Time
}

// History lists the steps of a message in order. It is empty for an unknown message.
func (r *Reader) History(ctx context.Context, realm string, id uuid.UUID) ([]Step, error) {
	steps, err := r.Histories(ctx, realm, []uuid.UUID{id})
	return steps[id], err
}

// Histories lists the steps of several messages in order, by message.
func (r *Reader) Histories(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID][]Step, error) {
	steps := make(map[uuid.UUID][]Step, len(ids))
	rows, err := r.in(realm, Reading).HistoryList(ctx, realm, ids)
	people := r.db.names(realm)
	for _, h := range rows {
		steps[h.MessageID] = append(steps[h.MessageID], Step{
			Sequence: int(h.Sequence), From: payment.State(h.FromState), Action: payment.Action(h.Action), To: payment.State(h.ToState),
			Version:    int(h.Version),
			Actor:      actorText(h.ActorPerson, people.of(OrZero(h.ActorPerson), h.ActorName)),
			ActorLogin: people.of(OrZero(h.ActorUser), Text(h.ActorLogin)),
			ClientID:   Text(h.ClientID), Channel: h.Channel, At: h.At.UTC(),
			Reason: cmp.Or(i18n.Kept(h.ReasonText), i18n.Data(Text(h.Reason))),
		})
	}
	return steps, missing(err)
}

// Audit lists the audit events of a message in order. It is empty for an unknown message.
func (r *Reader) Audit(ctx context.Context, realm string, id uuid.UUID) ([]HistoryEvent, error) {
	var list []HistoryEvent
	rows, err := r.in(realm, Reading).AuditList(ctx, realm, &id)
	for _, e := range rows {
		list = append(list, eventFromDB(dbsqlc.AuditSearchRow(e)))
	}
	return list, missing(err)
}

// AuditFilter narrows the audit trail of a realm; a zero field does not.
type AuditFilter struct {
	Before      uuid.UUID // the last key of the page before: only older ones, or younger ones when the oldest come first
	OldestFirst bool
	From, To    time.Time // when it happened
	Actor       string    // the name of an account, or a person as shown to people
	Event       string    // "instruction.approve", "sign-in.refused"
	MessageID   uuid.UUID
	PageSize    int32
}

// AuditTrail lists the audit events of a realm, actions and refusals, newest first unless the filter says otherwise.
func (r *Reader) AuditTrail(ctx context.Context, realm string, f AuditFilter) ([]HistoryEvent, error) {
	q := r.in(realm, Searching)
	search := dbsqlc.AuditSearchParams{
		Realm: realm, FromKey: f.Before, OldestFirst: f.OldestFirst, AtFrom: OrNull(f.From), AtTo: OrNull(f.To), Actor: OrNull(f.Actor),
		Event: OrNull(f.Event), MessageID: OrNull(f.MessageID), PageSize: f.PageSize,
	}
	if f.Before != uuid.Nil {
		at, err := q.AuditTime(ctx, realm, f.Before)
		if err == nil {
			search.FromAt = &at
		} else if !errors.Is(err, pgx.ErrNoRows) { // a place that is no event of the realm is the beginning
			return nil, fmt.Errorf("find the place in the trail: %w", missing(err))
		}
	}
	rows, err := q.AuditSearch(ctx, search)
	var list []HistoryEvent
	for _, e := range rows {
		list = append(list, eventFromDB(e))
	}
	return list, missing(err)
}

// eventsLooked limits the events scanned for a page of the trail. The next page continues after them.
const eventsLooked = 5000

// AuditPage lists one page of the trail, what happened last first, and where the next page begins: zero behind the last one. It reads so
// much and no more: a page may be short, or empty, and have a next one, when none or few of the events that were looked at are meant. A
// place that is no event of the realm is the beginning. OldestFirst and MessageID are AuditTrail's alone.
func (r *Reader) AuditPage(ctx context.Context, realm string, f AuditFilter) (list []HistoryEvent, next uuid.UUID, err error) {
	err = r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		at, before, err := auditPlace(ctx, q, realm, f)
		if err != nil {
			return fmt.Errorf("find the place in the trail: %w", err)
		}
		rows, err := q.AuditWalk(ctx, dbsqlc.AuditWalkParams{
			Realm: realm, BeforeAt: at, Before: before, Look: eventsLooked, PageSize: f.PageSize + 1, AtFrom: OrNull(f.From),
			Actor: OrNull(f.Actor), Event: OrNull(f.Event),
		})
		if err != nil {
			return fmt.Errorf("look through the trail: %w", err)
		}
		var meant []uuid.UUID
		for _, row := range rows {
			if row.Meant && len(meant) == int(f.PageSize) {
				next = meant[len(meant)-1]
				break
			}
			if row.Meant {
				meant = append(meant, row.EventID)
			}
			if row.Place == eventsLooked {
				next = row.EventID
			}
		}
		events, err := q.AuditOf(ctx, realm, meant)
		for _, e := range events {
			list = append(list, eventFromDB(dbsqlc.AuditSearchRow(e)))
		}
		return err
	})
	return list, next, err
}

// auditPlace is the place behind which a page of the trail begins.
func auditPlace(ctx context.Context, q *dbsqlc.Queries, realm string, f AuditFilter) (at time.Time, before uuid.UUID, err error) {
	end := f.To
	if end.IsZero() {
		end = endOfTime
	}
	if f.Before == uuid.Nil {
		return end, uuid.Max, nil
	}
	at, err = q.AuditTime(ctx, realm, f.Before)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && at.After(end):
		return end, uuid.Max, nil
	}
	return at, f.Before, err
}

// actorText is the name of an actor, which is data if a person has it.
func actorText(person *uuid.UUID, name string) i18n.Text {
	if person == nil {
		return i18n.Kept(name)
	}
	return i18n.Data(name)
}

func eventFromDB(e dbsqlc.AuditSearchRow) HistoryEvent {
	detail, reason := auditlog.SplitText(e.Detail)
	return HistoryEvent{
		ID: e.EventID, MessageID: OrZero(e.MessageID), Sequence: int(OrZero(e.Sequence)), Event: e.Event,
		Refused: e.Outcome == "refused", Actor: actorText(e.ActorPerson, e.ActorName),
		ActorLogin: Text(e.ActorLogin), ClientID: Text(e.ClientID), Channel: e.Channel, RequestID: Text(e.RequestID),
		SourceAddress: Text(e.SourceAddress), ContentHash: e.ContentHash, Detail: detail, Reason: reason, At: e.At.UTC(),
	}
}

// Likeness holds the payment that others are compared with.
type Likeness struct {
	Summary payment.Summary
	Since   time.Time
	Except  uuid.UUID // the message not to list; zero for none
}

// SimilarTo lists at most ten payments to the same account of the same amount since a time that are not closed without payment, newest
// first.
func (r *Reader) SimilarTo(ctx context.Context, realm string, l Likeness) ([]Similar, error) {
	rows, err := r.in(realm, Searching).DuplicateList(ctx, duplicatesOf(realm, l))
	var list []Similar
	for _, row := range rows {
		list = append(list, Similar{
			MessageID: row.MessageID, GlobalID: payment.ID(row.GlobalID), State: payment.State(row.State),
			MakerName: r.db.names(realm).of(OrZero(row.MakerPerson), row.MakerName), CreatedAt: row.CreatedAt.UTC(),
		})
	}
	return list, wrapped(missing(err), "list similar payments")
}

func duplicatesOf(realm string, l Likeness) dbsqlc.DuplicateListParams {
	return dbsqlc.DuplicateListParams{
		Realm: realm, CreditorAccount: l.Summary.CreditorAccount, Amount: l.Summary.Amount.Minor(),
		Currency: string(l.Summary.Amount.Currency()), Since: l.Since, OtherThan: l.Except,
	}
}

// Version is one version of a message's content.
type Version struct {
	Number     int
	EditorName string
	At         time.Time
	DocumentID uuid.UUID
	Hash       []byte
	// Summary has the debtor and the creditor's bank alone, which the document does not say.
	Summary payment.Summary
}

// Versions lists the versions of a message, oldest first.
func (r *Reader) Versions(ctx context.Context, realm string, id uuid.UUID) ([]Version, error) {
	var list []Version
	rows, err := r.in(realm, Reading).VersionList(ctx, realm, id)
	for _, v := range rows {
		list = append(list, Version{
			Number: int(v.Version), EditorName: r.db.names(realm).of(OrZero(v.MakerPerson), v.EditorName),
			At: v.CreatedAt.UTC(), DocumentID: v.DocumentID, Hash: v.ContentHash,
			Summary: payment.Summary{
				DebtorAccount: v.DebtorAccount, DebtorName: v.DebtorName, DebtorAgent: v.DebtorAgent, CreditorAgent: v.CreditorAgent,
			},
		})
	}
	return list, missing(err)
}

// DecisionsOf lists the decisions about several messages, of all versions, in order, by message. A message without any is not in the map.
func (r *Reader) DecisionsOf(ctx context.Context, realm string, ids []uuid.UUID) (map[uuid.UUID][]payment.Decision, error) {
	decisions := make(map[uuid.UUID][]payment.Decision, len(ids))
	rows, err := r.in(realm, Searching).DecisionList(ctx, realm, ids)
	for _, row := range rows {
		decisions[row.MessageID] = append(decisions[row.MessageID], decisionFrom(r.db.names(realm), row))
	}
	return decisions, missing(err)
}
