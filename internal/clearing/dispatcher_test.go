package clearing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// testClock is a clock that a test moves.
type testClock struct{ now atomic.Int64 }

func (c *testClock) Now() time.Time      { return time.Unix(0, c.now.Load()).UTC() }
func (c *testClock) add(d time.Duration) { c.now.Add(int64(d)) }

// dispatching is a dispatcher of two workers on a clock of its own, which counts the failures that it logs.
func dispatching(workers int) (d *dispatcher, clock *testClock, logged *atomic.Int64) {
	clock = &testClock{}
	clock.add(time.Hour)
	s := &Service{cfg: Config{Now: clock.Now}}
	d, logged = s.newDispatcher(DoingDelivery, workers), new(atomic.Int64)
	d.failure = func(context.Context, task, error) { logged.Add(1) }
	return d, clock, logged
}

func named(name string) task { return task{realm: "demo", reference: name} }

// TestATaskIsKnownOnce: a task that is ready, runs or is to be retried is not taken a second time; one that ended is.
func TestATaskIsKnownOnce(t *testing.T) {
	t.Parallel()
	d, clock, _ := dispatching(2)
	runs, err := 0, errors.New("down")
	do := func(context.Context) error {
		runs++
		d.offer(named("a"), func(context.Context) error { t.Error("taken twice"); return nil })
		return err
	}
	for range 3 {
		d.offer(named("a"), do)
	}
	d.drain(t.Context())
	d.offer(named("a"), do) // to be retried
	d.drain(t.Context())
	if runs != 1 {
		t.Errorf("the task ran %d times, want once", runs)
	}
	err = nil
	clock.add(time.Second)
	d.drain(t.Context())
	d.offer(named("a"), do)
	d.drain(t.Context())
	if runs != 3 || len(d.known) != 0 {
		t.Errorf("the task ran %d times, want its retry and a new one; %d are known", runs, len(d.known))
	}
}

// TestBackoff: the pauses double from 100 ms to 30 s, for any number of failures.
func TestBackoff(t *testing.T) {
	t.Parallel()
	for failed, want := range map[int]time.Duration{
		-1: 100 * time.Millisecond, 0: 100 * time.Millisecond, 1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 5: 1600 * time.Millisecond,
		8: 12_800 * time.Millisecond, 9: 25_600 * time.Millisecond, 10: maxBackoff, 64: maxBackoff, 1000: maxBackoff,
	} {
		if got := backoff(failed); got != want {
			t.Errorf("after %d failures %s, want %s", failed, got, want)
		}
	}
}

// TestAFailedTaskWaitsForItsRetry plays failures of each kind: the time of the retry, the counts and the log lines.
func TestAFailedTaskWaitsForItsRetry(t *testing.T) {
	t.Parallel()
	down, away := errors.New("down"), fmt.Errorf("write: %w", store.ErrUnavailable)
	for name, c := range map[string]struct {
		errs   []error
		pauses []time.Duration // until each retry
		failed int
		logged int
	}{
		"for clearing":                        {[]error{down, down, down}, []time.Duration{100, 200, 400}, 3, 1},
		"for the database":                    {[]error{away, away, away, away, away}, []time.Duration{100, 100, 100, 100, 100}, 5, 1},
		"for the database, after clearing":    {[]error{down, down, down, down, down, away}, []time.Duration{100, 200, 400, 800, 1600, 1000}, 6, 2},
		"for clearing, after the database":    {[]error{away, away, away, down, down}, []time.Duration{100, 100, 100, 100, 200}, 5, 2},
		"because the database is busy":        {[]error{store.ErrBusy, store.ErrUnknown}, []time.Duration{100, 100}, 2, 1},
		"because the connection is no longer": {[]error{errInterrupted, errInterrupted}, []time.Duration{100, 100}, 0, 0},
	} {
		d, clock, logged := dispatching(2)
		tries := 0
		d.offer(named("a"), func(context.Context) error {
			if tries++; tries <= len(c.errs) {
				return c.errs[tries-1]
			}
			return nil
		})
		d.drain(t.Context())
		for i, pause := range c.pauses {
			pause *= time.Millisecond
			clock.add(pause - time.Microsecond)
			d.drain(t.Context())
			if tries != i+1 {
				t.Errorf("%s: retry %d comes before its pause of %s", name, i+1, pause)
			}
			if i == len(c.pauses)-1 {
				stuck := d.stuck()
				if c.failed == 0 && len(stuck) > 0 || c.failed > 0 && (len(stuck) != 1 || stuck[0].Failed != c.failed) {
					t.Errorf("%s: stuck is %+v, want %d failures", name, stuck, c.failed)
				}
			}
			clock.add(time.Microsecond)
			d.drain(t.Context())
			if tries != i+2 {
				t.Errorf("%s: no retry %d after %s", name, i+1, pause)
			}
		}
		if int(logged.Load()) != c.logged || len(d.known) != 0 {
			t.Errorf("%s: %d failures are logged, want %d; %d tasks are left", name, logged.Load(), c.logged, len(d.known))
		}
	}
}

// TestAClockThatIsSetBackEndsABackoff: a pause longer than any was set before the clock went back.
func TestAClockThatIsSetBackEndsABackoff(t *testing.T) {
	t.Parallel()
	d, clock, _ := dispatching(2)
	tries := 0
	d.offer(named("a"), func(context.Context) error { tries++; return errors.New("down") })
	d.drain(t.Context())
	clock.add(-maxBackoff)
	d.drain(t.Context())
	if tries != 2 {
		t.Errorf("the task was tried %d times, want a retry", tries)
	}
}

// TestOnlyTheNamedTasksAreRetriedNow: an operator, or a clearing that is back, ends some pauses. The count of failures stays.
func TestOnlyTheNamedTasksAreRetriedNow(t *testing.T) {
	t.Parallel()
	d, _, _ := dispatching(2)
	var mu sync.Mutex
	tries := map[string]int{}
	for name, err := range map[string]error{"a": unreachableError{errors.New("no connection")}, "b": ErrNotAccepted, "c": errInterrupted} {
		d.offer(named(name), func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			tries[name]++
			return err
		})
	}
	d.drain(t.Context())
	d.retryNow(func(_ string, why error) bool { return unreachable(why) })
	d.drain(t.Context())
	if tries["a"] != 2 || tries["b"] != 1 || tries["c"] != 2 {
		t.Errorf("after clearing is back tried %v, want what failed for want of it once more", tries)
	}
	d.retryNow(func(subject string, _ error) bool { return subject == "b" })
	if stuck := d.stuck(); len(stuck) != 2 || stuck[0].Subject != "a" || stuck[1].Subject != "b" || !stuck[1].Next.IsZero() {
		t.Errorf("stuck is %+v, want b to be next", stuck)
	}
	d.drain(t.Context())
	if tries["b"] != 2 || !d.failedOn("b") || d.failedOn("c") || d.failedOn("d") {
		t.Errorf("tried %v, failed on b %t, c %t, d %t", tries, d.failedOn("b"), d.failedOn("c"), d.failedOn("d"))
	}
}

// TestABoundedNumberRunsAndWaits: no more tasks run than there are workers, than a realm may have, and than the connection has room for; what
// is beyond the queue is dropped.
func TestABoundedNumberRunsAndWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		realms, room, most int
	}{
		"workers":          {realms: 4, room: 8, most: 8},
		"share of a realm": {realms: 1, room: 8, most: 6},
		"interrupted":      {realms: 4, room: 0, most: 0},
		"half-open":        {realms: 4, room: 1, most: 1},
	} {
		d, _, _ := dispatching(8)
		d.room = func(most int) int { return min(most, c.room) }
		letGo := make(chan struct{})
		var ran atomic.Int64
		for number := range 40 {
			d.offer(task{realm: fmt.Sprint("realm", number%c.realms), reference: fmt.Sprint(number)}, func(context.Context) error {
				<-letGo
				ran.Add(1)
				return nil
			})
		}
		var tasks sync.WaitGroup
		d.start(t.Context(), &tasks)
		d.start(t.Context(), &tasks)
		if q := d.queue(name); q.Running != c.most || q.Ready != 40-c.most {
			t.Errorf("%s: %d run and %d are ready, want %d to run", name, q.Running, q.Ready, c.most)
		}
		if want := c.room > 0; d.page() > 0 != want {
			t.Errorf("%s: a poll may list %d more", name, d.page())
		}
		close(letGo)
		tasks.Wait()
		d.drain(t.Context())
		if c.room > 0 && ran.Load() != 40 {
			t.Errorf("%s: %d of 40 ran in the end", name, ran.Load())
		}
	}
	d, _, _ := dispatching(1)
	for number := range MaxQueued + 10 {
		d.offer(named(fmt.Sprint(number)), func(context.Context) error { return nil })
	}
	if len(d.ready) != MaxQueued || len(d.known) != MaxQueued || d.page() != 0 {
		t.Errorf("%d are ready, %d known, and a poll may list %d more", len(d.ready), len(d.known), d.page())
	}
}

// TestWhatFailsIsForgottenBeyondABound: the number of remembered failures is bounded, and a forgotten task can be offered again.
func TestWhatFailsIsForgottenBeyondABound(t *testing.T) {
	t.Parallel()
	d, _, _ := dispatching(8)
	fail := func(context.Context) error { return errors.New("down") }
	for number := range maxRetrying + 1 {
		d.offer(named(fmt.Sprint(number)), fail)
		if number%1000 == 0 {
			d.drain(t.Context())
		}
	}
	d.drain(t.Context())
	if q := d.queue(""); q.Retrying > maxRetrying || len(d.known) != q.Retrying {
		t.Errorf("%d are retried, %d known", q.Retrying, len(d.known))
	}
}

// TestACancelledTaskIsForgotten: the program ends; the task neither failed nor succeeded.
func TestACancelledTaskIsForgotten(t *testing.T) {
	t.Parallel()
	d, _, logged := dispatching(2)
	ctx, cancel := context.WithCancel(t.Context())
	d.offer(named("a"), func(ctx context.Context) error { cancel(); return ctx.Err() })
	d.drain(ctx)
	if len(d.known) != 0 || logged.Load() != 0 {
		t.Errorf("%d tasks are known, %d failures logged", len(d.known), logged.Load())
	}
}

// TestTheWaitForAWorkerIsMeasured: of the last first attempt, for a second.
func TestTheWaitForAWorkerIsMeasured(t *testing.T) {
	t.Parallel()
	d, clock, _ := dispatching(2)
	d.offer(named("a"), func(context.Context) error { return errors.New("down") })
	clock.add(300 * time.Millisecond)
	d.drain(t.Context())
	clock.add(500 * time.Millisecond)
	d.drain(t.Context()) // the retry did not wait for a worker
	if wait := d.wait(); wait != 300*time.Millisecond {
		t.Errorf("the wait was %s", wait)
	}
	clock.add(501 * time.Millisecond)
	if wait := d.wait(); wait != 0 {
		t.Errorf("a second later the wait is %s", wait)
	}
}

// TestAPollOfARealmRunsOnce: the next one begins when it ended. Known messages are left out, of this realm only.
func TestAPollOfARealmRunsOnce(t *testing.T) {
	t.Parallel()
	d, _, _ := dispatching(2)
	var polls sync.WaitGroup
	var begun atomic.Int32
	ended := make(chan struct{})
	poll := func(realm string) {
		d.polling.start(&polls, realm, func() {
			begun.Add(1)
			<-ended
		})
	}
	poll("demo")
	poll("demo")
	poll("demo2")
	close(ended)
	polls.Wait()
	if begun.Load() != 2 {
		t.Errorf("%d polls began, want one of each realm", begun.Load())
	}
	poll("demo")
	polls.Wait()
	if begun.Load() != 3 {
		t.Error("no poll begins after the last one ended")
	}
	d.offer(named("a"), func(context.Context) error { return nil })
	if len(d.ids("demo")) != 1 || len(d.ids("demo2")) != 0 || len(d.references()) != 1 {
		t.Errorf("known are %v of demo, %v of demo2, %v", d.ids("demo"), d.ids("demo2"), d.references())
	}
}

// TestARunningDeliveryIsWaitedFor: a delivery of a message runs once. An answer waits until its note is queued or it ends, at most the time.
func TestARunningDeliveryIsWaitedFor(t *testing.T) {
	t.Parallel()
	d, a, b := newDeliveries(), uuid.New(), uuid.New()
	if d.wait(t.Context(), a, time.Hour) != nil || !d.begin(a) || d.begin(a) || !d.begin(b) {
		t.Error("a delivery of one message runs twice, or keeps out another")
	}
	if d.wait(t.Context(), a, time.Millisecond) != nil {
		t.Error("a message without a note of its delivery is known")
	}
	go d.delivered(payment.Message{InternalID: a, Sequence: 7})
	if after := d.wait(t.Context(), a, time.Hour); after == nil || after.Sequence != 7 {
		t.Errorf("the delivery leaves %+v", after)
	}
	go d.end(b)
	if d.wait(t.Context(), b, time.Hour) != nil {
		t.Error("a delivery that ended without a note leaves a message")
	}
	d.end(a)
	if !d.begin(a) {
		t.Error("no delivery begins after the last one ended")
	}
}

// TestTheDispatcherRunsWhatIsOfferedMeanwhile: many offer at a time while the loop runs; each task runs once, and the loop waits for those
// that run when it ends.
func TestTheDispatcherRunsWhatIsOfferedMeanwhile(t *testing.T) {
	t.Parallel()
	d, clock, _ := dispatching(8)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.run(ctx, context.WithoutCancel(ctx)) }()
	var offers sync.WaitGroup
	var ran [4][100]atomic.Int64
	for by := range ran {
		offers.Go(func() {
			for number := range ran[by] {
				one := &ran[by][number]
				d.offer(task{realm: fmt.Sprint("realm", by), reference: fmt.Sprint(number)}, func(context.Context) error {
					clock.add(time.Millisecond)
					if one.Add(1) == 1 && number%10 == 0 {
						return errors.New("down")
					}
					return nil
				})
				d.queue("")
				d.stuck()
			}
		})
	}
	offers.Wait()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		clock.add(10 * time.Millisecond)
		if q := d.queue(""); q.Ready+q.Running+q.Retrying == 0 {
			break
		}
	}
	stop()
	<-ended
	for by := range ran {
		for number := range ran[by] {
			want := int64(1)
			if number%10 == 0 {
				want = 2
			}
			if got := ran[by][number].Load(); got != want {
				t.Errorf("task %d of realm %d ran %d times, want %d", number, by, got, want)
			}
		}
	}
}
