package main

import (
	"testing"
	"time"
)

// at is a moment of the measurements that these tests make up.
func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// paced is a machine of which four samples a second are known: a millisecond each, and two and a half of these in the slow seconds.
func paced(seconds int, slow ...int) *pace {
	isSlow := make(map[int]bool)
	for _, s := range slow {
		isSlow[s] = true
	}
	p := &pace{}
	for quarter := range 4 * seconds {
		cost := time.Millisecond
		if isSlow[quarter/4] && quarter%4 != 0 { // a slow second may begin quick
			cost = 2500 * time.Microsecond
		}
		p.samples = append(p.samples, sample{at: at(float64(quarter) / 4), cost: cost})
	}
	return p
}

// TestASlowMachineIsToldApart: what ended in a second in which the machine was slow, or while what had piled up in it was worked off, or in
// a second that nobody watched, does not count to the quick ones; the others do.
func TestASlowMachineIsToldApart(t *testing.T) {
	t.Parallel()
	p := paced(20, 10)
	for _, c := range []struct {
		ended float64
		quick bool
	}{
		{0.5, false},
		{1.5, false},
		{2.5, true},
		{9.9, true},
		{10.1, false},
		{11.5, false},
		{12.9, false},
		{13, true},
		{19.9, true},
		{20.5, false},
	} {
		got := quickOnes([]Timed{{Ended: at(c.ended), Took: time.Second}}, p.quickSeconds())
		if (len(got) == 1) != c.quick {
			t.Errorf("what ended after %v s is counted as quick: %v", c.ended, len(got) == 1)
		}
	}
	if pace := p.during(at(2), at(9)); pace != 1 {
		t.Errorf("the pace of quick seconds is %v", pace)
	}
	if pace := p.during(at(10), at(11)); pace != 0.4 {
		t.Errorf("the pace of a second in which the work cost two and a half times as much is %v", pace)
	}
	if pace := p.during(at(50), at(60)); pace != 0 {
		t.Errorf("the pace of seconds nobody watched is %v", pace)
	}
}

// TestTheQuickSecondsOfAnEnduranceRun: each tenth tells of its own quick seconds, and the last is held against the first only where both
// have enough of them.
func TestTheQuickSecondsOfAnEnduranceRun(t *testing.T) {
	t.Parallel()
	part := func(from, length int, took, slowTook time.Duration, slow int) Tenth {
		var tenth Tenth
		tenth.part.began, tenth.part.took = at(float64(from)), time.Duration(length)*time.Second
		for n := range 200 * length {
			ended := float64(from) + float64(n)/200
			each := Timed{Ended: at(ended), Took: took}
			if int(ended) >= slow && int(ended) <= slow+drainsWithin {
				each.Took = slowTook
			}
			tenth.part.calls = append(tenth.part.calls, each)
		}
		tenth.ways = tenth.part.calls
		return tenth
	}
	run := func() *Steady {
		s := &Steady{}
		for i := range tenths {
			s.Tenths = append(s.Tenths, part(10+10*i, 10, time.Duration(10+i)*time.Millisecond, time.Second, 15+10*i))
		}
		return s
	}
	slow := make([]int, tenths)
	for i := range slow {
		slow[i] = 15 + 10*i
	}
	s := run()
	s.tellPace(paced(120, slow...))
	first, last := s.Tenths[0].Quick, s.Tenths[tenths-1].Quick
	want := Quick{Share: 0.7, P50Ms: 10, P99Ms: 10, SettledP50Ms: 10, SettledP99Ms: 10, calls: 1400}
	if first != want || last.P99Ms != 19 || s.QuickP99Ratio != 1.9 || s.Tenths[0].Pace != 1 {
		t.Errorf("the first tenth tells %+v at a pace of %v, the last %+v; ratio %v", first, s.Tenths[0].Pace, last, s.QuickP99Ratio)
	}
	s = run()
	s.tellPace(paced(104, slow...)) // nobody watched the end
	if s.QuickP99Ratio != 0 {
		t.Errorf("of %v of the calls of the last tenth a ratio of %v is told", s.Tenths[tenths-1].Quick.Share, s.QuickP99Ratio)
	}
}

// TestTheMachineIsWatched: four times a second something is done that costs processor time.
func TestTheMachineIsWatched(t *testing.T) {
	t.Parallel()
	began := time.Now()
	p := watchPace()
	all := func(time.Time) bool { return true }
	for len(p.costs(all)) < 2 {
		if time.Since(began) > time.Minute {
			t.Fatal("nothing is watched")
		}
		time.Sleep(paceEvery)
	}
	p.close()
	costs := p.costs(all)
	if pace := p.during(began, time.Now()); costs[0] <= 0 || pace <= 0 || pace > 1 {
		t.Errorf("it costs %v, a pace of %v", costs, pace)
	}
}
