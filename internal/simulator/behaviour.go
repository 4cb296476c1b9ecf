package simulator

import "time"

// lateAnswer is the delay of a late answer from the delivery: two seconds more than the ten that both schemes allow.
const lateAnswer = 12 * time.Second

// The reason codes of refusals (ISO ExternalStatusReason1Code).
const (
	reasonClosedAccount     = "AC04"
	reasonInsufficientFunds = "AM04"
	reasonTimeout           = "AB05" // time-out at the creditor agent
	reasonNeverReceived     = "AG09" // the payment asked for never arrived
)

// behaviour is the reaction of the clearing to one payment.
type behaviour struct {
	reason      string        // refusal, or "" for a positive answer
	silent      bool          // the payment itself is not answered
	mute        bool          // a question for its status is not answered either
	wait        time.Duration // before the answer
	copies      int           // how many times the same answer is sent
	brokenFirst bool          // a document that is not valid goes ahead of the answer
	refusals    int           // deliveries refused before one is taken
}

// behaviourOf reads the cents of an amount. All cents that are not named, .90 and .99 among them, get a positive answer at once.
func behaviourOf(cents int) behaviour {
	switch cents {
	case 91:
		return behaviour{reason: reasonClosedAccount, copies: 1}
	case 92:
		return behaviour{reason: reasonInsufficientFunds, copies: 1}
	case 93:
		return behaviour{silent: true, mute: true}
	case 94:
		return behaviour{wait: lateAnswer, copies: 1}
	case 95:
		return behaviour{copies: 3}
	case 96:
		return behaviour{brokenFirst: true, copies: 1}
	case 97:
		return behaviour{refusals: 2, copies: 1}
	case 98:
		return behaviour{reason: reasonTimeout, silent: true}
	default:
		return behaviour{copies: 1}
	}
}
