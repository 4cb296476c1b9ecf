package store

import (
	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
	"countersign/internal/store/internal/dbsqlc"
)

// AnswerFacts returns the fields that the seal of an outbox row covers.
func AnswerFacts(row dbsqlc.Outbox) auditlog.Answer {
	return auditlog.Answer{
		Scheme: row.Scheme, Reference: row.Reference, Name: iso20022.MessageName(row.Name), Content: row.Content,
		Realm: Text(row.DocumentRealm), DocumentID: OrZero(row.DocumentID), Answers: Text(row.Answers),
	}
}

// Delivery returns the fields that the seal of an outbox row's delivery mark covers; At is zero without a mark.
func Delivery(row dbsqlc.Outbox) auditlog.Delivery {
	return auditlog.Delivery{Scheme: row.Scheme, Reference: row.Reference, At: OrZero(row.DeliveredAt)}
}
