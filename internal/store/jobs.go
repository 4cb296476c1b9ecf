package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Jobs hand what was stored to the lanes of the schemes: a released message to be sent, an answer to be delivered. A job is no row. The
// message that is released and not delivered, and the answer that clearing does not have, are the durable record of what is to be done, and
// each has an index of its own; clearing's lanes look there for what no job of a living process carries any more. So a job is made after
// the commit of what makes it necessary, costs the database nothing, may be lost with its process, and may run more than once.
type Jobs struct {
	lanes   map[laneKey]*jobLane
	workers int // of a lane
	working atomic.Bool
	waits   *waits
	log     *slog.Logger
}

// laneKey names a lane: the deliveries of a scheme, or its answers. Each has workers of its own.
type laneKey struct {
	scheme rulebook.Scheme
	answer bool
}

// job is a message to be sent, or an answer to be delivered.
type job struct {
	laneKey
	realm     string
	id        uuid.UUID
	reference string
	attempts  int       // that failed
	fresh     *Outgoing // see Sending
}

// Sending is a released message to be sent.
type Sending struct {
	Scheme rulebook.Scheme
	Realm  string
	ID     uuid.UUID
	// Fresh is what this process stored a moment ago, so that it need not be read; nil where it is to be read.
	Fresh *Outgoing
}

// Outgoing is a released message as it is stored. Nothing of it counts before payment.Sealer.Verify has held one against the other.
type Outgoing struct {
	Message payment.Message // with its content and the account an instruction debits
	Release payment.Release
	// Made is the document that was stored with the release, and Content its bytes, which clearing gets; nil where it is still to be made.
	Made    *payment.Outbound
	Content []byte
}

func (k laneKey) name() string {
	if k.answer {
		return "answer-" + string(k.scheme)
	}
	return "send-" + string(k.scheme)
}

// JobHandlers is the work of the queue.
type JobHandlers struct {
	// Send hands a released message's document to the clearing of its scheme. An error is tried again after Retry.
	Send func(ctx context.Context, sending Sending) error
	// Answer hands a document of the outbox to clearing. An error is tried again after Retry.
	Answer func(ctx context.Context, scheme rulebook.Scheme, reference string) error
	// Retry is the pause after the given number of failed attempts, from 1.
	Retry func(attempt int) time.Duration
}

const (
	// maxSendAttempts ends the tries of one job. Clearing's lanes go on with what is still undelivered then.
	maxSendAttempts = 6
	// laneWorkers is how many documents of one scheme's messages, and how many of its answers, are under way to clearing at a time. Each
	// scheme has them for itself: one whose clearing hangs takes none from the other.
	laneWorkers = 32
	// freshFor is how long what a job carries is believed: clearing's lanes may have sent it meanwhile, so it is read then.
	freshFor = time.Second
	// jobWithin limits one attempt.
	jobWithin = 15 * time.Second
	// finishWithin is how long jobs under way may take at the end, and cancelledWithin how long once they are told to stop.
	finishWithin    = 10 * time.Second
	cancelledWithin = 2 * time.Second
)

// NewJobs makes a queue that only takes jobs; Run works on them.
func NewJobs(db *Database, log *slog.Logger) *Jobs {
	j := &Jobs{lanes: make(map[laneKey]*jobLane), workers: db.workers, waits: newWaits(), log: log}
	for _, scheme := range rulebook.Schemes() {
		j.lanes[laneKey{scheme: scheme}] = newJobLane()
		j.lanes[laneKey{scheme: scheme, answer: true}] = newJobLane()
	}
	return j
}

// Rest has the queue take no job, in a process that delivers nothing: what jobs carry would stay in memory. Call it before the first.
func (j *Jobs) Rest() { j.lanes = nil }

// Later are the jobs that a transaction under way makes necessary.
type Later struct{ jobs []job }

// Send asks for the delivery of a message that is being released, as it will be stored.
func (l *Later) Send(out Outgoing) {
	m := out.Message
	l.jobs = append(l.jobs, job{laneKey: laneKey{scheme: m.Scheme}, realm: m.Realm, id: m.InternalID, fresh: &out})
}

// Answer asks for the delivery of a row of the outbox.
func (l *Later) Answer(scheme rulebook.Scheme, reference string) {
	l.jobs = append(l.jobs, job{laneKey: laneKey{scheme: scheme, answer: true}, reference: reference})
}

// Hand puts jobs into their lanes. Call it when what makes them necessary is committed.
func (j *Jobs) Hand(later Later) {
	for _, one := range later.jobs {
		lane, known := j.lanes[one.laneKey]
		if known {
			lane.put(&one, time.Now())
		}
	}
}

// Working reports whether this process works on jobs.
func (j *Jobs) Working() bool { return j.working.Load() }

// Run works on jobs until the context ends; jobs under way then get ten seconds to finish.
func (j *Jobs) Run(ctx context.Context, handlers JobHandlers) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	j.working.Store(true)
	defer j.working.Store(false)
	var workers sync.WaitGroup
	for _, lane := range j.lanes {
		for range j.workers {
			workers.Go(func() { j.work(ctx, working, lane, handlers) })
		}
	}
	<-ctx.Done()
	ended := make(chan struct{})
	go func() {
		workers.Wait()
		close(ended)
	}()
	if within(ended, finishWithin) {
		return nil
	}
	stop()
	if within(ended, cancelledWithin) {
		return nil
	}
	return errors.New("stop the job workers: some did not end")
}

// within says whether something ended in time.
func within(ended <-chan struct{}, limit time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// work takes jobs of a lane until ctx ends, and does them in the other context.
func (j *Jobs) work(ctx, working context.Context, lane *jobLane, handlers JobHandlers) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-lane.waiting:
			if one.attempts == 0 && !one.answer {
				j.waits.note(one.scheme, lane.since(one))
			}
			if time.Since(lane.since(one)) > freshFor {
				one.fresh = nil
			}
			lane.note(one, jobRunning, time.Now())
			j.attempt(working, lane, one, handlers)
		}
	}
}

// attempt does a job once, and puts it back after its pause when that failed. The pause is counted from the end of the attempt.
func (j *Jobs) attempt(ctx context.Context, lane *jobLane, one *job, handlers JobHandlers) {
	limited, cancel := context.WithTimeout(ctx, jobWithin)
	defer cancel()
	var err error
	if one.answer {
		err = handlers.Answer(limited, one.scheme, one.reference)
	} else {
		err = handlers.Send(limited, Sending{Scheme: one.scheme, Realm: one.realm, ID: one.id, Fresh: one.fresh})
	}
	one.fresh = nil // what is tried again is read
	if err == nil || ctx.Err() != nil {
		lane.forget(one)
		return
	}
	one.attempts++
	if one.attempts >= maxSendAttempts {
		lane.forget(one)
		// The lane of the scheme goes on with it, and names what goes on to fail.
		j.log.DebugContext(ctx, "a delivery failed several times", "scheme", one.scheme, "realm", one.realm, "internalId", one.id,
			"reference", one.reference, "attempts", one.attempts, "error", err.Error())
		return
	}
	pause := handlers.Retry(one.attempts)
	lane.note(one, jobRetrying, time.Now().Add(pause))
	time.AfterFunc(pause, func() { lane.put(one, time.Now()) })
}
