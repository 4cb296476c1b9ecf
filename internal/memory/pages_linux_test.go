package memory

import (
	"fmt"
	"os"
	"testing"
)

// What was let go of is no longer in memory, and the program goes on: each page that is needed comes from its file again.
func TestPagesOfTheStartAreLetGo(t *testing.T) {
	before := pagesOfFiles(t)
	err := letGoOfPages()
	if err != nil {
		t.Fatal(err)
	}
	if after := pagesOfFiles(t); after >= before*9/10 { // what runs comes back at once, and this is a small program
		t.Errorf("%d pages of files are in memory, %d before", after, before)
	}
}

// pagesOfFiles is how many pages of files this process has in memory.
func pagesOfFiles(t *testing.T) (shared int) {
	t.Helper()
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int
	_, err = fmt.Sscan(string(content), &size, &resident, &shared)
	if err != nil {
		t.Fatal(err)
	}
	return shared
}
