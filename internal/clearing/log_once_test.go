package clearing_test

import (
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// lines counts the lines of a log at a level, and how often the most frequent of them stands there but for its time.
func lines(log *testutil.Log, level string) (count, same int) {
	known := map[string]int{}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level="+level) {
			line = regexp.MustCompile(`time=\S+ `).ReplaceAllString(line, "")
			known[line]++
			count++
			same = max(same, known[line])
		}
	}
	return count, same
}

// TestWhatPollsMissIsLoggedOnce: while the database is away every look at it fails, and the log tells of that once. While it
// does not answer, the log tells once of each thing that is looked for. When it is back the log says so, and nothing else.
func TestWhatPollsMissIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var log testutil.Log
	var line *storetest.Line
	logger := slog.New(slog.NewTextHandler(&log, nil))
	h := servicetest.With(t, servicetest.Options{Log: logger, Database: func(db *storetest.DB) *store.Database {
		var through string
		line, through = db.Relay(t)
		database, err := store.Open(ctx, store.Config{URL: through, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: logger})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	defer h.CheckInvariants(t)
	approveMany(t, h, rulebook.SchemeSIC, 3)
	h.Clearing.RunOnce(ctx)
	looks := func(count int) {
		for range count {
			h.Clock.Add(2 * time.Second)
			h.Clearing.RunOnce(ctx)
		}
	}
	line.Cut()
	looks(4)
	failed, _ := lines(&log, "ERROR")
	if warned, _ := lines(&log, "WARN"); failed != 1 || warned != 0 {
		t.Errorf("of a database that is away the log tells %d times, and by %d warnings", failed, warned)
	}
	line.Connect(t)
	looks(5) // connections that broke end with the first that is asked by them
	if told, _ := lines(&log, "INFO"); told != 1 {
		t.Errorf("of a database that is back the log tells %d times", told)
	}
	line.Freeze()
	looks(2)
	if warned, same := lines(&log, "WARN"); warned == 0 || same != 1 {
		t.Errorf("of a database that does not answer the log tells %d times, the same %d times", warned, same)
	}
	line.Thaw()
	if t.Failed() {
		t.Log(log.String())
	}
}

// TestAClearingThatIsAwayIsToldOnce: payments are tried one after the other while clearing is away. The log names some of them before it
// tells that clearing takes nothing, and none after.
func TestAClearingThatIsAwayIsToldOnce(t *testing.T) {
	t.Parallel()
	var log testutil.Log
	h := servicetest.With(t, servicetest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer h.CheckInvariants(t)
	offers := offered(h, "P8", errors.New("down"))
	approveMany(t, h, rulebook.SchemeSIC, 40)
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	before, _ := lines(&log, "WARN")
	told, _ := lines(&log, "ERROR")
	if first := *offers; told != 1 || before > first {
		t.Errorf("after %d payments that clearing did not take the log tells of it %d times, and names %d", first, told, before)
	}
	const tries = 3
	first := *offers
	for range tries {
		tried(t, h)
		h.Clearing.RunOnce(ctx)
	}
	if after, _ := lines(&log, "WARN"); *offers != first+tries || after != before {
		t.Errorf("%d more payments were tried, and %d of them are named", *offers-first, after-before)
	}
}
