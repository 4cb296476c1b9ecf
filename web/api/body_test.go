package api

import (
	"context"
	"errors"
	"testing"
)

// TestReadingEndsWithItsCaller: nobody waits any longer for what the schema and the codec would say.
func TestReadingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	forms, err := Compile()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{seedOrder, `{"identifiers":5}`} {
		read, err := forms.Create.Read(ctx, []byte(text))
		if !errors.Is(err, context.Canceled) || read.Document != nil {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}
