package portal_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestWhatWasDecidedTodayIsListedWhole: a checker's day has more decisions than a page has rows, and than are counted; two of one moment
// are two, and two of one message, of which an amendment voided the first, are one.
func TestWhatWasDecidedTodayIsListedWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.as("maker1").priced("10.00")[0]
	checker := b.as("checker1")
	path := "/queue/" + id + "/approve"
	checker.post(path, checker.get("/queue/"+id).fields(path)).goesTo("/queue")
	b.copies(id, 249)
	b.change(fmt.Sprintf(`SET session_replication_role = replica;
		INSERT INTO decision SELECT (jsonb_populate_record(one, jsonb_build_object(
		  'message_id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'decided_at', decided_at - (n / 2) * interval '1 ms'))).*
		FROM decision one, generate_series(1, 249) n WHERE message_id = '%[1]s';
		INSERT INTO decision SELECT (jsonb_populate_record(one,
		  jsonb_build_object('version', 2, 'decided_at', decided_at - interval '1 minute'))).*
		FROM decision one WHERE message_id = '%[1]s'`, id))
	seen, pages := map[string]bool{}, 0
	for address := "/queue?tab=decided"; address != "" && pages < 9; pages++ {
		page := checker.get(address).is(http.StatusOK)
		for _, row := range page.rows() {
			if seen[row] {
				t.Errorf("page %d lists %s again", pages+1, row)
			}
			seen[row] = true
		}
		if count := page.page.Find(".tabs a[aria-current] .tab-count").Text(); count != "250" {
			t.Errorf("the tab counts %q", count)
		}
		address = page.page.Find(`.pagination a[rel="next"]`).AttrOr("href", "")
	}
	if len(seen) != 250 || pages != 5 {
		t.Errorf("%d rows on %d pages, want 250 on 5", len(seen), pages)
	}
	if got := checker.get("/").is(http.StatusOK).page.Find(`a[href="/queue?tab=decided"]`).Text(); got == "" {
		t.Error("the home page does not lead there")
	}
	if rows := checker.get("/queue?tab=decided&after=01900000-0000-7000-8000-000000000001~junk").is(http.StatusOK).rows(); len(rows) != 60 {
		t.Errorf("a place that is none lists %d rows", len(rows))
	}
}
