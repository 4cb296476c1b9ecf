package rulebook

import (
	"slices"
	"sync/atomic"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
)

// Settings are the rules a bank or clearing may set. The zero value of each field is its default.
type Settings struct {
	// Published are the code sets and calendars in force; nil for those that come with the program.
	Published *Published
	// Terms returns the limits of a scheme's clearing on a day, from its profile; nil for the scheme's defaults.
	Terms func(scheme string, day time.Time) Terms
	// SICLimit is the largest amount of a Swiss instant payment; default that of the clearing's terms, CHF 20'000.00 as shipped (the
	// limit of the banks at the start of the service).
	SICLimit money.Amount
	// SCTLimit is the largest amount of a SEPA instant payment; default that of the clearing's terms, EUR 999'999'999.99 as shipped and the
	// most the message can hold (the scheme's own limit fell on 5 October 2025).
	SCTLimit money.Amount
	// SICUnstructuredEnd is the first day without unstructured addresses in Swiss payments; default 14 November 2026, from which SPS 2026 is
	// in force.
	SICUnstructuredEnd time.Time
	// SCTUnstructuredEnd is the same for SEPA payments; default 15 November 2026.
	SCTUnstructuredEnd time.Time
	// PreviousEnd is the first day on which a pain.001.001.03 is no longer taken; default 14 November 2026, from which SPS 2026 is in force.
	PreviousEnd time.Time
	// FallbackAllowed lets Swiss payments ask for execution as a normal payment when the instant one fails (local instrument ITP). SPS leaves
	// it to an agreement between bank and customer.
	FallbackAllowed bool
	// CollectiveBookingAllowed lets Swiss instant payments ask for collective booking (BtchBookg true). SPS leaves it to an agreement.
	CollectiveBookingAllowed bool
	// KnownBanksOnly refuses Swiss and Liechtenstein bank codes that the embedded bank list lacks. Off by default: a list is only as new as
	// the program.
	KnownBanksOnly bool
	// SICRecallDays is the recall period of a Swiss payment in Swiss banking days after settlement; default 0: no
	// limit, as none is published.
	SICRecallDays int
	// SICReturnDays is the same for returns that no recall asked for.
	SICReturnDays int
	// SICAnswerDays is in how many Swiss banking days a received recall is to be answered; default 15.
	SICAnswerDays int
	// SCTAnswerDays is the same in TARGET days; default 15 (EPC rulebook 2025; some clearing systems still say 10).
	SCTAnswerDays int
	// SICRecallCharge is the most another bank may keep of a Swiss payment that it sends back after a recall; default CHF 25.00. The
	// schemes leave the charge to the banks (EPC115-06 pacs.004, ChrgsInf) and set no bound, so that this one is the gateway's.
	SICRecallCharge money.Amount
	// SCTRecallCharge is the same for a SEPA payment; default EUR 25.00.
	SCTRecallCharge money.Amount
	// SCTReturnsWithoutRecall lets SEPA payments go back though no recall asked for them. Off by default: the exceptions of SCT Inst are
	// rejects, recalls and requests for recall (EPC, Guidance on Reason Codes for SCT Inst R-transactions v7.0). Some clearing systems take
	// them by agreement.
	SCTReturnsWithoutRecall bool
}

// LimitOn is the largest amount of the scheme on a day: that of the settings, else that of its clearing's terms, else the scheme's.
func (s Settings) LimitOn(scheme Scheme, day time.Time) money.Amount {
	configured, currency, fallback := s.SICLimit, money.CHF, int64(20_000_00)
	if scheme == SchemeSCT {
		configured, currency, fallback = s.SCTLimit, money.EUR, 999_999_999_99
	}
	for _, set := range []money.Amount{configured, s.TermsOn(scheme, day).Limit} {
		tooLarge := scheme == SchemeSCT && set.Minor() > fallback // for the message
		if set.Currency() == currency && !set.IsZero() && !tooLarge {
			return set
		}
	}
	// FromMinor refuses unknown currencies and negative sums only.
	amount, _ := money.FromMinor(currency, fallback)
	return amount
}

// RecallCharge is the most another bank of the scheme may keep of a recalled payment.
func (s Settings) RecallCharge(scheme Scheme) money.Amount {
	configured, currency := s.SICRecallCharge, money.CHF
	if scheme == SchemeSCT {
		configured, currency = s.SCTRecallCharge, money.EUR
	}
	if configured.Currency() == currency { // nothing may be kept where 0 was set
		return configured
	}
	// FromMinor refuses unknown currencies and negative sums only.
	amount, _ := money.FromMinor(currency, 25_00)
	return amount
}

// EndOfPrevious is the first day on which a pain.001.001.03 is refused.
func (s Settings) EndOfPrevious() time.Time {
	if !s.PreviousEnd.IsZero() {
		return s.PreviousEnd
	}
	return time.Date(2026, time.November, 14, 0, 0, 0, 0, time.UTC)
}

// UnstructuredEnd is the first day on which the scheme refuses unstructured addresses.
func (s Settings) UnstructuredEnd(scheme Scheme) time.Time {
	configured, fallback := s.SICUnstructuredEnd, 14
	if scheme == SchemeSCT {
		configured, fallback = s.SCTUnstructuredEnd, 15
	}
	if !configured.IsZero() {
		return configured
	}
	return time.Date(2026, time.November, fallback, 0, 0, 0, 0, time.UTC)
}

// Editions are publications of others that rules read: external code sets and calendars of clearing days. They never change.
type Editions struct {
	codes []CodeSets // the latest first
	days  *calendar.Edition
}

// CodeSets is an edition of the external code sets with the first day it is in force.
type CodeSets struct {
	From    time.Time // midnight UTC
	Edition *code.Edition
}

// NewEditions puts editions together. Of code sets with the same first day, and of calendars that list the same day, the later one counts.
func NewEditions(codes []CodeSets, calendars []*calendar.Edition) *Editions {
	sorted := slices.Clone(codes)
	slices.SortStableFunc(sorted, func(a, b CodeSets) int { return a.From.Compare(b.From) })
	slices.Reverse(sorted)
	ordered := slices.Clone(calendars)
	slices.SortStableFunc(ordered, func(a, b *calendar.Edition) int { return a.Day().Compare(b.Day()) })
	return &Editions{codes: sorted, days: calendar.Merge(ordered...)}
}

// Published holds the editions in force, shared by all checks; an import replaces them while checks run. The zero Published, and nil, holds
// none, so that those of the program count.
type Published struct{ held atomic.Pointer[Editions] }

// Put puts editions in force.
func (p *Published) Put(editions *Editions) { p.held.Store(editions) }

func (p *Published) editions() *Editions {
	if p == nil {
		return nil
	}
	return p.held.Load()
}

// CodeSets is the edition of the external code sets in force on a day, as the day reads in its own location.
func (s Settings) CodeSets(day time.Time) *code.Edition {
	if held := s.Published.editions(); held != nil {
		for _, edition := range held.codes {
			if calendar.Compare(edition.From, day) <= 0 {
				return edition.Edition
			}
		}
	}
	return code.Builtin()
}
