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
	for _, section := range f.sections() {
		for i, entry := range section.entries {
			entry.read(&d, fmt.Sprintf("/%s/%d", section.name, i), &wanted)
		}
		if section.name == policies && len(section.entries) == 0 {
			d.find("/policies", "Name the policies in force: without one no payment can be entered.")
		}
	}
	d.findings = append(d.findings, d.twice...)
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
	err      error             // a secret could not be made
	named    map[string]bool   // what the form named already
	twice    []payment.Finding // of names that the form has twice
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

func (p Person) read(d *definer, at string, wanted *store.RealmDefinition) {
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
		d.once("/people", account.Name)
	}
	wanted.People = append(wanted.People, person)
}

// user keeps the password of an existing account, and makes a set-up for a new one; linked is the account's present subject at the
// provider.
func (d *definer) user(u administration.User, suppressed bool) (account store.AccountDefinition, linked string) {
	account = store.AccountDefinition{Name: u.Name, Roles: u.Roles, Status: administration.StatusUnverified, Email: u.Email}
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
		account.Status = administration.StatusSuppressed
	case account.Status == administration.StatusSuppressed && account.ToBeSetUp:
		account.Status = administration.StatusUnverified // its owner chose no password, so nobody can sign in with it
	case account.Status == administration.StatusSuppressed:
		account.Status = administration.StatusActive
	}
	return account, linked
}

func (c Client) read(d *definer, at string, wanted *store.RealmDefinition) {
	client := d.client(at, c)
	d.once("/clients", client.ClientID)
	wanted.Clients = append(wanted.Clients, client)
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

// once refuses a name that a section has twice.
func (d *definer) once(at, name string) {
	if d.named == nil {
		d.named = map[string]bool{}
	}
	if d.named[at+name] {
		d.twice = append(d.twice, payment.Finding{Pointer: at, Code: "FF01", Text: i18n.Data(name + " stands here twice.")})
	}
	d.named[at+name] = true
}
