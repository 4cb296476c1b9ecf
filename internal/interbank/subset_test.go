package interbank_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"countersign/internal/rulebook"
)

// TestSwissOrdersHaveNoMoreThanTheirSchema puts each place that ISO has and the Swiss schema has not into a good order, with values that
// the ISO schema takes there, and wants the order refused every time. In SEPA many of them are fine.
func TestSwissOrdersHaveNoMoreThanTheirSchema(t *testing.T) {
	t.Parallel()
	swiss := chains()[0]
	places := forbiddenPlaces(t)
	const known = 127 // in ISO's schema and not in that of SIX
	if swiss.scheme != rulebook.SchemeSIC || len(places) != known {
		t.Fatalf("%s, %d places", swiss.scheme, len(places))
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, element := range leavesBelow(t, place) {
				tried += swiss.wantAllRefused(t, element)
			}
			if tried == 0 {
				t.Error("no value was tried")
			}
		})
	}
}

// forbiddenPlaces reads the list; its comment says where it comes from.
func forbiddenPlaces(t *testing.T) []string {
	file, err := os.Open("testdata/pain.001.001.09.ch.03_forbidden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var places []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if line := scanner.Text(); !strings.HasPrefix(line, "#") {
			places = append(places, line)
		}
	}
	return places
}

// leavesBelow lists the value elements at or below a place.
func leavesBelow(t *testing.T, place string) []leaf {
	var found []leaf
	for _, element := range orderLeaves() {
		if element.Path() == place || strings.HasPrefix(element.Path(), place+"/") {
			found = append(found, element)
		}
	}
	if len(found) == 0 {
		t.Fatalf("no element at %s", place)
	}
	return found
}

// wantAllRefused tries up to three values that the schema takes in an element and returns how many there were.
func (c chain) wantAllRefused(t *testing.T, element leaf) (tried int) {
	const enough = 3
	for next := 0; tried < enough; {
		order := c.orderFor(t, element)
		var value string
		next, value = fill(order, element, next)
		if next == 0 {
			return tried
		}
		if !complete(order) {
			continue
		}
		tried++
		if refused, _ := c.refuses(order, element); !refused {
			t.Errorf("%s = %q is accepted", element.Path(), value)
		}
	}
	return tried
}
