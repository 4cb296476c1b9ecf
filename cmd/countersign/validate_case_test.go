package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// TestValidateJudgesFilesOfPractice holds every file of practice, and siblings of each, against the rules of its day.
func TestValidateJudgesFilesOfPractice(t *testing.T) {
	t.Parallel()
	zurich, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	v := validation{at: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC), today: time.Date(2026, 11, 29, 0, 0, 0, 0, zurich)}
	tried := 0
	for _, c := range testutil.Practices(t, "../../internal/orderform/testdata/cases", "2026-11-29") {
		if c.Validate == "-" || !strings.HasSuffix(c.Name, ".xml") {
			continue
		}
		tried++
		var codes []string
		for _, f := range checked(t, v, c.Name, c.Content).Findings {
			codes = append(codes, f.Code)
			if strings.Contains(f.Text, "one file for each payment") {
				t.Errorf("%s: %s", c.Name, f.Text)
			}
		}
		slices.Sort(codes)
		if got := strings.Join(slices.Compact(codes), " "); got != c.Validate {
			t.Errorf("%s: %q, want %q", c.Name, got, c.Validate)
		}
	}
	t.Logf("%d files", tried)
}
