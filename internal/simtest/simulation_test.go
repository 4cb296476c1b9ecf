package simtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func schemeOf(a *arrival) rulebook.Scheme {
	if a.transfer.Amount.Currency() == "CHF" {
		return rulebook.SchemeSIC
	}
	return rulebook.SchemeSCT
}

const (
	// schedules are played with the tests: some 6 seconds of processor time. make simulate plays more.
	schedules = 40
	// onOneGround is how many schedules share a database, which the auditor looks at when the last of them is over.
	onOneGround = 200
	// looked is the most schedules after each of which the auditor looks: few of them are played to find out what goes wrong.
	looked = 20
)

// setting reads a number of the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.ParseUint(text, 10, 64)
	must(t, err)
	return number
}

// TestScheduleOfChance plays schedules: COUNTERSIGN_SCHEDULES of them, the first of the seed COUNTERSIGN_SCHEDULE, for no longer than
// COUNTERSIGN_SCHEDULES_WITHIN. What a failure prints plays the same schedule again: all choices follow from its seed. (Where the gateway
// works with several connections at a time, the order of their statements is the machine's, so the same crash may need another try.)
func TestScheduleOfChance(t *testing.T) {
	t.Parallel()
	first, count := setting(t, "COUNTERSIGN_SCHEDULE", 1), setting(t, "COUNTERSIGN_SCHEDULES", schedules)
	within, err := time.ParseDuration(os.Getenv("COUNTERSIGN_SCHEDULES_WITHIN"))
	if err != nil {
		within = 24 * time.Hour
	}
	until := time.Now().Add(within)
	var total tally
	var mu sync.Mutex
	var players sync.WaitGroup
	seeds := make(chan uint64)
	const together = 2
	share := min(onOneGround, (count+together-1)/together)
	for range together {
		players.Go(func() {
			for seed := range seeds {
				found := playOn(t, seed, min(share, first+count-seed))
				mu.Lock()
				total.add(found)
				mu.Unlock()
			}
		})
	}
	for seed := first; seed < first+count && time.Now().Before(until) && !t.Failed(); seed += share {
		seeds <- seed
	}
	close(seeds)
	players.Wait()
	t.Logf("%d schedules: %d calls, %d statements, %d crashes, %d broken connections, %d deliveries refused; "+
		"%d payments took effect, %d came in, %d recalls, returns and resolutions",
		total.schedules, total.calls, total.statements, total.crashes, total.blips, total.refused, total.paid, total.incoming, total.requests)
	const enough = 20 // a few that are played again need not meet everything
	if total.schedules >= enough && (total.crashes == 0 || total.refused == 0 || total.paid == 0 || total.incoming == 0 ||
		total.requests == 0) {
		t.Error("nothing crashed, was refused or was paid: the simulation does not do what it says")
	}
}

// playOn plays schedules one after the other on one database. Where the auditor finds something when they are over, they are played again,
// and it looks after each, so that the one that did it is named.
func playOn(t *testing.T, seed, count uint64) (total tally) {
	s := newGround(t)
	for own := seed; own < seed+count; own++ {
		g := s.playOne(own)
		if count <= looked {
			g.wrong = append(g.wrong, s.audit()...)
		}
		total.add(g.count)
		if len(g.wrong) > 0 {
			t.Errorf("schedule %d (play it again: COUNTERSIGN_SCHEDULE=%d COUNTERSIGN_SCHEDULES=1 go test ./internal/simtest):\n%s\n\n%s",
				g.seed, g.seed, strings.Join(g.wrong, "\n"), strings.Join(g.trace, "\n"))
			break
		}
	}
	total.statements = s.wire.passed
	if count > looked && !t.Failed() {
		found := s.audit()
		if len(found) > 0 {
			t.Errorf("after the schedules %d to %d, which are played again in parts:\n%s", seed, seed+count-1, strings.Join(found, "\n"))
			for part := seed; part < seed+count; part += looked {
				playOn(t, part, min(looked, seed+count-part))
			}
		}
	}
	return total
}

// playOne plays one schedule. It begins at noon of a day of its own, and leaves nothing undone.
func (s *ground) playOne(seed uint64) *game {
	s.begin(seed)
	g := &game{
		ground: s, seed: seed, number: int(seed) * maxNumbers, chance: rand.New(rand.NewPCG(seed, 1)),
		tried: map[string]bool{}, asked: map[string]bool{}, bank: newBank(seed, s.wire, s.clock.Now), count: tally{schedules: 1},
	}
	g.play()
	return g
}

// maxNumbers is more than the orders and incoming payments of a schedule.
const maxNumbers = 100

// begin sets the clock to the noon at which a schedule begins: of the day that its seed says, or, where that is over, of the next.
func (s *ground) begin(seed uint64) {
	at := s.start.AddDate(0, 0, int((seed-1)%onOneGround))
	for !at.After(s.clock.Now()) {
		at = at.AddDate(0, 0, 1)
	}
	s.clock.Set(at)
}
