package rulebook

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// LimitOf is the kind of a limit's holder.
type LimitOf string

// The kinds of holders.
const (
	OfPerson  LimitOf = "person"  // counts what the person entered or approved, by whichever account
	OfClient  LimitOf = "client"  // counts what was entered through the client
	OfAccount LimitOf = "account" // counts what the account pays
)

// SpendingLimit bounds the payments of a holder in a currency, per payment and per day. It counts the amounts released on
// that day; later returns or failures give nothing back. Only instructions and returns count.
type SpendingLimit struct {
	ID     uuid.UUID
	Of     LimitOf
	Holder string // the id of the person, the id of the client, the IBAN
	Name   string // of the holder, for people
	// PerPayment and PerDay are in minor units; 0 for none.
	PerPayment, PerDay int64
	Currency           money.Currency
	Used               int64  // of PerDay, on Day, before this message
	Day                string // as 2026-11-22, in the zone of the banking day
	// Planned is the amount of other payments that are scheduled for the later day On; zero for a payment of today.
	Planned int64
	On      time.Time
	// Untrusted: the limit is not what two administrators set. Nothing is paid under it.
	Untrusted bool
}

// LimitUse is the amount that a release adds to a daily limit.
type LimitUse struct {
	Limit  SpendingLimit
	Amount int64 // minor units
}

// After returns the day's used amount including this use.
func (u LimitUse) After() int64 { return u.Limit.Used + u.Amount }

// CheckSpending returns which limits an amount exceeds, as findings at a place.
func CheckSpending(amount money.Amount, limits []SpendingLimit, pointer string) []iso20022.Finding {
	var findings []iso20022.Finding
	for _, limit := range limits {
		text := limit.Refuses(amount)
		if text != "" {
			findings = append(findings, iso20022.Finding{Rule: RuleSpendingLimit, Pointer: pointer, Code: "AM14", Text: text})
		}
	}
	return findings
}

// Refuses says why the limit does not let an amount pass, "" when it does.
func (l SpendingLimit) Refuses(amount money.Amount) i18n.Text {
	whole := amount.Minor()
	switch {
	case l.Untrusted: // its currency too
		return i18n.Text("The limit for %s differs from the limit that two administrators set. Ask an operator to run “countersign check”.").
			With(l.Words())
	case l.Currency != amount.Currency():
	case l.PerPayment > 0 && whole > l.PerPayment:
		return i18n.Text("The limit for %s is %s per payment. Enter a smaller amount, or ask two administrators to change the limit.").
			With(l.Words(),
				l.amount(l.PerPayment))
	case l.PerDay > 0 && (whole > l.PerDay || l.Used > l.PerDay-whole):
		return i18n.Text("The daily limit for %s is %s, of which %s has already been used. Try again on another day, or ask two "+
			"administrators to change the limit.").
			With(l.Words(), l.amount(l.PerDay), l.amount(l.Used))
	}
	return ""
}

// Overbooked warns of an amount that the payments scheduled for its later day leave no room for, "" when they do. The limit is held on that
// day: a scheduled payment may be withdrawn before it.
func (l SpendingLimit) Overbooked(amount money.Amount) i18n.Text {
	if l.Planned == 0 || l.PerDay == 0 || l.Currency != amount.Currency() || l.Planned <= l.PerDay-amount.Minor() {
		return ""
	}
	return i18n.Text("The payment may fail on %s. The daily limit for %s is %s, and %s is already scheduled for that day.").
		With(i18n.Day(l.On), l.Words(), l.amount(l.PerDay), l.amount(l.Planned))
}

// Words name whom the limit binds: "the account CH50 … 1346", "the person Anna Meier".
func (l SpendingLimit) Words() i18n.Text {
	switch l.Of {
	case OfPerson:
		return i18n.Text("the person %s").With(l.Name)
	case OfClient:
		return i18n.Text("the client %s").With(l.Name)
	case OfAccount:
	}
	return i18n.Text("the account %s").With(l.Name)
}

// Today formats the limit and its use: "CHF 800.00 at a time, CHF 600.00 of CHF 1'000.00 used today".
func (l SpendingLimit) Today() i18n.Text {
	var parts []i18n.Text
	if l.PerPayment > 0 {
		parts = append(parts, i18n.Text("%s per payment").With(l.amount(l.PerPayment)))
	}
	switch {
	case l.PerDay > 0 && !l.On.IsZero():
		parts = append(parts, i18n.Text("%[2]s per day (%[1]s already scheduled for %[3]s)").With(l.amount(l.Planned), l.amount(l.PerDay), i18n.Day(l.On)))
	case l.PerDay > 0:
		parts = append(parts, i18n.Text("%s of %s used today").With(l.amount(l.Used), l.amount(l.PerDay)))
	}
	return i18n.Join(", ", parts...)
}

func (l SpendingLimit) amount(minor int64) string {
	amount, err := money.FromMinor(l.Currency, minor)
	if err != nil {
		return fmt.Sprintf("%s %d/100", l.Currency, minor)
	}
	return amount.Format()
}

// Unused returns the limits as they are on a day on which nothing of them is used yet.
func Unused(limits []SpendingLimit) []SpendingLimit {
	limits = slices.Clone(limits)
	for i := range limits {
		limits[i].Used = 0
	}
	return limits
}

// LimitUses returns the amounts that a release adds to the daily limits.
func LimitUses(amount money.Amount, limits []SpendingLimit) []LimitUse {
	var list []LimitUse
	for _, limit := range limits {
		if limit.PerDay > 0 && limit.Currency == amount.Currency() {
			list = append(list, LimitUse{Limit: limit, Amount: amount.Minor()})
		}
	}
	return list
}
