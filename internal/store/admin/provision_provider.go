package admin

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// ProviderDefinition is the identity provider of a realm.
type ProviderDefinition struct {
	administration.Provider
	// Secret is a new secret of the portal there. Without one and with HasSecret the one in force stays, which is of the same client.
	Secret string
	// hidden is the secret in force as the database has it.
	hidden []byte
}

// outer creates or updates the identity provider and the links of accounts to match the definition. Omitted ones stay.
func (p provision) outer(ctx context.Context, realm RealmDefinition) error {
	setUp := store.Outer{Queries: p.q, Keys: p.keys, Realm: p.realm, At: p.at}
	if realm.Provider != nil {
		err := p.provider(ctx, setUp, *realm.Provider)
		if err != nil {
			return fmt.Errorf("identity provider: %w", err)
		}
	}
	rows, err := p.q.ProviderInForce(ctx, p.realm)
	if err != nil || len(rows) == 0 {
		return err
	}
	return p.links(ctx, setUp, linksWanted{issuer: rows[0].Issuer, people: realm.People})
}

// provider puts the definition's provider in the place of the one in force, unless it is the same.
func (p provision) provider(ctx context.Context, outer store.Outer, d ProviderDefinition) error {
	rows, err := p.q.ProviderInForce(ctx, p.realm)
	if err != nil {
		return err
	}
	row := dbsqlc.IdentityProvider{
		Realm: p.realm, Issuer: d.Issuer, ClientID: d.ClientID, PortalAddress: d.PortalAddress, Passwords: d.Passwords,
		SignInAgeSeconds: wholeSeconds(d.SignInAge), MadeAt: p.at,
	}
	if len(rows) == 1 && d.HasSecret && d.Secret == "" {
		row.Secret = rows[0].Secret
	}
	if len(rows) == 1 && d.Secret == "" && sameProvider(row, rows[0]) {
		return nil
	}
	if len(rows) == 1 {
		err = outer.RetireProvider(ctx, rows[0])
		if err != nil {
			return err
		}
	}
	row.ProviderID, err = uuid.NewV7()
	if err != nil {
		return err
	}
	if d.Secret != "" {
		row.Secret, err = p.hide(d)
		if err != nil {
			return err
		}
	}
	return outer.InsertProvider(ctx, row)
}

// sameProvider reports whether two rows say the same, whenever they were made.
func sameProvider(a, b dbsqlc.IdentityProvider) bool {
	return a.Issuer == b.Issuer && a.ClientID == b.ClientID && a.PortalAddress == b.PortalAddress && a.Passwords == b.Passwords &&
		a.SignInAgeSeconds == b.SignInAgeSeconds && bytes.Equal(a.Secret, b.Secret)
}

// hide makes of a secret what may stand in the database.
func (p provision) hide(d ProviderDefinition) ([]byte, error) {
	text, err := p.providers.Hide(rand.Reader, d.bound(p.realm, d.Secret))
	if err != nil {
		return nil, err
	}
	return identity.HiddenProviderSecret(text)
}

func (d ProviderDefinition) bound(realm, secret string) identity.ProviderSecret {
	return identity.ProviderSecret{Realm: realm, Issuer: d.Issuer, ClientID: d.ClientID, Secret: secret}
}

// KeepsSecret reports whether the provider in force has this very secret, for the same client. Error: a secret that these keys do not open.
func (by Provisioner) KeepsSecret(realm string, inForce *ProviderDefinition, wanted ProviderDefinition) (bool, error) {
	if inForce == nil || inForce.hidden == nil || inForce.Issuer != wanted.Issuer || inForce.ClientID != wanted.ClientID {
		return false, nil
	}
	keys, err := identity.NewProviderKeys(by.Keys)
	if err != nil {
		return false, err
	}
	secret, err := keys.Show(inForce.hidden, inForce.bound(realm, ""))
	if err != nil {
		return false, fmt.Errorf("read the secret of the identity provider: %w", err)
	}
	return secret == wanted.Secret, nil
}

// linksWanted are the accounts of people who are somebody at a provider.
type linksWanted struct {
	issuer string
	people []PersonDefinition
}

// links sets the subjects of the accounts at the provider. It ends all replaced links first: a subject may pass from one account of the
// definition to another.
func (p provision) links(ctx context.Context, outer store.Outer, wanted linksWanted) error {
	var fresh []dbsqlc.OuterIdentity
	for _, person := range wanted.people {
		for _, account := range person.Accounts {
			row, user, err := p.linkOf(ctx, wanted.issuer, account)
			if err == nil && row != nil {
				err = outer.Relink(ctx, user)
				fresh = append(fresh, *row)
			}
			if err != nil {
				return fmt.Errorf("account %s: %w", account.Name, err)
			}
		}
	}
	for _, row := range fresh {
		err := p.free(ctx, row)
		if err != nil {
			return err
		}
		err = outer.Link(ctx, row)
		if err != nil {
			return fmt.Errorf("link with %s: %w", row.Subject, err)
		}
	}
	return nil
}

// free refuses a subject that another account is linked with.
func (p provision) free(ctx context.Context, row dbsqlc.OuterIdentity) error {
	taken, err := p.q.OuterIdentityBySubject(ctx, p.realm, row.Issuer, row.Subject)
	if err != nil || len(taken) == 0 {
		return err
	}
	user, err := p.q.UserGet(ctx, p.realm, taken[0].UserID)
	if err != nil {
		return err
	}
	return fmt.Errorf("the subject %s is linked with the account %s: name that one with another subject", row.Subject, user.Name)
}

// linkOf is the link that an account is to have, and the account; nil where it has it or none is named.
func (p provision) linkOf(ctx context.Context, issuer string, account AccountDefinition) (
	row *dbsqlc.OuterIdentity, user dbsqlc.UserAccount, err error,
) {
	if account.OuterSubject == "" {
		return nil, user, nil
	}
	user, err = p.q.UserByName(ctx, p.realm, identity.NormaliseName(account.Name))
	if err != nil {
		return nil, user, err
	}
	known, err := p.q.OuterIdentityOfUser(ctx, p.realm, user.UserID)
	if err != nil {
		return nil, user, err
	}
	if len(known) == 1 && known[0].Issuer == issuer && known[0].Subject == account.OuterSubject &&
		store.OuterIdentity(known[0]).Check(p.keys) == nil {
		return nil, user, nil
	}
	id, err := uuid.NewV7()
	return &dbsqlc.OuterIdentity{
		Realm: p.realm, LinkID: id, UserID: user.UserID, Issuer: issuer, Subject: account.OuterSubject, LinkedAt: p.at,
	}, user, err
}

// outer reads the identity provider in force and the subjects of the accounts there.
func (r reading) outer(ctx context.Context, into *RealmDefinition) error {
	rows, err := r.q.ProviderInForce(ctx, r.realm)
	if err != nil || len(rows) == 0 {
		return err
	}
	row := rows[0]
	into.Provider = &ProviderDefinition{Provider: administration.Provider{
		ID: row.ProviderID.String(), Issuer: row.Issuer, ClientID: row.ClientID, HasSecret: row.Secret != nil, PortalAddress: row.PortalAddress,
		Passwords: row.Passwords, SignInAge: store.Seconds(row.SignInAgeSeconds), Status: administration.StatusInForce,
	}, hidden: row.Secret}
	return nil
}

// subjects are those of the accounts at the provider in force.
func (r reading) subjects(ctx context.Context) (map[uuid.UUID]string, error) {
	rows, err := r.q.ProviderInForce(ctx, r.realm)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	links, err := r.q.OuterIdentityInForceList(ctx, r.realm)
	subjects := make(map[uuid.UUID]string, len(links))
	for _, link := range links {
		if link.Issuer == rows[0].Issuer {
			subjects[link.UserID] = link.Subject
		}
	}
	return subjects, err
}
