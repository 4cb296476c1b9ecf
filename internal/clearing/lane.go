package clearing

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

const (
	// lanePage bounds what a lane takes up at a time in a realm.
	lanePage = 64
	// laneParallel is how many documents of a realm are under way at a time: one that floods the lane does not keep out the others.
	laneParallel = 8
)

// lane is what a scheme has for itself: its connection, and what takes up the deliveries, inquiries and answers that no job carries any
// more. The three do not wait for each other, and no lane waits for another.
type lane struct {
	*Station
	scheme     rulebook.Scheme
	connection *connection

	delivering, inquiring *busy[string] // realms
	deliveries            *pauses[uuid.UUID]
	inquiries             *pauses[uuid.UUID]
	answers               *pauses[string]
}

func newLane(s *Station, scheme rulebook.Scheme) *lane {
	l := &lane{
		Station: s, scheme: scheme, delivering: newBusy[string](), inquiring: newBusy[string](),
		deliveries: newPauses[uuid.UUID](afterJobs), inquiries: newPauses[uuid.UUID](afterJobs), answers: newPauses[string](afterJobs),
	}
	l.connection = newConnection(scheme, &s.cfg, l.back)
	return l
}

// lane finds the lane of a scheme.
func (s *Station) lane(scheme rulebook.Scheme) (*lane, error) {
	at := slices.IndexFunc(s.lanes, func(l *lane) bool { return l.scheme == scheme })
	if at < 0 {
		return nil, errors.New("no lane for the scheme " + string(scheme))
	}
	return s.lanes[at], nil
}

// task is work of a lane on messages that wait for it.
type task struct {
	running *busy[string] // realms
	paused  *pauses[uuid.UUID]
	list    func(ctx context.Context, realm string, scheme rulebook.Scheme, at store.DueTimes) ([]uuid.UUID, error)
	do      func(ctx context.Context, realm string, id uuid.UUID) error
	words   string // for the log
}

// deliver starts to send the messages of a realm that no job sends any more.
func (l *lane) deliver(ctx context.Context, group *sync.WaitGroup, realm string) {
	send := func(ctx context.Context, realm string, id uuid.UUID) error { return l.Send(ctx, l.scheme, realm, id) }
	l.start(ctx, group, realm, task{
		running: l.delivering, paused: l.deliveries, list: l.cfg.Messages.Undelivered, do: send, words: "look for what is to be sent",
	})
}

// ask starts to ask about the unconfirmed messages of a realm.
func (l *lane) ask(ctx context.Context, group *sync.WaitGroup, realm string) {
	l.start(ctx, group, realm, task{
		running: l.inquiring, paused: l.inquiries, list: l.cfg.Messages.ToInquire, do: l.inquire, words: "look for what is to be asked about",
	})
}

// start runs a task in a realm in the background, unless it runs there already: the next poll starts it again.
func (l *lane) start(ctx context.Context, group *sync.WaitGroup, realm string, t task) {
	if !t.running.begin(realm) {
		return
	}
	group.Go(func() {
		defer t.running.end(realm)
		l.doIn(ctx, realm, t)
	})
}

// doIn does a task with all messages of a realm that wait for it, page by page.
func (l *lane) doIn(ctx context.Context, realm string, t task) {
	for full := true; full; {
		page := l.connection.room(lanePage)
		if page == 0 || ctx.Err() != nil {
			return // a question that cannot be sent is not noted
		}
		limited, cancel := context.WithTimeout(ctx, listWithin)
		ids, err := t.list(limited, realm, l.scheme, l.dueTimes(t.paused.held(l.cfg.Now()), page))
		cancel()
		l.complain(ctx, err, t.words, "realm", realm, "scheme", l.scheme)
		if err != nil {
			return
		}
		work(ids, func(id uuid.UUID) {
			err := t.do(ctx, realm, id)
			if t.paused.attempted(ctx, id, l.cfg.Now(), err) && !moved(err) && !l.connection.told(err) {
				l.warn(ctx, err, "carry on with a message", "realm", realm, "internalId", id, "scheme", l.scheme)
			}
		})
		full = len(ids) == lanePage || page < lanePage && l.connection.room(lanePage) == lanePage // clearing was away, and is back
	}
}

// work does the same with each key, some at a time, and waits for all.
func work[K any](keys []K, do func(K)) {
	var group errgroup.Group
	group.SetLimit(laneParallel)
	for _, key := range keys {
		group.Go(func() error {
			do(key)
			return nil
		})
	}
	_ = group.Wait()
}

// moved says whether somebody else was first.
func moved(err error) bool {
	var state *payment.StateError
	return errors.As(err, &state) || errors.Is(err, payment.ErrIllegalMove)
}

// answer sends answers whose job died.
func (l *lane) answer(ctx context.Context) {
	page := l.connection.room(lanePage)
	if page == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, listWithin)
	references, err := l.outbox.Undelivered(limited, store.AnswersDue{
		Scheme: l.scheme, Before: l.cfg.Now().Add(-answersLead), Held: l.answers.held(l.cfg.Now()), Most: page,
	})
	cancel()
	l.complain(ctx, err, "look at the outbox", "scheme", l.scheme)
	if err != nil {
		return
	}
	work(references, func(reference string) {
		err := l.Answer(ctx, l.scheme, reference)
		if l.answers.attempted(ctx, reference, l.cfg.Now(), err) && !l.connection.told(err) {
			l.warn(ctx, err, "send an answer again", "reference", reference, "scheme", l.scheme)
		}
	})
}
