package mutant

// ofClock have what time asks for, or what waits for clearing, come too late.
var ofClock = []mutant{
	{
		name: "a look that stands still is not overtaken", file: "internal/clearing/glance.go", tests: ofBooked + ":TestALookThatStalls",
		before: `begin = len(o.looks) < maxLooks`, after: `begin = false`,
	},
	{
		name: "a database that is slow is not waited for", file: "internal/clearing/glance.go",
		tests:  ofBooked + ":TestADatabaseThatIsSlow",
		before: `beside = beside || !other.beside`, after: `beside = true`,
	},
	{
		name: "every look is patient, and none has room for the next", file: "internal/clearing/watch.go",
		tests:  ofBooked + ":TestADatabaseThatIsSlow",
		before: `if one.beside {`, after: `if false && one.beside {`,
	},
	{
		name: "a look that is slow is ended by another that ended well", file: "internal/clearing/glance.go",
		tests:  ofBooked + ":TestALookThatIsSlow",
		before: `if o.still(other, now) {`, after: `if true || o.still(other, now) {`,
	},
	{
		name: "a look that stands still is not ended by one that ended well", file: "internal/clearing/glance.go",
		tests:  ofBooked + ":TestALookThatStalls",
		before: `if o.still(other, now) {`, after: `if false && o.still(other, now) {`,
	},
	{
		name: "a look that is slow is taken for one that stands still", file: "internal/clearing/glance.go",
		tests:  ofBooked + ":TestALookThatIsSlow",
		before: `o.usual, one.answered = max(took, (3*o.usual+took)/4), now`, after: `o.usual = max(took, (3*o.usual+took)/4)`,
	},
	{
		name: "what the statements of a batch answer is not told", file: "internal/store/answered.go",
		tests:  ofBooked + ":TestALookThatIsSlow",
		within: `func (l *limits) TraceBatchQuery(`, before: `answered(ctx, data.Err)`, after: `_ = data`,
	},
	{
		name: "what waits for clearing goes on to pause when it is back", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: "\t\tc.back()\n", after: "\n",
	},
	{
		name: "what clearing refuses is tried at once when it is back", file: "internal/clearing/back.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: `return errors.As(err, &e)`, after: `return errors.As(err, &e) || true`,
	},
	{
		name: "one document is sent when clearing is back, and the others later", file: "internal/clearing/lane.go",
		tests:  ofBooked + ":TestWhatWaitsLeavesAtOnce",
		before: `full = len(ids) == lanePage || page < lanePage && l.connection.room(lanePage) == lanePage`, after: `full = len(ids) == lanePage`,
	},
	{
		name: "a database that was away is held against a message", file: "internal/clearing/pause.go",
		tests:  ofBooked + ":TestThePauseAfterTheDatabase",
		before: `pause = min(pause, maxDatabasePause)`, after: `pause = backoff(a.failed + p.begun)`,
	},
	{
		name: "what the database failed with lengthens the pauses of after", file: "internal/clearing/pause.go",
		tests:  ofBooked + ":TestThePauseAfterTheDatabase",
		before: `backoff(a.failed - a.database + p.begun)`, after: `backoff(a.failed + p.begun)`,
	},
	{
		name: "every look tells of a database that is away", file: "internal/clearing/complaint.go",
		tests:  ofBooked + ":TestWhatTheClockAndTheLanesMiss",
		before: `errors.Is(err, store.ErrUnavailable)`, after: `false && errors.Is(err, store.ErrUnavailable)`,
	},
	{
		name: "every look tells of a database that does not answer", file: "internal/clearing/complaint.go",
		tests:  ofBooked + ":TestWhatTheClockAndTheLanesMiss",
		before: `return !told`, after: `return true || !told`,
	},
	{
		name: "every payment is named while clearing is away", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestAClearingThatIsAwayIsToldOnce",
		before: `return c.away && unheard(err)`, after: `return false && unheard(err)`,
	},
	{
		name: "through a pooler a gateway that stands still keeps what it has locked", file: "internal/store/pooler.go",
		tests:  "internal/store:TestThroughAPooler",
		before: `standsStill(use)`, after: `"0"`,
	},
	{
		name: "through a pooler what belongs to no realm is changed without limits", file: "internal/store/store.go",
		tests:  "internal/store:TestThroughAPooler",
		before: `string(Changing)+d.begin, Changing, work`, after: `string(Changing), Changing, work`,
	},
	{
		name: "a gateway that stands still keeps what it has locked", file: "internal/store/store.go",
		tests:  "internal/store:TestWhoStandsStill",
		before: `standsStill(use)`, after: `"0"`,
	},
}
