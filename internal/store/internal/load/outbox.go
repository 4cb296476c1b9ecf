package load

import (
	"countersign/internal/documentseal"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// AnswerFacts returns the fields that the seal of an outbox row covers.
func AnswerFacts(row dbsqlc.Outbox) documentseal.Answer {
	return documentseal.Answer{
		Scheme: rulebook.Scheme(row.Scheme), Reference: row.Reference, Name: iso20022.MessageName(row.Name), Content: row.Content,
		Realm: column.Text(row.DocumentRealm), DocumentID: column.OrZero(row.DocumentID),
	}
}

// Delivery returns the fields that the seal of an outbox row's delivery mark covers; At is zero without a mark.
func Delivery(row dbsqlc.Outbox) documentseal.Delivery {
	return documentseal.Delivery{Scheme: rulebook.Scheme(row.Scheme), Reference: row.Reference, At: column.OrZero(row.DeliveredAt)}
}
