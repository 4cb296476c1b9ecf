package service_test

import (
	"testing"
	"time"

	"countersign/internal/rulebook"
	servicepkg "countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestTimesAreThoseTheDatabaseKeeps: by a clock of any zone and of nanoseconds, what a maker is answered is what is read again, and every
// seal over a time holds, also of a message that leaves without being read again.
func TestTimesAreThoseTheDatabaseKeeps(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	h := servicetest.With(t, servicetest.Options{At: time.Date(2026, time.March, 2, 13, 0, 0, 123_456_789, east)})
	defer h.CheckInvariants(t)
	made := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	read, err := h.Messages.Message(t.Context(), made.Realm, made.InternalID)
	if err != nil || !read.CreatedAt.Equal(made.CreatedAt) || !read.ExpiresAt.Equal(made.ExpiresAt) {
		t.Errorf("made at %v until %v, read as %v until %v: %v", made.CreatedAt, made.ExpiresAt, read.CreatedAt, read.ExpiresAt, err)
	}
	if made.CreatedAt.Location() != time.UTC {
		t.Errorf("made at %v", made.CreatedAt)
	}
	_, err = h.Approval.Approve(t.Context(), h.Person(t, "checker1"), servicepkg.Input{InternalID: made.InternalID})
	if err == nil {
		err = h.Clearing.Send(t.Context(), made.Scheme, made.Realm, made.InternalID)
	}
	if err != nil || len(h.Network.Delivered()) != 1 {
		t.Errorf("%d documents were sent: %v", len(h.Network.Delivered()), err)
	}
}
