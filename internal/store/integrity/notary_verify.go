package integrity

import (
	"context"
	"errors"
	"time"
)

// verifyWithin is how long a verification that somebody asks for on a page may take; countersign check takes the time it needs.
const verifyWithin = 10 * time.Second

// ErrVerifying says that somebody else has the trail verified right now.
var ErrVerifying = errors.New("the trail is being verified already")

// Verify holds the trail of a realm against what was sealed, for ten seconds at most; one at a time in this program. Error: ErrVerifying.
func (s *Station) Verify(ctx context.Context, realm string) (Verification, error) {
	if !s.verifying.TryLock() {
		return Verification{}, ErrVerifying
	}
	defer s.verifying.Unlock()
	limited, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	return s.cfg.Pages.Verify(limited, realm)
}
