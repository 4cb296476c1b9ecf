package store

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// TestAnswersAreForgottenWhenTheyAreTooOld: questions tell of days and hours, and nobody asks yesterday's again.
func TestAnswersAreForgottenWhenTheyAreTooOld(t *testing.T) {
	t.Parallel()
	asked := 0
	answers := Answers[int]{Age: time.Second}
	ask := func(context.Context) (int, error) { asked++; return asked, nil }
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for i := range 100 {
		n, err := answers.Ask(t.Context(), fmt.Sprint("question ", i), at.Add(time.Duration(i)*100*time.Millisecond), ask)
		if err != nil || n != i+1 {
			t.Fatalf("answer %d is %d, %v", i, n, err)
		}
	}
	if kept := len(answers.of); kept != 10 {
		t.Errorf("%d answers are kept, and 10 are less than a second old", kept)
	}
	if n, _ := answers.Ask(t.Context(), "question 99", at.Add(10*time.Second), ask); n != 100 {
		t.Errorf("an answer that is young enough was asked anew: %d", n)
	}
}
