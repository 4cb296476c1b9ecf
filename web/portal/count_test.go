package portal_test

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/store/storetest"
)

// tabCounts are the counts on the tabs of a page, by their labels.
func (a answer) tabCounts() map[string]string {
	counts := map[string]string{}
	a.is(http.StatusOK).page.Find(".tabs a").Each(func(_ int, tab *goquery.Selection) {
		count := tab.Find(".tab-count").Remove().Text()
		counts[strings.TrimSpace(tab.Text())] = count
	})
	return counts
}

// TestMySubmissionsAreCountedOnTheirTabs: each tab counts what it lists, of the newest 2,500; where there are older ones that were not
// counted, a tab of none shows no count.
func TestMySubmissionsAreCountedOnTheirTabs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	rejected := maker.submit(filled())
	checker.post("/queue/"+rejected.InternalID.String()+"/reject", url.Values{
		"version": {"1"}, "contentHash": {hash(rejected)}, "category": {"other"}, "reason": {"Where is it?"},
	}).goesTo("/queue")
	waits := maker.submit(with(filled(), "endToEndId", "E2E-2", "amount", "2.00"))
	maker.submit(with(filled(), "endToEndId", "E2E-3", "amount", "3.00"))
	b.as("maker2").submit(with(filled(), "endToEndId", "E2E-4", "amount", "4.00"))
	maker.post("/payments/new", with(filled(), "endToEndId", "E2E-5", "amount", "5.00")).goesTo("/payments/")
	for i, state := range []string{"Withdrawn", "Expired"} { // two states on one tab
		ended := maker.submit(with(filled(), "endToEndId", "E2E-6"+state, "amount", strconv.Itoa(6+i)+".00"))
		b.change("SET session_replication_role = replica; UPDATE message SET state = '" + state + "' " +
			"WHERE message_id = '" + ended.InternalID.String() + "'")
	}
	want := map[string]string{
		"Waiting": "2", "Sent": "0", "Settled": "0", "Rejected": "1", "Failed or refused": "0", "Withdrawn or expired": "2", "Drafts": "1",
	}
	for _, address := range []string{"/mine", "/mine?tab=rejected", "/mine?tab=drafts"} {
		if got := maker.get(address).tabCounts(); !maps.Equal(got, want) {
			t.Errorf("%s counts %v, not %v", address, got, want)
		}
	}
	connection := b.DB.Connect(t)
	_, err := connection.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	storetest.Copies{Of: waits.InternalID, First: 1, Count: 2500}.Insert(t, connection)
	want["Waiting"], want["Sent"], want["Settled"], want["Failed or refused"], want["Withdrawn or expired"] = "1'000+", "", "", "", "2"
	if got := maker.get("/mine").tabCounts(); !maps.Equal(got, want) {
		t.Errorf("of 2,503 the tabs count %v, not %v", got, want)
	}
}

// TestTabsOfALongQueueCountBehindWhatIsReadAtOnce: a thousand waiting messages are read at once and shared out to the tabs; what a tab
// holds beyond them is counted too, each message once.
func TestTabsOfALongQueueCountBehindWhatIsReadAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	others := b.as("maker1").submit(filled())
	both := b.as("both1")
	own := both.submit(with(filled(), "endToEndId", "E2E-2", "amount", "2.00"))
	connection := b.DB.Connect(t)
	_, err := connection.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	storetest.Copies{Of: others.InternalID, First: 1, Count: 10}.Insert(t, connection)
	storetest.Copies{Of: own.InternalID, First: 11, Count: 995}.Insert(t, connection)
	storetest.Copies{Of: others.InternalID, First: 1006, Count: 50}.Insert(t, connection)
	for address, want := range map[string]map[string]string{
		"/queue":          {"For me": "61", "All waiting": "1'000+", "Submitted by me": "996", "facts": "61 waiting"},
		"/queue?tab=all":  {"For me": "61", "All waiting": "1'000+", "Submitted by me": "996", "facts": "1'000+ waiting"},
		"/queue?tab=mine": {"For me": "61", "All waiting": "1'000+", "Submitted by me": "996", "facts": "996 waiting"},
	} {
		page := both.get(address).is(http.StatusOK)
		got := page.tabCounts()
		got["facts"] = strings.TrimSpace(page.page.Find("#queue-facts span").First().Text())
		want["Decided today"] = "0"
		if !maps.Equal(got, want) {
			t.Errorf("%s counts %v, not %v", address, got, want)
		}
	}
}
