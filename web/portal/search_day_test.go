package portal_test

import (
	"testing"
	"time"

	"countersign/web/portal"
)

// TestADayIsFoundByFewLetters: without its year, or as a word of any language of the portal. An amount is no day.
func TestADayIsFoundByFewLetters(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 29, 16, 0, 0, 0, time.UTC)
	for typed, want := range map[string]string{
		"29.11.": "2026-11-29", "1.2.": "2026-02-01", "24.12.": "2025-12-24", "today": "2026-11-29", "Heute": "2026-11-29", "hier": "2026-11-28",
		"gestern": "2026-11-28", "ieri": "2026-11-28", "Yesterday": "2026-11-28", "aujourd'hui": "2026-11-29", "Aujourd’hui": "2026-11-29",
		"oggi": "2026-11-29", "29.11": "2026-11-29", "30.11": "2025-11-30", "29.11.2026": "2026-11-29", "29/11": "2026-11-29", "1/2": "2026-02-01",
		"29/11/2026": "2026-11-29", "29 November": "2026-11-29", "November 29": "2026-11-29", "29 Nov": "2026-11-29", "30 Nov": "2025-11-30", "29. Nov. 2025": "2025-11-29",
		"Nov 29, 2026": "2026-11-29", "29 novembre": "2026-11-29", "1er août": "2026-08-01", "5. März": "2026-03-05", "3 dicembre 2025": "2025-12-03",
		"1 jui": "", "1.1.0000": "", "0001-01-01": "", "1/1/1899": "", "1.1.1900": "1900-01-01", "1.1.0000 10:00": "", "29 of November": "", "November": "", "29 novel": "", "12.5": "", "12.50": "", "12.13": "", "todays": "",
	} {
		found := portal.ReadSearch(typed, now)
		day := ""
		if !found.Since.IsZero() {
			day = found.Since.Format(time.DateOnly)
		}
		if day != want || want != "" && found.Until.Sub(found.Since) != 24*time.Hour {
			t.Errorf("%q is the day %q, want %q", typed, day, want)
		}
	}
}
