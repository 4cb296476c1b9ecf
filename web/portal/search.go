package portal

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// Searched holds the possible meanings of a search text: filters for lists, and identifiers of one message.
type Searched struct {
	store.Search

	Global payment.ID
	ID     uuid.UUID
}

// ReadSearch parses a search text. One text may have several meanings; each printed value of a list can be searched as printed. now is the
// current time in the display time zone.
func ReadSearch(typed string, now time.Time) Searched {
	text := strings.Join(strings.Fields(typed), " ") // no-break spaces too
	whole := withoutDots(text)
	text = withoutDots(withoutToward(whole))
	s := Searched{Search: store.Search{Text: text, Whole: whole}}
	if strings.ContainsAny(text, "0123456789") {
		s.Compact = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	}
	s.Name, s.Currency, s.AmountFrom, s.AmountTo = readNamedAmount(text)
	s.Since, s.Until = readMoment(text, now)
	s.States, s.Scheme, s.Kind = readLabels(whole)
	s.Recalls, s.Returns = readMarks(whole)
	s.Reasons = readReasons(whole)
	s.Global, _ = payment.Parse(text) // "" when it is none
	s.ID, _ = uuid.Parse(text)        // zero when it is none
	return s
}

// readAmount reads an amount with or without its currency; without cents it means each amount with these francs or euros.
func readAmount(text string) (currency string, from, to int64) {
	number := text
	for _, known := range []money.Currency{money.CHF, money.EUR} {
		code := string(known)
		upper := strings.ToUpper(number)
		if strings.HasPrefix(upper, code) || strings.HasSuffix(upper, code) {
			currency = code
			number = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(upper, code), code))
		}
	}
	amount, err := money.ParseInput(money.CHF, number) // both have cents
	if err != nil || amount.Minor() <= 0 {
		return "", 0, 0
	}
	from, to = amount.Minor(), amount.Minor()
	if amount.Minor()%100 == 0 && !strings.HasSuffix(number, ".00") && !strings.HasSuffix(number, ",00") {
		to += 99
	}
	return currency, from, to
}

// readNamedAmount reads an amount, or a name with an amount before or after it: "Haller 310", "CHF 310 Haller". name is "" for an amount.
func readNamedAmount(text string) (name, currency string, from, to int64) {
	words := strings.Fields(text)
	for length := len(words); length > 0; length-- {
		for _, at := range []int{len(words) - length, 0} {
			name = strings.Join(slices.Concat(words[:at], words[at+length:]), " ")
			currency, from, to = readAmount(strings.Join(words[at:at+length], " "))
			if to > 0 && (name == "" || strings.ContainsFunc(name, unicode.IsLetter)) {
				return name, currency, from, to
			}
		}
	}
	return "", "", 0, 0
}

// withoutDots removes the sign that lists print before the last digits of an account.
func withoutDots(text string) string { return strings.TrimSpace(strings.TrimLeft(text, ".…")) }

// towards are the words that rows print before a maker, a name or an account, in any language of the portal, the longest first.
var towards = sync.OnceValue(func() (list []string) {
	for _, l := range i18n.Languages() {
		for _, words := range []string{
			l.Say("by %s", ""), l.Say("from %s", ""), l.Say("to %s", ""), l.Say("from (a debtor)"), l.Say("to (a creditor)"),
		} {
			list = append(list, strings.TrimSpace(words)+" ")
		}
		for _, kind := range payment.Kinds() {
			list = append(list, l.Say(views.Toward(payment.Message{Kind: kind}))+" ")
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
})

// withoutToward removes the words that rows print before a maker, a name or an account: "by maker2", "zurück von Petra Muster".
func withoutToward(text string) string {
	for _, before := range towards() {
		if len(text) > len(before) && strings.EqualFold(text[:len(before)], before) {
			return strings.TrimSpace(text[len(before):])
		}
	}
	return text
}

// readMoment parses a day, a minute of a day, or a minute of today, as lists and details print them, into its beginning and its end.
func readMoment(text string, now time.Time) (since, until time.Time) {
	if day, known := Day(text, now); known {
		return day, day.AddDate(0, 0, 1)
	}
	for _, layout := range []string{"2.1.2006 15:04:05 MST", "2.1.2006 15:04:05", "2.1.2006 15:04"} {
		at, err := calendar.ParseDay(layout, text, now.Location())
		if err == nil {
			return at.Truncate(time.Minute), at.Truncate(time.Minute).Add(time.Minute)
		}
	}
	for _, layout := range []string{"15:04", "15:04:05", "15:04:05 MST"} {
		at, err := time.Parse(layout, text)
		if err == nil {
			minute := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
			return minute, minute.Add(time.Minute)
		}
	}
	return time.Time{}, time.Time{}
}

// readLabels finds the words for states, schemes and kinds, in any language of the portal.
func readLabels(text string) (states []payment.State, scheme rulebook.Scheme, kind payment.Kind) {
	for _, state := range payment.States() {
		if labelled(text, ui.StateLabel(string(state))) {
			states = append(states, state)
		}
	}
	for _, known := range rulebook.Schemes() {
		if strings.EqualFold(text, ui.SchemeLabel(string(known))) {
			scheme = known
		}
	}
	kinds := payment.Kinds()
	index := slices.IndexFunc(kinds, func(k payment.Kind) bool { return labelled(text, ui.KindLabel(string(k))) })
	if index >= 0 {
		kind = kinds[index]
	}
	return states, scheme, kind
}

// labelled reports whether a text is a label as one of the languages prints it.
func labelled(text string, label i18n.Text) bool {
	return slices.ContainsFunc(i18n.Languages(), func(l i18n.Language) bool { return strings.EqualFold(text, l.Say(label)) })
}

// readMarks finds the recall and return states by their words, in each language of the portal.
func readMarks(text string) (recalls []payment.RecallStatus, returns []payment.ReturnStatus) {
	for _, mark := range []payment.RecallStatus{payment.RecallInProgress, payment.RecallAccepted, payment.RecallRefused} {
		if labelled(text, ui.StateLabel(mark)) || mark == payment.RecallInProgress && labelled(text, ui.StateLabel(ui.RecallWaiting)) {
			recalls = append(recalls, mark)
		}
	}
	for _, mark := range []payment.ReturnStatus{payment.ReturnInProgress, payment.ReturnDone} {
		if labelled(text, ui.StateLabel(mark)) || mark == payment.ReturnInProgress && labelled(text, ui.StateLabel(ui.ReturnWaiting)) {
			returns = append(returns, mark)
		}
	}
	return recalls, returns
}

// reasonsByWords maps the printed forms of the reasons of recalls, returns and resolutions to the reasons: words, code, and both. Keys are
// in lower case, in each language of the portal.
var reasonsByWords = sync.OnceValue(func() map[string][]store.Reason {
	known := map[string][]store.Reason{}
	for kind, reasons := range views.ReasonsOf {
		for _, scheme := range rulebook.Schemes() {
			for _, reason := range reasons(scheme) {
				printed := []string{reason.Code}
				for _, l := range i18n.Languages() {
					printed = append(printed, l.Say(views.ReasonWords(kind, scheme, reason.Code)), l.Say(views.ReasonText(kind, scheme, reason.Code)))
				}
				for _, words := range printed {
					words = strings.ToLower(words)
					if one := (store.Reason{Kind: kind, Code: reason.Code}); !slices.Contains(known[words], one) {
						known[words] = append(known[words], one)
					}
				}
			}
		}
	}
	return known
})

// readReasons finds the reasons with this printed form.
func readReasons(text string) []store.Reason { return reasonsByWords()[strings.ToLower(text)] }
