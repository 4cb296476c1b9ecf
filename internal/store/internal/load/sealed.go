package load

import (
	"crypto/sha256"

	"countersign/internal/documentseal"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// Kept returns the fields that the seal of a stored document covers, with the digest of the stored content.
func Kept(d dbsqlc.Document) documentseal.Kept {
	return documentseal.Kept{
		Outbound: documentseal.Outbound{
			Realm: d.Realm, MessageID: column.OrZero(d.MessageID), Scheme: rulebook.Scheme(d.Scheme), Name: iso20022.MessageName(d.Name),
			Reference: d.Reference, Hash: sha256.Sum256(d.Content),
		},
		Direction: d.Direction, SourceHash: sha256.Sum256(d.Source), SourceType: column.Text(d.SourceType),
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
		Channel: identity.Channel(d.Channel), Reason: column.Text(d.Reason), Remark: column.Text(d.Remark), DecidedAt: d.DecidedAt.UTC(),
		Grant: identity.Grant{ID: column.OrZero(d.GrantID)}, Seal: column.Seal(d.KeyID, d.Seal), FactorUse: column.OrZero(d.FactorUseID),
	}
}

// Late is the note that a row was sealed after it was stored.
func Late(l dbsqlc.LateSeal) documentseal.Late {
	return documentseal.Late{
		Realm: l.Realm, Relation: l.Relation, Key: l.Key, RunID: l.RunID, By: l.SealedBy, Reason: l.Reason, Before: l.Before, At: l.At,
	}
}
