package mutationtest

const decide, pending, rights = "internal/payment/decide.go", "internal/payment/pending.go", "internal/payment/rights.go"

// ofDecisions let the wrong people, or people at the wrong time, decide or change.
var ofDecisions = []mutant{
	{
		name: "the maker may decide (review 2)", file: rights, tests: "internal/payment",
		before: `if m.MadeBy(by.PersonID) {`, after: `if false && m.MadeBy(by.PersonID) {`,
	},
	{
		name: "the same checker may approve twice (review 3)", file: decide, tests: "internal/payment",
		before: `if m.decidedBy(v.By) {`, after: `if false && m.decidedBy(v.By) {`,
	},
	{
		name: "what the checker saw does not count (review 4)", file: decide, tests: "internal/payment",
		before: `if v.ContentHash != nil && *v.ContentHash`, after: `if false && *v.ContentHash`,
	},
	{
		name: "the version the checker saw does not count", file: decide, tests: "internal/payment",
		before: `if v.Version != 0 && v.Version != m.Version {`, after: `if false && v.Version != m.Version {`,
	},
	{
		name: "expired at its last moment, and approvable (review 7)", file: decide, tests: "internal/payment",
		before: `!v.At.Before(m.ExpiresAt)`, after: `v.At.After(m.ExpiresAt)`,
	},
	{
		name: "expired and approvable (review 8)", file: decide, tests: "internal/payment",
		before: `if !m.ExpiresAt.IsZero() && !v.At`, after: `if false && !v.At`,
	},
	{
		name: "decided and decidable", file: decide, tests: "internal/payment",
		before: `if !m.State.Pending() || m.State == StateQuestion && action != ActionReject {`, after: `if false {`,
	},
	{
		name: "without a maker, and decidable", file: rights, tests: "internal/payment",
		before: `if len(m.Makers) == 0 || m.MadeBy([16]byte{}) {`, after: `if false {`,
	},
	{
		name: "who is no checker may decide", file: rights, tests: "internal/payment",
		within: `func (m Message) MayDecide(`, before: `if !by.Has(identity.RoleChecker) {`, after: `if false {`,
	},
	{
		name: "a checker brought along may decide", file: rights, tests: "internal/payment",
		before: `if known && grant.GrantedAt.After(m.CreatedAt) {`, after: `if known && false {`,
	},
	{
		name: "a client may decide what came through it", file: rights, tests: "internal/payment",
		before: `if by.Channel == identity.ChannelAPI && m.CameThrough`, after: `if false && m.CameThrough`,
	},
	{
		name: "the first of two approvals releases", file: decide, tests: "internal/payment",
		before: `case decision.Ordinal < m.ApprovalsRequired:`, after: `case decision.Ordinal < 1:`,
	},
	{
		name: "the policy in force is not asked at the approval", file: decide, tests: "internal/service:TestAPolicyThatCameLater",
		before: `err = m.MeetsPolicy(on.Policy)`, after: `err = nil`,
	},
	{
		name: "the rules of the scheme are not asked at the approval (review 20)", file: decide,
		tests:  "internal/payment:TestNothingIsReleased",
		before: `err = m.StillHolds(on, v.At)`, after: `err = nil`,
	},
	{
		name: "what was amended is approved without a word about its content", file: decide,
		tests:  "internal/service:TestAnAmendedMessageIsApproved",
		before: `if (m.Version > 1 || on.Policy`, after: `if (on.Policy`,
	},
	{
		name: "what is withheld is approved", file: decide, tests: "internal/payment:TestNothingIsReleased",
		within: `func (m Message) checkVerdict(`, before: `return m.Trusted()`, after: `return nil`,
	},
	{
		name: "no second factor is asked for at the approval", file: decide, tests: "internal/service:TestOfTwoApprovalsWithOneCode",
		before: `if err == nil && on.StepUp {`, after: `if false && on.StepUp {`,
	},
	{
		name: "a second factor shown for one content approves another", file: decide, tests: "internal/payment",
		before: `v.StepUp.For != m.Approval()`, after: `false`,
	},
	{
		name: "a second factor of one account approves for another", file: decide, tests: "internal/payment",
		before: `v.StepUp.UserID != v.By.UserID`, after: `false`,
	},
	{
		name: "the reason of a rejection is lost (review 18)", file: decide, tests: "internal/service:TestEachOfMany",
		before: "\tdecision.Reason = reason\n", after: "",
	},
	{
		name: "the reason of a rejection is lost in the history (review 19)", file: decide, tests: "internal/service:TestEachOfMany",
		before: "\tt.reason = i18n.Data(reason)\n", after: "",
	},
	{
		name: "a blank reason rejects", file: decide, tests: "internal/payment",
		before: `case !forbidden && !strings.ContainsFunc(text, visible):`, after: `case false:`,
	},
	{
		name: "approvals of the version before count for the next", file: pending, tests: "internal/payment",
		before: `m.Decisions, m.Account = nil, nil`, after: `m.Account = nil`,
	},
	{
		name: "who changes a message is none of its makers", file: pending, tests: "internal/service:TestAPaymentThatShrinks",
		before: `m.Makers = append(m.Makers[:len(m.Makers):len(m.Makers)], by.PersonID)`,
		after:  `m.Makers = m.Makers[:len(m.Makers):len(m.Makers)]`,
	},
	{
		name: "any maker may withdraw", file: rights, tests: "internal/payment",
		before: `if err == nil && !m.MadeBy(by.PersonID) {`, after: `if false {`,
	},
	{
		name: "what has time left expires", file: pending, tests: "internal/payment:TestWhatHasTimeLeft",
		before: `if !m.State.Pending() || at.Before(m.ExpiresAt) {`, after: `if !m.State.Pending() {`,
	},
	{
		name: "every move is legal", file: "internal/payment/move.go", tests: "internal/payment",
		before: `return slices.Contains(moves, move)`, after: `return true || slices.Contains(moves, move)`,
	},
	{
		name: "who is no maker may create payments", file: "internal/payment/instruction.go",
		tests:  "internal/service:TestADryRun",
		before: `if !in.By.Has(identity.RoleMaker) {`, after: `if false {`,
	},
	{
		name: "who is no maker may create recalls", file: "internal/payment/rtransaction.go", tests: "internal/payment",
		before: `if !in.By.Has(identity.RoleMaker) {`, after: `if false {`,
	},
	{
		name: "a recall of another payment is answered", file: "internal/payment/rtransaction.go", tests: "internal/payment",
		before: `if in.Kind == KindResolution && in.About.Recall.OriginalID`, after: `if false && in.About.Recall.OriginalID`,
	},
}
