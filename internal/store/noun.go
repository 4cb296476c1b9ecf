package store

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// storedNoun reads and writes the subjects of one noun of administration.
type storedNoun struct {
	list  func(changeStep, context.Context) ([]administration.Subject, error) // nil for a noun without a list
	facts func(changeStep, context.Context, *administration.Facts, requested) error
	apply func(changeStep, context.Context, administration.Change) error
}

// nouns maps the nouns by name. Set reads their rows, and RealmDefinition those of a realm's file.
var nouns = map[string]storedNoun{
	"user":        {listed(every(changeStep.users)), changeStep.userFacts, changeStep.applyUser},
	"client":      {listed(every(changeStep.clients)), changeStep.clientFacts, changeStep.applyClient},
	"account":     {listed(every(changeStep.accounts)), changeStep.accountFacts, changeStep.applyAccount},
	"policy":      {listed(changeStep.policies), changeStep.policyFacts, changeStep.applyPolicy},
	"webhook":     {listed(changeStep.webhooks), changeStep.webhookFacts, changeStep.applyWebhook},
	"provider":    {listed(changeStep.providers), changeStep.providerFacts, changeStep.applyProvider},
	"limit":       {listed(changeStep.limitsToday), changeStep.limitFacts, changeStep.applyLimit},
	"realm":       {listed(changeStep.factors), changeStep.factorsFacts, changeStep.applyFactors},
	"message":     {nil, changeStep.messageFacts, changeStep.applyMessage},
	"beneficiary": {nil, changeStep.beneficiaryFacts, changeStep.applyBeneficiary},
}

// Set reads the rows of the master data of a realm, or of all realms for "", as a login that sees them: the rows under the head of a realm.
func Set(ctx context.Context, q *dbsqlc.Queries, realm string) ([]Row, error) {
	return readRows(ctx, q, realm,
		rowsOf((*dbsqlc.Queries).RealmListAll, Realm),
		rowsOf((*dbsqlc.Queries).IncomingAccountListAll, IncomingAccount),
		rowsOf((*dbsqlc.Queries).PersonListAll, Person),
		rowsOf((*dbsqlc.Queries).UserListAll, User),
		rowsOf((*dbsqlc.Queries).GrantListAll, Grant),
		rowsOf((*dbsqlc.Queries).ClientListAll, ClientRow),
		rowsOf((*dbsqlc.Queries).PolicyListAll, Policy),
		rowsOf((*dbsqlc.Queries).DebtorAccountListAll, DebtorAccount),
		rowsOf((*dbsqlc.Queries).LimitListAll, Limit),
		rowsOf((*dbsqlc.Queries).SetUpListAll, SetUpRow),
		rowsOf((*dbsqlc.Queries).FactorListAll, FactorRow),
		rowsOf((*dbsqlc.Queries).ProviderListAll, ProviderRow),
		rowsOf((*dbsqlc.Queries).WebhookListAll, WebhookRow),
		rowsOf((*dbsqlc.Queries).OuterIdentityListAll, OuterIdentity),
		rowsOf((*dbsqlc.Queries).DirectoryListAll, func(d dbsqlc.DirectoryListAllRow) Row { return Directory(dbsqlc.DirectoryNewestListRow(d)) }),
		rowsOf((*dbsqlc.Queries).BeneficiaryListAll, Beneficiary),
		rowsOf((*dbsqlc.Queries).BreakGlassListAll, BreakGlass),
	)
}

// RealmDefinition is everything that ApplyRealm applies to a realm.
type RealmDefinition struct {
	Realm          string // lower-case letters, digits and hyphens, at most 32
	Name           string // as shown to people
	Mark           string // two characters that open every Global ID of the realm; fixed for ever
	MadeBy         RealmMaker
	Life           TokenLife       // whole seconds
	SecondFactor   []identity.Role // roles of which a second factor is asked
	NoticeDetails  bool            // e-mails may name amounts and creditors
	People         []PersonDefinition
	Clients        []administration.Client
	Policies       []administration.Policy  // all of them: a policy in force that is not here is retired
	DebtorAccounts []administration.Account // open unless their status says closed
	Limits         []administration.Limit   // a person is named by a user account
	Directories    []DirectoryImport        // of any scheme; their Realm is this one
	// Provider is the identity provider; nil leaves the realm's own as it is.
	Provider *ProviderDefinition
}

// bring applies the definition of a realm.
func (p provision) bring(ctx context.Context, realm RealmDefinition) error {
	err := p.row(ctx, realm) // first, for it locks the row: two runs take turns
	err = bringEach(ctx, err, realm.People, p.person, func(d PersonDefinition) string { return "person " + d.DisplayName })
	if err == nil {
		err = p.bringOuter(ctx, realm)
	}
	err = bringEach(ctx, err, realm.Clients, p.client, func(c administration.Client) string { return "client " + c.ClientID })
	if err == nil {
		err = p.bringPolicies(ctx, realm.Policies)
	}
	err = bringEach(ctx, err, realm.DebtorAccounts, p.account,
		func(a administration.Account) string { return "debtor account of " + a.HolderName })
	err = bringEach(ctx, err, realm.Limits, p.limit,
		func(l administration.Limit) string { return "limit of " + string(l.Of) + " " + l.Holder })
	return bringEach(ctx, err, realm.Directories, func(ctx context.Context, d DirectoryImport) error {
		_, err := p.directory(ctx, d)
		return err
	}, func(d DirectoryImport) string { return "directory of " + string(d.Scheme) })
}

// all reads a realm.
func (w realmWriter) all(ctx context.Context) (KnownRealm, error) {
	row, err := w.q.RealmGet(ctx, w.realm)
	if err != nil {
		return KnownRealm{}, err
	}
	read := KnownRealm{RealmDefinition: RealmDefinition{
		Realm: row.Realm, Name: row.Name, Mark: row.Mark, MadeBy: RealmMaker(row.MadeBy), Life: TokenLife{
			Access: Seconds(row.AccessTokenSeconds), Refresh: Seconds(row.RefreshTokenSeconds),
			Absolute: Seconds(row.RefreshAbsoluteSeconds),
		},
		SecondFactor: FactorRoles(row.SecondFactorRoles), NoticeDetails: row.NoticeDetails,
	}}
	administrators, err := w.q.AdministratorEverCount(ctx, w.realm)
	if err != nil {
		return KnownRealm{}, err
	}
	read.EverTwo = administrators >= 2
	outer, err := w.outerOf(ctx, &read.RealmDefinition)
	if err != nil {
		return KnownRealm{}, err
	}
	read.People, err = w.people(ctx, outer)
	if err != nil {
		return KnownRealm{}, err
	}
	read.Clients, err = w.clients(ctx, "")
	if err != nil {
		return KnownRealm{}, err
	}
	read.Policies, err = w.policiesInForce(ctx)
	if err != nil {
		return KnownRealm{}, err
	}
	read.DebtorAccounts, err = w.accounts(ctx, "")
	if err != nil {
		return KnownRealm{}, err
	}
	read.Limits, err = w.fileLimits(ctx, read.People)
	return read, err
}

// Subjects lists the subjects of a noun in a realm; none for a noun without a list. at is the time in the zone of banking days.
func (c *Changes) Subjects(ctx context.Context, realm, noun string, at time.Time) ([]administration.Subject, error) {
	read := nouns[noun].list
	if read == nil {
		return nil, nil
	}
	list, err := Read(ctx, c.db, realm, func(q *dbsqlc.Queries) ([]administration.Subject, error) { return read(c.step(q, realm, at), ctx) })
	return list, changeError(err, "list by noun "+noun)
}

// requested are the parts of a request that name rows.
type requested struct {
	kind    administration.Kind
	subject string
	values  administration.Values
}

// name returns the name of the subject; for a new one its future name.
func (r requested) name() string {
	if r.kind.Creates() {
		return r.values[r.kind.Key()]
	}
	return r.subject
}

// facts reads the facts on which a change is decided: its subject, and the rows its values refer to.
func (s changeStep) facts(ctx context.Context, asked requested) (administration.Facts, error) {
	var known administration.Facts
	noun, found := nouns[asked.kind.Noun()]
	if !found {
		return known, nil // the rules refuse the kind
	}
	err := noun.facts(s, ctx, &known, asked)
	return known, wrapped(err, "read the subject of the change")
}

// apply carries out an approved change.
func (s changeStep) apply(ctx context.Context, c administration.Change) error {
	err := nouns[c.Kind.Noun()].apply(s, ctx, c)
	if err != nil {
		return fmt.Errorf("bring about %s: %w", c.Kind, err)
	}
	return nil
}

// listed makes the list of a noun from a read of its subjects.
func listed[T administration.Subject](
	read func(changeStep, context.Context) ([]T, error),
) func(changeStep, context.Context) ([]administration.Subject, error) {
	return func(s changeStep, ctx context.Context) ([]administration.Subject, error) {
		list, err := read(s, ctx)
		all := make([]administration.Subject, len(list))
		for i, one := range list {
			all[i] = one
		}
		return all, err
	}
}

// every reads all subjects with a read that takes the name of one, or "" for all.
func every[T any](read func(changeStep, context.Context, string) ([]T, error)) func(changeStep, context.Context) ([]T, error) {
	return func(s changeStep, ctx context.Context) ([]T, error) { return read(s, ctx, "") }
}

// bringEach applies each subject, unless an earlier step failed; words name one in an error.
func bringEach[T any](ctx context.Context, earlier error, list []T, bring func(context.Context, T) error, words func(T) string) error {
	if earlier != nil {
		return earlier
	}
	for _, one := range list {
		err := bring(ctx, one)
		if err != nil {
			return fmt.Errorf("%s: %w", words(one), err)
		}
	}
	return nil
}
