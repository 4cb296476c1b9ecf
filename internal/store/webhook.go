package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// WebhookRow is the row of a webhook.
func WebhookRow(w dbsqlc.Webhook) Row {
	return Row{Table: "webhook", Realm: w.Realm, Key: w.WebhookID.String()}.
		covers(w.WebhookID, w.Url, w.Events, w.Secret, w.OldSecret, w.OldUntil, w.MadeAt, w.RetiredAt)
}

// StartWebhook sets the position of a new webhook behind the last event of the realm.
func StartWebhook(ctx context.Context, q *dbsqlc.Queries, realm string, id uuid.UUID, at time.Time) error {
	last, err := q.EventLast(ctx, realm)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	_, err = q.WebhookHold(ctx, dbsqlc.WebhookHoldParams{Realm: realm, WebhookID: id, Cursor: OrNull(last), Until: at, Now: at})
	return err
}

// Webhook is a webhook in force, with its position in the event stream.
type Webhook struct {
	Realm   string
	ID      uuid.UUID
	URL     string
	Events  string   // types, separated by ", "; "" for all
	Secrets [][]byte // encrypted; the newest first
	// Cursor is the last event that was passed; zero before the first.
	Cursor  uuid.UUID
	Retries []WebhookRetry
}

// WebhookRetry is a message or change whose next event the receiver did not accept.
type WebhookRetry struct {
	About   uuid.UUID // the message, or the event itself for a change
	EventID uuid.UUID
	Failed  int
	Since   time.Time // the first failure of this event
	Next    time.Time
}

// WebhookAttempt is a try to deliver an event.
type WebhookAttempt struct {
	ID, EventID uuid.UUID
	Type        payment.EventType
	At          time.Time
	Status      int    // of the HTTP answer; 0 for none
	Failure     string // "" for a delivery
}

// WebhookStep is the result of a turn of a webhook.
type WebhookStep struct {
	Cursor   uuid.UUID
	Attempts []WebhookAttempt
	Retries  []WebhookRetry // begun or tried again
	Over     []uuid.UUID    // retries that ended, by what they are about
	Held     time.Time      // until which the webhook was held
	Until    time.Time      // and is held on; a time that is over frees it
}

// Webhooks stores webhooks and their progress.
type Webhooks struct{ db *Database }

// NewWebhooks makes the store.
func NewWebhooks(db *Database) *Webhooks { return &Webhooks{db: db} }

// ToDo lists the webhooks in force that no process works on, without those of held.
func (s *Webhooks) ToDo(ctx context.Context, realm string, held []uuid.UUID, now time.Time, most int32) ([]uuid.UUID, error) {
	return s.db.In(realm, Reading).WebhooksToDo(ctx, dbsqlc.WebhooksToDoParams{
		Realm: realm, Held: append([]uuid.UUID{}, held...), Now: now, PageSize: most,
	})
}

// Get returns a webhook in force. Error: payment.ErrNotFound, also for one that does not fit its seal.
func (s *Webhooks) Get(ctx context.Context, realm string, id uuid.UUID, now time.Time) (Webhook, error) {
	var row dbsqlc.WebhookGetRow
	w := Webhook{Realm: realm, ID: id}
	err := s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) (err error) {
		row, err = q.WebhookGet(ctx, realm, id)
		if err != nil {
			return err
		}
		cursor, err := q.WebhookCursor(ctx, realm, id)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		w.Cursor = OrZero(cursor)
		retries, err := q.WebhookRetries(ctx, realm, id)
		for _, r := range retries {
			w.Retries = append(w.Retries, WebhookRetry{
				About: r.About, EventID: r.EventID, Failed: int(r.Failed), Since: r.Since.UTC(), Next: r.NextAt.UTC(),
			})
		}
		return err
	})
	if err != nil {
		return Webhook{}, wrapped(missing(err), "load a webhook")
	}
	guard := s.db.Guard(nil).At(row.RealmHead)
	if row.Webhook.RetiredAt != nil || !guard.Fits(ctx, WebhookRow(row.Webhook)) {
		return Webhook{}, errors.Join(guard.Err(), payment.ErrNotFound)
	}
	w.URL, w.Events, w.Secrets = row.Webhook.Url, row.Webhook.Events, [][]byte{row.Webhook.Secret}
	if until := row.Webhook.OldUntil; until != nil && now.Before(*until) {
		w.Secrets = append(w.Secrets, row.Webhook.OldSecret)
	}
	return w, nil
}

// Hold reserves a webhook for this process; false while another one works on it.
func (s *Webhooks) Hold(ctx context.Context, w Webhook, now, until time.Time) (bool, error) {
	held, err := s.db.In(w.Realm, Changing).WebhookHold(ctx, dbsqlc.WebhookHoldParams{Realm: w.Realm, WebhookID: w.ID, Until: until, Now: now})
	return held == 1, err
}

// Note stores the deliveries of a turn. Error: ErrMoved when another process took the webhook over; nothing is stored then.
func (s *Webhooks) Note(ctx context.Context, w Webhook, step WebhookStep) error {
	err := s.db.InRealm(ctx, w.Realm, Changing, func(q *dbsqlc.Queries) error {
		err := One(q.WebhookPass(ctx, dbsqlc.WebhookPassParams{
			Cursor: OrNull(step.Cursor), Until: step.Until, Realm: w.Realm, WebhookID: w.ID, Held: step.Held,
		}))
		if err == nil {
			err = noteAttempts(ctx, q, w, step.Attempts)
		}
		for _, r := range step.Retries {
			if err == nil {
				err = q.WebhookRetryPut(ctx, dbsqlc.WebhookRetryPutParams{
					Realm: w.Realm, WebhookID: w.ID, About: r.About, EventID: r.EventID, Failed: int32(r.Failed), //nolint:gosec // some dozens
					Since: r.Since, NextAt: r.Next,
				})
			}
		}
		for _, about := range step.Over {
			if err == nil {
				err = q.WebhookRetryDrop(ctx, w.Realm, w.ID, about)
			}
		}
		return err
	})
	return wrapped(err, "store the progress of a webhook")
}

// NoteAttempt stores an attempt by an administrator, which leaves the position unchanged, with its audit event.
func (s *Webhooks) NoteAttempt(ctx context.Context, w Webhook, a WebhookAttempt, by identity.Actor) error {
	return s.db.InRealm(ctx, w.Realm, Changing, func(q *dbsqlc.Queries) error {
		err := noteAttempts(ctx, q, w, []WebhookAttempt{a})
		if err != nil {
			return err
		}
		return AppendEvent(ctx, q, s.db.masterData, Event{
			Realm: w.Realm, Actor: by, Name: auditlog.EventWebhookSend, At: a.At,
			Detail: auditlog.SubjectDetail(w.URL, string(a.Type)+" "+a.EventID.String()),
		})
	})
}

func noteAttempts(ctx context.Context, q *dbsqlc.Queries, w Webhook, attempts []WebhookAttempt) error {
	if len(attempts) == 0 {
		return nil
	}
	rows := dbsqlc.WebhookAttemptsInsertParams{Realm: w.Realm, WebhookID: w.ID}
	for _, a := range attempts {
		rows.AttemptIds, rows.EventIds = append(rows.AttemptIds, a.ID), append(rows.EventIds, a.EventID)
		rows.EventTypes, rows.Ats = append(rows.EventTypes, string(a.Type)), append(rows.Ats, a.At)
		rows.Statuses, rows.Failures = append(rows.Statuses, int32(a.Status)), append(rows.Failures, a.Failure) //nolint:gosec // up to 999
	}
	return q.WebhookAttemptsInsert(ctx, rows)
}

// Attempts lists the last attempts of a webhook, the newest first.
func (s *Webhooks) Attempts(ctx context.Context, realm string, id uuid.UUID, most int32) ([]WebhookAttempt, error) {
	rows, err := s.db.In(realm, Reading).WebhookAttempts(ctx, realm, id, most)
	list := make([]WebhookAttempt, len(rows))
	for i, row := range rows {
		list[i] = WebhookAttempt{
			ID: row.AttemptID, EventID: row.EventID, Type: payment.EventType(row.EventType), At: row.At.UTC(), Status: int(row.Status),
			Failure: row.Failure,
		}
	}
	return list, err
}

// attemptsKept is the time for which attempts are stored.
const attemptsKept = 7 * 24 * time.Hour

// Clean deletes old attempts of every realm, in small transactions.
func (s *Webhooks) Clean(ctx context.Context, now time.Time) error {
	_, err := s.db.dropEverywhere(ctx, func(q *dbsqlc.Queries, realm string) (int64, error) {
		return q.WebhookAttemptsDrop(ctx, realm, now.Add(-attemptsKept), DropBatch)
	})
	return err
}

// Event returns an event of a realm. Error: ErrUnknownEvent.
func (r *Reader) Event(ctx context.Context, realm string, id uuid.UUID) (StreamEvent, error) {
	q := r.in(realm, Keyed)
	at, err := q.EventCursor(ctx, realm, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return StreamEvent{}, ErrUnknownEvent
	}
	if err != nil {
		return StreamEvent{}, missing(err)
	}
	rows, err := q.EventList(ctx, dbsqlc.EventListParams{
		Realm: realm, PageSize: 1, Place: at.Place, About: at.About, Sequence: at.Sequence - 1,
	})
	if err != nil {
		return StreamEvent{}, missing(err)
	}
	if len(rows) == 0 || rows[0].EventID != id {
		return StreamEvent{}, ErrUnknownEvent
	}
	return streamEvent(rows[0]), nil
}

// EventsPassed returns the ids of a message's events from the first one up to a cursor, in their order.
func (r *Reader) EventsPassed(ctx context.Context, realm string, message, first, cursor uuid.UUID) (ids []uuid.UUID, err error) {
	ids, err = r.in(realm, Keyed).EventsPassed(ctx, dbsqlc.EventsPassedParams{Realm: realm, First: first, Cursor: cursor, MessageID: message})
	return ids, missing(err)
}

// oldSecretSigns is the time for which the replaced secret signs beside the new one.
const oldSecretSigns = 24 * time.Hour

// webhooks reads the webhooks of the realm, those in force first.
func (w realmWriter) webhooks(ctx context.Context) ([]administration.Webhook, error) {
	rows, err := w.q.WebhookListAll(ctx, w.realm)
	var list, retired []administration.Webhook
	for _, row := range rows {
		if row.RetiredAt == nil {
			list = append(list, webhookOf(row))
		} else {
			retired = append(retired, webhookOf(row))
		}
	}
	return append(list, retired...), err
}

func webhookOf(row dbsqlc.Webhook) administration.Webhook {
	w := administration.Webhook{ID: row.WebhookID.String(), URL: row.Url, Events: row.Events, Status: administration.StatusInForce}
	if row.RetiredAt != nil {
		w.Status = administration.StatusRetired
	}
	return w
}

func (s changeStep) webhook(ctx context.Context, subject string) (row dbsqlc.Webhook, found bool, err error) {
	rows, err := s.q.WebhookListAll(ctx, s.realm)
	for _, row := range rows {
		if row.WebhookID.String() == subject {
			return row, true, err
		}
	}
	return row, false, err
}

func (s changeStep) webhookFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	row, found, err := s.webhook(ctx, asked.subject)
	if found {
		known.Found, known.Before = true, webhookOf(row).Values()
	}
	return err
}

// applyWebhook creates a webhook for events from now on, replaces its secret, or retires it.
func (s changeStep) applyWebhook(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindWebhookCreate {
		row := dbsqlc.Webhook{
			Realm: s.realm, WebhookID: c.ID, Url: c.After["url"], Events: c.After["events"], Secret: s.secrets.WebhookSecret, MadeAt: s.at,
		}
		err := s.q.WebhookInsert(ctx, dbsqlc.WebhookInsertParams(row))
		if err == nil {
			err = StartWebhook(ctx, s.q, s.realm, row.WebhookID, s.at)
		}
		return s.ledger.Put(WebhookRow(row), err)
	}
	row, found, err := s.webhook(ctx, c.Subject)
	if err != nil {
		return err
	}
	if !found || row.WebhookID == uuid.Nil {
		return ErrMoved
	}
	if !s.guard.Fits(ctx, WebhookRow(row)) {
		return &administration.ConflictError{Text: "The stored webhook failed its integrity check and may have been changed outside the " +
			"gateway. Tell an operator."}
	}
	if c.Kind == administration.KindWebhookSecret {
		until := s.at.Add(oldSecretSigns)
		row.OldSecret, row.OldUntil, row.Secret = row.Secret, &until, s.secrets.WebhookSecret
	} else {
		row.RetiredAt = &s.at
	}
	return s.ledger.Put(WebhookRow(row), One(s.q.WebhookPut(ctx, dbsqlc.WebhookPutParams{
		Secret: row.Secret, OldSecret: row.OldSecret, OldUntil: row.OldUntil, RetiredAt: row.RetiredAt, Realm: row.Realm,
		WebhookID: row.WebhookID,
	})))
}
