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
	"countersign/internal/store/lifecycle"
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

	toDeliver, toInquire *realmsToDo
	deliveries           *pauses[uuid.UUID]
	inquiries            *pauses[uuid.UUID]
	answers              *pauses[string]
}

func newLane(s *Station, scheme rulebook.Scheme) *lane {
	return &lane{
		Station: s, scheme: scheme, connection: newConnection(scheme, &s.cfg), toDeliver: newRealmsToDo(), toInquire: newRealmsToDo(),
		deliveries: newPauses[uuid.UUID](), inquiries: newPauses[uuid.UUID](), answers: newPauses[string](),
	}
}

// lane finds the lane of a scheme.
func (s *Station) lane(scheme rulebook.Scheme) (*lane, error) {
	at := slices.IndexFunc(s.lanes, func(l *lane) bool { return l.scheme == scheme })
	if at < 0 {
		return nil, errors.New("no lane for the scheme " + string(scheme))
	}
	return s.lanes[at], nil
}

// realmsToDo are the realms in which a lane has something to do. The clock names them, and does not wait; no realm waits for another.
type realmsToDo struct {
	mu    sync.Mutex
	names map[string]bool
	told  chan struct{}
	busy  *busy[string]
}

func newRealmsToDo() *realmsToDo {
	return &realmsToDo{names: make(map[string]bool), told: make(chan struct{}, 1), busy: newBusy[string]()}
}

func (r *realmsToDo) tell(realm string) {
	r.mu.Lock()
	r.names[realm] = true
	r.mu.Unlock()
	select {
	case r.told <- struct{}{}:
	default: // it knows
	}
}

func (r *realmsToDo) take() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.names
	r.names = make(map[string]bool)
	return taken
}

// each begins to work in the realms that were named and in which no work is under way. What is left there, the clock names again.
func (r *realmsToDo) each(group *sync.WaitGroup, work func(realm string)) {
	for realm := range r.take() {
		if !r.busy.begin(realm) {
			continue
		}
		group.Go(func() {
			defer r.busy.end(realm)
			work(realm)
		})
	}
}

// follow begins to work whenever it is told of a realm, until the context ends.
func (r *realmsToDo) follow(ctx context.Context, begin func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.told:
			begin()
		}
	}
}

// deliver sends what no job sends any more, in the realms the clock named.
func (l *lane) deliver(ctx context.Context, group *sync.WaitGroup) {
	l.toDeliver.each(group, func(realm string) { l.deliverIn(ctx, realm) })
}

func (l *lane) deliverIn(ctx context.Context, realm string) {
	for full := true; full; {
		page := l.connection.room(lanePage)
		if page == 0 || ctx.Err() != nil {
			return
		}
		ids, err := l.undelivered(ctx, realm, l.dueTimes(l.deliveries.held(l.now()), page))
		if err != nil {
			l.warn(ctx, err, "look for what is to be sent", "realm", realm, "scheme", l.scheme)
			return
		}
		l.work(ctx, l.deliveries, ids, func(ctx context.Context, id uuid.UUID) error { return l.Send(ctx, l.scheme, realm, id) }, realm)
		full = len(ids) == lanePage
	}
}

func (l *lane) undelivered(ctx context.Context, realm string, at lifecycle.DueTimes) ([]uuid.UUID, error) {
	limited, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	return l.cfg.Messages.Undelivered(limited, realm, l.scheme, at)
}

// ask asks about what is unconfirmed, in the realms the clock named.
func (l *lane) ask(ctx context.Context, group *sync.WaitGroup) {
	l.toInquire.each(group, func(realm string) { l.askIn(ctx, realm) })
}

func (l *lane) askIn(ctx context.Context, realm string) {
	for full := true; full; {
		page := l.connection.room(lanePage)
		if page == 0 || ctx.Err() != nil {
			return // a question that cannot be sent is not noted
		}
		ids, err := l.unconfirmed(ctx, realm, l.dueTimes(l.inquiries.held(l.now()), page))
		if err != nil {
			l.warn(ctx, err, "look for what is to be asked about", "realm", realm, "scheme", l.scheme)
			return
		}
		l.work(ctx, l.inquiries, ids, func(ctx context.Context, id uuid.UUID) error { return l.inquire(ctx, realm, id) }, realm)
		full = len(ids) == lanePage
	}
}

func (l *lane) unconfirmed(ctx context.Context, realm string, at lifecycle.DueTimes) ([]uuid.UUID, error) {
	limited, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	return l.cfg.Messages.ToInquire(limited, realm, l.scheme, at)
}

// work does the same with each message, some at a time. One that fails pauses, and is named in the log the first time.
func (l *lane) work(
	ctx context.Context, paused *pauses[uuid.UUID], ids []uuid.UUID, do func(context.Context, uuid.UUID) error, realm string,
) {
	var group errgroup.Group
	group.SetLimit(laneParallel)
	for _, id := range ids {
		group.Go(func() error {
			err := do(ctx, id)
			switch {
			case err == nil:
				paused.done(id)
			case errors.Is(err, errInterrupted), ctx.Err() != nil:
			case paused.failed(id, l.now()) && !moved(err):
				l.warn(ctx, err, "carry on with a message", "realm", realm, "internalId", id, "scheme", l.scheme)
			}
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
	references, err := l.outbox.Undelivered(limited, lifecycle.AnswersDue{
		Scheme: l.scheme, Before: l.now().Add(-answersLead), Held: l.answers.held(l.now()), Most: page,
	})
	cancel()
	if err != nil {
		l.warn(ctx, err, "look at the outbox", "scheme", l.scheme)
		return
	}
	var group errgroup.Group
	group.SetLimit(laneParallel)
	for _, reference := range references {
		group.Go(func() error {
			err := l.Answer(ctx, l.scheme, reference)
			switch {
			case err == nil:
				l.answers.done(reference)
			case errors.Is(err, errInterrupted), ctx.Err() != nil:
			case l.answers.failed(reference, l.now()):
				l.warn(ctx, err, "send an answer again", "reference", reference, "scheme", l.scheme)
			}
			return nil
		})
	}
	_ = group.Wait()
}
