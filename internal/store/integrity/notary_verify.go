package integrity

import (
	"context"
	"errors"
	"time"
)

// verifyWithin limits a verification started from a page; countersign check has no limit.
const verifyWithin = 10 * time.Second

// ErrVerifying says that somebody else has the trail verified right now.
var ErrVerifying = errors.New("the trail is being verified already")

// Verify compares the trail of a realm with its sealed tree, for ten seconds at most; one call at a time in this program. Error:
// ErrVerifying.
func (s *Station) Verify(ctx context.Context, realm string) (Verification, error) {
	if !s.verifying.TryLock() {
		return Verification{}, ErrVerifying
	}
	defer s.verifying.Unlock()
	limited, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	return s.cfg.Pages.Verify(limited, realm)
}
