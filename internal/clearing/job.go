package clearing

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

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
		if !d.beginPoll(realm) {
			continue
		}
		polls.Go(func() {
			defer d.endPoll(realm)
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
