package realmfile

import (
	"errors"

	"countersign/internal/administration"
	"countersign/internal/store"
)

// IdentityProvider is the identity provider of the realm, with the fields of the change provider.set.
type IdentityProvider struct {
	Issuer         string          `yaml:"issuer" field:"issuer"`
	ProviderClient string          `yaml:"providerClient" field:"providerClient"`
	ProviderSecret *ProviderSecret `yaml:"providerSecret,omitempty,flow"`
	PortalAddress  string          `yaml:"portalAddress" field:"portalAddress"`
	SignInAge      string          `yaml:"signInAge,omitempty" field:"signInAge"`
	Passwords      string          `yaml:"passwords,omitempty" field:"passwords"`
}

// ProviderSecret names the source of the portal's secret at the provider, which never stands in the file itself. One of the three is set.
type ProviderSecret struct {
	File        string `yaml:"file,omitempty"`        // that nobody else may read
	Environment string `yaml:"environment,omitempty"` // the name of a variable
	Kept        Flag   `yaml:"kept,omitempty"`        // the realm has it
}

// ErrSecretPlace says that it is not clear where a secret is.
var ErrSecretPlace = errors.New(
	"say where the secret is, in one way: {file: PATH}, {environment: NAME}, or {kept: true} for the one the realm has",
)

// provider reads the identity provider. Without one the realm keeps its own.
func (d *definer) provider(p *IdentityProvider) *store.ProviderDefinition {
	if p == nil {
		return d.now.Provider
	}
	const at = "/identityProvider"
	read, err := administration.ProviderOf(administration.ValuesOf(*p), at)
	d.note(err)
	wanted := &store.ProviderDefinition{Provider: read}
	wanted.Status = administration.StatusInForce
	if p.ProviderSecret == nil {
		return wanted
	}
	wanted.HasSecret = true
	if *p.ProviderSecret == (ProviderSecret{Kept: true}) {
		if now := d.now.Provider; now == nil || !now.HasSecret || now.Issuer != wanted.Issuer || now.ClientID != wanted.ClientID {
			d.find(at+"/providerSecret", "Say where the secret is: the realm has none for this issuer and client that could be kept.")
		}
		return wanted
	}
	wanted.Secret, err = d.secrets.Provider(*p.ProviderSecret)
	if err != nil {
		d.find(at+"/providerSecret", err.Error()+".")
		return wanted
	}
	kept, err := d.secrets.Kept(d.now.Provider, *wanted)
	d.err = errors.Join(d.err, err)
	if kept {
		wanted.Secret = ""
	}
	return wanted
}

// providerForm shows a provider. A secret that is not in force yet is neither kept nor anywhere else.
func providerForm(d *store.ProviderDefinition) *IdentityProvider {
	if d == nil {
		return nil
	}
	shown := &IdentityProvider{}
	administration.Fill(shown, d.Values())
	if d.HasSecret {
		shown.ProviderSecret = &ProviderSecret{Kept: d.Secret == ""}
	}
	return shown
}

// subject reads who an account is at the provider. Without a word the link stays, as long as the provider does.
func (d *definer) subject(at, subject, known string) string {
	sameIssuer := d.outer != nil && d.now.Provider != nil && d.outer.Issuer == d.now.Provider.Issuer
	if subject == "" && sameIssuer {
		return known
	}
	if subject == "" {
		return ""
	}
	if d.outer == nil {
		d.find(at+"/outerSubject", "Name the identity provider that knows the account under this subject.")
	}
	d.note(administration.CheckOuterSubject(subject, at))
	return subject
}

// linkedOnce refuses two accounts that would be the same somebody, named here or not.
func (d *definer) linkedOnce(wanted store.RealmDefinition) {
	named, accounts := map[string]bool{}, map[string]bool{}
	for _, person := range wanted.People {
		for _, account := range person.Accounts {
			accounts[account.Name] = true
			if account.OuterSubject != "" && named[account.OuterSubject] {
				d.find("/people", "The subject "+account.OuterSubject+" stands here twice: it is one account.")
			}
			named[account.OuterSubject] = true
		}
	}
	for _, person := range d.now.People {
		for _, account := range person.Accounts {
			if !accounts[account.Name] && account.OuterSubject != "" && named[account.OuterSubject] {
				d.find("/people", "The subject "+account.OuterSubject+" is linked with the account "+account.Name+": name that one here with another.")
			}
		}
	}
}
