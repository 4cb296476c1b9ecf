package realmfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Secrets makes the secrets of new accounts and clients of a realm.
type Secrets interface {
	// Password is the hash of a password that nobody knows, and the set-up by which the owner of the account chooses one.
	Password(user string) (hash string, setUp identity.SetUpSecret, err error)
	// Client is the digest of a new secret of a client.
	Client(clientID string) (digest []byte, err error)
	// Provider reads the secret of the portal at an identity provider from the place that the file names. Its error is a sentence with the
	// remedy, without its full stop.
	Provider(from ProviderSecret) (string, error)
	// Kept reports whether the provider in force has this secret already; there may be none.
	Kept(inForce *store.ProviderDefinition, wanted store.ProviderDefinition) (bool, error)
}

// Definition is the realm a form describes, over the realm as it is: passwords, secrets and everything that the form does not name stay,
// but for policies, which the form names all, and the roles of an account. All faults of the form are told at once, as a
// payment.FieldError.
func (f Form) Definition(now store.RealmDefinition, secrets Secrets) (store.RealmDefinition, error) {
	d := definer{now: now, secrets: secrets}
	wanted := store.RealmDefinition{Realm: f.Realm, Name: f.Name, Mark: f.Mark, MadeBy: now.MadeBy, Life: d.life(f.Tokens)}
	d.note(administration.Realm{Realm: f.Realm, Name: f.Name, Mark: f.Mark}.Check())
	if f.Realm != now.Realm || f.Mark != now.Mark {
		d.find("/realm", "Give realm and mark as the realm has them: they are fixed for ever.")
	}
	wanted.SecondFactor = d.roles(f.SecondFactor)
	wanted.NoticeDetails = now.NoticeDetails
	if f.NoticeDetails != nil {
		wanted.NoticeDetails = *f.NoticeDetails
	}
	wanted.Provider = d.provider(f.IdentityProvider)
	d.outer = wanted.Provider
	for i, person := range f.People {
		wanted.People = append(wanted.People, d.person(fmt.Sprintf("/people/%d", i), person))
	}
	for i, client := range f.Clients {
		wanted.Clients = append(wanted.Clients, d.client(fmt.Sprintf("/clients/%d", i), client))
	}
	for i, policy := range f.Policies {
		wanted.Policies = append(wanted.Policies, d.policy(fmt.Sprintf("/policies/%d", i), policy))
	}
	if len(f.Policies) == 0 {
		d.find("/policies", "Name the policies in force: without one no payment can be entered.")
	}
	for i, account := range f.Accounts {
		wanted.DebtorAccounts = append(wanted.DebtorAccounts, d.account(fmt.Sprintf("/accounts/%d", i), account))
	}
	for i, limit := range f.Limits {
		wanted.Limits = append(wanted.Limits, d.limit(fmt.Sprintf("/limits/%d", i), limit, wanted))
	}
	d.once(wanted)
	d.namesakes(wanted)
	d.linkedOnce(wanted)
	if d.err == nil && len(d.findings) > 0 {
		d.err = &payment.FieldError{Findings: d.findings}
	}
	return wanted, d.err
}

// definer collects the faults of a form.
type definer struct {
	now      store.RealmDefinition
	secrets  Secrets
	findings []payment.Finding
	err      error // a secret could not be made
	// outer is the identity provider that the realm is to have; nil for none.
	outer *store.ProviderDefinition
}

// note takes the findings of an error.
func (d *definer) note(err error) {
	var malformed *payment.FieldError
	if errors.As(err, &malformed) {
		d.findings = append(d.findings, malformed.Findings...)
	}
}

func (d *definer) find(pointer, text string) {
	d.findings = append(d.findings, payment.Finding{Pointer: pointer, Code: "FF01", Text: i18n.Data(text)})
}

// roles reads of which roles a second factor is asked; where the form does not say it, it stays as it is.
func (d *definer) roles(names []string) []identity.Role {
	if names == nil {
		return d.now.SecondFactor
	}
	var roles []identity.Role
	for i, name := range names {
		role := identity.Role(name)
		if !slices.Contains(identity.Roles(), role) || slices.Contains(roles, role) {
			d.find(fmt.Sprintf("/secondFactor/%d", i), "Name roles, each once: maker, checker, supervisor, administrator.")
			continue
		}
		roles = append(roles, role)
	}
	return roles
}

// life reads the lives of tokens; missing ones keep their value.
func (d *definer) life(t *Tokens) store.TokenLife {
	life := d.now.Life
	if t == nil {
		return life
	}
	for _, token := range []struct {
		name, text string
		most       time.Duration
		into       *time.Duration
	}{
		{"access", t.Access, time.Hour, &life.Access},
		{"refresh", t.Refresh, 24 * time.Hour, &life.Refresh},
		{"absolute", t.Absolute, 7 * 24 * time.Hour, &life.Absolute},
	} {
		if token.text == "" {
			continue
		}
		read, err := time.ParseDuration(token.text)
		if err != nil || read < time.Second || read > token.most || read%time.Second != 0 {
			d.find("/tokens/"+token.name, "Say how long the token lives, from 1s to "+administration.Wait(token.most)+".")
			continue
		}
		*token.into = read
	}
	return life
}

func (d *definer) person(at string, p Person) store.PersonDefinition {
	person := store.PersonDefinition{DisplayName: p.Name}
	if len(p.Users) == 0 {
		d.find(at+"/users", "Give the person at least one user account.")
	}
	for i, u := range p.Users {
		user, err := administration.UserOf(administration.Values{
			"name": u.User, "displayName": p.Name, "roles": administration.Words(u.Roles), "email": u.Email,
		}, fmt.Sprintf("%s/users/%d", at, i))
		d.note(err)
		duty := administration.DutyOf(user.Roles)
		if person.Duty != "" && person.Duty != duty {
			d.find(at, "Give administration and payments to different people.")
		}
		person.Duty = duty
		account, linked := d.user(user, bool(u.Suppressed))
		account.OuterSubject = d.subject(fmt.Sprintf("%s/users/%d", at, i), u.OuterSubject, linked)
		person.Accounts = append(person.Accounts, account)
	}
	return person
}

// user keeps the password of an existing account, and makes a set-up for a new one; linked is the account's present subject at the
// provider.
func (d *definer) user(u administration.User, suppressed bool) (account store.AccountDefinition, linked string) {
	account = store.AccountDefinition{Name: u.Name, Roles: u.Roles, Status: store.UserUnverified, Email: u.Email}
	for _, person := range d.now.People {
		for _, known := range person.Accounts {
			if known.Name == u.Name {
				account.PasswordHash, account.Status, linked = known.PasswordHash, known.Status, known.OuterSubject
				account.ToBeSetUp, account.Email = known.ToBeSetUp, cmp.Or(u.Email, known.Email)
			}
		}
	}
	if account.PasswordHash == "" {
		hash, setUp, err := d.secrets.Password(u.Name)
		d.err = errors.Join(d.err, err)
		account.PasswordHash, account.SetUp = hash, setUp
	}
	switch {
	case suppressed:
		account.Status = store.UserSuppressed
	case account.Status == store.UserSuppressed && account.ToBeSetUp:
		account.Status = store.UserUnverified // its owner chose no password, so nobody can sign in with it
	case account.Status == store.UserSuppressed:
		account.Status = store.UserActive
	}
	return account, linked
}

func (d *definer) client(at string, c Client) administration.Client {
	client, err := administration.ClientOf(administration.ValuesOf(c), at)
	d.note(err)
	if client.ClientID == identity.PortalClient {
		d.find(at+"/client", "Leave the client "+identity.PortalClient+" out: every realm has its own.")
	}
	if client.Kind != administration.ClientConfidential {
		return client
	}
	for _, known := range d.now.Clients {
		if known.ClientID == client.ClientID {
			client.SecretHash = known.SecretHash
		}
	}
	if client.SecretHash == nil {
		client.SecretHash, err = d.secrets.Client(client.ClientID)
		d.err = errors.Join(d.err, err)
	}
	return client
}

func (d *definer) policy(at string, p Policy) administration.Policy {
	read, err := administration.PolicyOf(administration.ValuesOf(p), at)
	d.note(err)
	return read
}

func (d *definer) account(at string, a Account) administration.Account {
	read, err := administration.AccountOf(administration.ValuesOf(a), at)
	d.note(err)
	d.note(read.Check(at))
	read.Status = administration.StatusOpen
	if a.Closed {
		read.Status = administration.StatusClosed
	}
	return read
}

// namesakes refuses people of one name: were they one human being, four-eyes would take them for two.
func (d *definer) namesakes(wanted store.RealmDefinition) {
	for i, person := range wanted.People {
		for _, other := range wanted.People[:i] {
			if identity.LooksLike(person.DisplayName, other.DisplayName) {
				d.find(fmt.Sprintf("/people/%d/name", i), person.DisplayName+" stands here twice: list all user accounts of a human being in one "+
					"place, and tell two people of one name apart in their names.")
			}
		}
		for _, known := range d.now.People {
			if identity.LooksLike(person.DisplayName, known.DisplayName) && !shareAccount(person, known) {
				d.find(fmt.Sprintf("/people/%d/name", i), "Name an account of "+known.DisplayName+" too if this is another one of theirs: "+
					"the realm has somebody of this name. Tell two people of one name apart in their names.")
			}
		}
	}
}

// shareAccount reports whether two are the same person by an account of theirs.
func shareAccount(a, b store.PersonDefinition) bool {
	return slices.ContainsFunc(a.Accounts, func(one store.AccountDefinition) bool {
		return slices.ContainsFunc(b.Accounts, func(other store.AccountDefinition) bool { return one.Name == other.Name })
	})
}

// once refuses names that the form has twice.
func (d *definer) once(wanted store.RealmDefinition) {
	seen := map[string]bool{}
	name := func(at, key string) {
		if seen[at+key] {
			d.find(at, key+" stands here twice.")
		}
		seen[at+key] = true
	}
	for _, person := range wanted.People {
		for _, account := range person.Accounts {
			name("/people", account.Name)
		}
	}
	for _, client := range wanted.Clients {
		name("/clients", client.ClientID)
	}
	for _, account := range wanted.DebtorAccounts {
		name("/accounts", account.IBAN)
	}
	for _, limit := range wanted.Limits {
		name("/limits", string(limit.Of)+" "+limit.Holder+" "+limit.Currency)
	}
}
