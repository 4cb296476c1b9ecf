package store

import (
	"countersign/internal/payment"
)

// Words returns the search terms of a message: the other party's name and account, and the purpose. A request about a
// payment has two other parties.
func Words(m payment.Message) string {
	var texts, accounts []string
	s := m.Summary
	if m.Kind != payment.KindPayment {
		texts, accounts = append(texts, s.CreditorName), append(accounts, s.CreditorAccount)
	}
	if m.Kind != payment.KindInstruction {
		texts, accounts = append(texts, s.DebtorName), append(accounts, s.DebtorAccount)
	}
	return Column(m.Realm, accounts, append(texts, s.Remittance)...)
}
