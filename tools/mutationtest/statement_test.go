package mutationtest

const (
	messageSQL = "internal/store/internal/dbsqlc/message.sql.go"
	move       = "const messageMove = `"
)

// ofStatements take guards out of what is written, and rows out of what must be kept.
var ofStatements = []mutant{
	{
		name: "a step is written onto another one than was decided about (review 1)", file: messageSQL,
		tests:  "internal/store:TestADecisionAboutAnOlderState",
		within: move, before: `x.state_sequence = g.sequence`, after: `x.state_sequence >= 0 * g.sequence`,
	},
	{
		name: "a step has no row in the history", file: messageSQL, tests: "internal/store:TestADecisionAboutAnOlderState",
		within: move, before: "FROM moved\n), audited AS (", after: "FROM moved WHERE false\n), audited AS (",
	},
	{
		name: "a step has no row in the audit trail (review 21)", file: messageSQL,
		tests:  "internal/store:TestADecisionAboutAnOlderState",
		within: move, before: "FROM moved\n), decided AS (", after: "FROM moved WHERE false\n), decided AS (",
	},
	{
		name: "the history of any realm is read (review 10)", file: "internal/store/internal/dbsqlc/transaction.sql.go",
		tests:  "internal/store:TestQueriesAskForTheirRealm",
		within: "const historyList = `", before: `WHERE h.realm = $1`, after: `WHERE $1::text IS NOT NULL`,
	},
	{
		name: "a statement whose outcome nobody knows is done again", file: "internal/store/write.go",
		tests:  "internal/store:TestAnUnknownResultIsNotTriedAgain",
		before: `case errors.Is(err, ErrUnknown), errors.Is(err, ErrUnavailable):`, after: `case err == nil:`,
	},
	{
		name: "who gives up is told that nothing was done", file: "internal/store/batcher.go", tests: "internal/store:TestWhoGivesUp",
		before: `return none, errors.Join(ErrUnknown, own.ctx.Err())`, after: `return none, errors.Join(own.ctx.Err())`,
	},
	{
		name: "a call that took too long ends those after it on its connection", file: "web/request/within.go",
		tests: "web/request:TestALateAnswer",
		before: `	if err != nil {
		a.end()
	}
`, after: ``,
	},
	{
		name: "what stands still holds up all others", file: "internal/store/fair_mutex.go",
		tests:  "internal/store:TestNobodyWaitsLong",
		before: `time.After(m.within)`, after: `time.After(time.Hour)`,
	},
	{
		name: "a write finds out that its connection died while the database was away", file: "internal/store/store.go",
		tests: "web:TestWithoutItsDatabase", before: `away.forsake = all[ForBatches].pool.Reset`, after: ``,
	},
	{
		name: "an order is refused for good while nobody knows whether it repeats one", file: "internal/service/payments.go",
		tests:  "internal/service:TestARepeatIsRefusedForGood",
		within: `case err == nil, is && !duplicate.SameContent:`, before: `return Result{}, err
}`, after: `return Result{}, refused
}`,
	},
	{
		name: "a commit whose outcome nobody knows was not done", file: "internal/store/outage.go",
		tests:  "web:TestABrokenCommitIsNotCalledAFailure",
		before: `return errors.Join(ErrUnknown, err)`, after: `return err`,
	},
	{
		name: "a statement has no limit", file: "internal/store/limit.go", tests: "internal/store:TestAConnectionThatSwallows",
		within: `func (l *limits) TraceQueryStart(`, before: `ctx = limited(ctx, statementWithin)`,
		after: `ctx = limited(ctx, statementWithin*1000)`,
	},
	{
		name: "an approved message has no nudge (review: release without a job)", file: "internal/store/transact.go",
		tests:  "internal/clearing:TestWhatIsReleased",
		within: `func (s *Messages) stored(`, before: `if out != nil {`, after: `if false && out != nil {`,
	},
	{
		name: "a message that needs no approval has no nudge", file: "internal/store/insert.go",
		tests:  "internal/clearing:TestAMessageThatNeedsNoApproval",
		within: `func (s *Messages) following(`, before: `if c.Release != nil {`, after: `if false && c.Release != nil {`,
	},
	{
		name: "a delivery that failed is never tried again", file: "internal/clearing/dispatcher.go",
		tests:  "internal/clearing:TestARefusedDelivery",
		before: "\t\tcase <-ticker.C:\n\t\t\td.release()\n", after: "\t\tcase <-ticker.C:\n",
	},
	{
		name: "a document made with other bytes is sent under the same id", file: "internal/store/documents.go",
		tests:  "internal/clearing:TestADocumentMadeOtherwise",
		before: `case !d.Same(kept):`, after: `case false && !d.Same(kept):`,
	},
	{
		name: "a stored document is not held against its seal", file: "internal/store/documents.go",
		tests:  "internal/clearing:Planted",
		before: `return d, s.db.Seal().CheckDocument(d.Sealed(), Seal(row.KeyID, row.Mac))`,
		after:  "_ = s.db.Seal().CheckDocument(d.Sealed(), Seal(row.KeyID, row.Mac))\n\treturn d, nil",
	},
	{
		name: "a document stands in the buffer that the next one is written into", file: "internal/iso20022/codec/buffer.go",
		tests:  "internal/iso20022/codec:TestAnEncodedDocumentStays",
		before: `written = bytes.Clone(written)`, after: `_ = bytes.Clone(written)`,
	},
	{
		name: "a key used for other content is a repeat", file: "internal/store/insert.go",
		tests:  "web/api:TestAKeyNamesOneOrder",
		before: `SameContent: bytes.Equal(row.Fingerprint, fingerprint[:])}`,
		after:  `SameContent: bytes.Equal(row.Fingerprint, row.Fingerprint)}`,
	},
}
