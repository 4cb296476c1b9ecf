package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// tabs are the labels of the queue's tabs with their addresses.
func (a answer) tabs() map[string]string {
	tabs := map[string]string{}
	a.page.Find(".tabs a").Each(func(_ int, tab *goquery.Selection) {
		tab.Find(".tab-count").Remove()
		tabs[strings.TrimSpace(tab.Text())] = tab.AttrOr("href", "")
	})
	return tabs
}

func TestAViewIsSavedUnderAName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("10.00", "2000.00")
	checker, other := b.as("checker1"), b.as("checker2")
	const query = "?amountFrom=1000&sort=largest"
	queue := checker.get("/queue" + query).is(http.StatusOK)
	save := queue.page.Find("a:contains('Save as a view')").AttrOr("href", "")
	form := checker.get(save).is(http.StatusOK).says("from 1000, Largest amount first").fields("/queue/views")
	checker.post(save, with(form, "name", " ")).is(http.StatusUnprocessableEntity).says("Enter a name")
	checker.post(save, with(form, "name", "\u200b \u202e")).is(http.StatusUnprocessableEntity).says("Enter a name") // nobody sees it
	checker.post(save, with(form, "name", strings.Repeat("é", 41))).is(http.StatusUnprocessableEntity).says("Shorten the name")
	back := checker.post(save, with(form, "name", "Large  \u202etoday")).goesTo("/queue" + query)
	shown := checker.get(back).is(http.StatusOK).says("Saved as “Large today”.")
	if rows := shown.rows(); len(rows) != 1 || rows[0] != ids[1] {
		t.Errorf("the view lists %v", rows)
	}
	if current := strings.TrimSpace(shown.page.Find(".tabs a[aria-current]").Text()); current != "Large today" {
		t.Errorf("the current tab is %q", current)
	}
	if address := checker.get("/queue").tabs()["Large today"]; address != "/queue"+query {
		t.Errorf("the tab leads to %q", address)
	}
	if _, found := other.get("/queue").tabs()["Large today"]; found {
		t.Error("somebody else sees what is not shared")
	}

	list := checker.get("/queue/views").is(http.StatusOK)
	change := list.page.Find("form[action^='/queue/views/']").AttrOr("action", "")
	checker.post(change, url.Values{"name": {"Large"}, "shared": {"yes"}, "act": {"save"}}).goesTo("/queue/views")
	if address := other.get("/queue").tabs()["Large"]; address != "/queue"+query {
		t.Errorf("the shared view leads to %q", address)
	}
	other.get("/queue/views").is(http.StatusOK).says("shared by Checker 1")
	for _, act := range []string{"save", "remove"} { // of somebody else
		other.post(change, url.Values{"name": {"Mine"}, "act": {act}}).is(http.StatusNotFound)
	}
	b.asIn("demo2", "checker1").post(change, url.Values{"act": {"remove"}}).is(http.StatusNotFound)
	if _, found := b.asIn("demo2", "checker1").get("/queue").tabs()["Large"]; found {
		t.Error("another realm sees it")
	}
	checker.post(change, url.Values{"act": {"remove"}}).goesTo("/queue/views")
	if _, found := other.get("/queue").tabs()["Large"]; found {
		t.Error("a removed view is there")
	}
}

func TestSavedViewsHaveLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker := b.as("checker1")
	checker.post("/queue/views", url.Values{"name": {"All of it"}}).is(http.StatusUnprocessableEntity).
		says("Filter or sort the queue before you save it")
	for i := range 20 {
		checker.post("/queue/views?sort=newest", url.Values{"name": {fmt.Sprint("View ", i)}}).goesTo("/queue?sort=newest")
	}
	checker.post("/queue/views?sort=newest", url.Values{"name": {"One more"}}).is(http.StatusUnprocessableEntity).
		says("You already have 20 views")
	checker.post("/queue/views?sort=largest&after=x", url.Values{"name": {"View 3"}}).goesTo("/queue?sort=largest") // a new meaning
	if n := b.count("SELECT count(*) FROM saved_view WHERE query = '?sort=largest'"); n != 1 {
		t.Errorf("%d views have the new meaning", n)
	}
	var change string
	checker.get("/queue/views").page.Find("form[action^='/queue/views/']").Each(func(_ int, form *goquery.Selection) {
		if form.Find("[name=name]").AttrOr("value", "") == "View 4" {
			change = form.AttrOr("action", "")
		}
	})
	taken := checker.post(change, url.Values{"name": {"View 5"}, "act": {"save"}}).is(http.StatusUnprocessableEntity)
	taken.says("You already have a view with this name.")
	many := "/queue/views?text=" + strings.Repeat("x", 1100)
	checker.post(many, url.Values{"name": {"View 3"}}).is(http.StatusUnprocessableEntity).says("too long to save as a view")
}
