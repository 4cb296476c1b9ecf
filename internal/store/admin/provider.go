package admin

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Provider is the identity provider of a realm; found is false for none.
func (c *Changes) Provider(ctx context.Context, realm string) (p administration.Provider, found bool, err error) {
	row, err := ask(ctx, c, question{realm, "read the identity provider"}, func(s step) (dbsqlc.IdentityProvider, error) {
		row, _, err := s.provider(ctx)
		return row, err
	})
	return providerOf(row), row.ProviderID != uuid.Nil, err
}

func (s step) provider(ctx context.Context) (row dbsqlc.IdentityProvider, found bool, err error) {
	rows, err := s.q.ProviderInForce(ctx, s.realm)
	if err != nil || len(rows) == 0 {
		return row, false, err
	}
	return rows[0], true, nil
}

func providerOf(row dbsqlc.IdentityProvider) administration.Provider {
	if row.ProviderID == uuid.Nil {
		return administration.Provider{}
	}
	return administration.Provider{
		ID: row.ProviderID.String(), Issuer: row.Issuer, ClientID: row.ClientID, HasSecret: row.Secret != nil, PortalAddress: row.PortalAddress,
		Passwords: row.Passwords, SignInAge: store.Seconds(row.SignInAgeSeconds), Status: administration.StatusInForce,
	}
}

// providerFacts adds the provider in force, which the new one replaces under any name.
func (s step) providerFacts(ctx context.Context, known *administration.Facts, subject string) error {
	row, found, err := s.provider(ctx)
	if !found {
		return err
	}
	known.Provider = providerOf(row)
	known.Before, known.Found = known.Provider.Values(), subject == row.Issuer
	return nil
}

// linked is an account and the outer subject it is to be linked with.
type linked struct{ name, subject string }

func (s step) linkFacts(ctx context.Context, known *administration.Facts, of linked) error {
	row, found, err := s.provider(ctx)
	if !found {
		return err
	}
	known.Provider = providerOf(row)
	links, err := s.q.OuterIdentityBySubject(ctx, s.realm, row.Issuer, of.subject)
	if err != nil || len(links) == 0 {
		return err
	}
	user, err := s.q.UserGet(ctx, s.realm, links[0].UserID)
	known.LinkedElsewhere = err == nil && user.Name != of.name
	return err
}

// applyProvider puts a provider in the place of the one in force, or ends that one. The secret of the one before goes over to its
// successor when it is of the same client: it is bound to realm, issuer and client.
func (s step) applyProvider(ctx context.Context, c administration.Change) error {
	before, found, err := s.provider(ctx)
	if err != nil {
		return err
	}
	if found {
		if !s.guard.Provider(ctx, before) && c.Kind != administration.KindProviderRetire {
			return &administration.ConflictError{
				Text: "The identity provider is not as it was sealed. Tell the operator of the gateway, and retire it.",
			}
		}
		err = s.outer().RetireProvider(ctx, before)
		if err != nil {
			return err
		}
	}
	if c.Kind == administration.KindProviderRetire {
		if !found {
			return store.ErrMoved
		}
		return nil
	}
	p, err := administration.ProviderOf(c.Values, "")
	if err != nil {
		return err
	}
	row := dbsqlc.IdentityProvider{
		Realm: s.realm, ProviderID: c.ID, Issuer: p.Issuer, ClientID: p.ClientID, PortalAddress: p.PortalAddress, Passwords: p.Passwords,
		SignInAgeSeconds: int32(p.SignInAge / time.Second), MadeAt: s.at, //nolint:gosec // at most twelve hours
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
	return s.outer().InsertProvider(ctx, row)
}

// outer writes the provider and the links in this step.
func (s step) outer() store.Outer {
	return store.Outer{Queries: s.q, Keys: s.keys, Realm: s.realm, At: s.at}
}

// link sets the subject of an account at the provider. It ends the previous link, and the account's sessions and tokens.
func (s step) link(ctx context.Context, c administration.Change, account dbsqlc.UserAccount) error {
	err := s.outer().Relink(ctx, account)
	if err != nil {
		return err
	}
	return s.outer().Link(ctx, dbsqlc.OuterIdentity{
		Realm: s.realm, LinkID: c.ID, UserID: account.UserID, Issuer: c.After["outerIssuer"], Subject: c.After["outerSubject"], LinkedAt: s.at,
	})
}
