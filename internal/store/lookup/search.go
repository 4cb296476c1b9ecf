package lookup

import (
	"slices"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/word"
)

// Search is what one text somebody typed may mean. A message is found when any of it fits; the zero Search finds every message.
type Search struct {
	// Text is part of a name, a purpose, a reference, the name of a maker, or their words in any order; case, accents and spaces do not
	// matter.
	Text       string
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

func (s Search) needle() word.Needle { return word.NewNeedle(s.Text, s.Compact) }

// fits reports whether a message is meant: by what it says, or by its amount, its day, its state, its scheme or its kind.
func (s Search) fits(needle word.Needle, m dbsqlc.MessageTextsRow) bool {
	external, ordered := column.Text(m.ExternalID), column.Text(m.OrderedDebtorName)
	texts := []string{
		m.CreditorName, m.DebtorName, ordered, m.Remittance, m.EndToEndID, external, m.GlobalID, m.MakerName, m.MakerLogin,
		column.Text(m.ClientID), column.Text(m.Reason),
	}
	return needle.In(texts, []string{m.CreditorAccount, m.DebtorAccount, m.Remittance, m.EndToEndID, m.GlobalID, m.MessageID.String()}) ||
		s.AmountTo > 0 && m.Amount >= s.AmountFrom && m.Amount <= s.AmountTo && (s.Currency == "" || s.Currency == m.Currency) ||
		!s.Since.IsZero() && !m.CreatedAt.Before(s.Since) && m.CreatedAt.Before(s.Until) ||
		slices.Contains(s.States, payment.State(m.State)) || s.Scheme != "" && string(s.Scheme) == m.Scheme ||
		s.Kind != "" && string(s.Kind) == m.Kind
}
