package api

import (
	"context"
	"errors"
	"testing"
)

// TestReadingEndsWithItsCaller: nobody waits any longer for what the schema and the codec would say.
func TestReadingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	compiled, err := compileBodies()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{seedOrder, `{"identifiers":5}`} {
		read, err := parseForm(ctx, []byte(text), form{schema: compiled.create, mode: wrappable})
		if !errors.Is(err, context.Canceled) || read.document != nil {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}
