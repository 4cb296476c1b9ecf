package rulebook

import (
	"slices"
	"sync/atomic"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
)

// Editions are publications of others that rules read: external code sets and calendars of clearing days. They never change.
type Editions struct {
	codes []CodeSets // the latest first
	days  *calendar.Edition
}

// CodeSets is an edition of the external code sets with the first day it is in force.
type CodeSets struct {
	From    time.Time // midnight UTC
	Edition *code.Edition
}

// NewEditions puts editions together. Of code sets with the same first day, and of calendars that list the same day, the later one counts.
func NewEditions(codes []CodeSets, calendars []*calendar.Edition) *Editions {
	sorted := slices.Clone(codes)
	slices.SortStableFunc(sorted, func(a, b CodeSets) int { return a.From.Compare(b.From) })
	slices.Reverse(sorted)
	ordered := slices.Clone(calendars)
	slices.SortStableFunc(ordered, func(a, b *calendar.Edition) int { return a.Day().Compare(b.Day()) })
	return &Editions{codes: sorted, days: calendar.Merge(ordered...)}
}

// Published holds the editions in force, shared by all checks; an import replaces them while checks run. The zero Published, and nil, holds
// none, so that those of the program count.
type Published struct{ held atomic.Pointer[Editions] }

// Put puts editions in force.
func (p *Published) Put(editions *Editions) { p.held.Store(editions) }

func (p *Published) editions() *Editions {
	if p == nil {
		return nil
	}
	return p.held.Load()
}

// CodeSets is the edition of the external code sets in force on a day, as the day reads in its own location.
func (s Settings) CodeSets(day time.Time) *code.Edition {
	if held := s.Published.editions(); held != nil {
		for _, edition := range held.codes {
			if calendar.Compare(edition.From, day) <= 0 {
				return edition.Edition
			}
		}
	}
	return code.Builtin()
}
