package store

import (
	"crypto/sha256"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Kept returns the fields that the seal of a stored document covers, with the digest of the stored content.
func Kept(d dbsqlc.Document) auditlog.Kept {
	return auditlog.Kept{
		Outbound: auditlog.Outbound{
			Realm: d.Realm, MessageID: OrZero(d.MessageID), Scheme: d.Scheme, Name: iso20022.MessageName(d.Name),
			Reference: d.Reference, Hash: sha256.Sum256(d.Content),
		},
		Direction: d.Direction, SourceHash: sha256.Sum256(d.Source), SourceType: Text(d.SourceType),
	}
}

// SealedDecision returns a decision with the message fields that its seal covers: realm, ids, version, digest, makers
// and required approvals.
func SealedDecision(d dbsqlc.Decision) (payment.Message, payment.Decision) {
	m := payment.Message{
		Realm: d.Realm, InternalID: d.MessageID, Version: int(d.Version), ApprovalsRequired: int(d.ApprovalsRequired), Makers: d.Makers,
	}
	copy(m.ContentHash[:], d.ContentHash)
	return m, payment.Decision{
		Ordinal: int(d.Ordinal), Action: payment.Action(d.Action), UserID: d.CheckerUser, PersonID: d.CheckerPerson, ClientID: d.ClientID,
		Channel: identity.Channel(d.Channel), Reason: Text(d.Reason), Remark: Text(d.Remark), DecidedAt: d.DecidedAt.UTC(),
		Grant: identity.Grant{ID: d.GrantID}, Seal: Seal(d.KeyID, d.Seal), FactorUse: OrZero(d.FactorUseID),
	}
}
