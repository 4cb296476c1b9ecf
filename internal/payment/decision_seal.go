package payment

import (
	"cmp"
	"fmt"

	"countersign/internal/keyring"
)

// SealDecision makes the seal of a decision about the message's current version: who said what about which content, and when. Without it
// whoever can write rows could give the first of two approvals in somebody else's name, and the release would be sealed over it.
func (s Sealer) SealDecision(m Message, d Decision) keyring.Seal {
	return s.decisions.Seal(decisionFields(m, d))
}

// CheckDecision holds a decision as it was loaded against its seal. Errors: ErrUnsealed, ErrUnknownKey, ErrForged.
func (s Sealer) CheckDecision(m Message, d Decision) error {
	return s.decisions.Check(d.Seal, decisionFields(m, d))
}

func decisionFields(m Message, d Decision) keyring.Fields {
	f := make(keyring.Fields, 0, 512)
	f.Text("countersign decision 1", m.Realm)
	f.ID(m.InternalID)
	f.Number(int64(m.Version), int64(m.ApprovalsRequired), int64(d.Ordinal))
	f.Bytes(m.ContentHash[:])
	f.List(m.Makers)
	f.ID(d.UserID, d.PersonID, d.Grant.ID)
	f.Text(string(d.Action), d.ClientID, string(d.Channel), d.Reason, d.Remark)
	f.Moment(d.DecidedAt)
	return f
}

// WithDecisions returns the message with the decisions about its current version, as they were loaded. While it waits for more, they must
// be as many as the message counts, and each must fit its seal: else it is withheld. Once it is released, the seal of the release stands
// for them.
func (m Message) WithDecisions(s Sealer, decisions []Decision, counted int) Message {
	m.Decisions = decisions
	if m.State != StateApprovalPending {
		return m
	}
	if m.Approvals() != counted {
		m.Withheld = cmp.Or(m.Withheld, fmt.Sprintf("It counts %d approvals, and %d are stored. "+
			"Do not act on it: tell an operator, who runs countersign check.", counted, m.Approvals()))
	}
	for _, d := range decisions {
		m.Withheld = cmp.Or(m.Withheld, WithheldBy(s.CheckDecision(m, d)))
	}
	return m
}
