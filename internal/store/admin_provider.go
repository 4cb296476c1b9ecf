package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

func (w realmWriter) provider(ctx context.Context) (row dbsqlc.IdentityProvider, found bool, err error) {
	rows, err := w.q.ProviderInForce(ctx, w.realm)
	if err != nil || len(rows) == 0 {
		return row, false, err
	}
	return rows[0], true, nil
}

// providers reads the identity provider in force; none for a realm without.
func (w realmWriter) providers(ctx context.Context) ([]administration.Provider, error) {
	row, found, err := w.provider(ctx)
	if !found {
		return nil, err
	}
	return []administration.Provider{providerOf(row)}, nil
}

func providerOf(row dbsqlc.IdentityProvider) administration.Provider {
	if row.ProviderID == uuid.Nil {
		return administration.Provider{}
	}
	return administration.Provider{
		ID: row.ProviderID.String(), Issuer: row.Issuer, ClientID: row.ClientID, HasSecret: row.Secret != nil, PortalAddress: row.PortalAddress,
		Passwords: row.Passwords, SignInAge: Seconds(row.SignInAgeSeconds), Status: administration.StatusInForce,
	}
}

// providerFacts adds the provider in force, which the new one replaces under any name.
func (s changeStep) providerFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	row, found, err := s.provider(ctx)
	if !found {
		return err
	}
	known.Provider = providerOf(row)
	known.Before, known.Found = known.Provider.Values(), asked.subject == row.Issuer
	return nil
}

// linkFacts adds the provider in force, and whether another account than the named one is linked with a subject.
func (s changeStep) linkFacts(ctx context.Context, known *administration.Facts, name, subject string) error {
	row, found, err := s.provider(ctx)
	if !found {
		return err
	}
	known.Provider = providerOf(row)
	links, err := s.q.OuterIdentityBySubject(ctx, s.realm, row.Issuer, subject)
	if err != nil || len(links) == 0 {
		return err
	}
	user, err := s.q.UserGet(ctx, s.realm, links[0].UserID)
	known.LinkedElsewhere = err == nil && user.Name != name
	return err
}

// applyProvider replaces or ends the provider in force. Its secret is kept for a new provider with the same client, because a secret is
// bound to realm, issuer and client.
func (s changeStep) applyProvider(ctx context.Context, c administration.Change) error {
	before, found, err := s.provider(ctx)
	if err != nil {
		return err
	}
	if found {
		if !s.guard.Fits(ctx, ProviderRow(before)) && c.Kind != administration.KindProviderRetire {
			return &administration.ConflictError{
				Text: "The stored identity provider failed its integrity check and may have been changed outside the gateway. Tell an operator, and " +
					"retire the identity provider.",
			}
		}
		err = s.retireProvider(ctx, before)
		if err != nil {
			return err
		}
	}
	if c.Kind == administration.KindProviderRetire {
		if !found {
			return ErrMoved
		}
		return nil
	}
	p, err := administration.ProviderOf(c.Values, "")
	if err != nil {
		return err
	}
	row := dbsqlc.IdentityProvider{
		Realm: s.realm, ProviderID: c.ID, Issuer: p.Issuer, ClientID: p.ClientID, PortalAddress: p.PortalAddress, Passwords: p.Passwords,
		SignInAgeSeconds: wholeSeconds(p.SignInAge), MadeAt: s.at,
	}
	switch {
	case p.HasSecret:
		row.Secret, err = identity.HiddenProviderSecret(c.Values["providerSecret"])
	case c.After["providerSecret"] != "":
		row.Secret = before.Secret
	}
	if err != nil {
		return err
	}
	return s.insertProvider(ctx, row)
}

// link sets the subject of an account at the provider. It ends the previous link, and the account's sessions and tokens.
func (s changeStep) link(ctx context.Context, c administration.Change, account dbsqlc.UserAccount) error {
	err := s.relink(ctx, account)
	if err != nil {
		return err
	}
	return s.linkOuter(ctx, dbsqlc.OuterIdentity{
		Realm: s.realm, LinkID: c.ID, UserID: account.UserID, Issuer: c.After["outerIssuer"], Subject: c.After["outerSubject"], LinkedAt: s.at,
	})
}

// ProviderDefinition is the identity provider of a realm.
type ProviderDefinition struct {
	administration.Provider
	// Secret is a new secret of the portal there. Without one and with HasSecret the one in force stays, which is of the same client.
	Secret string
	// hidden is the secret in force as the database has it.
	hidden []byte
}

// bringOuter creates or updates the identity provider and the links of accounts to match the definition. Omitted ones stay.
func (p provision) bringOuter(ctx context.Context, realm RealmDefinition) error {
	if realm.Provider != nil {
		err := p.bringProvider(ctx, *realm.Provider)
		if err != nil {
			return fmt.Errorf("identity provider: %w", err)
		}
	}
	row, found, err := p.provider(ctx)
	if !found {
		return err
	}
	return p.links(ctx, row.Issuer, realm.People)
}

// bringProvider replaces the provider in force by that of the definition, unless they are equal.
func (p provision) bringProvider(ctx context.Context, d ProviderDefinition) error {
	before, found, err := p.provider(ctx)
	if err != nil {
		return err
	}
	row := dbsqlc.IdentityProvider{
		Realm: p.realm, Issuer: d.Issuer, ClientID: d.ClientID, PortalAddress: d.PortalAddress, Passwords: d.Passwords,
		SignInAgeSeconds: wholeSeconds(d.SignInAge), MadeAt: p.at,
	}
	if d.HasSecret && d.Secret == "" {
		row.Secret = before.Secret
	}
	if found && d.Secret == "" && sameProvider(row, before) {
		return nil
	}
	if found {
		err = p.retireProvider(ctx, before)
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
	return p.insertProvider(ctx, row)
}

// sameProvider reports whether two rows are equal except for their times.
func sameProvider(a, b dbsqlc.IdentityProvider) bool {
	return a.Issuer == b.Issuer && a.ClientID == b.ClientID && a.PortalAddress == b.PortalAddress && a.Passwords == b.Passwords &&
		a.SignInAgeSeconds == b.SignInAgeSeconds && bytes.Equal(a.Secret, b.Secret)
}

// hide encrypts the secret of a provider for the database.
func (p provision) hide(d ProviderDefinition) ([]byte, error) {
	text, err := p.providerKeys.Hide(rand.Reader, d.bound(p.realm, d.Secret))
	if err != nil {
		return nil, err
	}
	return identity.HiddenProviderSecret(text)
}

func (d ProviderDefinition) bound(realm, secret string) identity.ProviderSecret {
	return identity.ProviderSecret{Realm: realm, Issuer: d.Issuer, ClientID: d.ClientID, Secret: secret}
}

// KeepsSecret reports whether the provider in force has the same secret for the same client. Error: a secret that these keys cannot
// decrypt.
func (by Provisioner) KeepsSecret(realm string, inForce *ProviderDefinition, wanted ProviderDefinition) (bool, error) {
	if inForce == nil || inForce.hidden == nil || inForce.Issuer != wanted.Issuer || inForce.ClientID != wanted.ClientID {
		return false, nil
	}
	keys, err := identity.NewProviderKeys(by.Keys)
	if err != nil {
		return false, err
	}
	secret, err := keys.Show(inForce.hidden, inForce.bound(realm, ""))
	return secret == wanted.Secret, wrapped(err, "read the secret of the identity provider")
}

// links sets the subjects of the accounts at the provider. It ends all replaced links first: a subject may pass from one account of the
// definition to another.
func (p provision) links(ctx context.Context, issuer string, people []PersonDefinition) error {
	var fresh []dbsqlc.OuterIdentity
	for _, person := range people {
		for _, account := range person.Accounts {
			row, user, err := p.linkOf(ctx, issuer, account)
			if err == nil && row != nil {
				err = p.relink(ctx, user)
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
		err = p.linkOuter(ctx, row)
		if err != nil {
			return fmt.Errorf("link with %s: %w", row.Subject, err)
		}
	}
	return nil
}

// free refuses a subject that is linked with another account.
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

// linkOf returns the link to write for an account, and the account; nil when the link exists or the definition names none.
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
		p.ledger.Has(OuterIdentity(known[0])) {
		return nil, user, nil
	}
	id, err := uuid.NewV7()
	return &dbsqlc.OuterIdentity{
		Realm: p.realm, LinkID: id, UserID: user.UserID, Issuer: issuer, Subject: account.OuterSubject, LinkedAt: p.at,
	}, user, err
}

// outerOf reads the identity provider in force, and the subjects of accounts there.
func (w realmWriter) outerOf(ctx context.Context, into *RealmDefinition) (map[uuid.UUID]string, error) {
	row, found, err := w.provider(ctx)
	if !found {
		return nil, err
	}
	into.Provider = &ProviderDefinition{Provider: providerOf(row), hidden: row.Secret}
	links, err := w.q.OuterIdentityInForceList(ctx, w.realm)
	subjects := make(map[uuid.UUID]string, len(links))
	for _, link := range links {
		if link.Issuer == row.Issuer {
			subjects[link.UserID] = link.Subject
		}
	}
	return subjects, err
}
