package web

import (
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/store"
)

// directoryWords returns the defect of a directory of banks and its remedy, "" when it is in order.
func directoryWords(d store.DirectorySummary, now time.Time) string {
	where := d.Scheme + " in realm " + d.Realm
	switch {
	case d.Broken:
		return where + ": the directory is not what was imported, and every payment is refused: run countersign check, and import it anew"
	case d.Edition.IsZero() && d.Scheme == "sct-inst":
		return where + ": none is loaded, so an order must name the BIC of the creditor's bank, and nobody knows whom instant payments reach"
	case d.Edition.IsZero():
		return where + ": none is loaded, so nobody knows whom instant payments reach"
	case account.Stale(d.Edition, now):
		return where + ": of " + d.Edition.Format(time.DateOnly) + ", older than a quarter: import the directory of today"
	}
	return ""
}

// Directories says in words which directories of banks are missing, old or not to be believed; "ok" when none is.
func Directories(found []store.DirectorySummary, now time.Time) string {
	var problems []string
	for _, d := range found {
		if words := directoryWords(d, now); words != "" {
			problems = append(problems, words)
		}
	}
	if len(problems) == 0 {
		return "ok"
	}
	return strings.Join(problems, "; ") + " (countersign directory import)"
}
