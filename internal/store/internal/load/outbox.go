package load

import (
	"countersign/internal/documentseal"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// AnswerFacts are what the seal of a row of the outbox covers.
func AnswerFacts(row dbsqlc.Outbox) documentseal.Answer {
	return documentseal.Answer{
		Scheme: rulebook.Scheme(row.Scheme), Reference: row.Reference, Name: iso20022.MessageName(row.Name), Content: row.Content,
		Realm: column.Text(row.DocumentRealm), DocumentID: column.OrZero(row.DocumentID),
	}
}

// Delivery is what the seal of the mark covers that clearing has a row of the outbox; At is zero where there is no mark.
func Delivery(row dbsqlc.Outbox) documentseal.Delivery {
	return documentseal.Delivery{Scheme: rulebook.Scheme(row.Scheme), Reference: row.Reference, At: column.OrZero(row.DeliveredAt)}
}
