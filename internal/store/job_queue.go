package store

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxJobs is the capacity of a queue. Further jobs are dropped; the lanes of clearing find them in the database.
const MaxJobs = 4096

// Queue is the state of a job queue of this process.
type Queue struct {
	Name                     string
	Ready, Running, Retrying int
	Oldest                   time.Time // when the oldest of them was to run; zero for none
}

// Waiting returns the state of the queues.
func (j *Jobs) Waiting() []Queue {
	queues := make([]Queue, 0, len(j.lanes))
	for key, lane := range j.lanes {
		queues = append(queues, lane.standing(key.name()))
	}
	slices.SortFunc(queues, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
	return queues
}

// jobState is the state of a job in its lane.
type jobState int

const (
	jobReady jobState = iota
	jobRunning
	jobRetrying
)

// jobLane holds the jobs of one lane.
type jobLane struct {
	waiting chan *job

	mu    sync.Mutex
	known map[*job]standing
}

// standing is the state of a job, its start time, and the time of its next attempt.
type standing struct {
	state jobState
	at    time.Time
}

func newJobLane() *jobLane {
	return &jobLane{waiting: make(chan *job, MaxJobs), known: make(map[*job]standing)}
}

// maxFresh is the number of jobs of a lane whose data stays in memory. Later jobs read it from the database.
const maxFresh = 256

// put makes a job ready. If the queue is full, the job is dropped; the lanes of clearing find it in the database.
func (l *jobLane) put(one *job, at time.Time) {
	if len(l.waiting) >= maxFresh {
		one.fresh = nil
	}
	l.note(one, jobReady, at)
	select {
	case l.waiting <- one:
	default:
		l.forget(one)
	}
}

func (l *jobLane) note(one *job, state jobState, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[one] = standing{state: state, at: at}
}

// since returns the time of the job's last state change.
func (l *jobLane) since(one *job) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[one].at
}

func (l *jobLane) forget(one *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, one)
}

func (l *jobLane) standing(name string) Queue {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := Queue{Name: name}
	for _, one := range l.known {
		switch one.state {
		case jobRunning:
			q.Running++
		case jobRetrying:
			q.Retrying++
		default:
			q.Ready++
		}
		if at := one.at.UTC(); q.Oldest.IsZero() || at.Before(q.Oldest) {
			q.Oldest = at
		}
	}
	return q
}
