package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// changeRows are the first and the last cells of a list of changes, and its way on.
func (a answer) changeRows() (changes, states []string, next string) {
	for _, row := range a.page.Find("table.administration-table tbody tr").EachIter() {
		changes = append(changes, row.Find("a.row-link").AttrOr("href", ""))
		states = append(states, strings.TrimSpace(row.Find("td").Eq(4).Text()))
	}
	return changes, states, a.page.Find("a[rel=next]").AttrOr("href", "")
}

// TestChangesAreSortedAsAsked: every change once in each order, over all pages, by the heads of the columns.
func TestChangesAreSortedAsAsked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	var asked []string
	ask := func(kind, subject string, form url.Values) {
		address := "/admin/ask/" + kind
		if subject != "" {
			address += "?" + url.Values{"subject": {subject}}.Encode()
		}
		fields := one.get(address).is(http.StatusOK).fields(address)
		for name, values := range form {
			fields[name] = values
		}
		asked = append(asked, one.post(address, fields).goesTo("/admin/changes/"))
	}
	for i := range 51 { // more than a page
		ask("policy.create", "", url.Values{"approvals": {"2"}, "scheme": {"sic-inst"}, "amountFrom": {fmt.Sprint(500 + i)}})
	}
	ask("account.close", "CH5021977000004331346", nil)
	ask("user.suppress", "maker2", nil)
	two.post(asked[3]+"/approve", nil).goesTo(asked[3])
	two.post(asked[7]+"/reject", url.Values{"reason": {"Not this one"}}).goesTo(asked[7])

	for order, first := range map[string]string{"": asked[52], "oldest": asked[0], "kind": asked[51], "state": asked[52]} {
		var all, states []string
		path := "/admin?tab=all&sort=" + order
		for page := 0; path != "" && page < 3; page++ {
			got := one.get(path).is(http.StatusOK)
			changes, said, next := got.changeRows()
			all, states, path = append(all, changes...), append(states, said...), next
		}
		found := slices.Clone(all)
		slices.Sort(found)
		if len(all) != len(asked) || len(slices.Compact(found)) != len(asked) || all[0] != first {
			t.Errorf("sort=%s lists %d changes, %s first; want each of %d once, %s first", order, len(all), all[0], len(asked), first)
		}
		if last := len(states) - 1; order == "state" && (states[last] != "Rejected" || states[last-1] != "Applied") {
			t.Errorf("by state the last ones are %q", states[last-1:])
		}
		if last := len(all) - 1; order == "kind" && all[last] != asked[52] {
			t.Errorf("by kind the last one is %s, want that about an account of a person", all[last])
		}
	}
	heads := one.get("/admin?tab=all&sort=state").is(http.StatusOK).page.Find("thead th[aria-sort]")
	if heads.Length() != 3 || heads.Eq(2).AttrOr("aria-sort", "") != "ascending" {
		t.Errorf("%d heads sort", heads.Length())
	}
	one.get("/admin?tab=all&sort=drop&after=nonsense~%00").is(http.StatusOK)
}
