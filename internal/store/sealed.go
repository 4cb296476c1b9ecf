package store

import (
	"crypto/sha256"

	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
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
