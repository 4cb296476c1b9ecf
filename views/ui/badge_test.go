package ui

import (
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// TestEveryStateKindAndSchemeHasItsWords, so that a new one is not shown by its name in the program.
func TestEveryStateKindAndSchemeHasItsWords(t *testing.T) {
	t.Parallel()
	for _, state := range payment.States() {
		if states[state].label == "" {
			t.Errorf("the state %q has no look", state)
		}
	}
	for _, kind := range payment.Kinds() {
		if kinds[kind].label == "" {
			t.Errorf("the kind %q has no look", kind)
		}
	}
	for _, scheme := range rulebook.Schemes() {
		if schemes[scheme].short == "" || schemes[scheme].whole == "" {
			t.Errorf("the scheme %q has no name", scheme)
		}
	}
}
