package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
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

// References lists the editions of reference data in force, the last imported first. They are the same in all realms.
func (r *Reader) References(ctx context.Context) ([]ReferenceSummary, error) {
	return r.db.References(ctx)
}

// References caches the editions that were read: they never change. It is for one caller at a time.
type References struct {
	db        *Database
	codes     map[uuid.UUID]*code.Edition
	calendars map[uuid.UUID]*calendar.Edition
}

// NewReferences makes an empty cache.
func NewReferences(db *Database) *References {
	return &References{db: db, codes: map[uuid.UUID]*code.Edition{}, calendars: map[uuid.UUID]*calendar.Edition{}}
}

// Editions reads new editions and returns all valid ones. An edition that differs from the imported one is ignored and logged.
func (r *References) Editions(ctx context.Context) (*rulebook.Editions, error) {
	found, err := r.db.References(ctx)
	if err != nil {
		return nil, err
	}
	var codes []rulebook.CodeSets
	var calendars []*calendar.Edition
	for i := range found {
		one := found[len(found)-1-i] // the first imported first
		if one.Broken {
			continue
		}
		err = r.read(ctx, one)
		if err != nil {
			return nil, err
		}
		if edition := r.codes[one.ID]; edition != nil {
			codes = append(codes, rulebook.CodeSets{From: one.From, Edition: edition})
		}
		if edition := r.calendars[one.ID]; edition != nil {
			calendars = append(calendars, edition)
		}
	}
	return rulebook.NewEditions(codes, calendars), nil
}

// read reads an edition that was not read before.
func (r *References) read(ctx context.Context, one ReferenceSummary) error {
	if r.codes[one.ID] != nil || r.calendars[one.ID] != nil {
		return nil
	}
	row, err := r.db.Outside().ReferenceContentGet(ctx, one.ID)
	if err != nil {
		return fmt.Errorf("read an edition of reference data: %w", err)
	}
	digest := sha256.Sum256(row.Content)
	guard := r.db.Guard(nil)
	if !guard.Sealed(ctx, Reference(dbsqlc.ReferenceNewestListRow{
		EditionID: row.EditionID, Kind: row.Kind, Edition: row.Edition, FromDay: row.FromDay, Scope: row.Scope, Source: row.Source,
		Entries: row.Entries, ContentHash: digest[:], LoadedAt: row.LoadedAt, KeyID: row.KeyID, Seal: row.Seal,
	})) {
		return nil
	}
	switch ReferenceKind(row.Kind) {
	case ReferenceCodes:
		r.codes[one.ID], err = code.Parse(row.Content, time.Time{})
	case ReferenceCalendar:
		r.calendars[one.ID], err = calendar.Parse(row.Content)
	}
	if err != nil {
		r.db.Log().ErrorContext(ctx, "a stored edition of reference data cannot be read and counts for nothing", slog.Bool("alarm", true),
			"edition", one.ID, "error", err.Error())
	}
	return nil
}
