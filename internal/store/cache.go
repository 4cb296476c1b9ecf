package store

import (
	"context"
	"maps"
	"sync"
	"time"
)

// within is the time-out of a shared call. The context of a caller does not end it, because others may wait.
const within = 15 * time.Second

// Answers caches and shares results by their question.
type Answers[T any] struct {
	Age time.Duration // how old an answer may be that is given once more; 0 asks anew each time

	mutex sync.Mutex
	of    map[string]*answer[T]
}

type answer[T any] struct {
	asked time.Time
	known chan struct{} // closed once the answer is there
	value T
	err   error
}

// Ask returns a result younger than the maximum age, or calls ask. An error goes to all waiting callers and is not
// cached.
func (a *Answers[T]) Ask(ctx context.Context, question string, now time.Time, ask func(context.Context) (T, error)) (T, error) {
	one := a.join(ctx, question, now, ask)
	select {
	case <-one.known:
		return one.value, one.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (a *Answers[T]) join(ctx context.Context, question string, now time.Time, ask func(context.Context) (T, error)) *answer[T] {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if one := a.of[question]; one != nil && now.Sub(one.asked).Abs() < a.Age {
		return one
	}
	one := &answer[T]{asked: now, known: make(chan struct{})}
	if a.of == nil {
		a.of = map[string]*answer[T]{}
	}
	maps.DeleteFunc(a.of, func(_ string, old *answer[T]) bool { return now.Sub(old.asked).Abs() >= a.Age }) // questions tell of days and hours
	a.of[question] = one
	go func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		defer close(one.known)
		one.value, one.err = ask(late)
		if one.err != nil {
			a.forget(question, one)
		}
	}()
	return one
}

// forget removes the answer of a question, if it is still this one.
func (a *Answers[T]) forget(question string, one *answer[T]) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.of[question] == one {
		delete(a.of, question)
	}
}
