package integrity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"countersign/internal/store"
)

// Result is the outcome of the last checks in a file, for the gateways and for the next check since a checkpoint. An interrupted check
// leaves the file as it was.
type Result struct {
	// Whole is the outcome of the last check of everything, Since that of the last one since a checkpoint, if it is the newer one.
	Whole *Outcome `json:"whole,omitempty"`
	Since *Outcome `json:"since,omitempty"`
	// Checkpoints are signed, one of a realm: up to them the last check held.
	Checkpoints []string `json:"checkpoints,omitempty"`
}

// Outcome is the end of a check.
type Outcome struct {
	At     time.Time `json:"at"`               // when it began
	Broken []string  `json:"broken,omitempty"` // the numbers of the broken invariants
}

// Of names the rows that a check looks at.
const (
	CheckedWhole = "everything"
	CheckedSince = "since a checkpoint"
)

// Outcomes are the outcomes by the rows they are of.
func (r Result) Outcomes() map[string]Outcome {
	found := map[string]Outcome{}
	if r.Whole != nil {
		found[CheckedWhole] = *r.Whole
	}
	if r.Since != nil {
		found[CheckedSince] = *r.Since
	}
	return found
}

// ReadResult reads a file; a missing one holds nothing.
func ReadResult(path string) (Result, error) {
	var r Result
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return Result{}, fmt.Errorf("read the result of the check from %s: %w", path, err)
	}
	return r, nil
}

// Add adds the outcome of a complete check that began at a time. Only a check without findings moves the checkpoints on; a check since a
// checkpoint clears no finding of an earlier check of everything.
func (r Result) Add(report Report, began time.Time) Result {
	outcome := &Outcome{At: began}
	for _, i := range report.Invariants {
		if len(i.Violations) > 0 {
			outcome.Broken = append(outcome.Broken, i.ID)
		}
	}
	if report.Since {
		r.Since = outcome
	} else {
		r.Whole, r.Since = outcome, nil
	}
	if len(outcome.Broken) == 0 {
		r.Checkpoints = report.Newest
	}
	return r
}

// Write replaces the file.
func (r Result) Write(path string) error {
	err := store.WriteJSON(path, r)
	if err != nil {
		return fmt.Errorf("keep the result of the check: %w", err)
	}
	return nil
}
