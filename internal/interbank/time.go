package interbank

import (
	"time"

	"countersign/internal/iso20022"
)

// dateTime writes a moment in UTC with milliseconds at most. The last digit of the fraction is never zero, and a whole second has no
// fraction (SEPA clearing systems refuse .050).
func dateTime(at time.Time) iso20022.ISODateTime {
	return iso20022.ISODateTime(at.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00"))
}
