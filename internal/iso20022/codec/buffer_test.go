package codec

import (
	"bytes"
	"testing"
)

// TestAnEncodedDocumentStaysAsItIs: what was written is its caller's, also when others, and longer ones, are written after it.
func TestAnEncodedDocumentStaysAsItIs(t *testing.T) {
	t.Parallel()
	for range 3 {
		first, err := inBuffer(func(empty []byte) ([]byte, error) { return append(empty, "first"...), nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{5, bufferSize + 1, bufferKept + 1} {
			other := bytes.Repeat([]byte("x"), length)
			written, err := inBuffer(func(empty []byte) ([]byte, error) { return append(empty, other...), nil })
			if err != nil || !bytes.Equal(written, other) {
				t.Fatalf("%d bytes were written as %d: %v", length, len(written), err)
			}
		}
		if string(first) != "first" {
			t.Fatalf("a document became %q when others were written", first)
		}
	}
}
