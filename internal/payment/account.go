package payment

import "countersign/internal/rulebook"

// DebtorAccount is an account a realm may debit, as its bank knows it. What a client says about the holder does not count.
type DebtorAccount struct {
	IBAN     string // compact
	Scheme   rulebook.Scheme
	Currency string
	Holder   Holder
	AgentBIC string // of the bank that keeps the account, 8 or 11 characters
	AgentIID string // Swiss or Liechtenstein bank number without leading zeros, "" elsewhere
	Open     bool
}

// Holder is the name and address of an account's holder. Street, building and postcode may be "".
type Holder struct {
	Name     string
	Street   string
	Building string
	Postcode string
	Town     string
	Country  string // ISO 3166 alpha-2
}
