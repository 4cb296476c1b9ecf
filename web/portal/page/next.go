package page

import (
	"time"

	"countersign/internal/payment"
	"countersign/views/ui"
)

// PolicyOf is what the policy a message was made under still says of it.
func PolicyOf(m payment.Message) payment.Policy {
	return payment.Policy{ApprovalsRequired: m.ApprovalsRequired, PendingFor: m.ExpiresAt.Sub(m.CreatedAt)}
}

// NextSteps says what happens after the submission.
func NextSteps(kind payment.Kind, policy payment.Policy) []string {
	sent, result := whatFollows[kind], "You see the result under My submissions."
	switch policy.ApprovalsRequired {
	case 0:
		return []string{"It is sent at once, without an approval. " + sent, result}
	case 1:
		return []string{
			"Another person compares it and approves or rejects it, within " + span(policy.PendingFor) + ".",
			"Once approved it is sent at once. " + sent, result,
		}
	}
	return []string{
		ui.Plural(policy.ApprovalsRequired, "other person") + " compare it, one after the other, within " + span(policy.PendingFor) + ".",
		"Once approved it is sent at once. " + sent, result,
	}
}

// whatFollows is what sending a message of a kind means.
var whatFollows = map[payment.Kind]string{
	payment.KindInstruction: "It is final. The way back is a recall.",
	payment.KindRecall:      "The other bank sends the money back or refuses. A payment can be recalled once.",
	payment.KindReturn:      "The money goes back, and that is final.",
	payment.KindResolution:  "It ends the recall: the money stays.",
}

// span writes a time limit in its largest whole unit.
func span(limit time.Duration) string {
	switch {
	case limit >= 48*time.Hour:
		return ui.Plural(int(limit.Hours()/24), "day")
	case limit >= time.Hour:
		return ui.Plural(int(limit.Hours()), "hour")
	}
	return ui.Plural(int(limit.Minutes()), "minute")
}
