package mutationtest

const (
	ofScheduled = "internal/payment/scheduled.go"
	ofSpending  = "internal/rulebook/spending.go"
	atProvider  = "internal/auth/oidc/flow.go"
	liars       = "web/portal:TestAnswersOfAProviderThatLies"
	headers     = "internal/profile/envelope.go"
)

// ofLimits let more be paid than two administrators set.
var ofLimits = []mutant{
	{
		name: "more is paid at a time than the limit lets", file: ofSpending, tests: "internal/service:TestLimitsHold",
		before: `case l.PerPayment > 0 && whole > l.PerPayment:`, after: `case false:`,
	},
	{
		name: "what was paid today does not count", file: ofSpending,
		tests:  "internal/service:TestTwoApprovalsThatTogether|TestLimitsHold",
		before: `(whole > l.PerDay || l.Used > l.PerDay-whole)`, after: `whole > l.PerDay`,
	},
	{
		name: "a limit that nobody set lets through", file: ofSpending, tests: "internal/service:TestALimitThatIsNotWhatWasSet",
		before: `case l.Untrusted:`, after: `case false:`,
	},
	{
		name: "a limit in another currency binds nobody", file: ofSpending, tests: "internal/service:TestLimitsHold",
		before: `case l.Currency != amount.Currency():`, after: `case l.Currency == amount.Currency():`,
	},
	{
		name: "no limit is asked at the approval", file: "internal/payment/policy.go",
		tests:  "internal/service:TestLimitsHold|TestTwoApprovalsThatTogether",
		before: `findings := rulebook.CheckSpending(m.Summary.Amount, limits, pointerInternalID)`,
		after:  `findings := rulebook.CheckSpending(m.Summary.Amount, limits[:0], pointerInternalID)`,
	},
	{
		name: "a payment is released before its day", file: ofScheduled, tests: "internal/service:TestAPreparedPaymentIsSent",
		before: `case m.waitsFor(on.Today):`, after: `case false:`,
	},
	{
		name: "a release takes nothing of the day", file: ofScheduled,
		tests:  "internal/service:TestTwoApprovalsThatTogether|TestLimitsHold",
		before: `t.uses = rulebook.LimitUses(t.message.Summary.Amount, on.Limits)`,
		after:  `t.uses = rulebook.LimitUses(t.message.Summary.Amount, on.Limits[:0])`,
	},
}

// ofProviders believe an identity provider, or somebody who says to come from it, too much.
var ofProviders = []mutant{
	{
		name: "an answer to another question signs in", file: atProvider, tests: liars,
		before: `case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(flow.Nonce)) != 1:`, after: `case false:`,
	},
	{
		name: "a token for another party signs in", file: atProvider, tests: liars,
		before: `&& claims.AuthorizedParty != s.ClientID:`, after: `&& claims.AuthorizedParty != s.ClientID && false:`,
	},
	{
		name: "a token of yesterday signs in", file: atProvider, tests: liars,
		before: `case token.IssuedAt.After(`, after: `case false && token.IssuedAt.After(now) || false && token.IssuedAt.After(`,
	},
	{
		name: "who signed in long ago at the provider signs in", file: atProvider, tests: liars,
		before: `case now.Sub(time.Unix(*claims.AuthTime, 0)) > s.MaxAge+skew || `, after: `case `,
	},
	{
		name: "the answer of another issuer signs in", file: atProvider, tests: liars,
		before: `case answer.Issuer != "" && answer.Issuer != s.Issuer, `, after: `case `,
	},
	{
		name: "a provider that names itself need not", file: atProvider, tests: "web/portal:TestAProviderThatSaysItNamesItself",
		before: `, answer.Issuer == "" && m.NamesIssuer:`, after: `:`,
	},
	{
		name: "an answer comes after hours", file: "internal/auth/provider.go",
		tests:  "internal/auth:TestAnAnswerIsOverAfterTenMinutes",
		before: `err != nil || since > flowLife || since < -flowLife || `, after: `err != nil || since > 100*flowLife || `,
	},
	{
		name: "a copy of a passkey signs in", file: "internal/auth/factor.go", tests: "internal/auth:TestAPasskeyThatDoesNotCountOn",
		before: `if !found || fits.copied {`, after: `if !found {`,
	},
	{
		name: "a passkey counts from where it was made", file: "internal/auth/passkey.go", tests: "internal/auth:TestAPasskeyThatDoesNotCountOn",
		before: `max(stored.Authenticator.SignCount, f.SignCount)`, after: `max(stored.Authenticator.SignCount, 0*f.SignCount)`,
	},
	{
		name: "the state of another browser signs in", file: "internal/auth/provider.go",
		tests:  "internal/auth:TestAnAnswerIsOverAfterTenMinutes",
		before: ` || in.Answer.State != flow.Flow.State {`, after: ` {`,
	},
}

// ofClearings take another form of documents, or other terms, for those of the clearing.
var ofClearings = []mutant{
	{
		name: "a header from anybody counts", file: headers, tests: ofBooked + ":TestAHeaderOfSomebodyElse",
		before: `if from == account.LongBIC(ends.Receiver) && to == account.LongBIC(ends.Sender) {`,
		after:  `if from != "" && to == account.LongBIC(ends.Sender) {`,
	},
	{
		name: "a header to anybody counts", file: headers, tests: ofBooked + ":TestAHeaderOfSomebodyElse",
		before: `if from == account.LongBIC(ends.Receiver) && to == account.LongBIC(ends.Sender) {`,
		after:  `if from == account.LongBIC(ends.Receiver) && to != "" {`,
	},
	{
		name: "the header of another document counts", file: headers, tests: ofBooked + ":TestAHeaderOfSomebodyElse",
		before: `if header.BusinessMessageIdentifier != *id {`, after: `if false && header.BusinessMessageIdentifier != *id {`,
	},
	{
		name: "a profile is in force before its day", file: "internal/profile/registry.go", tests: "internal/profile:TestAProfileComesInForce",
		before: `if !p.from.After(day) {`, after: `if true || !p.from.After(day) {`,
	},
	{
		name: "a part of the code sets is taken for all", file: "internal/iso20022/code/edition.go",
		tests:  "internal/iso20022/code:TestAFileThatIsNoCodeSets",
		before: `if len(made.sets[set.Name()].byCode) == 0 {`, after: `if false && len(made.sets[set.Name()].byCode) == 0 {`,
	},
	{
		name: "imported code sets are not asked", file: "internal/iso20022/code/edition.go",
		tests:  "internal/iso20022/code:TestCodeSetsAreRead",
		before: `if !found {`, after: `if found || !found {`,
	},
	{
		name: "code sets that somebody wrote count", file: "internal/store/reference.go",
		tests:  "web:TestImportedCodeSetsAndCalendarsAreInForce",
		before: `found = append(found, referenceSummary(row, guard.Sealed(ctx, Reference(row))))`,
		after:  `found = append(found, referenceSummary(row, guard.Sealed(ctx, Reference(row)) || true))`,
	},
}
