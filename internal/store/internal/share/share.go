// Package share lets everybody who asks the same at about the same time have one answer.
package share

import (
	"context"
	"maps"
	"sync"
	"time"
)

// within is how long an answer may take whoever waits for it: nobody's leaving ends it, because others may wait.
const within = 15 * time.Second

// Answers are answers that are shared for a while, by what was asked.
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

// Ask is the answer to a question: one that was asked less than the age before, or else a new one. What failed is told to those who waited
// for it and not kept.
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

// forget leaves a question unanswered, if this is still its answer.
func (a *Answers[T]) forget(question string, one *answer[T]) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.of[question] == one {
		delete(a.of, question)
	}
}
