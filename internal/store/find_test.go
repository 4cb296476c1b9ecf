package store

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/payment"
)

// TestACacheOfRecentThingsIsBounded: the cache knows the latest entries, forgets the oldest, and holds at most two halves.
func TestACacheOfRecentThingsIsBounded(t *testing.T) {
	t.Parallel()
	var c recent[payment.ID, address]
	named := func(number int) payment.ID { return payment.ID(fmt.Sprint(number)) }
	latest := address{realm: "demo", id: uuid.New()}
	for number := range 2*maxRecent + 1 {
		c.add(named(number), latest)
	}
	if _, known := c.get(named(0)); known {
		t.Error("the oldest address is still known")
	}
	for _, number := range []int{2 * maxRecent, maxRecent} {
		if at, known := c.get(named(number)); !known || at != latest {
			t.Errorf("address %d is %v, known %t", number, at, known)
		}
	}
	if size := len(c.young) + len(c.old); size > 2*maxRecent {
		t.Errorf("%d addresses are held, at most %d may be", size, 2*maxRecent)
	}
}
