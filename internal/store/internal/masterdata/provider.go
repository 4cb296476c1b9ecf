package masterdata

import "countersign/internal/store/internal/dbsqlc"

// Provider is the row of an identity provider.
func Provider(p dbsqlc.IdentityProvider) Row {
	return Row{Table: "identity_provider", Realm: p.Realm, Key: p.ProviderID.String(), KeyID: &p.KeyID, Seal: p.Seal}.
		covers(p.ProviderID, p.Issuer, p.ClientID, p.Secret, p.PortalAddress, p.Passwords, p.SignInAgeSeconds, p.MadeAt, p.RetiredAt)
}

// OuterIdentity is the row that says who an account is at an identity provider.
func OuterIdentity(o dbsqlc.OuterIdentity) Row {
	return Row{Table: "outer_identity", Realm: o.Realm, Key: o.LinkID.String(), KeyID: &o.KeyID, Seal: o.Seal}.
		covers(o.LinkID, o.UserID, o.Issuer, o.Subject, o.LinkedAt, o.EndedAt)
}
