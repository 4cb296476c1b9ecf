package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// tiles are the figures of the dashboard with the addresses behind them, by their labels.
func (a answer) tiles() map[string][2]string {
	tiles := map[string][2]string{}
	a.page.Find(".tiles a").Each(func(_ int, tile *goquery.Selection) {
		tiles[tile.Find(".tile-label").Text()] = [2]string{tile.Find(".tile-value").Text(), tile.AttrOr("href", "")}
	})
	return tiles
}

// listed counts the rows of a list.
func (w *browser) listed(path string) int {
	w.b.t.Helper()
	return w.get(path).is(http.StatusOK).page.Find("tr[data-row]").Length()
}

// TestTheNumbersOfTheChartsAreThoseOfTheirLists: what was rejected is in neither, what failed and what waits in both.
func TestTheNumbersOfTheChartsAreThoseOfTheirLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("1.00", "2.00", "4.00", "8.00", "16.00")
	for i, state := range []string{"Settled", "Failed", "Rejected", "Settled"} {
		b.change("SET session_replication_role = replica; UPDATE message SET state = '" + state + "' WHERE message_id = '" + ids[i] + "'")
	}
	b.change("SET session_replication_role = replica; UPDATE message SET created_at = created_at - interval '25 hours' WHERE message_id = '" +
		ids[3] + "'")
	for _, name := range []string{"maker1", "checker1", "supervisor1"} {
		who := b.as(name)
		home := who.get("/").is(http.StatusOK)
		chart := home.page.Find(".volume").First()
		link := chart.Find(".volume-head a")
		if text := link.Text(); text != "SIC · 3 payments" {
			t.Errorf("%s reads %q", name, text)
		}
		if n := who.listed(link.AttrOr("href", "")); n != 3 {
			t.Errorf("%s: the list behind it has %d rows, want 3", name, n)
		}
		if amount := strings.Join(strings.Fields(chart.Find(".volume-head .amount").Text()), " "); amount != "CHF 17.00" {
			t.Errorf("%s: %s moved, want what settled and what is open", name, amount)
		}
		parts := map[string]int{}
		for _, class := range []string{"bar-settled", "bar-open", "bar-failed"} {
			parts[class] = chart.Find("." + class).Length()
		}
		if fmt.Sprint(parts) != "map[bar-failed:1 bar-open:1 bar-settled:1]" {
			t.Errorf("%s: the bars are %v", name, parts)
		}
		sums := [3]int{}
		chart.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			row.Find("td").Each(func(i int, cell *goquery.Selection) {
				var n int
				_, _ = fmt.Sscan(cell.Text(), &n)
				sums[i] += n
			})
		})
		if sums != [3]int{1, 1, 1} {
			t.Errorf("%s: the table adds up to %v", name, sums)
		}
	}
}

// TestEachRoleHasFiguresOfItsOwn: nobody who may not decide is told that something waits for them, and each figure is that of its list.
func TestEachRoleHasFiguresOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.priced("1.00", "2.00")
	maker.paid("endToEndId", "Q")
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Settled', settled_at = accepted_at + interval '1500 ms' " +
		"WHERE accepted_at IS NOT NULL")
	checker := b.as("checker1").get("/").tiles()
	if tile := checker["Decided by me today"]; tile[0] != "1" || b.as("checker1").listed(tile[1]) != 1 {
		t.Errorf("the checker decided %v", tile)
	}
	supervisor := b.as("supervisor1").get("/").tiles()
	if tile := supervisor["Time at clearing"]; tile[0] != "1.5 s" {
		t.Errorf("at clearing: %v", tile)
	}
	if tile := supervisor["Time to approval"]; tile[0] == "–" || tile[0] == "" {
		t.Errorf("to approval: %v", tile)
	}
	for _, label := range []string{"Waiting for me", "Decided by me today"} {
		if _, told := supervisor[label]; told {
			t.Errorf("a supervisor is told %q", label)
		}
	}
	for label, tile := range b.as("maker1").get("/").tiles() {
		if strings.HasPrefix(label, "Time ") || strings.HasPrefix(label, "Decided ") {
			t.Errorf("a maker is told %s: %v", label, tile)
		}
	}
}
