package submission

import (
	"sync"
	"time"

	"countersign/internal/payee"
)

// How long what was found about a payee is taken for the same question, so that what a maker saw on the check page is what is stored: an
// answer as long as a form is looked at, none as long as it takes to go on.
const (
	rememberAnswer  = 10 * time.Minute
	rememberFailure = time.Minute
	// maxRemembered bounds each of the two halves of what is remembered: when the newer one is full, the older one is dropped.
	maxRemembered = 10_000
)

// askedPayee is a question: the same name and account, asked for the same realm.
type askedPayee struct{ realm, iban, name string }

// rememberedPayees are the last answers. They are kept in memory alone: what lay in the database could be put there by others.
type rememberedPayees struct {
	mu      sync.Mutex
	recent  map[askedPayee]payee.Verification
	earlier map[askedPayee]payee.Verification
}

// recall is what was found, if that is not too long ago.
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

// keep remembers what was found.
func (r *rememberedPayees) keep(key askedPayee, found payee.Verification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent == nil || len(r.recent) >= maxRemembered {
		r.recent, r.earlier = make(map[askedPayee]payee.Verification), r.recent
	}
	r.recent[key] = found
}
