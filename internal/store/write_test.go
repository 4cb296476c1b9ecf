package store

import (
	"context"
	"errors"
	"testing"
)

// TestAnUnknownResultIsNotTriedAgain: a write is tried again under the lock only if the server refused its batch. If the connection broke or
// the time is over, its error goes to the caller.
func TestAnUnknownResultIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context //nolint:containedctx // of the case
		err  error
		want error // nil: try again
	}{
		{t.Context(), errors.New("violates something"), nil},
		{t.Context(), ErrBusy, nil},
		{t.Context(), errors.Join(ErrUnknown, ErrUnavailable), ErrUnknown},
		{t.Context(), ErrUnavailable, ErrUnavailable},
		{late, context.Canceled, ErrUnavailable},
	} {
		if err := broken(c.ctx, c.err); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%v becomes %v", c.err, err)
		}
	}
}
