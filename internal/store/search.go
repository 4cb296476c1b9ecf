package store

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Search holds the possible meanings of a typed text. A message is found when any of them matches; the zero Search finds every message.
type Search struct {
	// Text is part of a name, a purpose, a reference, the name of a maker, or their words in any order; case, accents and spaces do not
	// matter.
	Text       string
	Compact    string // part of an account, a reference or an identifier, without spaces and in capitals
	AmountFrom int64  // minor units; with AmountTo zero there is no amount
	AmountTo   int64
	Currency   string    // of the amount; "" for any
	Name       string    // beside the amount, of a text that has both: "Haller 310"; "" for none
	Since      time.Time // made then or later, and before Until
	Until      time.Time
	States     []payment.State
	Scheme     rulebook.Scheme
	Kind       payment.Kind
	// Whole is the text with the word before it that Text does without: references are compared with all of it. "" for Text.
	Whole   string
	Recalls []payment.RecallStatus // of a payment: what it shows of its recall
	Returns []payment.ReturnStatus // of an incoming payment: what it shows of its return
	Reasons []Reason
}

// Reason is the reason of a recall, a return or a resolution.
type Reason struct {
	Kind payment.Kind
	Code string
}

// set reports whether there is a text to search for.
func (s Search) set() bool { return s.Text != "" || s.Compact != "" }

func (s Search) needle() Needle { return NewNeedle(s.Text, s.Compact) }

// fits reports whether a message matches: by its texts, amount, day, state, scheme, kind or reason. The state of its recall or return is
// looked up (marked), not compared.
func (s Search) fits(needle Needle, m dbsqlc.MessageTextsRow) bool {
	external, ordered := Text(m.ExternalID), Text(m.OrderedDebtorName)
	texts := []string{
		m.CreditorName, m.DebtorName, ordered, m.Remittance, m.EndToEndID, external, m.GlobalID, m.MakerName, m.MakerLogin,
		Text(m.ClientID), Text(m.Reason),
	}
	return needle.In(texts, []string{m.CreditorAccount, m.DebtorAccount, m.Remittance, m.EndToEndID, m.GlobalID, m.MessageID.String()}) ||
		s.AmountTo > 0 && m.Amount >= s.AmountFrom && m.Amount <= s.AmountTo && (s.Currency == "" || s.Currency == m.Currency) &&
			(s.Name == "" || NewNeedle(s.Name, "").In(texts, nil)) ||
		!s.Since.IsZero() && !m.CreatedAt.Before(s.Since) && m.CreatedAt.Before(s.Until) ||
		slices.Contains(s.States, payment.State(m.State)) || s.Scheme != "" && string(s.Scheme) == m.Scheme ||
		s.Kind != "" && string(s.Kind) == m.Kind ||
		slices.Contains(s.Reasons, Reason{Kind: payment.Kind(m.Kind), Code: Text(m.Reason)})
}

// inStates returns the newest messages of each state that a text names. end is set when a state has more.
func (w where) inStates(states []payment.State, before uuid.UUID) (found, error) {
	at := found{}
	for _, state := range states {
		keys, err := w.q.StateKeys(w.ctx, dbsqlc.StateKeysParams{Realm: w.realm, State: string(state), Before: before, Most: meant})
		if err != nil {
			return at, err
		}
		at.keys = append(at.keys, keys...)
		if len(keys) == meant {
			at.end = newer(at.end, keys[meant-1])
		}
	}
	return at, nil
}

// marked returns the newest payments with one of these states of their recall or return. Outdated states are in no list.
func (w where) marked(s Search, before uuid.UUID) (found, error) {
	recalls, returns := []string{}, []string{}
	for _, state := range payment.States() {
		if slices.Contains(s.Recalls, payment.RecallStatusOf(state)) {
			recalls = append(recalls, string(state))
		}
		if slices.Contains(s.Returns, payment.ReturnStatusOf(state)) {
			returns = append(returns, string(state))
		}
	}
	at := found{}
	for kind, states := range map[payment.Kind][]string{payment.KindRecall: recalls, payment.KindReturn: returns} {
		if len(states) == 0 {
			continue
		}
		rows, err := w.q.MarkedKeys(w.ctx, dbsqlc.MarkedKeysParams{
			Realm: w.realm, Kind: string(kind), States: states, Before: before, Look: scattered, Most: meant,
		})
		if err != nil {
			return at, err
		}
		for _, row := range rows {
			if row.Marked {
				at.keys = append(at.keys, row.MessageID)
			}
		}
		if n := len(rows); n == meant || n > 0 && rows[n-1].Place == scattered {
			at.end = newer(at.end, rows[n-1].MessageID)
		}
	}
	return at, nil
}

// reasoned returns the newest messages made for one of these reasons.
func (w where) reasoned(reasons []Reason, before uuid.UUID) (found, error) {
	at, codes := found{}, map[payment.Kind][]string{}
	for _, reason := range reasons {
		codes[reason.Kind] = append(codes[reason.Kind], reason.Code)
	}
	for kind, meantHere := range codes {
		rows, err := w.q.ReasonKeys(w.ctx, dbsqlc.ReasonKeysParams{
			Realm: w.realm, Kind: string(kind), Reasons: meantHere, Before: before, Look: scattered, Most: meant,
		})
		if err != nil {
			return at, err
		}
		for _, row := range rows {
			at.keys = append(at.keys, row.MessageID)
		}
		if n := len(rows); n == meant || n > 0 && rows[n-1].Place == scattered {
			at.end = newer(at.end, rows[n-1].MessageID)
		}
	}
	return at, nil
}

// Needle is a search text, split for a comparison with messages.
type Needle struct {
	phrase  string
	words   []string
	compact string
}

// shortest is the minimum length of each word in a search for several words in any order: shorter ones match
// everywhere.
const shortest = 3

// NewNeedle parses a text. compact is its form without spaces and in capitals, to be compared with numbers; "" for none.
func NewNeedle(text, compact string) Needle {
	n := Needle{phrase: fold(text), compact: compact}
	words := tokens(n.phrase)
	for _, word := range words {
		if utf8.RuneCountInString(word) < shortest {
			return n
		}
	}
	if len(words) > 1 {
		n.words = words
	}
	return n
}

// In reports whether texts contain the needle: as typed, or all its words in any order, each as the beginning of a word; or whether a
// number contains it. Case, accents and spaces do not matter, and an umlaut may be typed as two letters.
func (n Needle) In(texts, numbers []string) bool {
	said := strings.Join(texts, " ")
	if n.within(fold(said)) {
		return true
	}
	if spelled := umlauts.Replace(said); spelled != said && n.within(fold(spelled)) {
		return true
	}
	return n.compact != "" && strings.Contains(strings.ToUpper(strings.Join(strings.Fields(strings.Join(numbers, " ")), "")), n.compact)
}

func (n Needle) within(said string) bool {
	if n.phrase != "" && strings.Contains(said, n.phrase) {
		return true
	}
	if len(n.words) == 0 {
		return false
	}
	begins := tokens(said)
	for _, word := range n.words {
		if !slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(begin, word) }) {
			return false
		}
	}
	return true
}

// tokens returns the runs of letters and digits of a text.
func tokens(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
