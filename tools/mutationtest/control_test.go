package mutationtest

const (
	factorRoles = "internal/store/factors.go"
	passkeys    = "internal/auth/passkey.go"
	ownQuestion = "internal/auth:TestAPasskeyAnswersItsOwnQuestionAlone"
	overtaken   = "internal/auth:TestASignInThatOvertook"
	askedRoles  = "web/api:TestRolesThatNeedASecondFactor"
)

// ofFactors let a second factor, or what was signed in before one was asked for, count for more than it is.
var ofFactors = []mutant{
	{
		name: "a realm that somebody wrote is sealed anew", file: factorRoles, tests: "web/api:TestARealmThatSomebodyWrote",
		before: `if !s.guard.Fits(ctx, Realm(row)) {`, after: `if false && !s.guard.Fits(ctx, Realm(row)) {`,
	},
	{
		name: "a session without the factor that is asked now goes on", file: factorRoles, tests: askedRoles,
		before: `signOutUnproven(ctx, fresh, uuid.Nil)`, after: `signOutUnproven(ctx, fresh[:0], uuid.Nil)`,
	},
	{
		name: "a role of which more is asked is gained without", file: factorRoles, tests: askedRoles,
		before: `return !slices.Contains(roles, role) }), err`, after: `return !slices.Contains(roles, role) || true }), err`,
	},
	{
		name: "who was asked before is signed out again", file: factorRoles, tests: "web/portal:TestTwoAdministratorsSayWhichRoles",
		before: `return slices.Contains(before, role) })`, after: `return slices.Contains(before, role) && false })`,
	},
	{
		name: "the last factor is given up where the realm asks for one", file: "internal/auth/enrol.go",
		tests:  "internal/auth:TestTheLastFactor",
		before: `		if asked {`, after: `		if asked && false {`,
	},
	{
		name: "a passkey counts for other content", file: passkeys, tests: ownQuestion,
		within: `func (s *Service) challenges(`, before: `c.about.ContentHash[:], ticket)`, after: `ticket)`,
	},
	{
		name: "a passkey counts for another message", file: passkeys, tests: ownQuestion,
		within: `func (s *Service) challenges(`, before: `c.about.MessageID[:], version,`, after: `version,`,
	},
	{
		name: "a passkey counts for another purpose", file: passkeys, tests: ownQuestion,
		within: `func (s *Service) challenges(`, before: `[]byte(c.purpose), `, after: ``,
	},
	{
		name: "a passkey answers the question of another person", file: passkeys, tests: ownQuestion,
		within: `func (s *Service) challenges(`, before: `c.by.UserID[:], `, after: ``,
	},
	{
		name: "the question of a passkey never ends", file: passkeys, tests: ownQuestion,
		before: `return ticket, s.now().Unix() <= int64`, after: `return ticket, true || s.now().Unix() <= int64`,
	},
	{
		name: "a passkey counts whose owner proved nothing", file: passkeys, tests: ownQuestion,
		before: `UserVerification: protocol.VerificationRequired`, after: `UserVerification: protocol.VerificationPreferred`,
	},
	{
		name: "what was looked at before the end of all counts after it", file: "internal/store/people.go", tests: overtaken,
		before: ` || !key.AsOf.IsZero() && !key.AsOf.Equal(now)`, after: ``,
	},
	{
		name: "of two changes of factors both count", file: "internal/store/admin_factor.go", tests: "internal/auth:TestOfTwoChanges",
		before: `	if !same {`, after: `	if !same && false {`,
	},
}

// ofAdministration let one human being be two, or hide something from the person who decides.
var ofAdministration = []mutant{
	{
		name: "a new person is called like another one", file: "internal/store/admin_user.go",
		tests:  "web/portal:TestOnePersonIsNotTaken",
		before: `if kind == administration.KindUserCreate && values`, after: `if false && values`,
	},
	{
		name: "a person stands twice in the file of a realm", file: "internal/realmfile/definition.go",
		tests:  "cmd/countersign:TestARealmFileIsReadStrictly",
		before: `if identity.LooksLike(person.DisplayName, other.DisplayName) {`,
		after:  `if false && identity.LooksLike(person.DisplayName, other.DisplayName) {`,
	},
	{
		name: "a maker becomes an administrator besides", file: "internal/store/administrator.go",
		tests:  "cmd/countersign:TestTwoAdministratorsShut",
		before: `		return ErrNamesake`, after: `		return nil`,
	},
	{
		name: "somebody is made whose link nobody saw", file: "internal/store/provision.go",
		tests:  "cmd/countersign:TestWhatCannotBeShown",
		before: `		return by.Tell()`, after: `		_ = by.Tell()
		return nil`,
	},
	{
		name: "of two operators at once both count", file: "internal/store/administrator.go",
		tests:  "cmd/countersign:TestOfTwoOperators",
		before: `case !reflect.DeepEqual(now, seen):`, after: `case false && !reflect.DeepEqual(now, seen):`,
	},
	{
		name: "two names read alike", file: "internal/i18n/legible.go", tests: "cmd/countersign:TestARealmFileIsReadStrictly",
		before: `unicode.IsControl(r) || r == brailleBlank || unicode.In(r,`, after: `unicode.IsControl(r) || r == brailleBlank && unicode.In(r,`,
	},
	{
		name: "the decider sees no trial of a policy", file: "web/portal/change.go",
		tests:  "web/portal:TestEveryFormOfAdministration",
		before: `shown.Tried, err = v.effect(change)`, after: `_, err = v.effect(change)`,
	},
	{
		name: "a supervisor reads what is no report", file: "internal/service/read.go", tests: "web/portal:TestTheReportOfWhatLets",
		within: `func (s *Administration) Reported(`, before: `if err == nil && change.Kind.DecidedUnder()`,
		after: `if false && change.Kind.DecidedUnder()`,
	},
	{
		name: "who decides too late waits for the lock", file: "internal/store/transact.go",
		tests:  "internal/service:TestWhoComesTooLate",
		before: `for range 2 {`, after: `for range 0 {`,
	},
	{
		name: "a second factor is asked for too late in a bulk", file: "web/portal/bulk.go",
		tests:  "web/portal:TestWhatAsksForASecondFactor",
		before: `if contexts[i].StepUp {`, after: `if false && contexts[i].StepUp {`,
	},
	{
		name: "a provider that hangs keeps all realms out", file: "internal/auth/provider.go",
		tests:  "internal/auth:TestAProviderThatHangs",
		within: `func (s *Service) BeginAtProvider(`, before: `s.providers.take(in.Realm)`, after: `s.providers.take("")`,
	},
	{
		name: "a bundle is signed twice", file: "internal/auditlog/bundle.go", tests: "internal/store/integrity:TestABundleThatTellsHalf",
		before: ` || !alone`, after: ` || !alone && false`,
	},
}
