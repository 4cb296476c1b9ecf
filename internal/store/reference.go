package store

import (
	"context"
	"crypto/sha256"
	"errors"
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

// ErrOlderReference says that an edition would have no effect, since one of a later day is in force.
var ErrOlderReference = errors.New("an edition of a later day is there, so that this one would have no effect")

// ReferenceImport is an edition to be imported: code sets or a calendar.
type ReferenceImport struct {
	Codes    *code.Edition
	Calendar *calendar.Edition
	From     time.Time // the first day code sets are in force; their own day when zero
	Source   string    // the file it comes from, as people will read it
}

// ImportReference puts an edition in force for all realms, as the owner and under seal. It returns false when the same edition was imported
// before. Error: ErrOlderReference.
func ImportReference(ctx context.Context, by Provisioner, in ReferenceImport) (changed bool, err error) {
	realms, err := Realms(ctx, by.OwnerURL)
	if err != nil {
		return false, err
	}
	realm := "" // the keys are tried on one that is there
	if len(realms) > 0 {
		realm = realms[0].Realm
	}
	row, content, err := referenceRow(in)
	if err != nil {
		return false, err
	}
	err = by.run(ctx, realm, func(p provision) error {
		row.LoadedAt = p.at
		changed, err = p.reference(ctx, row, content)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("import the %s: %w", row.Kind, err)
	}
	return changed, nil
}

// referenceRow returns the row of an edition without its id, time and seal.
func referenceRow(in ReferenceImport) (row dbsqlc.ReferenceNewestListRow, content []byte, err error) {
	var kind ReferenceKind
	var day time.Time
	var entries int
	var scope string
	if in.Codes != nil {
		kind, day, entries = ReferenceCodes, in.Codes.Day(), in.Codes.Len()
		content, err = in.Codes.Content()
	} else {
		kind, day, entries, content = ReferenceCalendar, in.Calendar.Day(), in.Calendar.Len(), in.Calendar.Content()
		scope = strings.Join(in.Calendar.Schemes(), " ")
	}
	from := in.From
	if from.IsZero() {
		from = day
	}
	digest := sha256.Sum256(content)
	return dbsqlc.ReferenceNewestListRow{
		Kind: string(kind), Edition: day.Format(time.DateOnly), FromDay: from.Format(time.DateOnly), Scope: scope, Source: in.Source,
		Entries: int32(entries), ContentHash: digest[:], //nolint:gosec // both kinds bound their entries
	}, content, err
}

func (p provision) reference(ctx context.Context, row dbsqlc.ReferenceNewestListRow, content []byte) (changed bool, err error) {
	err = p.q.ReferenceLock(ctx)
	if err != nil {
		return false, fmt.Errorf("let imports take turns: %w", err)
	}
	row.EditionID, err = uuid.NewV7()
	if err != nil {
		return false, err
	}
	there, err := p.q.ReferenceNewestList(ctx, MaxReferences)
	if err != nil {
		return false, fmt.Errorf("read those in force: %w", err)
	}
	for _, other := range there {
		fits := Reference(other).Check(p.keys) == nil
		switch {
		case other.Kind != row.Kind || !fits:
		case slices.Equal(other.ContentHash, row.ContentHash) && other.FromDay == row.FromDay && other.Source == row.Source:
			return false, nil
		case other.EditionID.String() >= row.EditionID.String():
			return false, errors.New("the clock of this machine is behind that of the last import: set it right")
		case overshadows(other, row):
			return false, fmt.Errorf("of %s, from %s; there is one of %s, from %s: %w", row.Edition, row.FromDay, other.Edition, other.FromDay,
				ErrOlderReference)
		}
	}
	keyID, seal, err := Reference(row).Sealed(p.keys)
	if err != nil {
		return false, err
	}
	return true, p.q.ReferenceInsert(ctx, dbsqlc.ReferenceInsertParams{
		EditionID: row.EditionID, Kind: row.Kind, Edition: row.Edition, FromDay: row.FromDay, Scope: row.Scope, Source: row.Source,
		Entries: row.Entries, Content: content, ContentHash: row.ContentHash, LoadedAt: row.LoadedAt, KeyID: keyID, Seal: seal,
	})
}

// overshadows reports whether a stored edition leaves a new one without effect: code sets in force later, or a calendar of a later day for
// all its schemes.
func overshadows(stored, added dbsqlc.ReferenceNewestListRow) bool {
	if added.Kind == string(ReferenceCodes) {
		return stored.FromDay > added.FromDay
	}
	return stored.Edition > added.Edition && !slices.ContainsFunc(strings.Fields(added.Scope), func(scheme string) bool {
		return !slices.Contains(strings.Fields(stored.Scope), scheme)
	})
}
