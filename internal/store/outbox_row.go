package store

import (
	"countersign/internal/documentseal"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// answerFacts are what the seal of a row of the outbox covers.
func answerFacts(row dbsqlc.Outbox) documentseal.Answer {
	return documentseal.Answer{
		Scheme: rulebook.Scheme(row.Scheme), Reference: row.Reference, Name: iso20022.MessageName(row.Name), Content: row.Content,
		Realm: text(row.DocumentRealm), DocumentID: orZero(row.DocumentID),
	}
}
