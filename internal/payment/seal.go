package payment

import (
	"cmp"
	"errors"
	"fmt"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/keyring"
)

// Errors of a seal check. Web and services compare with them.
var (
	// ErrForged: the row was not made by this gateway, or was changed afterwards. It must not be shown as ours, decided or sent.
	ErrForged = keyring.ErrForged
	// ErrUnknownKey: the key that sealed the row is not in the key file. An operator may bring it back, so nothing is known: what waits
	// for it is held, not ended.
	ErrUnknownKey = keyring.ErrUnknownKey
)

// Sealer makes and checks the seals of stored data. Its keys are outside the database, so a writer of rows cannot
// forge a seal. Each purpose has its own subkey. The zero Sealer has no key: the database refuses its seals.
type Sealer struct {
	auditlog.Sealer // of what is stored of documents

	keys     keyring.Ring
	releases keyring.Ring
	versions keyring.Ring
	requests keyring.Ring
	core     keyring.Ring
}

// NewSealer derives the subkeys of a key ring. The first key of the ring seals, all of them verify.
func NewSealer(keys keyring.Ring) (Sealer, error) {
	documents, err := auditlog.New(keys)
	if err != nil {
		return Sealer{}, err
	}
	s := Sealer{Sealer: documents, keys: keys}
	for purpose, ring := range map[string]*keyring.Ring{
		"release": &s.releases, "version": &s.versions, "request key": &s.requests,
		"core booking": &s.core,
	} {
		derived, err := keys.Derive(purpose)
		if err != nil {
			return Sealer{}, fmt.Errorf("prepare the keys of the %s: %w", purpose, err)
		}
		*ring = derived
	}
	return s, nil
}

// KeyIDs names the keys of the ring; the first one seals.
func (s Sealer) KeyIDs() []string { return s.keys.IDs() }

// HasKey reports whether the ring has a key of this id.
func (s Sealer) HasKey(id string) bool { return s.keys.Has(id) }

// SealVersion makes the seal of a message's current version: its makers, content, required approvals and deadline.
func (s Sealer) SealVersion(m Message) keyring.Seal {
	return s.versions.Seal(versionFields(m), timeFields(m))
}

// CheckVersion compares a loaded message with the seal of its version. Errors: ErrUnknownKey, ErrForged.
func (s Sealer) CheckVersion(m Message) error {
	return s.versions.Verify(m.Seal, versionFields(m), timeFields(m))
}

// timeFields returns the sealed end of the time to decide. The seal of the release covers the time of creation; the other times change in a
// message's life and are proven by its history.
func timeFields(m Message) keyring.Fields {
	f := make(keyring.Fields, 0, 36)
	f.Moment(m.ExpiresAt)
	f.Moment(m.Deadline)
	if m.Kind == KindReceivedRecall { // of a recall of ours it begins with the delivery
		f.Moment(m.AnswerBy)
	}
	return f
}

// versionFields are the columns of a message and its version, its times apart, that never change and that people see, search or decide by.
func versionFields(m Message) keyring.Fields {
	f := make(keyring.Fields, 0, 1024)
	f.Text("countersign version 2", m.Realm)
	f.ID(m.InternalID)
	f.Text(string(m.GlobalID), string(m.Kind), string(m.Scheme), string(m.Direction), string(m.Channel), m.ClientID, m.ExternalID)
	f.ID(m.MakerUser, m.OriginalID, m.AnswersID, m.PolicyID)
	f.Text(m.Reason)
	f.Number(int64(m.Version), int64(m.ApprovalsRequired))
	f.List(m.Makers)
	f.Bytes(m.ContentHash[:])
	f.Number(m.Summary.Amount.Minor())
	f.Text(string(m.Summary.Amount.Currency()), m.Summary.InstructionID, m.Summary.EndToEndID, m.Summary.TransactionID, m.Summary.UETR,
		m.Summary.DebtorName, m.Summary.DebtorAccount, m.Summary.DebtorAgent,
		m.Summary.CreditorName, m.Summary.CreditorAccount, m.Summary.CreditorAgent, m.Summary.Remittance)
	f.Text(m.Summary.OrderedDebtorName)
	f.Number(int64(len(m.Clients)))
	f.Text(m.Clients...)
	f.Text(string(m.Payee.Result), m.Payee.MatchedName)
	f.Moment(m.Payee.At)
	return f
}

// Stored holds stored facts about the moves of a message besides the decisions about its current version.
type Stored struct {
	Approvals int  // that the message counts
	Later     bool // the audit tree has a later move
}

// Waits reports whether a message waits here for a person or for its day.
func (m Message) Waits() bool { return m.State.Waits() }

// WithDecisions returns the message with the loaded decisions about its current version. While it waits for more, their number must equal
// the message's count, and the audit tree must have no later move: else it is withheld. After the release, the seal of the release proves
// them.
func (m Message) WithDecisions(decisions []Decision, stored Stored) Message {
	m.Decisions = decisions
	if !m.Waits() {
		return m
	}
	if m.Approvals() != stored.Approvals {
		m.Withheld = cmp.Or(m.Withheld, i18n.Text(
			"The payment or request should have %d approvals, but %d are stored. Do not continue. Ask an operator to run “countersign check”.",
		).With(stored.Approvals, m.Approvals()))
	}
	if stored.Later {
		m = m.PutBack()
	}
	return m
}

// PutBack returns the message withheld if it waits although the audit trail has a later move.
func (m Message) PutBack() Message {
	if m.Waits() {
		m.Withheld = cmp.Or(m.Withheld, "The data of this payment or request was reset to an earlier state. Do not continue. Ask an "+
			"operator to run “countersign check”.")
	}
	return m
}

// WithheldBy returns a readable reason for an error of CheckVersion; "" for nil.
func WithheldBy(err error) i18n.Text {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrUnknownKey):
		return "This content cannot be verified, because its key is not in the key file. Ask an operator to restore the key."
	}
	return "The stored content differs from the content that was entered. Do not continue. Ask an operator to run “countersign check”."
}
