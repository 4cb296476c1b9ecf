package store

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxJobs is how many jobs wait in a queue at most. What finds no room is left to clearing's lanes, which read the database.
const MaxJobs = 4096

// Queue is how the jobs of one queue of this process stand.
type Queue struct {
	Name                     string
	Ready, Running, Retrying int
	Oldest                   time.Time // when the oldest of them was to run; zero for none
}

// Waiting says how the queues stand.
func (j *Jobs) Waiting() []Queue {
	queues := make([]Queue, 0, len(j.lanes))
	for key, lane := range j.lanes {
		queues = append(queues, lane.standing(key.name()))
	}
	slices.SortFunc(queues, func(a, b Queue) int { return strings.Compare(a.Name, b.Name) })
	return queues
}

// jobState is where a job is in its lane.
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

// standing is where a job is, and since when, or from when on it is to be tried again.
type standing struct {
	state jobState
	at    time.Time
}

func newJobLane() *jobLane {
	return &jobLane{waiting: make(chan *job, MaxJobs), known: make(map[*job]standing)}
}

// maxFresh is how many jobs of a lane keep what they are about in memory. Those that come while more wait read it.
const maxFresh = 256

// put makes a job ready. One that finds no room is forgotten: clearing's lanes find it in the database.
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

// since says when a job became what it is.
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
