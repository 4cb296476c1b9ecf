package lookup

import (
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Search is what one text somebody typed may mean. A message is found when any of it fits; the zero Search finds every message.
type Search struct {
	Text       string // part of a name, a purpose, a reference, the name of a maker; case, accents and spaces do not matter
	Compact    string // part of an account, a reference or an identifier, without spaces and in capitals
	AmountFrom int64  // minor units; with AmountTo zero there is no amount
	AmountTo   int64
	Currency   string    // of the amount; "" for any
	Since      time.Time // made then or later, and before Until
	Until      time.Time
	States     []payment.State
	Scheme     rulebook.Scheme
	Kind       payment.Kind
}

// set reports whether anything is looked for.
func (s Search) set() bool { return s.Text != "" || s.Compact != "" }
