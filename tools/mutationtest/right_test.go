package mutationtest

// ofRights let somebody act by a right that is gone, or an operator without the administrators.
var ofRights = []mutant{
	{
		name: "resets leave one administrator", file: "internal/administration/after.go", tests: "web/api:TestResetsLeaveTwo",
		before: ` && c.Kind != KindUserReset {`, after: ` {`,
	},
	{
		name: "a change of somebody who lost the role is done", file: "internal/administration/decide.go", tests: "web/api:TestWhoLostTheRole",
		before: `if !now.RequesterHolds {`, after: `if false && !now.RequesterHolds {`,
	},
	{
		name: "a payment leaves from a closed account", file: "internal/payment/account.go", tests: "web/api:TestAPaymentOfAnAccount",
		before: `case !m.Account.Open:`, after: `case false && !m.Account.Open:`,
	},
	{
		name: "the operator makes administrators of a realm that had two", file: "internal/store/administrator.go",
		tests:  "cmd/countersign:TestTwoAdministratorsShutTheOperatorOut",
		before: `case breakGlass == "":`, after: `case breakGlass == "" && false:`,
	},
}

const (
	head         = "internal/store/head.go"
	ofUses       = "internal/service:TestUsesOfALimit"
	waiting      = "internal/payment/seal.go"
	ofStolenKeys = "internal/service:TestTheReleaseKeyAlone"
	ofReplays    = "internal/service:TestAnEarlierRow|TestTheServicesRoleBrings|TestADeletedPolicy|TestACondition|TestAHeadPutBack|PutBack|PutsNoMessageBack"
)

// ofNewest take an earlier state for the newest one, or what nobody did for evidence.
var ofNewest = []mutant{
	{name: "an earlier row of master data counts", file: head, tests: ofReplays, before: `digest == row.Digest()`, after: `len(digest) > 0`},
	{
		name: "policies put back or deleted count", file: "internal/store/guard.go", tests: ofReplays,
		before: `return found && rule.ID == chosen.String()`, after: `return found && (rule.ID != "" || true)`,
	},
	{
		name: "a planted document of clearing is processed", file: "internal/store/inbox.go", tests: "internal/clearing:TestAPlantedDocument",
		before: `d.Unverified = s.db`, after: `_ = s.db`,
	},
	{
		name: "core banking is told of a planted end", file: "internal/clearing/core.go", tests: "internal/clearing:TestCoreBankingIsNotTold",
		before: `s.cfg.Messages.Proven(`, after: `s.cfg.Messages.Message(`,
	},
	{
		name: "a planted settlement of a return answers a recall", file: "internal/clearing/clearing.go",
		tests: "internal/clearing:TestARecallIsNotAnswered", before: `by.Proven(`, after: `by.Message(`,
	},
	{
		name: "a planted settlement is in a statement", file: "internal/store/message.go", tests: "web/api:TestBookingsAre",
		before: `payment.WithheldBy(l.unproven(of[m.InternalID], *m, m.Waits()))`, after: `""`,
	},
	{
		name: "a release that its audit rows do not prove is sent after a restart", file: "internal/store/release.go",
		tests: "internal/clearing:TestAReleaseThatItsAuditRows", before: `unproven = l.unproven(rows, m, true)`, after: `_ = m`,
	},
	{
		name: "a waiting payment counts as released", file: "internal/store/release.go",
		tests: "internal/clearing:TestAReleasePlanted", before: `return releases(payment.State(row.ToState))`, after: `return row.ToState != ""`,
	},
	{
		name: "makers of a waiting payment count without their audit row", file: "internal/store/messages.go", tests: ofStolenKeys,
		before: `l.prove(ctx, realm, unproven)`, after: `l.prove(ctx, realm, unproven[:0])`,
	},
	{
		name: "makers after a first approval count without their audit row", file: "internal/store/message.go", tests: ofStolenKeys,
		before: `l.prove(ctx, realm, waiting(messages))`, after: `l.prove(ctx, realm, waiting(messages[:0]))`,
	},
	{
		name: "a payment entered here counts when its row was changed", file: "internal/store/messages.go", tests: ofStolenKeys,
		before: `as == entered{m.State, m.Seal}`, after: `as.state == m.State`,
	},
	{
		name: "an older edition of a directory is used", file: "internal/store/insert.go", tests: "internal/service:TestAnOlderDirectory",
		before: `err == nil && newest {`, after: `err == nil && (newest || true) {`,
	},
	{
		name: "of equal policies the one requested last applies", file: "internal/administration/dry_run.go",
		tests: "internal/administration:TestOfEqualPolicies", before: `p.CreatedAt.Compare(rule.CreatedAt)`, after: `0`,
	},
	{
		name: "people are shown by the names of the tables", file: head, tests: "internal/service:TestPeopleAreShown",
		before: `		return kept.names`, after: `		return nil`,
	},
	{
		name: "nobody counts the limits of a payment", file: "internal/store/guard.go", tests: ofUses,
		before: `return all == read`, after: `return all >= 0`,
	},
	{
		name: "uses of a limit that are gone do not count", file: "internal/store/message_limit.go", tests: ofUses,
		before: `lock && l.Used < seen`, after: `lock && false`,
	},
	{
		name: "uses that only the trail tells of do not count", file: "internal/store/message_limit.go", tests: ofUses,
		before: `case !known: // the`, after: `case !known && false: // the`,
	},
	{
		name: "master data with a row less are read under their head", file: head, tests: ofReplays,
		before: `err == nil && !bytes.Equal(digest[:], head.Digest)`, after: `false && !bytes.Equal(digest[:], head.Digest)`,
	},
	{name: "a head that is older than the trail counts", file: head, tests: ofReplays, before: `told > before.Number`, after: `told < 0`},
	{
		name: "a head that is older than one seen counts", file: head, tests: ofReplays,
		before: `read.head.Number < k.seen`, after: `false`,
	},
	{name: "the tree's later moves of a message are not asked for", file: waiting, tests: ofReplays, before: `stored.Later`, after: `false`},
	{
		name: "moves made up beside a message count", file: "internal/store/message.go", tests: ofReplays,
		before: `(!last || all && (!made || len(moves) != len(movesOf(m, all)) ||`, after: `(all && !last && (!made ||`,
	},
	{
		name: "a gateway forgets its last move of a message", file: "internal/store/messages.go", tests: ofReplays,
		before: `known && moves > m.Sequence`, after: `known && moves < 0`,
	},
	{
		name: "a bundle proves no grant under the head", file: "internal/auditlog/verify.go", tests: "internal/store/integrity:Bundle|Grant",
		before: `|| tlog.CheckRecord(g.Proof, head.Rows, Hash(head.Root), g.Index, tlog.RecordHash(g.Record)) != nil`,
		after:  `|| head.Rows < 0 || tlog.RecordHash(g.Record)[0] == 0 && false`,
	},
	{
		name: "a right that ended is in force in a bundle", file: "internal/auditlog/verify.go",
		tests: "internal/store/integrity:Bundle|Grant", before: ` || len(fields[8]) != 0`, after: ``,
	},
	{
		name: "a row of the trail is signed without its seal", file: "internal/store/evidence.go",
		tests:  "internal/store/integrity:TestWhatTheGatewayDidNotWrite",
		before: `return event.Check(keys.events, Seal(row.KeyID, row.Seal))`, after: `return nil`,
	},
	{
		name: "a document is signed without its seal", file: "internal/store/evidence.go",
		tests:  "internal/store/integrity:TestWhatTheGatewayDidNotWrite",
		before: `return documentFits(keys.documents, row)`, after: `return nil`,
	},
}
