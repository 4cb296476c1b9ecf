package ui

import (
	"time"

	"countersign/internal/i18n"
)

// Entries is a list of messages. Every list of messages is one of these: amount, whole name and purpose come first, the reference last.
type Entries struct {
	Caption i18n.Text
	Heads   Heads
	Entries []Entry
}

// Heads are the headings of a list's columns. A column without one is not there; amount, name and time always are.
type Heads struct {
	Name  i18n.Text // "Creditor"
	State i18n.Text // "State"
	Due   i18n.Text // "Answer by"
	Steps i18n.Text // "Next step"
	When  i18n.Text // "Age", "Created"

	OneLine     bool   // each row is one line, without the reference
	Select      bool   // each row has a box to tick, of the form with the id "bulk"
	AmountSorts []Sort // links in the place of the word
	StateSorts  []Sort
	WhenSorts   []Sort
}

// Sort is the link in a column's head that sorts by the column.
type Sort struct {
	Label     i18n.Text
	URL       string
	Direction string // "ascending" or "descending"; "" when the list is sorted by something else
}

// sorted is the direction in which one of the links sorts the list, for those who hear the head.
func sorted(links []Sort) string {
	for _, link := range links {
		if link.Direction != "" {
			return link.Direction
		}
	}
	return "none"
}

// AgeID is the id of the age of a message in a list.
func AgeID(message string) string { return "age-" + message }

// Entry is one message of a list.
type Entry struct {
	ID        string
	URL       string
	InPane    bool // opens beside the list
	Reference string
	Amount    Amount
	Toward    i18n.Text // before the name: "money goes back to"; empty for a payment to a creditor
	Name      i18n.Text // whole
	Purpose   i18n.Text // what it is for; may be empty
	Facts     []Fact    // short, on the second line
	Flags     []Fact    // what to look at
	States    []string
	Note      i18n.Text // beside the state: why it was rejected; may be empty
	Due       *Due
	Steps     []Step
	At        time.Time
	Now       time.Time
	Aged      bool      // how long ago it was is shown, not when
	Current   bool      // open in the pane
	Decided   i18n.Text // "Approved by you, 08:15:22 CET"; empty while it waits
	Dimmed    bool      // decided since the list was made
	Looked    i18n.Text // who else looks at it now: "Checker 2 is looking at this"; empty for nobody
}

// Fact is a few words with the whole of it as title.
type Fact struct {
	Text  i18n.Text
	Title i18n.Text // may be empty
}

// Due is the day an answer is due, in words.
type Due struct {
	Day  string    // "23.03.2026"
	Text i18n.Text // "12 days left", "due today", "3 days overdue"
	Tone Tone
}

// Step is a link to another page, such as a possible next action.
type Step struct {
	Label i18n.Text
	URL   string
}

// Facts are the given ones without those that have nothing to say.
func Facts(facts ...Fact) []Fact {
	said := make([]Fact, 0, len(facts))
	for _, fact := range facts {
		if fact.Text != "" {
			said = append(said, fact)
		}
	}
	return said
}

// AccountFact is an account as lists show it: its last six characters, and the whole number as title.
func AccountFact(account string) Fact {
	if account == "" {
		return Fact{}
	}
	return Fact{Text: i18n.Data("…" + LastSix(account)), Title: i18n.Data(GroupFours(account))}
}

// SchemeFact names a scheme.
func SchemeFact[S ~string](scheme S) Fact { return Fact{Text: i18n.Data(SchemeLabel(scheme))} }

// KindFact names the kind of a message that is no ordinary payment.
func KindFact[K ~string](kind K) Fact {
	if kind == "instruction" || kind == "" {
		return Fact{}
	}
	return Fact{Text: KindLabel(kind)}
}
