package memory

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
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

// A page of the program that was changed, and cannot be written to any more, stays as it is: a program that is loaded anywhere has pages
// with its addresses, and ends when they are as the file has them.
func TestAChangedPageOfTheProgramStays(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	pages, err := unix.Mmap(int(file.Fd()), 0, 4*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(pages) })
	pages[0]++ // of the four bytes that each program begins with
	changed := pages[0]
	err = unix.Mprotect(pages, unix.PROT_READ)
	if err == nil {
		err = letGoOfPages()
	}
	if err != nil {
		t.Fatal(err)
	}
	if pages[0] != changed {
		t.Errorf("a changed page begins with %x again, want %x", pages[0], changed)
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
