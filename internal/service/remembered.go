package service

import (
	"sync"
	"time"

	"countersign/internal/payee"
)

// These are the lifetimes of cached payee verifications, so that the stored result matches the review page. An answer
// lives as long as a form is open, a missing answer only until the next step.
const (
	rememberAnswer  = 10 * time.Minute
	rememberFailure = time.Minute
	// maxRemembered bounds each of the two generations of the cache: a full new generation replaces the old one.
	maxRemembered = 10_000
)

// askedPayee is a question: the name and account, asked for a realm.
type askedPayee struct{ realm, iban, name string }

// rememberedPayees caches the last answers, in memory only: others could write answers into the database.
type rememberedPayees struct {
	mu      sync.Mutex
	recent  map[askedPayee]payee.Verification
	earlier map[askedPayee]payee.Verification
}

// recall returns the cached result, if it is recent.
func (r *rememberedPayees) recall(key askedPayee, now time.Time) (payee.Verification, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, known := r.recent[key]
	if !known {
		found, known = r.earlier[key]
	}
	life := rememberAnswer
	if found.Result == payee.Late || found.Result == payee.NotPossible {
		life = rememberFailure
	}
	return found, known && now.Sub(found.At) < life
}

// keep caches a result.
func (r *rememberedPayees) keep(key askedPayee, found payee.Verification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent == nil || len(r.recent) >= maxRemembered {
		r.recent, r.earlier = make(map[askedPayee]payee.Verification), r.recent
	}
	r.recent[key] = found
}
