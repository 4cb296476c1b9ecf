package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/store/internal/dbsqlc"
)

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
