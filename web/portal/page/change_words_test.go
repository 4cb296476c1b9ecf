package page

import (
	"testing"

	"countersign/internal/administration"
)

// TestAFieldOfAChangeHasOneName: a page heads a field with the words that errors and the API say of it.
func TestAFieldOfAChangeHasOneName(t *testing.T) {
	t.Parallel()
	for field := range fieldLabels {
		if page, domain := FieldLabel(field).English(), administration.Label(field); page != domain {
			t.Errorf("%s is %q on a page, and %q elsewhere", field, page, domain)
		}
	}
}
