package payment

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/money"
)

// LedgerItem is a message that moved or may have moved money at clearing: a released one of ours, or an incoming one.
type LedgerItem struct {
	Realm         string
	GlobalID      ID
	Kind          Kind
	Direction     Direction
	State         State
	TransactionID string // by which clearing knows it: that of the original, of a return
	Amount        money.Amount
	Day           time.Time // of its settlement
	Approved      bool
	Sent          bool
}

// settled reports whether it has settled by these books. An incoming payment that is Accepted has not.
func (i LedgerItem) settled() bool { return i.State == StateSettled || i.State == StateBooked }

// matches reports whether a line of a statement names the item.
func (i LedgerItem) matches(line interbank.StatementLine) bool {
	own := slices.Contains(line.References, string(i.GlobalID))
	return i.credits() == line.Credit && (own || i.TransactionID != "" && line.TransactionID == i.TransactionID)
}

// credits reports whether the item credits our side.
func (i LedgerItem) credits() bool { return i.Direction == DirectionIn }

// DifferenceKind is the kind of a difference between a statement of clearing and these books.
type DifferenceKind string

// The kinds.
const (
	NotHere        DifferenceKind = "not here"             // clearing settled what nobody knows here
	NotOnStatement DifferenceKind = "not on the statement" // it settled here, and clearing does not say so
	OtherAmount    DifferenceKind = "other amount"
	OtherWay       DifferenceKind = "other direction"
	TwiceStated    DifferenceKind = "twice on the statement"
	NotSettledHere DifferenceKind = "not settled here"
	NeverApproved  DifferenceKind = "never approved" // it left although nobody approved it here
)

// StatementDifference is one difference, with the reference and a description of both sides.
type StatementDifference struct {
	Kind      DifferenceKind
	Reference string // the transaction id
	Realm     string // "" where nothing is here
	Statement string
	Here      string
	Line      *interbank.StatementLine // nil for none
	Item      *LedgerItem              // nil for none
}

// Key names the difference in a proposal of how it was explained.
func (d StatementDifference) Key() string {
	return fmt.Sprintf("%s: %s; statement: %s; here: %s", d.Kind, d.Reference, cmp.Or(d.Statement, "nothing"), cmp.Or(d.Here, "nothing"))
}

// Reconcile compares a statement of clearing with the approved and the sent payments. Each item belongs to one line.
func Reconcile(s interbank.ClearingStatement, ledger []LedgerItem) []StatementDifference {
	var found []StatementDifference
	b, of := newBooks(ledger), make([]int, len(s.Lines))
	for rank := range ranks { // the surest pairs first
		for i, line := range s.Lines {
			if rank == 0 {
				of[i] = -1
			}
			if of[i] < 0 {
				of[i] = b.choose(line, ranks-rank)
			}
			if of[i] >= 0 {
				b.used[of[i]] = true
			}
		}
	}
	for i, line := range s.Lines {
		difference := StatementDifference{Reference: line.TransactionID, Statement: stated(line), Line: &line}
		if of[i] < 0 {
			difference.Kind, difference.Item = b.strayLine(line)
			if difference.Item != nil {
				difference.Here = difference.Item.words()
			}
			found = append(found, difference)
			continue
		}
		item := ledger[of[i]]
		difference.Realm, difference.Here, difference.Item = item.Realm, item.words(), &item
		switch {
		case item.Amount != line.Amount:
			difference.Kind = OtherAmount
		case item.settled():
			continue
		case item.Direction == DirectionOut && !item.Approved:
			difference.Kind = NeverApproved
		default:
			difference.Kind = NotSettledHere
		}
		found = append(found, difference)
	}
	for at, item := range ledger {
		if !b.used[at] && item.settled() && !item.Day.Before(s.From) && item.Day.Before(s.To) {
			found = append(found, StatementDifference{
				Kind: NotOnStatement, Reference: item.TransactionID, Realm: item.Realm, Here: item.words(), Item: &item,
			})
		}
	}
	return found
}

// ranks order the pairs of a line and an item by certainty: named by the line, of one amount, settled.
const ranks = 3

// books are the items with the ids by which a line may name them.
type books struct {
	ledger []LedgerItem
	used   []bool
	by     map[string][]int
}

func newBooks(ledger []LedgerItem) books {
	b := books{ledger: ledger, used: make([]bool, len(ledger)), by: make(map[string][]int, len(ledger))}
	for at, item := range ledger {
		b.by[string(item.GlobalID)] = append(b.by[string(item.GlobalID)], at)
		if item.TransactionID != string(item.GlobalID) {
			b.by[item.TransactionID] = append(b.by[item.TransactionID], at)
		}
	}
	return b
}

// named are the items that a line names, in either direction.
func (b books) named(line interbank.StatementLine) (list []int) {
	for _, reference := range line.References {
		list = append(list, b.by[reference]...)
	}
	return list
}

// choose returns the free item that a line means with at least the given rank; -1 for none.
func (b books) choose(line interbank.StatementLine, rank int) int {
	for _, at := range b.named(line) {
		item := b.ledger[at]
		if !b.used[at] && item.matches(line) && (rank < 2 || item.Amount == line.Amount) && (rank < ranks || item.settled()) {
			return at
		}
	}
	return -1
}

// strayLine names the kind of a line without an item: a repetition of one that has its item, one in the other direction, or unknown.
func (b books) strayLine(line interbank.StatementLine) (DifferenceKind, *LedgerItem) {
	other := line
	other.Credit = !line.Credit
	for _, at := range b.named(line) {
		switch item := b.ledger[at]; {
		case b.used[at] && item.matches(line):
			return TwiceStated, &item
		case item.matches(other):
			return OtherWay, &item
		}
	}
	return NotHere, nil
}

// stated is a line of a statement in words.
func stated(line interbank.StatementLine) string {
	direction := "out"
	if line.Credit {
		direction = "in"
	}
	return line.Amount.Format() + " " + direction
}

// words are an item in words.
func (i LedgerItem) words() string {
	return fmt.Sprintf("%s %s %s, %s, %s", i.Kind, i.GlobalID, i.Amount.Format(), i.State, i.Step())
}

// Step is the last step that the item reached here.
func (i LedgerItem) Step() i18n.Text {
	switch {
	case i.Direction == DirectionIn:
		return "received"
	case i.Sent:
		return "approved and sent"
	case i.Approved:
		return "approved but not sent"
	}
	return "not approved"
}
