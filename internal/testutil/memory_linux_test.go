package testutil_test

import (
	"os"
	"testing"

	"countersign/internal/testutil"
)

// TestWhoSetsAFolderGetsIt: memory is for those who asked for no folder of their own.
func TestWhoSetsAFolderGetsIt(t *testing.T) {
	own := t.TempDir()
	t.Setenv("TMPDIR", own)
	err := testutil.KeepInMemory()
	if err != nil || os.Getenv("TMPDIR") != own {
		t.Errorf("files go to %q for %q: %v", os.Getenv("TMPDIR"), own, err)
	}
}
