package store_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/store"
)

// TestNobodyWaitsLongForWhatStandsStill: while a statement stands still that has the turn, those of other kinds leave beside it once their
// wait is over.
func TestNobodyWaitsLongForWhatStandsStill(t *testing.T) {
	t.Parallel()
	turns := store.NewFairMutex(20 * time.Millisecond)
	still, one, other := newCounter(), newCounter(), newCounter()
	stands := do(t, store.NewBatcher(turns, still.send))
	<-still.began
	goesOn, goesToo := store.NewBatcher(turns, one.send), store.NewBatcher(turns, other.send)
	for range 3 {
		first, second := do(t, goesOn), do(t, goesToo)
		letGo(t, one) // while the other stands still
		letGo(t, other)
		wantDone(t, first, second)
	}
	letGo(t, still)
	wantDone(t, stands)
}

// TestTheTurnGoesToWhoWaitsLongest: of the kinds that wait for their turn the first has it first, and the other after it.
func TestTheTurnGoesToWhoWaitsLongest(t *testing.T) {
	t.Parallel()
	turns := store.NewFairMutex(time.Hour)
	under, one, other := newCounter(), newCounter(), newCounter()
	first := do(t, store.NewBatcher(turns, under.send))
	<-under.began
	waits, waitsToo := store.NewBatcher(turns, one.send), store.NewBatcher(turns, other.send)
	second := do(t, waits)
	until(t, func() bool { return waits.Waiting("demo") == 1 })
	time.Sleep(10 * time.Millisecond) // it stands in line as soon as it waits
	third := do(t, waitsToo)
	until(t, func() bool { return waitsToo.Waiting("demo") == 1 })
	time.Sleep(10 * time.Millisecond)
	letGo(t, under)
	letGo(t, one)
	letGo(t, other)
	wantDone(t, first, second, third)
}

// do does one item, in a goroutine of its own.
func do(t *testing.T, g *store.Batcher[int, string]) (answer chan error) {
	t.Helper()
	answer = make(chan error, 1)
	go func() {
		_, err := g.Do(context.WithoutCancel(t.Context()), "demo", 2, nil)
		answer <- err
	}()
	return answer
}

// letGo lets a statement come back, which must leave within a minute.
func letGo(t *testing.T, c *counter) {
	t.Helper()
	select {
	case c.allow <- nil:
	case <-time.After(time.Minute):
		t.Fatal("it never left")
	}
}

func wantDone(t *testing.T, answers ...chan error) {
	t.Helper()
	for i, answer := range answers {
		if err := <-answer; err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came to that")
		}
	}
}
