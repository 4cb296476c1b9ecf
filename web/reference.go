package web

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// References says which editions of code sets and calendars are in force, "codes" and by scheme, and warns of one that is older than a
// quarter or not to be believed.
func References(found []store.ReferenceSummary, now time.Time) map[string]string {
	said := map[string]string{"codes": referenceWords(found, store.ReferenceCodes, "", now)}
	for _, scheme := range rulebook.Schemes() {
		said["calendar "+string(scheme)] = referenceWords(found, store.ReferenceCalendar, string(scheme), now)
	}
	return said
}

func referenceWords(found []store.ReferenceSummary, kind store.ReferenceKind, scheme string, now time.Time) string {
	edition, imported := store.ReferenceInForce(found, kind, scheme, now)
	day, of, command := edition.Edition, "", "countersign "+string(kind)+" import"
	if !imported {
		day, of = builtinDay(kind), ", of the program"
	}
	words := day.Format(time.DateOnly) + of
	if account.Stale(day, now) {
		words += ", older than a quarter: import the one of today (" + command + ")"
	}
	if slices.ContainsFunc(found, func(one store.ReferenceSummary) bool { return one.Broken && one.Kind == kind && one.Covers(scheme) }) {
		words += "; one of those imported is not what it was and counts for nothing: run countersign check, and import it anew"
	}
	return words
}

// builtinDay returns the date of the reference data built into the program.
func builtinDay(kind store.ReferenceKind) time.Time {
	if kind == store.ReferenceCodes {
		return code.Builtin().Day()
	}
	day, _ := time.Parse(time.DateOnly, calendar.Written) // a constant; a test reads it
	return day
}

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
