package load

import (
	"countersign/internal/payment"
	"countersign/internal/store/internal/word"
)

// Words are the words a message is found by, as their column takes them: of the other side's name and account, and of the purpose. What is
// asked about a payment has two other sides.
func Words(m payment.Message) string {
	var texts, accounts []string
	s := m.Summary
	if m.Kind != payment.KindPayment {
		texts, accounts = append(texts, s.CreditorName), append(accounts, s.CreditorAccount)
	}
	if m.Kind != payment.KindInstruction {
		texts, accounts = append(texts, s.DebtorName), append(accounts, s.DebtorAccount)
	}
	return word.Column(m.Realm, accounts, append(texts, s.Remittance)...)
}
