package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// StreamEvent is an entry of the event stream of a realm, about a message or an applied change.
type StreamEvent struct {
	ID   uuid.UUID
	Type payment.EventType
	At   time.Time

	Message    EventMessage
	From, To   payment.State
	Reason     string
	StatusCode string // of clearing, for a message that failed

	Change EventChange
}

// EventMessage names the message of an event; the zero InternalID for none.
type EventMessage struct {
	InternalID, OriginalID, AnswersID uuid.UUID
	GlobalID                          payment.ID
	ExternalID, ClientID              string
	Kind                              payment.Kind
	Scheme                            rulebook.Scheme
	Direction                         string
	Version                           int
}

// EventChange names the change of an event; the zero ID for none.
type EventChange struct {
	ID      uuid.UUID
	Kind    administration.Kind
	Subject string
}

// EventFilter narrows the stream; a zero field does not.
type EventFilter struct {
	After uuid.UUID // only events behind this one
	Types []payment.EventType
	Kinds []payment.Kind
	// Scheme excludes changes, as Kinds does.
	Scheme rulebook.Scheme
	// Messages includes the events of messages, Changes the changes of administrators.
	Messages, Changes bool
	PageSize          int
}

// EventPage is a part of the stream.
type EventPage struct {
	Events []StreamEvent
	// Next is the last event that was read, whether the filter took it or not: the cursor of the next page. It is EventFilter.After when
	// none was read.
	Next uuid.UUID
	// More: there are events behind Next now.
	More bool
}

// ErrUnknownEvent reports a cursor that is not an event of the realm.
var ErrUnknownEvent = errors.New("no such event")

// Limits of one page: the events of a query, and the queries.
const (
	eventsRead   = 500
	eventQueries = 20
)

// Events returns the events of a realm behind a cursor, oldest first. It never skips and never repeats an event, and returns those of a
// message in the order of its steps (docs/adr/0013-event-order.md). It reads at most 10,000 events and leaves forged ones out, so a page
// may be short, or empty, and have more behind it. Error: ErrUnknownEvent.
func (r *Reader) Events(ctx context.Context, realm string, f EventFilter) (EventPage, error) {
	page := EventPage{Next: f.After}
	err := r.read(ctx, realm, Keyed, func(q *dbsqlc.Queries) error {
		err := page.read(ctx, q, realm, f)
		if err != nil {
			return err
		}
		return r.dropForged(ctx, q, realm, &page)
	})
	return page, err
}

func (p *EventPage) read(ctx context.Context, q *dbsqlc.Queries, realm string, f EventFilter) error {
	from := dbsqlc.EventListParams{Realm: realm, PageSize: eventsRead}
	if f.After != uuid.Nil {
		cursor, err := q.EventCursor(ctx, realm, f.After)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrUnknownEvent
		}
		if err != nil {
			return fmt.Errorf("look for the cursor: %w", err)
		}
		from.Place, from.About, from.Sequence = cursor.Place, cursor.About, cursor.Sequence
	}
	for range eventQueries {
		rows, err := q.EventList(ctx, from)
		if err != nil {
			return fmt.Errorf("list events: %w", err)
		}
		for i, row := range rows {
			from.Place, from.About, from.Sequence, p.Next = row.Place, row.About, row.Sequence, row.EventID
			event := streamEvent(row)
			if f.takes(event) {
				p.Events = append(p.Events, event)
			}
			if len(p.Events) == f.PageSize {
				p.More = i+1 < len(rows) || len(rows) == eventsRead
				return nil
			}
		}
		p.More = len(rows) == eventsRead
		if !p.More {
			return nil
		}
	}
	return nil
}

// dropForged removes events whose rows, moves, versions or decisions do not fit their seal from a page, with an alarm.
func (r *Reader) dropForged(ctx context.Context, q *dbsqlc.Queries, realm string, page *EventPage) error {
	if len(page.Events) == 0 {
		return nil
	}
	of := make([]LeafRow, len(page.Events))
	for i, e := range page.Events {
		of[i] = LeafRow{auditlog.KindEvent, e.ID}
	}
	leaves, err := Leaves(ctx, q, realm, of, r.db.TrailKeys())
	page.Events = slices.DeleteFunc(page.Events, func(e StreamEvent) bool {
		forged := leaves[e.ID].Kind != auditlog.KindEvent
		if forged && err == nil {
			r.db.Log().LogAttrs(ctx, slog.LevelError, "an event does not fit its seal and is left out of the stream", slog.Bool("alarm", true),
				slog.String("realm", realm), slog.String("event", e.ID.String()))
		}
		return forged
	})
	return err
}

// LastEvent returns the last event of a realm at this moment; the zero id when there is none.
func (r *Reader) LastEvent(ctx context.Context, realm string) (uuid.UUID, error) {
	last, err := r.in(realm, Keyed).EventLast(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, nil
	}
	return last, missing(err)
}

// takes reports whether an event is in the filtered stream.
func (f EventFilter) takes(e StreamEvent) bool {
	if e.Type == "" || len(f.Types) > 0 && !slices.Contains(f.Types, e.Type) {
		return false
	}
	if e.Change.ID != uuid.Nil {
		return f.Changes && len(f.Kinds) == 0 && f.Scheme == ""
	}
	return f.Messages && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Message.Kind)) && (f.Scheme == "" || e.Message.Scheme == f.Scheme)
}

// streamEvent converts a row to an event. Its type is "" for a row that is no event for clients.
func streamEvent(row dbsqlc.EventListRow) StreamEvent {
	e := StreamEvent{ID: row.EventID, At: row.At.UTC()}
	if row.MessageID == nil {
		e.Type, e.Change = changeEvent(row.Detail)
		return e
	}
	move := payment.Move{
		Kind: payment.Kind(row.Kind), From: payment.State(row.FromState), Action: payment.Action(row.Action), To: payment.State(row.ToState),
	}
	e.Type, e.From, e.To, e.Reason = move.Event(), move.From, move.To, Text(row.Reason)
	e.Message = EventMessage{
		InternalID: *row.MessageID, GlobalID: payment.ID(row.GlobalID), ExternalID: Text(row.ExternalID), ClientID: Text(row.ClientID),
		Kind: move.Kind, Scheme: rulebook.Scheme(row.Scheme), Direction: row.Direction, OriginalID: OrZero(row.OriginalID),
		AnswersID: OrZero(row.AnswersID), Version: int(row.Version),
	}
	if e.To == payment.StateFailed {
		e.StatusCode = Text(row.StatusCode)
	}
	return e
}

// changeEvent reads the detail of the audit row of an approved change. The type is "" for a change that administrators do not decide.
func changeEvent(detail string) (payment.EventType, EventChange) {
	var told struct {
		Change        uuid.UUID
		Kind, Subject string
	}
	err := json.Unmarshal([]byte(detail), &told)
	kind := administration.Kind(told.Kind)
	if err != nil || told.Change == uuid.Nil || kind.DecidedUnder() != identity.RoleAdministrator {
		return "", EventChange{}
	}
	return payment.EventChangeApplied, EventChange{ID: told.Change, Kind: kind, Subject: told.Subject}
}
