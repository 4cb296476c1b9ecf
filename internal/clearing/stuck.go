package clearing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Doing is what failed.
type Doing string

// What a message or document can be stuck in.
const (
	DoingDelivery Doing = "delivery"
	DoingInquiry  Doing = "inquiry"
	DoingAnswer   Doing = "answer"
	DoingClock    Doing = "clock"   // a move that is due
	DoingHeld     Doing = "waiting" // a document of clearing that waited in vain
)

// Stuck is a message or document with which something failed in this process, and that pauses until it is tried again.
type Stuck struct {
	Scheme  rulebook.Scheme // "" where it is of both
	Doing   Doing
	Subject string // the internal id of a message, or the scheme and the reference of a document
	Failed  int    // times
	Next    time.Time
	Why     string
}

// maxStuck bounds what is listed of each kind.
const maxStuck = 100

// stuckIn lists what pauses, the most often failed first.
func stuckIn[K comparable](p *pauses[K], scheme rulebook.Scheme, doing Doing) []Stuck {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Stuck, 0, len(p.of))
	for key, a := range p.of {
		list = append(list, Stuck{
			Scheme: scheme, Doing: doing, Subject: fmt.Sprint(key), Failed: a.failed, Next: a.next, Why: a.why.Error(),
		})
	}
	slices.SortFunc(list, func(a, b Stuck) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Subject, b.Subject))
	})
	return list[:min(len(list), maxStuck)]
}

// Stuck lists what pauses in this process, at most a hundred of each kind.
func (s *Station) Stuck() []Stuck {
	var all []Stuck
	for _, l := range s.lanes {
		all = append(all, stuckIn(l.deliveries, l.scheme, DoingDelivery)...)
		all = append(all, stuckIn(l.inquiries, l.scheme, DoingInquiry)...)
		all = append(all, stuckIn(l.answers, l.scheme, DoingAnswer)...)
	}
	all = append(all, stuckIn(s.stuck, "", DoingClock)...)
	return append(all, stuckIn(s.held, "", DoingHeld)...)
}

// TryAgain ends the pauses of a message or document in this process, or of all with subject "": what is stuck is tried within a second,
// under the same ids as ever. The audit trail of the person's realm tells of it. It says whether anything of the subject paused; with "" it
// does not look.
func (s *Station) TryAgain(ctx context.Context, by identity.Principal, subject string) (paused bool, err error) {
	told := "all that pauses"
	if subject != "" {
		told = subject
		if !slices.ContainsFunc(s.memories(), func(m memory) bool { return m.has(subject) }) {
			return false, nil
		}
	}
	err = s.cfg.Messages.Told(ctx, store.Deed{
		Actor: by.Actor(), Realm: by.Realm, Event: auditlog.EventTryAgain, Subject: told, At: s.cfg.Now(),
	})
	if err != nil {
		return false, err
	}
	for _, m := range s.memories() {
		m.end(subject)
	}
	return true, nil
}

// memory is what the station remembers of one kind of failed attempts.
type memory interface {
	has(subject string) bool
	end(subject string)
	forget(now time.Time)
}

// memories are those of all that can be stuck.
func (s *Station) memories() []memory {
	all := []memory{s.stuck, s.held}
	for _, l := range s.lanes {
		all = append(all, l.memories()...)
	}
	return all
}

func (l *lane) memories() []memory { return []memory{l.deliveries, l.inquiries, l.answers} }

// forgetDone forgets what others did meanwhile, so that nobody is told that it is stuck here. While a connection is interrupted nothing of
// its lane is tried, so that all of it may still be to be done.
func (s *Station) forgetDone() {
	now, all := s.cfg.Now(), []memory{s.stuck, s.held}
	for _, l := range s.lanes {
		if l.connection.works() {
			all = append(all, l.memories()...)
		}
	}
	for _, m := range all {
		m.forget(now)
	}
}

// MissingKeys names the keys that answers to clearing wait for, because the key file does not hold them.
func (s *Station) MissingKeys(ctx context.Context) ([]string, error) { return s.outbox.Held(ctx) }
