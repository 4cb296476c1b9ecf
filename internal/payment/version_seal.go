package payment

import (
	"errors"

	"countersign/internal/keyring"
)

// SealVersion makes the seal of a message's current version: who made it, what it says, and how many approvals it needs.
func (s Sealer) SealVersion(m Message) keyring.Seal { return s.versions.Seal(versionFields(m)) }

// CheckVersion holds a message as it was loaded against the seal of its version. Errors: ErrUnsealed, ErrUnknownKey, ErrForged.
func (s Sealer) CheckVersion(m Message) error { return verify(s.versions, m.Seal, versionFields(m)) }

// versionFields are the columns of a message and its version that never change and that people see, search or decide by. Times that
// the life of a message moves are left to its history.
func versionFields(m Message) fields {
	f := make(fields, 0, 1024)
	f.text("countersign version 1", m.Realm)
	f.id(m.InternalID)
	f.text(string(m.GlobalID), string(m.Kind), string(m.Scheme), string(m.Direction), string(m.Channel), m.ClientID, m.ExternalID)
	f.id(m.MakerUser, m.OriginalID, m.AnswersID, m.PolicyID)
	f.text(m.Reason)
	f.number(int64(m.Version), int64(m.ApprovalsRequired))
	f.people(m.Makers)
	f.bytes(m.ContentHash[:])
	f.number(m.Summary.Amount.Minor())
	f.text(string(m.Summary.Amount.Currency()), m.Summary.InstructionID, m.Summary.EndToEndID, m.Summary.TransactionID, m.Summary.UETR,
		m.Summary.DebtorName, m.Summary.DebtorAccount, m.Summary.DebtorAgent,
		m.Summary.CreditorName, m.Summary.CreditorAccount, m.Summary.CreditorAgent, m.Summary.Remittance)
	if m.Summary.OrderedDebtorName != "" { // a field of its own only where there is one: seals of before it was kept stay good
		f.text("ordered as", m.Summary.OrderedDebtorName)
	}
	return f
}

// WithheldBy says for people why a message is withheld, from what CheckVersion returned; "" when nothing is wrong.
func WithheldBy(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrUnsealed):
		return "It was made before messages were sealed, so it cannot be proven what was entered. Withdraw it and enter it anew."
	case errors.Is(err, ErrUnknownKey):
		return "The key that sealed it is not in the key file, so it cannot be proven what was entered. Ask an operator to bring the key back."
	}
	return "What is stored is not what was entered. Do not act on it: tell an operator, who runs countersign check."
}
