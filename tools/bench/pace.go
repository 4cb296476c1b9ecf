package main

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// pace watches how quick the machine is while it is measured: a fixed piece of work is done four times a second, and told is what it costs
// of processor time. That is the same whatever else wants the processors here. Where the machine is a virtual one it doubles while the host
// gives it less, for seconds at a time, and most of what takes long falls into these (docs/high-availability.md). So latencies are
// told of all seconds, and of those in which the machine was about as quick as at its best.
type pace struct {
	stopped chan struct{}
	ended   chan struct{}

	mu      sync.Mutex
	samples []sample
}

// sample is what the work cost once.
type sample struct {
	at   time.Time
	cost time.Duration
}

const (
	paceEvery = 250 * time.Millisecond
	// slowFrom is how much more than at the machine's best the work costs in a slow second.
	slowFrom = 1.5
	// drainsWithin is how many seconds what piled up in a slow second is still worked off.
	drainsWithin = 2
)

// watchPace begins to watch. Close it.
func watchPace() *pace {
	p := &pace{stopped: make(chan struct{}), ended: make(chan struct{})}
	go p.watch()
	return p
}

func (p *pace) close() {
	close(p.stopped)
	<-p.ended
}

func (p *pace) watch() {
	defer close(p.ended)
	runtime.LockOSThread() // whose processor time is read
	defer runtime.UnlockOSThread()
	w := newPaceWork()
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stopped:
			return
		case <-tick.C:
		}
		before := threadTime()
		w.do()
		s := sample{at: time.Now(), cost: threadTime() - before}
		p.mu.Lock()
		p.samples = append(p.samples, s)
		p.mu.Unlock()
	}
}

// paceWork is about a millisecond of what keeps a processor and its nearer memory busy: four sums that depend on what they find in a table
// of 256 kB.
type paceWork struct {
	table []uint64
	sums  [4]uint64
}

const (
	paceTable  = 1 << 15
	paceRounds = 150_000
	// Of Knuth's generator MMIX; its upper bits are the ones that are spread well.
	paceFactor, paceShift = 6364136223846793005, 33
)

func newPaceWork() *paceWork {
	w := &paceWork{table: make([]uint64, paceTable), sums: [4]uint64{1, 3, 5, 7}}
	for i := range w.table {
		w.table[i] = uint64(i) * paceFactor
	}
	return w
}

func (w *paceWork) do() {
	for range paceRounds {
		for i, sum := range w.sums {
			w.sums[i] = sum*paceFactor + w.table[(sum>>paceShift)%paceTable] + 1
		}
	}
}

// costs are those of the samples whose times are meant, least first.
func (p *pace) costs(meant func(at time.Time) bool) []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var costs []time.Duration
	for _, s := range p.samples {
		if meant(s.at) {
			costs = append(costs, s.cost)
		}
	}
	slices.Sort(costs)
	return costs
}

// best is what the work costs when the machine is quick: less than in nine of ten samples; 0 if nothing was watched.
func (p *pace) best() time.Duration {
	costs := p.costs(func(time.Time) bool { return true })
	if len(costs) == 0 {
		return 0
	}
	return costs[len(costs)/10]
}

// during is how quick the machine was, as a part of its best; 0 if that was not watched.
func (p *pace) during(from, to time.Time) float64 {
	costs := p.costs(func(at time.Time) bool { return !at.Before(from) && at.Before(to) })
	if len(costs) == 0 {
		return 0
	}
	return float64(p.best()) / float64(costs[len(costs)/2])
}

// quickSeconds are the seconds of the Unix clock in which the machine was about as quick as at its best.
func (p *pace) quickSeconds() map[int64]bool {
	limit := time.Duration(float64(p.best()) * slowFrom)
	p.mu.Lock()
	defer p.mu.Unlock()
	bySecond := make(map[int64][]time.Duration)
	for _, s := range p.samples {
		bySecond[s.at.Unix()] = append(bySecond[s.at.Unix()], s.cost)
	}
	quick := make(map[int64]bool, len(bySecond))
	for second, costs := range bySecond {
		slices.Sort(costs)
		quick[second] = costs[len(costs)/2] < limit
	}
	return quick
}

// quickOnes are those that ended in a quick second, to which no slow one before had left anything to work off.
func quickOnes(all []Timed, quick map[int64]bool) []Timed {
	return slices.DeleteFunc(slices.Clone(all), func(one Timed) bool {
		for before := range int64(drainsWithin + 1) {
			if !quick[one.Ended.Unix()-before] {
				return true
			}
		}
		return false
	})
}
