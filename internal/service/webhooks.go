package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Webhooks delivers the stream of events of a realm to its webhooks, at least once and the events of a message in order, as Standard
// Webhooks describes. The durable record is the cursor of a webhook and the few messages whose next event its receiver did not accept.
type Webhooks struct {
	cfg    WebhooksConfig
	client *http.Client

	mu   sync.Mutex
	body func(store.StreamEvent) any
}

// WebhooksConfig holds the dependencies of the service.
type WebhooksConfig struct {
	Store  *store.Webhooks
	Reader *store.Reader
	Keys   identity.WebhookKeys
	Now    func() time.Time
	NewID  func() uuid.UUID
	// Client sends to receivers; nil sends to public addresses only.
	Client *http.Client
}

// NewWebhooks makes the service.
func NewWebhooks(cfg WebhooksConfig) *Webhooks { return &Webhooks{cfg: cfg, client: cfg.Client} }

// Show sets the form in which events are sent. Nothing is delivered before.
func (s *Webhooks) Show(body func(store.StreamEvent) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = body
}

const (
	// webhookWorkers limits the webhooks that are worked on at a time, webhookAtOnce the messages of one.
	webhookWorkers, webhookAtOnce = 8, 8
	// webhookPage is the number of retries, and of events, between two notes of the progress; webhookProbe until a receiver that did not
	// take all has taken one.
	webhookPage, webhookProbe = 64, 8
	// webhookTurn is the time after which a webhook waits for its next turn; an attempt that runs then ends within webhookTimeout.
	webhookTurn    = 3 * time.Second
	webhookTimeout = 5 * time.Second
	// webhookStep bounds the attempts between two notes.
	webhookStep = 10 * time.Second
	// webhookHold is the time for which a process reserves a webhook: longer than a turn, so that only a process that is gone is overtaken.
	webhookHold = 30 * time.Second
	// maxWebhookRetries is the number of messages that may wait for a retry while events of others go on. Beyond it the receiver is down.
	maxWebhookRetries = 250
	// webhookGivesUp is the time after which an event that the receiver does not take is left out.
	webhookGivesUp = 3 * 24 * time.Hour
	// firstWebhookPause and lastWebhookPause bound the pauses between attempts, which double.
	firstWebhookPause, lastWebhookPause = 5 * time.Second, 4 * time.Hour
)

func webhookPause(failed int) time.Duration {
	return min(lastWebhookPause, firstWebhookPause<<min(failed-1, 20))
}

// todo lists the webhooks for the dispatcher.
func (s *Webhooks) todo(ctx context.Context, realm string, held []uuid.UUID, most int32) ([]uuid.UUID, error) {
	return s.cfg.Store.ToDo(ctx, realm, held, s.cfg.Now(), most)
}

// Deliver delivers the due events of a webhook for a few seconds.
func (s *Webhooks) Deliver(ctx context.Context, realm string, id uuid.UUID) error {
	until := s.cfg.Now().Add(webhookTurn)
	w, err := s.cfg.Store.Get(ctx, realm, id, s.cfg.Now())
	if errors.Is(err, payment.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	size := webhookPage
	if len(w.Retries) > 0 {
		size = webhookProbe
	}
	due, page, err := s.due(ctx, w, size)
	if err != nil || len(due) == 0 && page.Next == w.Cursor {
		return err
	}
	held := s.cfg.Now().Add(webhookHold)
	mine, err := s.cfg.Store.Hold(ctx, w, s.cfg.Now(), held)
	for more := err == nil && mine; more; {
		w, err = s.cfg.Store.Get(ctx, realm, id, s.cfg.Now())
		if err != nil {
			return err
		}
		due, page, err = s.due(ctx, w, size)
		if err != nil {
			return err
		}
		step := s.turn(ctx, w, due, page)
		taken := slices.ContainsFunc(step.Attempts, func(a store.WebhookAttempt) bool { return a.Failure == "" })
		if taken {
			size = webhookPage
		}
		more = ctx.Err() == nil && s.cfg.Now().Before(until) && (taken || len(step.Attempts) == 0 && page.More)
		step.Held, step.Until = held, s.cfg.Now()
		if more {
			step.Until = s.cfg.Now().Add(webhookHold)
		}
		err = s.cfg.Store.Note(context.WithoutCancel(ctx), w, step)
		if errors.Is(err, store.ErrMoved) {
			return nil // another process took over: it sends these events again
		}
		if err != nil {
			return err
		}
		held = step.Until
	}
	return err
}

// due returns the retries that are due, and the next events, of each at most a size; no events while too many messages wait for a retry.
func (s *Webhooks) due(ctx context.Context, w store.Webhook, size int) (due []store.WebhookRetry, page store.EventPage, err error) {
	now := s.cfg.Now()
	for _, r := range w.Retries {
		if !r.Next.After(now) && len(due) < size {
			due = append(due, r)
		}
	}
	page.Next = w.Cursor
	if len(w.Retries) >= maxWebhookRetries {
		return due, page, nil
	}
	page, err = s.cfg.Reader.Events(ctx, w.Realm, store.EventFilter{
		After: w.Cursor, Types: administration.WordsOf[payment.EventType](w.Events), Messages: true, Changes: true, PageSize: size,
	})
	return due, page, err
}

// turn delivers the due retries and a page of events, the messages side by side and the events of each in their order.
func (s *Webhooks) turn(ctx context.Context, w store.Webhook, due []store.WebhookRetry, page store.EventPage) store.WebhookStep {
	ctx, cancel := context.WithTimeout(ctx, webhookStep)
	defer cancel()
	step := store.WebhookStep{Cursor: page.Next}
	waiting := map[uuid.UUID]bool{}
	for _, r := range w.Retries {
		waiting[r.About] = true
	}
	var abouts []uuid.UUID
	events := map[uuid.UUID][]store.StreamEvent{}
	for _, e := range page.Events {
		about := aboutOf(e)
		if waiting[about] {
			continue // its retry delivers this one too
		}
		if events[about] == nil {
			abouts = append(abouts, about)
		}
		events[about] = append(events[about], e)
	}
	var mu sync.Mutex
	var working sync.WaitGroup
	free := make(chan struct{}, webhookAtOnce)
	run := func(do func() ([]store.WebhookAttempt, *store.WebhookRetry, uuid.UUID)) {
		free <- struct{}{}
		working.Go(func() {
			defer func() { <-free }()
			attempts, retry, over := do()
			mu.Lock()
			defer mu.Unlock()
			step.Attempts = append(step.Attempts, attempts...)
			if retry != nil {
				step.Retries = append(step.Retries, *retry)
			} else if over != uuid.Nil {
				step.Over = append(step.Over, over)
			}
		})
	}
	for _, r := range due {
		run(func() ([]store.WebhookAttempt, *store.WebhookRetry, uuid.UUID) {
			attempts, retry := s.retry(ctx, w, r, page.Next)
			return attempts, retry, r.About
		})
	}
	for _, about := range abouts {
		run(func() ([]store.WebhookAttempt, *store.WebhookRetry, uuid.UUID) {
			attempts, retry := s.sendAll(ctx, w, store.WebhookRetry{About: about}, events[about])
			return attempts, retry, uuid.Nil
		})
	}
	working.Wait()
	return step
}

// aboutOf returns the message of an event, or the event itself.
func aboutOf(e store.StreamEvent) uuid.UUID {
	if e.Message.InternalID != uuid.Nil {
		return e.Message.InternalID
	}
	return e.ID
}

// retry delivers the events of a message from the failed one, as far as the turn has passed them. It returns the remaining retry; nil when
// all are delivered.
func (s *Webhooks) retry(
	ctx context.Context, w store.Webhook, r store.WebhookRetry, until uuid.UUID,
) ([]store.WebhookAttempt, *store.WebhookRetry) {
	ids := []uuid.UUID{r.EventID}
	if r.About != r.EventID {
		passed, err := s.cfg.Reader.EventsPassed(ctx, w.Realm, r.About, r.EventID, until)
		if err != nil || len(passed) == 0 {
			return nil, &r
		}
		ids = passed
	}
	wanted := administration.WordsOf[payment.EventType](w.Events)
	var events []store.StreamEvent
	for _, id := range ids {
		event, err := s.cfg.Reader.Event(ctx, w.Realm, id)
		if err != nil {
			return nil, &r
		}
		if event.Type != "" && (len(wanted) == 0 || slices.Contains(wanted, event.Type)) {
			events = append(events, event)
		}
	}
	return s.sendAll(ctx, w, r, events)
}

// sendAll sends the events of a message one after the other, and stops at the first failure. r holds the failures of the first.
func (s *Webhooks) sendAll(
	ctx context.Context, w store.Webhook, r store.WebhookRetry, events []store.StreamEvent,
) (attempts []store.WebhookAttempt, left *store.WebhookRetry) {
	for _, e := range events {
		attempt := s.send(ctx, w, e.ID, e.Type, s.shown(e))
		attempts = append(attempts, attempt)
		if attempt.Failure == "" {
			continue
		}
		now := s.cfg.Now()
		if r.EventID != e.ID {
			r = store.WebhookRetry{About: r.About, EventID: e.ID, Since: now}
		}
		if now.Sub(r.Since) >= webhookGivesUp {
			continue
		}
		r.Failed++
		r.Next = now.Add(webhookPause(r.Failed))
		return attempts, &r
	}
	return attempts, nil
}

// delivered is the body of a delivery.
type delivered struct {
	Type      payment.EventType `json:"type"`
	Timestamp string            `json:"timestamp"`
	Data      any               `json:"data"`
}

const webhookTimeLayout = "2006-01-02T15:04:05.000Z"

func (s *Webhooks) shown(e store.StreamEvent) delivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := delivered{Type: e.Type, Timestamp: e.At.UTC().Format(webhookTimeLayout)}
	if s.body != nil {
		d.Data = s.body(e)
	}
	return d
}

// send sends one event.
func (s *Webhooks) send(ctx context.Context, w store.Webhook, id uuid.UUID, of payment.EventType, body delivered) store.WebhookAttempt {
	attempt := store.WebhookAttempt{ID: s.cfg.NewID(), EventID: id, Type: of, At: s.cfg.Now()}
	limited, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	request, err := s.request(limited, w, id, body)
	if err == nil {
		attempt.Status, err = s.post(request)
	}
	if err != nil {
		const most = 300
		words := []rune(strings.ToValidUTF8(err.Error(), "?"))
		attempt.Failure = string(words[:min(len(words), most)])
	}
	return attempt
}

func (s *Webhooks) request(ctx context.Context, w store.Webhook, id uuid.UUID, body delivered) (*http.Request, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	stamp := strconv.FormatInt(s.cfg.Now().Unix(), 10)
	var signatures []string
	for _, hidden := range w.Secrets {
		secret, err := s.cfg.Keys.Show(w.Realm, w.ID, hidden)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, sign(secret, id.String(), stamp, content))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "countersign")
	request.Header.Set("webhook-id", id.String())
	request.Header.Set("webhook-timestamp", stamp)
	request.Header.Set("webhook-signature", strings.Join(signatures, " "))
	return request, nil
}

// sign makes the signature v1 of Standard Webhooks.
func sign(secret []byte, id, stamp string, content []byte) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(id + "." + stamp + ".")) // a hash takes everything
	_, _ = mac.Write(content)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// errNotTaken reports an answer other than 2xx.
var errNotTaken = errors.New("the receiver did not respond with a 2xx status")

func (s *Webhooks) post(request *http.Request) (status int, err error) {
	answer, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	_, readErr := io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
	err = cmp.Or(readErr, answer.Body.Close())
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		err = errNotTaken
	}
	return answer.StatusCode, err
}

// TypeTest is the type of the event that an administrator sends to try a webhook.
const TypeTest payment.EventType = "webhook.test"

// Attempts lists the last attempts of a webhook. Error: payment.ForbiddenError.
func (s *Webhooks) Attempts(ctx context.Context, by identity.Principal, id uuid.UUID) ([]store.WebhookAttempt, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return nil, err
	}
	const most = 100
	return s.cfg.Store.Attempts(ctx, by.Realm, id, most)
}

// Try sends an event to a webhook in force now, beside the stream: an earlier event, or for the zero id a test. Errors:
// payment.ForbiddenError, payment.ErrNotFound.
func (s *Webhooks) Try(ctx context.Context, by identity.Principal, id, event uuid.UUID) (store.WebhookAttempt, error) {
	err := administration.MayAdminister(by)
	if err != nil {
		return store.WebhookAttempt{}, err
	}
	w, err := s.cfg.Store.Get(ctx, by.Realm, id, s.cfg.Now())
	if err != nil {
		return store.WebhookAttempt{}, err
	}
	name, of := s.cfg.NewID(), TypeTest
	body := delivered{Type: of, Timestamp: s.cfg.Now().Format(webhookTimeLayout), Data: struct{}{}}
	if event != uuid.Nil {
		found, err := s.cfg.Reader.Event(ctx, by.Realm, event)
		if errors.Is(err, store.ErrUnknownEvent) {
			err = payment.ErrNotFound
		}
		if err != nil {
			return store.WebhookAttempt{}, err
		}
		name, of, body = found.ID, found.Type, s.shown(found)
	}
	attempt := s.send(ctx, w, name, of, body)
	return attempt, s.cfg.Store.NoteAttempt(context.WithoutCancel(ctx), w, attempt, by.Actor())
}
