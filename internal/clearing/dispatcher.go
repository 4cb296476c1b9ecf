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
	// MaxQueued bounds the ready tasks of a dispatcher. Further tasks are dropped; a later poll finds them in the database.
	MaxQueued = 4096
	// maxRetrying bounds the failed tasks that a dispatcher remembers. Beyond that it forgets all of them, as at a restart; the next poll
	// finds them again.
	maxRetrying = 10_000
	// taskTimeout limits one attempt.
	taskTimeout = 15 * time.Second
	// retryEvery is the pause between two looks for tasks whose backoff has ended.
	retryEvery = 100 * time.Millisecond
	// maxBackoff bounds the pauses between attempts.
	maxBackoff = 30 * time.Second
	// maxDatabaseBackoff bounds the pauses after an error of the database, which says nothing about the task.
	maxDatabaseBackoff = time.Second
	// waitCounts is the time for which a measured wait is reported.
	waitCounts = time.Second
)

// backoff is the pause after the given number of failed attempts: 100 ms, doubled each time, at most 30 s.
func backoff(failed int) time.Duration {
	const first = 100 * time.Millisecond
	if failed > 9 {
		return maxBackoff
	}
	return min(maxBackoff, first<<(max(failed, 1)-1))
}

// dispatcher runs the tasks of one kind. The polls of the database and the nudges after a commit offer tasks; each task is known once. A
// failed task is retried with growing pauses and does not block others meanwhile. Nothing of it is durable: the database has the messages
// and documents that the tasks are about.
type dispatcher struct {
	doing   Doing
	scheme  rulebook.Scheme // "" for both
	workers int             // tasks that run at a time
	share   int             // how many of them may be of one realm
	begun   int             // failed attempts that the first backoff counts as made before
	room    func(most int) int
	now     func() time.Time
	failure func(ctx context.Context, t task, err error)

	wake    chan struct{} // has room for one signal
	polling busy

	mu       sync.Mutex
	known    map[task]*entry
	ready    []*entry // in the order of their offers
	retrying int
	running  map[string]int // by realm
	active   int
	waited   time.Duration // of the last task that began for the first time
	waitedAt time.Time
}

// task names the message or document to process.
type task struct {
	realm     string // "" for none
	id        uuid.UUID
	reference string // of a document; "" for a message
}

// subject returns the internal id of the message, or the reference of the document.
func (t task) subject() string {
	if t.reference != "" {
		return t.reference
	}
	return t.id.String()
}

// taskState is the state of a task in its dispatcher.
type taskState int

const (
	taskReady taskState = iota
	taskRunning
	taskRetrying
)

// entry is a known task.
type entry struct {
	task
	do       func(context.Context) error
	state    taskState
	since    time.Time // when it was offered, began, or failed
	failed   int
	database int       // of the failed attempts, those for the database
	next     time.Time // of the retry; zero for at once
	why      error     // of the last failure
}

// offer makes a task ready, unless it is known or the dispatcher is full.
func (d *dispatcher) offer(t task, do func(context.Context) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[t] != nil || len(d.ready) >= MaxQueued {
		return
	}
	e := &entry{task: t, do: do}
	d.known[t] = e
	d.makeReady(e)
}

// makeReady appends an entry to the ready ones. Call it under the lock.
func (d *dispatcher) makeReady(e *entry) {
	e.state, e.since = taskReady, d.now()
	d.ready = append(d.ready, e)
	d.signal()
}

// signal wakes the loop.
func (d *dispatcher) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run starts ready tasks until ctx ends, and waits for running ones. Tasks run in the context working.
func (d *dispatcher) run(ctx, working context.Context) {
	ticker := time.NewTicker(retryEvery)
	defer ticker.Stop()
	var tasks sync.WaitGroup
	defer tasks.Wait()
	for ctx.Err() == nil {
		d.start(working, &tasks)
		select {
		case <-ctx.Done():
		case <-d.wake:
		case <-ticker.C:
			d.release()
		}
	}
}

// drain runs ready tasks until none may run any more.
func (d *dispatcher) drain(ctx context.Context) {
	d.release()
	var tasks sync.WaitGroup
	for d.start(ctx, &tasks) > 0 {
		tasks.Wait()
	}
}

// start starts as many ready tasks as may run now, and returns their number.
func (d *dispatcher) start(ctx context.Context, tasks *sync.WaitGroup) (started int) {
	for room := d.room(d.workers); ; started++ {
		e := d.take(room)
		if e == nil {
			return started
		}
		tasks.Go(func() { d.attempt(ctx, e) })
	}
}

// take removes the first ready task whose realm has room; nil for none.
func (d *dispatcher) take(room int) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.active >= room {
		return nil
	}
	at := slices.IndexFunc(d.ready, func(e *entry) bool { return d.running[e.realm] < d.share })
	if at < 0 {
		return nil
	}
	e := d.ready[at]
	d.ready = slices.Delete(d.ready, at, at+1)
	d.active++
	d.running[e.realm]++
	now := d.now()
	if e.failed == 0 {
		d.waited, d.waitedAt = now.Sub(e.since), now
	}
	e.state, e.since = taskRunning, now
	return e
}

// attempt runs a task once.
func (d *dispatcher) attempt(ctx context.Context, e *entry) {
	limited, cancel := context.WithTimeout(ctx, taskTimeout)
	err := e.do(limited)
	cancel()
	if d.end(e, err, ctx.Err() != nil) {
		d.failure(ctx, e.task, err)
	}
}

// end records the outcome of an attempt, and returns whether it is the first failure of the task: for the database, or for another reason.
// A task that was not tried, because the connection is interrupted, counts as no failure. A task that was cancelled is forgotten.
func (d *dispatcher) end(e *entry, err error, cancelled bool) (first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.signal()
	d.active--
	d.running[e.realm]--
	if d.running[e.realm] == 0 {
		delete(d.running, e.realm)
	}
	switch {
	case err == nil, cancelled:
		delete(d.known, e.task)
		return false
	case errors.Is(err, errInterrupted):
		e.why = err
		d.retryAfter(e, backoff(1))
		return false
	}
	e.failed++
	e.why = err
	pause := backoff(e.failed - e.database + d.begun)
	first = e.failed-e.database == 1
	if ofDatabase(err) {
		e.database++
		first = e.database == 1
		pause = min(pause, maxDatabaseBackoff)
	}
	d.retryAfter(e, pause)
	return first
}

// retryAfter has an entry wait for its retry. Call it under the lock.
func (d *dispatcher) retryAfter(e *entry, pause time.Duration) {
	now := d.now()
	e.state, e.since, e.next = taskRetrying, now, now.Add(pause)
	d.retrying++
	if d.retrying <= maxRetrying {
		return
	}
	for t, e := range d.known {
		if e.state == taskRetrying {
			delete(d.known, t)
		}
	}
	d.retrying = 0
}

// release makes tasks ready whose backoff has ended. A backoff longer than any was set by a clock that has gone back since.
func (d *dispatcher) release() {
	now := d.now()
	d.retry(func(e *entry) bool {
		pause := e.next.Sub(now)
		return pause <= 0 || pause > maxBackoff
	})
}

// retryNow ends the backoff of tasks by their subject and the reason of their failure.
func (d *dispatcher) retryNow(which func(subject string, why error) bool) {
	d.retry(func(e *entry) bool {
		if !which(e.subject(), e.why) {
			return false
		}
		e.next = time.Time{}
		return true
	})
}

// retry makes retrying tasks ready, the oldest failure first, as long as there is room.
func (d *dispatcher) retry(which func(*entry) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retrying == 0 {
		return
	}
	var due []*entry
	for _, e := range d.known {
		if e.state == taskRetrying && which(e) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b *entry) int { return a.since.Compare(b.since) })
	for _, e := range due[:max(0, min(len(due), MaxQueued-len(d.ready)))] {
		d.retrying--
		d.makeReady(e)
	}
}

// ofDatabase reports whether an error is about the database.
func ofDatabase(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrBusy)
}

// ids returns the known messages of a realm, which a poll leaves out.
func (d *dispatcher) ids(realm string) (ids []uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for t := range d.known {
		if t.realm == realm {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// references returns the known documents, which a poll leaves out.
func (d *dispatcher) references() (references []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for t := range d.known {
		references = append(references, t.reference)
	}
	return references
}

// page returns how many tasks a poll may list: none while no task may run.
func (d *dispatcher) page() int32 {
	if d.room(d.workers) == 0 {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return int32(min(pollPage, MaxQueued-len(d.ready))) //nolint:gosec // 0 to 500
}

// wait returns how long the last task waited before it began; 0 when none began within the last second.
func (d *dispatcher) wait() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now().Sub(d.waitedAt) > waitCounts {
		return 0
	}
	return d.waited
}

// Job is work of a realm that the dispatcher finds in the database and runs, beside that of clearing.
type Job struct {
	Doing   Doing
	Workers int // tasks that run at a time, three of four for one realm
	// List returns the subjects with work in a realm, at most so many, without those held.
	List func(ctx context.Context, realm string, held []uuid.UUID, most int32) ([]uuid.UUID, error)
	// Do works on a subject. After an error it is tried again, with growing pauses.
	Do func(ctx context.Context, realm string, id uuid.UUID) error
}

// pollJobs offers the subjects of the jobs in a realm, in the background, unless that poll runs already.
func (s *Service) pollJobs(ctx context.Context, polls *sync.WaitGroup, realm string) {
	for i, job := range s.cfg.Jobs {
		d := s.jobs[i]
		d.polling.start(polls, realm, func() {
			limited, cancel := context.WithTimeout(ctx, listTimeout)
			defer cancel()
			ids, err := job.List(limited, realm, d.ids(realm), d.page())
			s.logOnce(ctx, err, "list the work of a job", "task", job.Doing, "realm", realm)
			for _, id := range ids {
				d.offer(task{realm: realm, id: id}, func(ctx context.Context) error { return job.Do(ctx, realm, id) })
			}
		})
	}
}
