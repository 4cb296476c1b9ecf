package payment

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
)

// Policy is the approval rule of a realm for a new message. The message stores a copy. A later policy or an amendment
// never lowers the required approvals. A policy that now requires more blocks the approval.
type Policy struct {
	ID                uuid.UUID
	ApprovalsRequired int           // 0 to 9
	PendingFor        time.Duration // how long the message may wait for its approvals
	// ContentHashRequired: an approval has to name the content it is about, also when there is one version only.
	ContentHashRequired bool
	// StepUp requires a second factor of every approver, for the approved content.
	StepUp bool
	// Funds says when core banking must reserve the amount of a payment.
	Funds Funds
}

const instructedAmountPointer = "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Amt/InstdAmt"

// MeetsPolicy refuses a message whose content, by the policy in force for it, needs more approvals than the message has: the policy changed
// after its submission. The number of a message never changes, so the payment has to be entered again. Error: RefusalError.
func (m Message) MeetsPolicy(p Policy) error {
	if p.ApprovalsRequired <= m.ApprovalsRequired {
		return nil
	}
	return refusePolicy(pointerInternalID, i18n.Text(
		"This %s needs %s under the current policy, but the earlier policy required only %s. Reject it, or ask the maker to withdraw it and "+
			"enter it again.",
	).With(m.Kind.Text(), approvals(p.ApprovalsRequired), approvals(m.ApprovalsRequired)))
}

// RequiringApprovals checks the message against the approvals that the policies of its time required for the current version. It
// withholds a message with fewer required approvals: only an attack or a manual mistake makes one.
func (m Message) RequiringApprovals(asked int) Message {
	if asked > m.ApprovalsRequired {
		m.Withheld = cmp.Or(m.Withheld, i18n.Text(
			"The stored payment or request requires %s, but the policy at the time of entry required %s. Do not continue. Ask an operator to run "+
				"“countersign check”.",
		).With(approvals(m.ApprovalsRequired), approvals(asked)))
	}
	return m
}

// mayBecome refuses new content of a pending message when its policy requires more approvals than the message has: a small payment must not
// grow past its checkers. Content that needs fewer leaves the number unchanged. Error: RefusalError.
func (m Message) mayBecome(draft Draft) error {
	if draft.ApprovalsRequired <= m.ApprovalsRequired {
		return nil
	}
	return refusePolicy(instructedAmountPointer, i18n.Text(
		"The amended payment would need %s instead of %s. Withdraw the payment and enter it again.",
	).With(approvals(draft.ApprovalsRequired), approvals(m.ApprovalsRequired)))
}

func refusePolicy(pointer string, text i18n.Text) error {
	return &RefusalError{Findings: []Finding{{Rule: rulebook.RuleApprovalPolicy, Pointer: pointer, Code: "AM02", Text: text}}}
}

// approvals is a number of approvals as a text.
func approvals(n int) i18n.Text {
	if n == 1 {
		return "1 approval"
	}
	return i18n.Text("%d approvals").With(n)
}

// Limited reports whether limits bind messages of the kind: instructions and returns move money out, nothing else does.
func (k Kind) Limited() bool { return k == KindInstruction || k == KindReturn }

// withinLimits refuses a message that would pass a limit. Error: RefusalError.
func (m Message) withinLimits(limits []rulebook.SpendingLimit) error {
	if !m.Kind.Limited() {
		return nil
	}
	findings := rulebook.CheckSpending(m.Summary.Amount, limits, pointerInternalID)
	if len(findings) > 0 {
		return &RefusalError{Findings: findings}
	}
	return nil
}
