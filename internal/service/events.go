package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Events reads the stream of events of a realm.
type Events struct {
	reader *store.Reader
	nudges *store.Nudges
}

// The time between two queries of a call that waits. A step that this process committed ends the pause, minPause later: until then other
// transactions may be open that its event waits for.
const (
	minPause = 25 * time.Millisecond
	maxPause = time.Second
)

// MayRead returns the reason why the caller may read no events, or nil. Readers of messages read their events, administrators those of
// changes.
func (s *Events) MayRead(by identity.Principal) error {
	if by.Has(identity.RoleAdministrator) {
		return nil
	}
	return payment.MayRead(by)
}

// List returns the events behind a cursor that the caller may read, oldest first. Where there are none it waits for the next one: at most
// wait, and until the context ends. Errors: payment.ForbiddenError; store.ErrUnknownEvent.
func (s *Events) List(ctx context.Context, by identity.Principal, f store.EventFilter, wait time.Duration) (store.EventPage, error) {
	f.Messages, f.Changes = payment.MayRead(by) == nil, by.Has(identity.RoleAdministrator)
	err := s.MayRead(by)
	if err != nil {
		return store.EventPage{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	page, pause := store.EventPage{Next: f.After}, minPause
	for {
		next := s.nudges.NextEvent(by.Realm)
		found, err := s.reader.Events(ctx, by.Realm, f)
		if err != nil {
			if ctx.Err() != nil && wait > 0 {
				return page, nil
			}
			return page, err
		}
		page, f.After = found, found.Next
		switch {
		case len(page.Events) > 0 || waiting.Err() != nil:
			return page, nil
		case page.More:
			continue
		}
		select {
		case <-waiting.Done():
		case <-time.After(pause):
			pause = min(2*pause, maxPause)
		case <-next:
			pause = minPause
			select {
			case <-waiting.Done():
			case <-time.After(minPause):
			}
		}
	}
}

// Last returns the cursor behind which events begin to happen from now on; the zero id in a realm without events. Error:
// payment.ForbiddenError.
func (s *Events) Last(ctx context.Context, by identity.Principal) (uuid.UUID, error) {
	err := s.MayRead(by)
	if err != nil {
		return uuid.Nil, err
	}
	return s.reader.LastEvent(ctx, by.Realm)
}
