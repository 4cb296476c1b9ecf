package portal_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/testutil"
	"countersign/views"
	"countersign/web/portal"
)

// open are the routes that nobody is signed in for: no page of a person has their forms.
var open = map[string]bool{"/signin": true, "/signin/factor": true, "/set-up/:realm/:link": true}

// TestAFormOfAnotherPersonsPageChangesNothing sends a form to every route of the portal that takes one, from a page of one person in a
// browser in which another signed in since. Each is refused in words, whatever is in it, and nothing is written.
func TestAFormOfAnotherPersonsPageChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	pairs := [][2]string{{"maker1", "checker1"}, {"checker1", "checker2"}, {"maker1", "maker2"}, {"admin1", "admin2"}}
	if !testutil.InLongTier {
		pairs = pairs[:1]
	}
	for _, pair := range pairs {
		w := b.as(pair[0])
		w.post("/signin", signInForm(pair[1])).is(http.StatusSeeOther)
		before, forms := b.written(), 0
		for _, route := range b.routes() {
			if route.Method != http.MethodPost || open[route.Path] {
				continue
			}
			forms++
			if forms == 1 && w.get("/").page.Find("#another").Length() != 1 {
				t.Fatal("a page has no place for the answer")
			}
			path := strings.NewReplacer(":id", m.InternalID.String(), ":kind", "user.create").Replace(route.Path)
			form := url.Values{views.PersonField: {"demo/" + pair[0]}, "reason": {"Typed by the first"}, "category": {"other"}}
			for _, browser := range []*browser{w, w.withHTMX()} {
				got := browser.post(path, form).is(http.StatusConflict).says("You are now signed in as " + pair[1]).says("Typed by the first")
				if redirected := got.header.Get("HX-Redirect"); redirected != "" {
					t.Errorf("%s leads to %s", path, redirected)
				}
				if beside := got.header.Get("HX-Retarget"); browser.htmx && beside != "#another" {
					t.Errorf("%s puts the answer into %q: the form with what was typed must stay", path, beside)
				}
			}
			if path != "/signout" { // ends a session without it too, and changes nothing else
				unmarked := url.Values{views.PersonField: {""}, "reason": {"Typed by the first"}}
				w.post(path, unmarked).is(http.StatusConflict).
					says("No action was taken, because it is not known which user opened this page.").says("Typed by the first")
			}
			picture := w.send(http.MethodPost, path+"?"+views.PersonField+"=demo%2F"+pair[0], "multipart/form-data; "+
				"boundary=x", strings.NewReader("--x--"))
			picture.is(http.StatusConflict)
		}
		if after := b.written(); after != before {
			t.Errorf("%s after %s: %d rows were written", pair[1], pair[0], after-before)
		}
		t.Logf("%s after %s: %d forms", pair[1], pair[0], forms)
		if forms < 40 {
			t.Errorf("%d forms only", forms)
		}
	}
}

// written counts the rows that a person's action leaves: messages, decisions, drafts and what else is stored for people. What was typed is
// kept for the person of the page, and is not counted.
func (b *bench) written() int {
	b.t.Helper()
	count := 0
	for _, table := range []string{
		"message_version", "message_history", "decision", "release", "realm_change", "realm_change_decision", "payment_template", "saved_view",
		"factor", "beneficiary_change",
	} {
		if b.count("SELECT count(*) FROM pg_class WHERE relname = $1 AND relkind IN ('r', 'p')", table) > 0 {
			count += b.count("SELECT count(*) FROM " + table)
		}
	}
	return count
}

// routes are those of the portal, with all its pages.
func (b *bench) routes() []portalRoute {
	b.t.Helper()
	config := b.config
	p, err := portal.New(config)
	if err != nil {
		b.t.Fatal(err)
	}
	var routes []portalRoute
	for _, route := range p.Routes() {
		routes = append(routes, portalRoute{route.Method, route.Path})
	}
	return routes
}

type portalRoute struct{ Method, Path string }

// TestEveryFormSaysWhosePageItStandsOn reads the templates: each form that changes something has the field, and one with a file has it in its
// address.
func TestEveryFormSaysWhosePageItStandsOn(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../views/*.templ")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	tag := regexp.MustCompile(`<form\b[\s\S]*?\n?[^{}\n]*>\s*\n\s*(\S+)`)
	forms := 0
	for _, path := range paths {
		if base := filepath.Base(path); base == "sign_in.templ" || base == "set_up.templ" {
			continue // nobody is signed in there
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range tag.FindAllStringSubmatch(string(content), -1) {
			if !strings.Contains(match[0], `method="post"`) {
				continue
			}
			forms++
			if match[1] != "@forPerson()" || strings.Contains(match[0], "enctype=") && !strings.Contains(match[0], "ofPerson(ctx") {
				t.Errorf("%s: a form does not say whose page it stands on:\n%s", path, match[0])
			}
		}
	}
	t.Logf("%d forms", forms)
	if forms < 35 {
		t.Errorf("%d forms only", forms)
	}
}

// TestADecisionIsOfThePersonThatThePageShows: two tabs of one browser, two people.
func TestADecisionIsOfThePersonThatThePageShows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.as("maker1").submit(filled()).InternalID.String()
	w := b.as("checker1")
	page := w.get("/queue/" + id).is(http.StatusOK)
	w.post("/signout", w.get("/").fields("/signout")).is(http.StatusSeeOther)
	w.post("/signin", signInForm("checker2")).is(http.StatusSeeOther)
	stream := page.page.Find("[data-events]").AttrOr("data-events", "")
	w.get(stream).is(http.StatusOK).says("You are now signed in as checker2")
	approve, reject := "/queue/"+id+"/approve", "/queue/"+id+"/reject"
	w.post(approve, page.fields(approve)).is(http.StatusConflict).says("You are now signed in as checker2")
	form := with(page.fields(reject), "category", "evidence", "reason", "No order")
	refused := w.post(reject, form).is(http.StatusConflict).says("No order").says(
		"No action was taken, because a different user (checker1) opened this page.",
	)
	next := refused.page.Find("main a[href^='/signin']").AttrOr("href", "")
	if now := b.message("demo", id); len(now.Decisions) != 0 {
		t.Fatalf("%d decisions", len(now.Decisions))
	}
	address, err := url.Parse(next)
	if err != nil || address.Query().Get("next") == "" {
		t.Fatalf("the page leads to %q", next)
	}
	if other := w.get(address.Query().Get("next")).is(http.StatusOK).fields(reject); other.Get("reason") != "" {
		t.Errorf("checker2 finds %q", other.Get("reason"))
	}
	kept := b.as("checker1").get(address.Query().Get("next")).is(http.StatusOK).fields(reject)
	if kept.Get("reason") != "No order" {
		t.Errorf("checker1 finds %q", kept.Get("reason"))
	}
	w.post(approve, w.get("/queue/"+id).fields(approve)).goesTo("/queue") // the page that shows checker2
	if by := b.message("demo", id).Decisions[0].Login; by != "checker2" {
		t.Errorf("decided by %s", by)
	}
}
