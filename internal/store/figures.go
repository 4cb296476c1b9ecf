package store

import (
	"context"
	"time"

	"countersign/internal/payment"
)

// Figures are the numbers of first pages that thousands of messages are read for: of the last day, and of the last thirty. Reader reads
// them anew for whoever asks; SharedFigures has one answer for all who ask within a while.
type Figures interface {
	VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error)
	Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error)
	EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error)
	HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error)
}

// SharedFigures are figures that are as old as the age they were made with, at most. What was approved, settled or rejected in that time
// may be missing. Their callers change nothing of what they get.
type SharedFigures struct {
	reader      *Reader
	now         func() time.Time
	volumes     Answers[[]Volume]
	turnarounds Answers[Turnaround]
	reasons     Answers[[]EndedReason]
	habits      Answers[ReportCounts]
}

// NewSharedFigures makes figures that are at most so old.
func NewSharedFigures(r *Reader, age time.Duration, now func() time.Time) *SharedFigures {
	return &SharedFigures{
		reader: r, now: now,
		volumes: Answers[[]Volume]{Age: age}, turnarounds: Answers[Turnaround]{Age: age},
		reasons: Answers[[]EndedReason]{Age: age}, habits: Answers[ReportCounts]{Age: age},
	}
}

// question is what a figure is about, in words that only the same figure has.
func question(realm string, since time.Time, more ...string) string {
	asked := realm + "\n" + since.UTC().Format(time.RFC3339Nano)
	for _, one := range more {
		asked += "\n" + one
	}
	return asked
}

// VolumeByHour is that of the Reader.
func (f *SharedFigures) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	return f.volumes.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) ([]Volume, error) {
		return f.reader.VolumeByHour(ctx, realm, since)
	})
}

// Turnaround is that of the Reader.
func (f *SharedFigures) Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error) {
	return f.turnarounds.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) (Turnaround, error) {
		return f.reader.Turnaround(ctx, realm, since)
	})
}

// EndedReasons is that of the Reader, of a period that ends now.
func (f *SharedFigures) EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error) {
	return f.reasons.Ask(ctx, question(realm, p.From, string(state)), f.now(), func(ctx context.Context) ([]EndedReason, error) {
		return f.reader.EndedReasons(ctx, realm, state, p)
	})
}

// HabitCounts is that of the Reader.
func (f *SharedFigures) HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error) {
	return f.habits.Ask(ctx, question(realm, since, zone.String()), f.now(), func(ctx context.Context) (ReportCounts, error) {
		return f.reader.HabitCounts(ctx, realm, since, zone)
	})
}
