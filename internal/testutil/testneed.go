package testutil

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// Program returns the path of a program of the machine. Without it the test is skipped, or fails in CI. from names the way to install it.
func Program(t testing.TB, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Miss(t, fmt.Sprintf("%s is not installed: %s", name, from))
	}
	return path
}

// Miss ends a test for want of something, told in words: it is skipped, or fails in CI.
func Miss(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Long skips a test of the long tier, in CI too, unless it is built with -tags long, as make test-long does.
func Long(t testing.TB) {
	t.Helper()
	if !InLongTier {
		t.Skip("make test-long runs this test; or go test -tags long")
	}
}

// Count returns the number of repetitions of a test: that of the setting, which a target of make gives, or the usual one. A test with a
// usual count of 0 is skipped without the setting.
func Count(t testing.TB, setting string, usual int) int {
	t.Helper()
	text, given := os.LookupEnv(setting)
	switch {
	case !given && usual > 0:
		return usual
	case !given:
		t.Skip("a target of make sets " + setting)
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		t.Fatalf("%s is a number from 1, not %q: see what make gives it", setting, text)
	}
	return count
}

// OfPostgres returns where a program of PostgreSQL lies, and skips the test where the server came without it: what make fetches for a
// machine without PostgreSQL is the server alone. .ci/run installs the system's, which has them all.
func OfPostgres(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Elsewhere(t, name+" is not on this machine: it comes with the PostgreSQL of your system")
	}
	return path
}

// Elsewhere skips a test that is about another machine than this one, such as what root must not do.
func Elsewhere(t testing.TB, why string) {
	t.Helper()
	t.Skip(why)
}
