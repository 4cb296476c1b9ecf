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

// afterBankingDays counts days of a calendar from a day; no days are no limit.
func afterBankingDays(banking calendar.Calendar, from time.Time, days int) (last time.Time, limited bool) {
	if days <= 0 {
		return time.Time{}, false
	}
	return banking.AddBankingDays(from, days), true
}
