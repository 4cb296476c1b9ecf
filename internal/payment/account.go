package payment

import (
	"countersign/internal/interbank"
	"countersign/internal/rulebook"
)

// DebtorAccount is an account a realm may debit, as its bank knows it. What a client says about the holder does not count.
type DebtorAccount struct {
	IBAN     string // compact
	Scheme   rulebook.Scheme
	Currency string
	Holder   interbank.Holder
	AgentBIC string // of the bank that keeps the account, 8 or 11 characters
	AgentIID string // Swiss or Liechtenstein bank number without leading zeros, "" elsewhere
	Open     bool
}

// interbank is the account as interbank documents name it.
func (a DebtorAccount) interbank() interbank.Account {
	return interbank.Account{IBAN: a.IBAN, Holder: a.Holder, AgentBIC: a.AgentBIC, AgentIID: a.AgentIID}
}
