package profile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Terms are the limits of a clearing beyond the form of its documents, as in a file of profiles; omitted ones are those of the scheme.
type Terms struct {
	Limit    string `yaml:"limit"`    // the largest payment in the scheme's currency: "20000.00"; one of the settings goes first
	Calendar string `yaml:"calendar"` // target or zurich
	// CategoryPurposes and Purposes are the only codes taken; without a list all of the code sets in force.
	CategoryPurposes []string `yaml:"categoryPurposes"`
	Purposes         []string `yaml:"purposes"`
	// The reasons that may be given for each, in the order of a form, by their codes: those of the scheme, or others of ISO.
	RecallReasons     []string `yaml:"recallReasons"`
	ReturnReasons     []string `yaml:"returnReasons"`
	ResolutionReasons []string `yaml:"resolutionReasons"`
	// TimeOut is the time from the acceptance of an incoming payment until clearing must have its answer, as in "7s"; WayBack is the part of
	// it that the answer needs to get there.
	TimeOut time.Duration `yaml:"timeOut"`
	WayBack time.Duration `yaml:"wayBack"`
	// AcceptanceTime is the rule for an incoming payment without an acceptance time: required, creation or optional.
	AcceptanceTime rulebook.AcceptanceTime `yaml:"acceptanceTime"`
	// Settlement says when an accepted incoming payment is booked: confirmed (by clearing, the default) or answer (with ours).
	Settlement rulebook.Settlement `yaml:"settlement"`
	// UnknownRecall names the one to answer the recall of a payment that never came: refuse (the gateway, with NOOR; the default) or person.
	UnknownRecall rulebook.UnknownRecall `yaml:"unknownRecall"`
	// UniqueDays is for how many days a bank keeps the ids of its messages and payments unique.
	UniqueDays int `yaml:"uniqueDays"`
}

// The bounds of a file of profiles.
const (
	longestTimeOut = time.Minute
	maxUniqueDays  = 3650
)

// maxCodes bounds a list of codes.
const maxCodes = 400

// read checks the terms and reads them for the rules. Purposes need not be known: an edition of the code sets may come that has them.
func (t Terms) read(scheme string) (rulebook.Terms, error) {
	var none rulebook.Terms
	limit, err := readLimit(scheme, t.Limit)
	if err != nil {
		return none, err
	}
	if !slices.Contains([]string{"", rulebook.CalendarTARGET, rulebook.CalendarZurich}, t.Calendar) {
		return none, fmt.Errorf("calendar: write %s or %s, not %q", rulebook.CalendarTARGET, rulebook.CalendarZurich, t.Calendar)
	}
	err = t.checkTimes()
	if err != nil {
		return none, err
	}
	for _, list := range []struct {
		field string
		codes []string
		set   code.Set
		known bool
	}{
		{"categoryPurposes", t.CategoryPurposes, code.CategoryPurposes, false},
		{"purposes", t.Purposes, code.Purposes, false},
		{"recallReasons", t.RecallReasons, code.CancellationReasons, true},
		{"returnReasons", t.ReturnReasons, code.ReturnReasons, true},
		{"resolutionReasons", t.ResolutionReasons, code.CancellationRejections, true},
	} {
		err = checkCodes(list.codes, list.set, list.known)
		if err != nil {
			return none, fmt.Errorf("%s: %w", list.field, err)
		}
	}
	if len(t.ReturnReasons) > 0 && !slices.Contains(t.ReturnReasons, "FOCR") {
		return none, fmt.Errorf("returnReasons: name FOCR too, without which no recall can be answered with the money")
	}
	return rulebook.Terms{
		Limit: limit, Calendar: t.Calendar, CategoryPurposes: t.CategoryPurposes, Purposes: t.Purposes,
		RecallReasons: t.RecallReasons, ReturnReasons: t.ReturnReasons, ResolutionReasons: t.ResolutionReasons,
		TimeOut: t.TimeOut, WayBack: t.WayBack, AcceptanceTime: t.AcceptanceTime, UniqueDays: t.UniqueDays, UnknownRecall: t.UnknownRecall,
		Settlement: cmp.Or(t.Settlement, rulebook.SettlementConfirmed),
	}, nil
}

// checkTimes refuses times that would leave none to answer in.
func (t Terms) checkTimes() error {
	known := []rulebook.AcceptanceTime{"", rulebook.AcceptanceRequired, rulebook.AcceptanceOfCreation, rulebook.AcceptanceOptional}
	switch {
	case t.TimeOut < 0 || t.TimeOut > longestTimeOut || t.TimeOut != 0 && t.TimeOut < time.Second:
		return fmt.Errorf("timeOut: write a time from 1s to %s, not %s", longestTimeOut, t.TimeOut)
	case t.WayBack < 0 || t.WayBack != 0 && t.TimeOut == 0 || t.TimeOut != 0 && t.WayBack >= t.TimeOut:
		return fmt.Errorf("wayBack: write a time shorter than timeOut, and timeOut too, not %s", t.WayBack)
	case !slices.Contains([]rulebook.Settlement{"", rulebook.SettlementByAnswer, rulebook.SettlementConfirmed}, t.Settlement):
		return fmt.Errorf("settlement: write %s or %s, not %q", rulebook.SettlementConfirmed, rulebook.SettlementByAnswer, t.Settlement)
	case !slices.Contains([]rulebook.UnknownRecall{"", rulebook.UnknownRecallRefused, rulebook.UnknownRecallByPerson}, t.UnknownRecall):
		return fmt.Errorf("unknownRecall: write %s or %s, not %q", rulebook.UnknownRecallRefused, rulebook.UnknownRecallByPerson, t.UnknownRecall)
	case t.UniqueDays < 0 || t.UniqueDays > maxUniqueDays:
		return fmt.Errorf("uniqueDays: write at most %d days, not %d", maxUniqueDays, t.UniqueDays)
	case !slices.Contains(known, t.AcceptanceTime):
		return fmt.Errorf("acceptanceTime: write %s, %s or %s, not %q", known[1], known[2], known[3], t.AcceptanceTime)
	}
	return nil
}

func readLimit(scheme, text string) (money.Amount, error) {
	if text == "" {
		return money.Amount{}, nil
	}
	currency := money.CHF
	if scheme == schemeSCT {
		currency = money.EUR
	}
	limit, err := money.Parse(currency, text)
	if err != nil {
		return money.Amount{}, fmt.Errorf("limit %q: %w", text, err)
	}
	return limit, nil
}

// checkCodes refuses codes that are none, stand twice, or, where they have to be known, are not in the set.
func checkCodes(codes []string, set code.Set, known bool) error {
	if len(codes) > maxCodes {
		return fmt.Errorf("name at most %d codes", maxCodes)
	}
	seen := map[string]bool{}
	for _, id := range codes {
		switch {
		case len(id) != 4 || !isName(id):
			return fmt.Errorf("write codes of four letters or digits, not %q", id)
		case seen[id]:
			return fmt.Errorf("name %s once", id)
		case known && !set.Has(id):
			return fmt.Errorf("%s is no code of %s", id, set.Name())
		}
		seen[id] = true
	}
	return nil
}

// Terms are those of the profile of a scheme that is in force at a moment; none where none is chosen.
func (b Registry) Terms(scheme string, at time.Time) rulebook.Terms {
	p := b.InForce(scheme, at)
	if p == nil {
		return rulebook.Terms{}
	}
	return p.terms
}
