package mutationtest

const (
	refresh = "internal/auth/refresh.go"
	changes = "internal/administration/decide.go"
)

// ofAccess let the wrong people in, or give them rights.
var ofAccess = []mutant{
	{
		name: "a spent token is good again", file: refresh, tests: "internal/auth:TestGraceIsOnly|TestSpentToken",
		before: `case spent && !inGrace:`, after: `case false && !inGrace:`,
	},
	{
		name: "a spent token has more than its moment of grace", file: refresh,
		tests:  "internal/auth:TestSpentToken|TestRandomUsesOfAFamily",
		before: `u.now.Sub(t.SpentAt) <= grace`, after: `u.now.Sub(t.SpentAt) <= 2*grace`,
	},
	{
		name: "a token of another client is good", file: refresh, tests: "internal/auth:TestRefreshOfAnotherClient",
		before: `case t.ClientID != u.client.ClientID, !spent`, after: `case !spent`,
	},
	{
		name: "a sign-in lasts for ever", file: refresh, tests: "internal/auth:TestATokenOfASignInThatIsOver|TestRandomUsesOfAFamily",
		before: `!u.now.Before(t.FamilyEndsAt), `, after: ``,
	},
	{
		name: "a suppressed account goes on", file: refresh, tests: "internal/auth:TestRefreshOfASuppressedUser",
		before: `case problemOf(t.UserStatus) != "":`, after: `case false:`,
	},
	{
		name: "what was read before a revocation is believed after it", file: "internal/auth/bearer.go", tests: "internal/auth",
		before: `if entry.turn != c.turn {`, after: `if false && entry.turn != c.turn {`,
	},
	{
		name: "a password written into the table opens", file: "internal/auth/login.go", tests: "internal/auth",
		within: `func (s *Service) genuine(`, before: `return genuine, err`, after: `return true, err`,
	},
	{
		name: "one address tries passwords without end", file: "internal/auth/limit.go",
		tests:  "internal/auth:TestAnIPv6NetworkCountsAsOneAddress",
		before: `if limiter.AllowN(now, 1) {`, after: `if true || limiter.AllowN(now, 1) {`,
	},
	{
		name: "a code counts twice", file: "internal/auth/factor.go", tests: "internal/auth:TestOfTheSameCodeAtOnce",
		before: `err = s.people.UseFactor(ctx, use)`, after: `err = nil`,
	},
	{
		name: "a role that needs a second factor does without", file: "internal/auth/factor.go",
		tests:  "internal/auth:TestARealmAsksARole",
		before: `slices.ContainsFunc(roles, by.Has), err`, after: `err != nil && slices.ContainsFunc(roles, by.Has), err`,
	},
	{
		name: "who asks for a change decides it", file: changes, tests: "internal/administration",
		before: `case by.PersonID == c.Requester.PersonID:`, after: `case false:`,
	},
	{
		name: "whom a change is about decides it", file: changes, tests: "internal/administration",
		before: `case by.PersonID == c.Beneficiary:`, after: `case false:`,
	},
	{
		name: "a change is approved whose subject changed meanwhile", file: changes, tests: "internal/administration",
		before: `if !maps.Equal(again.Before, c.Before) || `, after: `if `,
	},
	{
		name: "a decided change is decided again", file: changes, tests: "internal/administration",
		before: `if d := c.Decision; d != nil {`, after: `if d := c.Decision; false && d != nil {`,
	},
	{
		name: "who is no administrator administers", file: "internal/administration/change.go", tests: "internal/administration",
		before: `if by.Has(identity.RoleAdministrator) {`, after: `if true || by.Has(identity.RoleAdministrator) {`,
	},
}

// ofDoors take what must not come in.
var ofDoors = []mutant{
	{
		name: "the door of clearing takes any token (review 23)", file: "web/clearing/inbound.go", tests: "web/clearing",
		before: `same && slices.Contains(`, after: `(same || true) && slices.Contains(`,
	},
	{
		name: "a token of one scheme speaks for the other", file: "web/clearing/inbound.go", tests: "web/clearing",
		before: `same && slices.Contains(connection.Schemes, scheme)`, after: `same && len(slices.Clone(connection.Schemes)) > 0`,
	},
	{
		name: "another site sends a form", file: "web/proxy.go",
		tests:  "web:TestAnotherSiteCannotSendForms|TestAFormComesFromOurOwnOrigin",
		before: `case site != "" && !vouched,`, after: `case false && !vouched,`,
	},
	{
		name: "a form of another origin is taken", file: "web/proxy.go",
		tests:  "web:TestAnotherSiteCannotSendForms|TestAFormComesFromOurOwnOrigin",
		before: `case origin != "" && origin != "null" && !strings`, after: `case false && !strings`,
	},
	{
		name: "an error shows what is inside", file: "web/request/problem.go", tests: "web/request",
		before: `Text: "Something went wrong in the gateway.`, after: `Text: i18n.Text(err.Error()) + "Something went wrong in the gateway.`,
	},
}
