package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/internal/dbsqlc"
)

// ReferenceKind is the content of an edition of reference data.
type ReferenceKind string

// The kinds of reference data.
const (
	ReferenceCodes    ReferenceKind = "codes"    // external code sets of ISO 20022
	ReferenceCalendar ReferenceKind = "calendar" // days on which clearings are open
)

// MaxReferences is the number of newest imports of a kind that are in force.
const MaxReferences = 24

// ReferenceSummary is an edition of reference data without its content.
type ReferenceSummary struct {
	ID       uuid.UUID
	Kind     ReferenceKind
	Edition  time.Time // the day it is of
	From     time.Time // the first day code sets are in force
	Scope    string    // the schemes of a calendar, with a space between
	Entries  int
	Source   string
	LoadedAt time.Time
	Broken   bool // it is not what was imported, and counts for nothing
}

// References lists the editions of reference data in force, the last imported first. They are the same in all realms.
func (d *Database) References(ctx context.Context) ([]ReferenceSummary, error) {
	rows, err := d.Outside().ReferenceNewestList(ctx, MaxReferences)
	if err != nil {
		return nil, fmt.Errorf("read the editions of reference data: %w", err)
	}
	guard := d.Guard(nil)
	found := make([]ReferenceSummary, 0, len(rows))
	for _, row := range rows {
		found = append(found, referenceSummary(row, guard.Sealed(ctx, Reference(row))))
	}
	return found, nil
}

func referenceSummary(row dbsqlc.ReferenceNewestListRow, fits bool) ReferenceSummary {
	edition, err := time.Parse(time.DateOnly, row.Edition)
	fits = fits && err == nil
	from, err := time.Parse(time.DateOnly, row.FromDay)
	return ReferenceSummary{
		ID: row.EditionID, Kind: ReferenceKind(row.Kind), Edition: edition, From: from, Scope: row.Scope, Entries: int(row.Entries),
		Source: row.Source, LoadedAt: row.LoadedAt, Broken: !fits || err != nil,
	}
}

// Covers reports whether the edition applies to a scheme; code sets apply to all.
func (s ReferenceSummary) Covers(scheme string) bool {
	return s.Kind == ReferenceCodes || slices.Contains(strings.Fields(s.Scope), scheme)
}

// ReferenceInForce returns the edition of a kind in force for a scheme at a moment: the code sets with the latest first day that has come,
// the calendar of the latest day. Of two of the same day the one imported later counts.
func ReferenceInForce(all []ReferenceSummary, kind ReferenceKind, scheme string, at time.Time) (one ReferenceSummary, found bool) {
	for _, edition := range all { // the last imported first
		if edition.Kind != kind || edition.Broken || !edition.Covers(scheme) || kind == ReferenceCodes && edition.From.After(at) {
			continue
		}
		newer := edition.Edition.After(one.Edition)
		if kind == ReferenceCodes {
			newer = edition.From.After(one.From)
		}
		if !found || newer {
			one, found = edition, true
		}
	}
	return one, found
}
