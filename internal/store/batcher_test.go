package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/internal/store"
)

// counter is a statement for many that a test holds up: it waits for a word before each batch, and notes what was in it.
type counter struct {
	allow chan error
	began chan struct{}

	mu      sync.Mutex
	batches [][]int
}

func newCounter() *counter { return &counter{allow: make(chan error), began: make(chan struct{}, 100)} }

// send does even numbers, and returns the empty text for odd ones.
func (c *counter) send(_ context.Context, realm string, items []int) ([]string, error) {
	c.began <- struct{}{}
	err := <-c.allow
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batches = append(c.batches, slices.Clone(items))
	outcomes := make([]string, len(items))
	for i, item := range items {
		if item%2 == 0 {
			outcomes[i] = fmt.Sprintf("%s %d", realm, item)
		}
	}
	return outcomes, err
}

// gathering is one statement under way in a realm and so many callers behind it, each with the item of its number.
func gathering(t *testing.T, ctx context.Context, c *counter, behind int) (answers []chan error, texts []string) {
	t.Helper()
	g := store.NewBatcher(store.NewFairMutex(time.Minute), c.send)
	answers, texts = make([]chan error, behind+1), make([]string, behind+1)
	for i := range answers {
		answers[i] = make(chan error, 1)
		go func() {
			var err error
			texts[i], err = g.Do(ctx, "demo", i, nil)
			answers[i] <- err
		}()
		if i == 0 {
			<-c.began
		}
	}
	until(t, func() bool { return g.Waiting("demo") >= behind })
	return answers, texts
}

// TestWhatWaitsGoesOutTogether: the first leaves at once and alone, the others as one batch when it is back, each with its own outcome.
func TestWhatWaitsGoesOutTogether(t *testing.T) {
	t.Parallel()
	c := newCounter()
	answers, texts := gathering(t, t.Context(), c, 9)
	c.allow <- nil
	c.allow <- nil
	for i, answer := range answers {
		err := <-answer
		if err != nil || i%2 == 0 && texts[i] != fmt.Sprintf("demo %d", i) || i%2 == 1 && texts[i] != "" {
			t.Errorf("%d: %q %v", i, texts[i], err)
		}
	}
	if len(c.batches) != 2 || len(c.batches[0]) != 1 || len(c.batches[1]) != 9 {
		t.Errorf("sent %v", c.batches)
	}
}

// TestNoRealmWaitsForAnother: what is under way in one holds up nothing in the other, and nobody travels with another realm's items.
func TestNoRealmWaitsForAnother(t *testing.T) {
	t.Parallel()
	c := newCounter()
	g := store.NewBatcher(store.NewFairMutex(time.Minute), c.send)
	both := make(chan error, 2)
	for _, realm := range []string{"demo", "demo2"} {
		go func() {
			text, err := g.Do(t.Context(), realm, 2, nil)
			if text != realm+" 2" {
				err = errors.Join(err, errors.New(text))
			}
			both <- err
		}()
	}
	<-c.began
	<-c.began // both are under way
	c.allow <- nil
	c.allow <- nil
	if err := errors.Join(<-both, <-both); err != nil {
		t.Error(err)
	}
}

// TestAnErrorGoesToAll: an error of the statement is the error of each of its operations, and of no other.
func TestAnErrorGoesToAll(t *testing.T) {
	t.Parallel()
	refused, held := errors.New("refused"), newCounter()
	answers, _ := gathering(t, t.Context(), held, 3)
	held.allow <- nil
	held.allow <- refused
	for i, answer := range answers {
		err := <-answer
		if (i > 0) != errors.Is(err, refused) {
			t.Errorf("the item %d is told %v", i, err)
		}
	}
}

// TestWhoGivesUp: a caller that gives up before its item left is told so, and the item never leaves; after that, nobody can say, but for
// the one that found nothing under way and learns its outcome.
func TestWhoGivesUp(t *testing.T) {
	t.Parallel()
	for _, left := range []bool{false, true} {
		c := newCounter()
		impatient, giveUp := context.WithCancel(t.Context())
		answers, _ := gathering(t, impatient, c, 3)
		if left {
			c.allow <- nil
			<-c.began // the three that waited are under way
		}
		giveUp()
		for i, answer := range answers[1:] {
			err := <-answer
			if !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknown) != left {
				t.Errorf("the item %d, which left: %t: %v", i+1, left, err)
			}
		}
		c.allow <- nil
		if err := <-answers[0]; err != nil {
			t.Errorf("the first is told %v", err)
		}
		select {
		case <-c.began:
			t.Error("an item whose caller gave up was sent")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestADeadlineEndsWhatIsUnderWay: who found nothing under way waits to its deadline, also where no answer comes.
func TestADeadlineEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	g := store.NewBatcher(store.NewFairMutex(time.Minute), func(ctx context.Context, _ string, _ []int) ([]string, error) {
		<-ctx.Done()
		return nil, errors.Join(store.ErrUnknown, ctx.Err())
	})
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := g.Do(soon, "demo", 2, nil)
	if !errors.Is(err, store.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	gone, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err = g.Do(gone, "demo", 2, nil)
	if !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknown) {
		t.Errorf("who gave up before is told %v", err)
	}
}

// TestKindsTakeTurns: while a statement of one kind is under way in a realm, those of another kind that shares its turns wait, and leave
// together; who gives up meanwhile is not among them. Another realm waits for neither.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	turns, first, second := store.NewFairMutex(time.Minute), newCounter(), newCounter()
	one, other := store.NewBatcher(turns, first.send), store.NewBatcher(turns, second.send)
	answers := make(chan error, 5)
	do := func(g *store.Batcher[int, string], ctx context.Context, realm string, item int) {
		go func() {
			_, err := g.Do(ctx, realm, item, nil)
			answers <- err
		}()
	}
	do(one, t.Context(), "demo", 2)
	<-first.began
	impatient, giveUp := context.WithCancel(t.Context())
	do(other, impatient, "demo", 4)
	until(t, func() bool { return other.Waiting("demo") >= 1 })
	do(other, t.Context(), "demo", 6)
	do(other, t.Context(), "demo", 8)
	until(t, func() bool { return other.Waiting("demo") >= 3 })
	giveUp()
	if err := <-answers; !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknown) {
		t.Errorf("who gave up before their turn is told %v", err)
	}
	do(other, t.Context(), "demo2", 2)
	<-second.began // and nothing of the realm whose turn it is not
	second.allow <- nil
	first.allow <- nil
	second.allow <- nil
	for range 4 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if len(second.batches) != 2 || len(second.batches[0])+len(second.batches[1]) != 3 {
		t.Errorf("the second kind left as %v", second.batches)
	}
}

// TestABatchHasABound: a flood leaves in batches of 64.
func TestABatchHasABound(t *testing.T) {
	t.Parallel()
	c := newCounter()
	answers, texts := gathering(t, t.Context(), c, 130)
	for range 4 {
		c.allow <- nil
	}
	for i, answer := range answers {
		err := <-answer
		if err != nil || (i%2 == 0) != (texts[i] != "") {
			t.Errorf("%d: %q %v", i, texts[i], err)
		}
	}
	if len(c.batches) != 4 || len(c.batches[1]) != 64 || len(c.batches[2]) != 64 || len(c.batches[3]) != 2 {
		t.Errorf("%d batches", len(c.batches))
	}
}
