package clearing

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rulebook"
	"countersign/internal/store"
)

const (
	// defaultWorkers limits the messages, and the answers, of a scheme that are sent to clearing at a time.
	defaultWorkers = 32
	// inquiryWorkers limits the questions of a scheme that are sent at a time.
	inquiryWorkers = 8
	// freshFor is the time for which the message of a nudge counts as current. Later, another process may have sent it, so it is read.
	freshFor = time.Second
	// maxFresh is the number of ready deliveries of a scheme whose message stays in memory. Further deliveries read it.
	maxFresh = 256
)

// schemeWork holds the connection and the dispatchers of one scheme. A slow clearing of one scheme delays no other scheme.
type schemeWork struct {
	*Service
	scheme     rulebook.Scheme
	connection *connection

	deliveries, inquiries, answers *dispatcher
}

func (s *Service) newSchemeWork(scheme rulebook.Scheme) *schemeWork {
	w := &schemeWork{Service: s, scheme: scheme}
	w.connection = newConnection(scheme, &s.cfg, w.recovered)
	workers := s.cfg.Workers
	if workers == 0 {
		workers = defaultWorkers
	}
	w.deliveries, w.answers = s.newDispatcher(DoingDelivery, workers), s.newDispatcher(DoingAnswer, workers)
	w.answers.share = workers // they are of no realm
	w.inquiries = s.newDispatcher(DoingInquiry, inquiryWorkers)
	w.inquiries.begun = 4 // the first backoff is longer than the pause between the first two questions
	for _, d := range w.dispatchers() {
		d.scheme = scheme
		d.room = w.connection.room
		failure := d.failure
		d.failure = func(ctx context.Context, t task, err error) {
			if !w.connection.logged(err) {
				failure(ctx, t, err)
			}
		}
	}
	return w
}

// newDispatcher makes a dispatcher in which a realm may use three of four workers.
func (s *Service) newDispatcher(doing Doing, workers int) *dispatcher {
	return &dispatcher{
		doing: doing, workers: workers, share: max(1, workers*3/4), room: func(most int) int { return most }, now: s.cfg.Now,
		wake: make(chan struct{}, 1), known: make(map[task]*entry), running: make(map[string]int),
		failure: func(ctx context.Context, t task, err error) {
			s.warn(ctx, err, "a task of clearing failed and is retried", "task", doing, "realm", t.realm, "subject", t.subject())
		},
	}
}

func (w *schemeWork) dispatchers() []*dispatcher {
	return []*dispatcher{w.deliveries, w.inquiries, w.answers}
}

// scheme returns the work of a scheme.
func (s *Service) scheme(scheme rulebook.Scheme) (*schemeWork, error) {
	at := slices.IndexFunc(s.schemes, func(w *schemeWork) bool { return w.scheme == scheme })
	if at < 0 {
		return nil, errors.New("no clearing for the scheme " + string(scheme))
	}
	return s.schemes[at], nil
}

// dispatchers returns all dispatchers.
func (s *Service) dispatchers() []*dispatcher {
	all := append([]*dispatcher{s.clock, s.unmatched, s.bookings}, s.jobs...)
	for _, w := range s.schemes {
		all = append(all, w.dispatchers()...)
	}
	return all
}

// recovered retries what failed for want of clearing, when clearing accepts the first document after an interruption. The backoff of
// other tasks, such as that of a document that clearing refuses, continues. The breaker calls it under its own lock, so it does not read
// the state of the connection.
func (w *schemeWork) recovered() {
	for _, d := range w.dispatchers() {
		d.retryNow(func(_ string, why error) bool { return unreachable(why) })
	}
}

// nudged offers the work of a commit of this process.
func (s *Service) nudged(work store.Work) {
	w, err := s.scheme(work.Scheme)
	if err != nil {
		return
	}
	if work.Reference != "" {
		w.offerAnswer(work.Reference)
		return
	}
	if w.deliveries.count() >= maxFresh {
		work.Fresh = nil
	}
	at := s.cfg.Now()
	w.deliveries.offer(task{realm: work.Realm, id: work.ID}, func(ctx context.Context) error {
		one := work
		work.Fresh = nil // a retry reads the message
		if passed := s.cfg.Now().Sub(at); passed < 0 || passed > freshFor {
			one.Fresh = nil
		}
		return s.send(ctx, one)
	})
}

func (w *schemeWork) offerDelivery(realm string, id uuid.UUID) {
	w.deliveries.offer(task{realm: realm, id: id}, func(ctx context.Context) error { return w.Send(ctx, w.scheme, realm, id) })
}

func (w *schemeWork) offerInquiry(realm string, id uuid.UUID) {
	w.inquiries.offer(task{realm: realm, id: id}, func(ctx context.Context) error { return ignoreMoved(w.inquire(ctx, realm, id)) })
}

func (w *schemeWork) offerAnswer(reference string) {
	w.answers.offer(task{reference: reference}, func(ctx context.Context) error { return w.Answer(ctx, w.scheme, reference) })
}

// listFunc lists the waiting messages of a realm and a scheme, without the held ones of at.
type listFunc func(ctx context.Context, realm string, scheme rulebook.Scheme, at store.DueTimes) ([]uuid.UUID, error)

// pollMessages lists the messages of a realm that wait for a dispatcher and offers them, in the background, unless that poll runs already.
func (w *schemeWork) pollMessages(
	ctx context.Context, polls *sync.WaitGroup, realm string, d *dispatcher, list listFunc, offer func(realm string, id uuid.UUID),
) {
	d.polling.start(polls, realm, func() {
		for page := d.page(); page > 0; page = d.page() {
			limited, cancel := context.WithTimeout(ctx, listTimeout)
			ids, err := list(limited, realm, w.scheme, w.dueTimes(d.ids(realm), page))
			cancel()
			w.logOnce(ctx, err, "list the messages that wait for clearing", "task", d.doing, "realm", realm, "scheme", w.scheme)
			for _, id := range ids {
				offer(realm, id)
			}
			if len(ids) < int(page) {
				return
			}
		}
	})
}

// pollAnswers offers the answers of the outbox that no nudge delivered.
func (w *schemeWork) pollAnswers(ctx context.Context) {
	page := w.answers.page()
	if page == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	references, err := w.outbox.Undelivered(limited, store.AnswersDue{
		Scheme: w.scheme, Before: w.cfg.Now().Add(-answersLead), Held: w.answers.references(), Most: page,
	})
	w.logOnce(ctx, err, "look at the outbox", "scheme", w.scheme)
	for _, reference := range references {
		w.offerAnswer(reference)
	}
}
