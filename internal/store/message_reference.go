package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

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
