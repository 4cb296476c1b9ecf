package clearing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Doing is the kind of a failed task.
type Doing string

// The kinds of tasks that can fail.
const (
	DoingDelivery Doing = "delivery"
	DoingInquiry  Doing = "inquiry"
	DoingAnswer   Doing = "answer"
	DoingClock    Doing = "clock"   // a move that is due
	DoingHeld     Doing = "waiting" // a document of clearing that waited in vain
	DoingBatch    Doing = "batch"   // the payments of a program's batch
	DoingWebhook  Doing = "webhook" // the deliveries of a webhook
	DoingNotice   Doing = "notice"  // the e-mails to a person
	DoingRelease  Doing = "release" // a scheduled payment whose day has come
	DoingBooking  Doing = "booking" // the end of a payment, to core banking
)

// Stuck is a message or document whose task failed in this process and is retried.
type Stuck struct {
	Scheme  rulebook.Scheme // "" for both
	Doing   Doing
	Subject string // the internal id of a message, or the scheme and the reference of a document
	Failed  int    // times
	Next    time.Time
	Why     string
}

// maxStuck limits the listed tasks of each kind.
const maxStuck = 100

// stuck lists the tasks that failed, the most often failed first.
func (d *dispatcher) stuck() []Stuck {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Stuck, 0, d.retrying)
	for _, e := range d.known {
		if e.failed > 0 {
			list = append(list, Stuck{
				Scheme: d.scheme, Doing: d.doing, Subject: e.subject(), Failed: e.failed, Next: e.next, Why: e.why.Error(),
			})
		}
	}
	slices.SortFunc(list, func(a, b Stuck) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Subject, b.Subject))
	})
	return list[:min(len(list), maxStuck)]
}

// Stuck lists the failed tasks of this process, at most a hundred of each kind.
func (s *Service) Stuck() (all []Stuck) {
	for _, d := range s.dispatchers() {
		all = append(all, d.stuck()...)
	}
	return all
}

// TryAgain retries the task of a message or document in this process now, or all tasks with subject "", under the same ids as before. It
// writes an event to the audit log of the person's realm. It reports whether a task of the subject had failed; with "" it is true.
func (s *Service) TryAgain(ctx context.Context, by identity.Principal, subject string) (paused bool, err error) {
	told := "all that pauses"
	if subject != "" {
		told = subject
		if !slices.ContainsFunc(s.dispatchers(), func(d *dispatcher) bool { return d.failedOn(subject) }) {
			return false, nil
		}
	}
	err = s.cfg.Messages.RecordAction(ctx, store.OperatorAction{
		Actor: by.Actor(), Realm: by.Realm, Event: auditlog.EventTryAgain, Subject: told, At: s.cfg.Now(),
	})
	if err != nil {
		return false, err
	}
	for _, d := range s.dispatchers() {
		d.retryNow(func(of string, _ error) bool { return subject == "" || of == subject })
	}
	return true, nil
}

// failedOn reports whether a task of the subject failed.
func (d *dispatcher) failedOn(subject string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.known {
		if e.failed > 0 && e.subject() == subject {
			return true
		}
	}
	return false
}

// Queue is the state of a dispatcher of this process.
type Queue struct {
	Name                     string // in metrics
	Scheme                   rulebook.Scheme
	Doing                    Doing
	Ready, Running, Retrying int
	Oldest                   time.Time // the oldest time since which a task is in its state; zero for none
}

// Queues returns the state of the deliveries and answers of each scheme.
func (s *Service) Queues() (queues []Queue) {
	for _, w := range s.schemes {
		queues = append(queues, w.answers.queue("answer-"+string(w.scheme)), w.deliveries.queue("send-"+string(w.scheme)))
	}
	slices.SortFunc(queues, func(a, b Queue) int { return cmp.Compare(a.Name, b.Name) })
	return queues
}

func (d *dispatcher) queue(name string) Queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := Queue{Name: name, Scheme: d.scheme, Doing: d.doing, Ready: len(d.ready), Running: d.active, Retrying: d.retrying}
	for _, e := range d.known {
		if q.Oldest.IsZero() || e.since.Before(q.Oldest) {
			q.Oldest = e.since
		}
	}
	return q
}

// count returns the number of ready tasks.
func (d *dispatcher) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.ready)
}

// Wait returns how long the last message of a scheme waited in this process for its delivery; 0 when none began within the last second.
func (s *Service) Wait(scheme rulebook.Scheme) time.Duration {
	w, err := s.scheme(scheme)
	if err != nil {
		return 0
	}
	return w.deliveries.wait()
}

// MissingKeys names the keys, missing in the key file, for which answers to clearing wait.
func (s *Service) MissingKeys(ctx context.Context) ([]string, error) { return s.outbox.Held(ctx) }
