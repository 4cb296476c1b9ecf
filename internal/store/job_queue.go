package store

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"countersign/internal/rulebook"
)

// MostJobs is how many jobs of a queue are counted at most.
const MostJobs = 1000

// Queue is how the jobs of one queue stand, counted to MostJobs.
type Queue struct {
	Name                     string
	Ready, Running, Retrying int
	Oldest                   time.Time // when the oldest of them was to run; zero for none
}

// Waiting says how the queues stand.
func (j *Jobs) Waiting(ctx context.Context) ([]Queue, error) {
	var names []string
	for _, scheme := range rulebook.Schemes() {
		names = append(names, sendQueue(scheme), answerQueue(scheme))
	}
	var queues []Queue
	for _, name := range names {
		found, err := j.client.JobList(ctx, river.NewJobListParams().Queues(name).First(MostJobs).
			States(rivertype.JobStateAvailable, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled))
		if err != nil {
			return nil, fmt.Errorf("look at the job queue: %w", err)
		}
		queues = append(queues, queueOf(name, found.Jobs))
	}
	return queues, nil
}

func queueOf(name string, jobs []*rivertype.JobRow) Queue {
	q := Queue{Name: name}
	for _, job := range jobs {
		switch job.State {
		case rivertype.JobStateRunning:
			q.Running++
		case rivertype.JobStateAvailable:
			q.Ready++
		default:
			q.Retrying++
		}
		if q.Oldest.IsZero() || job.ScheduledAt.Before(q.Oldest) {
			q.Oldest = job.ScheduledAt.UTC()
		}
	}
	return q
}
