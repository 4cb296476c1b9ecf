package store

import (
	"context"
	"time"

	"countersign/internal/payment"
)

// Figures are the numbers of first pages, each computed from thousands of messages of the last day or the last thirty. Reader computes them
// for each call; SharedFigures shares one answer for a while.
type Figures interface {
	VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error)
	Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error)
	EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error)
	HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error)
}

// SharedFigures caches figures for at most their age. Approvals, settlements and rejections within that time may be missing. Callers must
// not change the results.
type SharedFigures struct {
	reader      *Reader
	now         func() time.Time
	volumes     Answers[[]Volume]
	turnarounds Answers[Turnaround]
	reasons     Answers[[]EndedReason]
	habits      Answers[ReportCounts]
}

// NewSharedFigures makes figures that are cached up to age.
func NewSharedFigures(r *Reader, age time.Duration, now func() time.Time) *SharedFigures {
	return &SharedFigures{
		reader: r, now: now,
		volumes: Answers[[]Volume]{Age: age}, turnarounds: Answers[Turnaround]{Age: age},
		reasons: Answers[[]EndedReason]{Age: age}, habits: Answers[ReportCounts]{Age: age},
	}
}

// question returns the cache key of a figure.
func question(realm string, since time.Time, more ...string) string {
	asked := realm + "\n" + since.UTC().Format(time.RFC3339Nano)
	for _, one := range more {
		asked += "\n" + one
	}
	return asked
}

// VolumeByHour is Reader.VolumeByHour, cached.
func (f *SharedFigures) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	return f.volumes.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) ([]Volume, error) {
		return f.reader.VolumeByHour(ctx, realm, since)
	})
}

// Turnaround is Reader.Turnaround, cached.
func (f *SharedFigures) Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error) {
	return f.turnarounds.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) (Turnaround, error) {
		return f.reader.Turnaround(ctx, realm, since)
	})
}

// EndedReasons is Reader.EndedReasons, cached, for a period that ends now.
func (f *SharedFigures) EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error) {
	return f.reasons.Ask(ctx, question(realm, p.From, string(state)), f.now(), func(ctx context.Context) ([]EndedReason, error) {
		return f.reader.EndedReasons(ctx, realm, state, p)
	})
}

// HabitCounts is Reader.HabitCounts, cached.
func (f *SharedFigures) HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error) {
	return f.habits.Ask(ctx, question(realm, since, zone.String()), f.now(), func(ctx context.Context) (ReportCounts, error) {
		return f.reader.HabitCounts(ctx, realm, since, zone)
	})
}
