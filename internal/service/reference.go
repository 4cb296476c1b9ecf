package service

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store"
)

// The interval of the polls for imported reference data, and their time-out.
const (
	lookForReferences = time.Minute
	readReferences    = 20 * time.Second
)

// ReadReferences puts the imported code sets and calendars in force for all services.
func (s *Service) ReadReferences(ctx context.Context) error {
	return s.putReferences(ctx, store.NewReferences(s.Database))
}

func (s *Service) putReferences(ctx context.Context, references *store.References) error {
	limited, cancel := context.WithTimeout(ctx, readReferences)
	defer cancel()
	editions, err := references.Editions(limited)
	if err != nil {
		return fmt.Errorf("read the reference data: %w", err)
	}
	s.Rules.Published.Put(editions)
	return nil
}

// WatchReferences reloads the reference data every minute until the context ends, so that an import needs no restart.
// While the database is unreachable, the last data stays in force.
func (s *Service) WatchReferences(ctx context.Context) {
	references := store.NewReferences(s.Database)
	ticker := time.NewTicker(lookForReferences)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.putReferences(ctx, references)
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "look for new reference data", "error", err.Error())
		}
	}
}
