package mutationtest

// ofClock have what time asks for, or what waits for clearing, come too late.
var ofClock = []mutant{
	{
		name: "the scan for overdue messages has no retry", file: "internal/clearing/overdue.go",
		tests:  ofBooked + ":TestASlowDatabaseStillMovesOverduePayments",
		before: `for attempt := range maxScans {`, after: `for attempt := range 1 {`,
	},
	{
		name: "what waits for clearing goes on to pause when it is back", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: "\t\tc.recovered()\n", after: "\n",
	},
	{
		name: "what clearing refuses is tried at once when it is back", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: `return is ||`, after: `return is || true ||`,
	},
	{
		name: "one document is sent when clearing is back, and the others later", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: `|| errors.Is(err, errInterrupted)`, after: ``,
	},
	{
		name: "a database that was away is held against a message", file: "internal/clearing/dispatcher.go",
		tests:  ofBooked + ":TestThePauseAfterTheDatabase",
		before: `pause = min(pause, maxDatabaseBackoff)`, after: `pause = backoff(e.failed)`,
	},
	{
		name: "what the database failed with lengthens the pauses of after", file: "internal/clearing/dispatcher.go",
		tests:  ofBooked + ":TestThePauseAfterTheDatabase",
		before: `backoff(e.failed - e.database + d.begun)`, after: `backoff(e.failed + d.begun)`,
	},
	{
		name: "every look tells of a database that is away", file: "internal/clearing/log_once.go",
		tests:  ofBooked + ":TestWhatPollsMiss",
		before: `errors.Is(err, store.ErrUnavailable)`, after: `false && errors.Is(err, store.ErrUnavailable)`,
	},
	{
		name: "every look tells of a database that does not answer", file: "internal/clearing/log_once.go",
		tests:  ofBooked + ":TestWhatPollsMiss",
		before: `LoadOrStore(task, true); !told {`, after: `LoadOrStore(task, true); true || !told {`,
	},
	{
		name: "every payment is named while clearing is away", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestAClearingThatIsAwayIsToldOnce",
		before: `return c.down && unreachable(err)`, after: `return false && unreachable(err)`,
	},
	{
		name: "through a pooler a gateway that stands still keeps what it has locked", file: "internal/store/pooler.go",
		tests:  "internal/store:TestThroughAPooler",
		before: `idleTimeout(use)`, after: `"0"`,
	},
	{
		name: "through a pooler what belongs to no realm is changed without limits", file: "internal/store/store.go",
		tests:  "internal/store:TestThroughAPooler",
		before: `string(Changing)+d.begin, Changing, ofQueries`, after: `string(Changing), Changing, ofQueries`,
	},
	{
		name: "a gateway that stands still keeps what it has locked", file: "internal/store/store.go",
		tests:  "internal/store:TestWhoStandsStill",
		before: `idleTimeout(use)`, after: `"0"`,
	},
}
