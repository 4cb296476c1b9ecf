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

// Terms are the terms of a clearing as in a file of profiles; omitted ones are those of the scheme.
type Terms struct {
	rulebook.Terms `yaml:",inline"`

	Limit string `yaml:"limit"` // the largest payment in the scheme's currency: "20000.00"; one of the settings goes first
}

// The bounds of a file of profiles.
const (
	longestTimeOut = time.Minute
	maxUniqueDays  = 3650
)

// maxCodes bounds a list of codes.
const maxCodes = 400

// read checks the terms and reads them for the rules. Purposes need not be known: an edition of the code sets may come that has them.
func (t *Terms) read(scheme rulebook.Scheme) error {
	if t.Limit != "" {
		profile, _ := scheme.Profile()
		limit, err := money.Parse(profile.Currency, t.Limit)
		if err != nil {
			return fmt.Errorf("limit %q: %w", t.Limit, err)
		}
		t.Terms.Limit = limit
	}
	if !slices.Contains([]string{"", rulebook.CalendarTARGET, rulebook.CalendarZurich}, t.Calendar) {
		return fmt.Errorf("calendar: write %s or %s, not %q", rulebook.CalendarTARGET, rulebook.CalendarZurich, t.Calendar)
	}
	err := t.checkTimes()
	if err != nil {
		return err
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
			return fmt.Errorf("%s: %w", list.field, err)
		}
	}
	if len(t.ReturnReasons) > 0 && !slices.Contains(t.ReturnReasons, "FOCR") {
		return fmt.Errorf("returnReasons: name FOCR too, without which no recall can be answered with the money")
	}
	t.Settlement = cmp.Or(t.Settlement, rulebook.SettlementConfirmed)
	return nil
}

// checkTimes refuses times that would leave none to answer in.
func (t *Terms) checkTimes() error {
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
	return p.Terms.Terms
}
