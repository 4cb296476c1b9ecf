package portal

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// PolicyOf returns the parts of its policy that a stored message still holds.
func PolicyOf(m payment.Message) payment.Policy {
	return payment.Policy{ApprovalsRequired: m.ApprovalsRequired, PendingFor: m.ExpiresAt.Sub(m.CreatedAt)}
}

// NextSteps describes the steps after the submission of a message. later is the execution day if it is to come, else zero.
func NextSteps(kind payment.Kind, policy payment.Policy, later time.Time) []i18n.Text {
	sent, result := whatFollows[kind], i18n.Text("You will see the result under “My submissions”.")
	within := Span(policy.PendingFor)
	onceApproved := i18n.Text("Once approved, your submission will be sent immediately. %s").With(sent)
	unapproved := i18n.Text("Your submission will be sent immediately, without approval. %s").With(sent)
	if !later.IsZero() {
		onceApproved = i18n.Text("The payment will be checked again and sent on %s. Until then, it can be withdrawn.").With(ui.Day(later))
		unapproved = onceApproved
	}
	switch policy.ApprovalsRequired {
	case 0:
		return []i18n.Text{unapproved, result}
	case 1:
		return []i18n.Text{
			i18n.Text("Another person must check your submission and approve or reject it within %s.").With(within),
			onceApproved, result,
		}
	}
	return []i18n.Text{
		i18n.Text("%d other people must check your submission, one after the other, within %s.").With(policy.ApprovalsRequired, within),
		onceApproved, result,
	}
}

// whatFollows describes the effect of sending a message, for each kind.
var whatFollows = map[payment.Kind]i18n.Text{
	payment.KindInstruction: "Once the payment is sent, you cannot cancel it, but you can request a recall.",
	payment.KindRecall:      "The other bank will either return the money or refuse the recall. A payment can be recalled only once.",
	payment.KindReturn:      "The money will be sent back to the debtor. You cannot cancel a return that has been sent.",
	payment.KindResolution:  "The refusal ends the recall, and the money stays with the creditor.",
}

// Span formats a time limit of whole minutes in the largest unit that divides it; days from two on.
func Span(limit time.Duration) i18n.Text {
	const day = 24 * time.Hour
	switch {
	case limit >= 2*day && limit%day == 0:
		return i18n.Text("%d days").With(int(limit / day))
	case limit >= time.Hour && limit%time.Hour == 0:
		return i18n.Text("%d hours").With(int(limit / time.Hour))
	}
	return i18n.Text("%d minutes").With(int(limit / time.Minute))
}
