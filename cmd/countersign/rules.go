package main

import (
	"fmt"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/money"
)

// ruleSettings are the rules that the schemes leave to a bank, its clearing or their agreement; docs/operations.md explains them.
type ruleSettings struct {
	SICLimit                string `help:"Largest Swiss instant payment, in CHF. Default: that of the clearing profile, 20000.00 as shipped." env:"COUNTERSIGN_SIC_LIMIT"`
	SCTLimit                string `help:"Largest SEPA instant payment, in EUR. Default: that of the clearing profile, 999999999.99 as shipped." env:"COUNTERSIGN_SCT_LIMIT"`
	SICUnstructuredEnd      string `help:"First day without unstructured addresses in Swiss payments." default:"2026-11-14" env:"COUNTERSIGN_SIC_UNSTRUCTURED_END"`
	SCTUnstructuredEnd      string `help:"First day without unstructured addresses in SEPA payments." default:"2026-11-15" env:"COUNTERSIGN_SCT_UNSTRUCTURED_END"`
	PreviousEnd             string `help:"First day on which uploaded orders in pain.001.001.03 are refused." name:"pain-001-001-03-end" default:"2026-11-14" env:"COUNTERSIGN_PAIN_001_001_03_END"`
	SICFallback             bool   `help:"Allow Swiss payments to request a normal payment if the instant one fails (ITP)." env:"COUNTERSIGN_SIC_FALLBACK"`
	SICCollectiveBooking    bool   `help:"Allow Swiss payments to request collective booking." env:"COUNTERSIGN_SIC_COLLECTIVE_BOOKING"`
	KnownBanksOnly          bool   `help:"Refuse Swiss and Liechtenstein bank codes that the embedded list of banks lacks." env:"COUNTERSIGN_KNOWN_BANKS_ONLY"`
	SICRecallDays           int    `help:"Swiss banking days in which a payment may be recalled; 0 for no limit." default:"0" env:"COUNTERSIGN_SIC_RECALL_DAYS"`
	SICReturnDays           int    `help:"Swiss banking days in which a payment may be returned without a recall; 0 for no limit." default:"0" env:"COUNTERSIGN_SIC_RETURN_DAYS"`
	SICAnswerDays           int    `help:"Swiss banking days to answer a recall." default:"15" env:"COUNTERSIGN_SIC_ANSWER_DAYS"`
	SCTAnswerDays           int    `help:"TARGET days to answer a recall." default:"15" env:"COUNTERSIGN_SCT_ANSWER_DAYS"`
	SICRecallCharge         string `help:"Largest charge kept of a recalled Swiss payment, in CHF." default:"25.00" env:"COUNTERSIGN_SIC_RECALL_CHARGE"`
	SCTRecallCharge         string `help:"Largest charge kept of a recalled SEPA payment, in EUR." default:"25.00" env:"COUNTERSIGN_SCT_RECALL_CHARGE"`
	SCTReturnsWithoutRecall bool   `help:"Allow SEPA payments to be returned without a recall." name:"sct-returns-without-recall" env:"COUNTERSIGN_SCT_RETURNS_WITHOUT_RECALL"`
}

// maxRuleDays bounds the days of a rule, a year: more is a slip of the pen.
const maxRuleDays = 366

// apply reads the settings into the gateway's. Every wrong one is a sentence that names it.
func (s *ruleSettings) apply(g *gateway) error {
	err := s.applyAmounts(g)
	if err != nil {
		return err
	}
	g.Rules.FallbackAllowed, g.Rules.CollectiveBookingAllowed, g.Rules.KnownBanksOnly = s.SICFallback, s.SICCollectiveBooking, s.KnownBanksOnly
	g.Rules.SCTReturnsWithoutRecall = s.SCTReturnsWithoutRecall
	err = s.applyDays(g)
	if err != nil {
		return err
	}
	return s.applyEnds(g)
}

// applyAmounts reads the bounds of amounts.
func (s *ruleSettings) applyAmounts(g *gateway) error {
	for _, one := range []struct {
		setting, value string
		currency       money.Currency
		target         *money.Amount
	}{
		{"COUNTERSIGN_SIC_LIMIT", s.SICLimit, money.CHF, &g.Rules.SICLimit},
		{"COUNTERSIGN_SCT_LIMIT", s.SCTLimit, money.EUR, &g.Rules.SCTLimit},
		{"COUNTERSIGN_SIC_RECALL_CHARGE", s.SICRecallCharge, money.CHF, &g.Rules.SICRecallCharge},
		{"COUNTERSIGN_SCT_RECALL_CHARGE", s.SCTRecallCharge, money.EUR, &g.Rules.SCTRecallCharge},
	} {
		if one.value == "" {
			continue // the default counts
		}
		amount, err := money.Parse(one.currency, one.value)
		if err != nil {
			return fmt.Errorf("%s: %w", one.setting, err)
		}
		*one.target = amount
	}
	return nil
}

// applyDays reads the days in which something is due.
func (s *ruleSettings) applyDays(g *gateway) error {
	for _, one := range []struct {
		setting string
		value   int
		least   int
		target  *int
	}{
		{"COUNTERSIGN_SIC_RECALL_DAYS", s.SICRecallDays, 0, &g.Rules.SICRecallDays},
		{"COUNTERSIGN_SIC_RETURN_DAYS", s.SICReturnDays, 0, &g.Rules.SICReturnDays},
		{"COUNTERSIGN_SIC_ANSWER_DAYS", s.SICAnswerDays, 1, &g.Rules.SICAnswerDays},
		{"COUNTERSIGN_SCT_ANSWER_DAYS", s.SCTAnswerDays, 1, &g.Rules.SCTAnswerDays},
	} {
		if one.value < one.least || one.value > maxRuleDays {
			return fmt.Errorf("%s: write a number of days from %d to %d", one.setting, one.least, maxRuleDays)
		}
		*one.target = one.value
	}
	return nil
}

// applyEnds reads the first days on which something is over.
func (s *ruleSettings) applyEnds(g *gateway) error {
	for _, one := range []struct {
		setting, value string
		target         *time.Time
	}{
		{"COUNTERSIGN_SIC_UNSTRUCTURED_END", s.SICUnstructuredEnd, &g.Rules.SICUnstructuredEnd},
		{"COUNTERSIGN_SCT_UNSTRUCTURED_END", s.SCTUnstructuredEnd, &g.Rules.SCTUnstructuredEnd},
		{"COUNTERSIGN_PAIN_001_001_03_END", s.PreviousEnd, &g.Rules.PreviousEnd},
	} {
		day, err := calendar.ParseDay(time.DateOnly, one.value, time.UTC)
		if err != nil {
			return fmt.Errorf("%s: write a day such as 2026-11-20, not %q", one.setting, one.value)
		}
		*one.target = day
	}
	return nil
}
