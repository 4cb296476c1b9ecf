package mutationtest

const (
	rows    = "internal/store/integrity/invariant.go"
	nothing = `func(context.Context) ([]Violation, error) { return nil, nil }`
	drill   = "internal/store/integrity:TestEveryTamperingIsFoundAndItsRowNamed"
)

// ofAuditor make countersign check blind in one eye (review: the check made vacuous for I1, I4, I8 and I12).
var ofAuditor = []mutant{
	{
		name: "check: a release without approvals (review: I1)", file: rows, tests: drill,
		before: `list(q.InvariantReleaseWithoutApprovals)`, after: nothing,
	},
	{name: "check: sent under two ids (review: I4)", file: rows, tests: drill, before: `list(q.InvariantSentTwice)`, after: nothing},
	{name: "check: sent and yet closed (I7)", file: rows, tests: drill, before: `list(q.InvariantClosedYetSent)`, after: nothing},
	{
		name: "check: one externalId, two messages (review: I8)", file: rows, tests: drill,
		before: `list(q.InvariantExternalIDTwice)`, after: nothing,
	},
	{
		name: "check: two recalls of a payment (review: I12)", file: rows, tests: drill,
		before: `list(q.InvariantOriginalUsedTwice)`, after: nothing,
	},
	{
		name: "check: fewer approvals than the policy asks (I22)", file: rows, tests: drill, before: `list(q.InvariantPolicyAsked)`,
		after: nothing,
	},
	{name: "check: no second factor (I31)", file: rows, tests: drill, before: `list(q.InvariantStepUp)`, after: nothing},
	{
		name: "check: the seals of documents (I18)", file: "internal/store/integrity/check_seals.go", tests: drill,
		within: `func (a *audit) documents(`, before: `a.cfg.Seal.CheckStored(facts, store.Seal(d.KeyID, d.Mac))`, after: `error(nil)`,
	},
	{
		name: "check: the seals of rows that no tree has (I21)", file: "internal/store/integrity/check_seals.go",
		tests: "internal/service:TestAnApprovalThatNobodyGave", before: `; kind == kind.Unverified() {`,
		after: `; false && kind == kind.Unverified() {`,
	},
	{
		name: "check: what was sent is not made of the release (I17)", file: "internal/store/integrity/check_versions.go",
		tests:  "internal/store/integrity:TestWhatWasSentOtherwiseIsNamed",
		before: `if !a.cfg.Profiles.Wrote(`, after: `if false && !a.cfg.Profiles.Wrote(`,
	},
	{
		name: "check: leaves do not lead to the checkpoint (I30)", file: "internal/store/integrity/check_tree.go",
		tests:  "internal/store/integrity:TestACheckpointOfAnotherTreeIsNamed",
		within: `func (t *treeAudit) compareRoots(`, before: `t.roots[c.Size] != c.Root {
			t.unfit(`, after: `false && t.roots[c.Size] != c.Root {
			t.unfit(`,
	},
	{
		name: "a tree is sealed on though somebody changed it", file: "internal/store/integrity/grow.go", tests: "internal/store/integrity",
		before: `case g.checkpoint.Size != g.tree.Size || g.checkpoint.Root != g.tree.Root():`, after: `case g.checkpoint.Size != g.tree.Size:`,
	},
}
