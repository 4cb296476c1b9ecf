package rulebook

import (
	"time"

	"countersign/internal/calendar"
)

// The time limits of the SEPA rulebook (EPC SCT Inst rulebook 2025, sections 4.3.2.3 and 4.3.2.4).
const (
	recallBankingDays = 10 // after execution, for a duplicate or a technical problem
	recallMonths      = 13 // after execution, for fraud and for requests of the originator
	answerBankingDays = 15 // after receipt of a recall
	returnBankingDays = 3  // after settlement, for a return that no recall asked for
)

// bankingDays is the calendar that deadlines of the scheme are counted by.
func (s Scheme) bankingDays() calendar.Calendar {
	if s == SchemeSIC {
		return calendar.SwissBank()
	}
	return calendar.TARGET()
}

// RecallDeadline is the last day on which a payment that settled on a day may be recalled for a reason (a code of RecallReasons);
// limited is false when there is none, as in SIC unless a setting says otherwise. Days are read in their own location.
func RecallDeadline(scheme Scheme, reason string, settled time.Time, settings Settings) (last time.Time, limited bool) {
	if scheme == SchemeSIC {
		return afterBankingDays(scheme, settled, settings.SICRecallDays)
	}
	switch reason {
	case "DUPL", "TECH":
		return afterBankingDays(scheme, settled, recallBankingDays)
	default:
		return calendar.AddMonths(settled, recallMonths), true
	}
}

// AnswerBy is the last day on which a recall received on a day is to be answered: 15 banking days later unless a setting says
// otherwise.
func AnswerBy(scheme Scheme, received time.Time, settings Settings) time.Time {
	days := settings.SCTAnswerDays
	if scheme == SchemeSIC {
		days = settings.SICAnswerDays
	}
	if days <= 0 {
		days = answerBankingDays
	}
	return scheme.bankingDays().AddBankingDays(received, days)
}

// ReturnWindow is the last day on which an incoming payment that settled on a day may be sent back for a reason (a code of
// ReturnReasons). The answer to a recall has no such limit; in SIC there is none unless a setting says otherwise.
func ReturnWindow(scheme Scheme, reason string, settled time.Time, settings Settings) (last time.Time, limited bool) {
	if reason == ReturnAfterRecall {
		return time.Time{}, false
	}
	if scheme == SchemeSIC {
		return afterBankingDays(scheme, settled, settings.SICReturnDays)
	}
	return afterBankingDays(scheme, settled, returnBankingDays)
}

// afterBankingDays counts banking days from a day; no days are no limit.
func afterBankingDays(scheme Scheme, from time.Time, days int) (last time.Time, limited bool) {
	if days <= 0 {
		return time.Time{}, false
	}
	return scheme.bankingDays().AddBankingDays(from, days), true
}
