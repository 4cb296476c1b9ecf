package browsertest

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// checkAccessibility runs rules and lists what breaks them.
const checkAccessibility = `async (rules) => {
  const result = await axe.run(document, { resultTypes: ["violations"], runOnly: rules });
  return JSON.stringify(result.violations.map((v) => ({ rule: v.id, help: v.help, 
    places: v.nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary) })));
}`

// overflow names what is wider than the window; empty when nothing is.
const overflow = `() => {
  const root = document.documentElement, width = root.clientWidth;
  if (root.scrollWidth <= width) return "";
  const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 1).slice(0, 4);
  return root.scrollWidth + " > " + width + ": " + wide.map((e) => e.tagName + "." + e.className).join(", ");
}`

// rules are those that are run: all of WCAG 2.2 A and AA, and the checker's own best practices.
var rules = []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"}

type violation struct {
	Rule   string   `json:"rule"`
	Help   string   `json:"help"`
	Places []string `json:"places"`
}

// inspection looks at one page after the other and remembers where they lead.
type inspection struct {
	*person
	links map[string]lead // by the link with its identifiers blotted out
}

// lead is where a link leads, and the address of the page that had it.
type lead struct{ to, from string }

func inspect(p *person) *inspection { return &inspection{person: p, links: map[string]lead{}} }

// look checks what is shown now on a phone and on a desk, in light and in dark: no rule of accessibility broken, nothing that has to
// be scrolled sideways, one heading, and focus not lost.
func (i *inspection) look(name string) {
	i.t.Helper()
	for _, width := range []int{1920, 1440, 768, 360} {
		err := i.page.SetViewportSize(width, 900)
		if err != nil {
			i.t.Fatal(err)
		}
		if wide := i.evaluate(overflow); wide != "" {
			i.t.Errorf("%s at %d px scrolls sideways: %v", name, width, wide)
		}
		if width != 1440 && width != 360 {
			continue
		}
		// make screens looks at every page with both widths in both schemes; here, at one of each.
		scheme := playwright.ColorSchemeLight
		if width == 360 {
			scheme = playwright.ColorSchemeDark
		}
		err = i.page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme})
		if err != nil {
			i.t.Fatal(err)
		}
		i.violations(fmt.Sprintf("%s at %d px, %s", name, width, *scheme))
	}
	_ = i.page.SetViewportSize(1440, 900)
	_ = i.page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight})
	i.counts("h1", 1)
	i.remember()
}

func (i *inspection) violations(where string) {
	i.t.Helper()
	if i.evaluate(`() => "axe" in window`) != true {
		i.evaluate(shared.axe)
	}
	text, _ := i.evaluate(checkAccessibility, rules).(string)
	var found []violation
	err := json.Unmarshal([]byte(text), &found)
	if err != nil {
		i.t.Fatalf("%s: %v in %q", where, err, text)
	}
	for _, v := range found {
		i.t.Errorf("%s: %s (%s)\n\t%s", where, v.Rule, v.Help, strings.Join(v.Places, "\n\t"))
	}
}

var identifier = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// remember notes the links of the page, one of each kind.
func (i *inspection) remember() {
	list, _ := i.evaluate(`() => [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))`).([]any)
	for _, one := range list {
		link, _ := one.(string)
		if strings.HasPrefix(link, "/") {
			i.links[identifier.ReplaceAllString(link, "…")] = lead{to: link, from: i.page.URL()}
		}
	}
}

// followLinks asks for everything the pages lead to. Lists hold what other tests work on: a link that is refused must be gone from its
// page.
func (i *inspection) followLinks() {
	i.t.Helper()
	for _, link := range i.links {
		status, _ := i.get(link.to)
		if status == http.StatusOK || status == http.StatusUnprocessableEntity { // the tabs keep a refused filter
			continue
		}
		if _, page := i.get(link.from); strings.Contains(page, `href="`+html.EscapeString(link.to)+`"`) {
			i.t.Errorf("the link %s on %s answers %d", link.to, link.from, status)
		}
	}
}

// get asks for a page beside the one that is open.
func (i *inspection) get(address string) (status int, page string) {
	i.t.Helper()
	answer, err := i.context.Request().Get(address)
	if err != nil {
		i.t.Fatalf("%s: %v", address, err)
	}
	page, err = answer.Text()
	if err != nil {
		i.t.Fatalf("%s: %v", address, err)
	}
	return answer.Status(), page
}

func TestPagesBeforeSignIn(t *testing.T) {
	t.Parallel()
	i := inspect(visitor(t, desktop))
	i.open("/signin")
	i.look("sign in")
	i.fill("User name", "nobody-of-this-name")
	i.fill("Password", "wrong")
	i.press("Enter")
	i.focused(".error-summary")
	i.look("sign in, refused")
	i.open("/signin?ended=yes")
	i.look("sign in, session ended")
	i.open("/signedout")
	i.look("signed out")
	if status := i.open("/nothing-here"); status != http.StatusNotFound && status != http.StatusOK {
		t.Errorf("an unknown page answers %d", status)
	}
	i.look("unknown page")
	i.followLinks()
}

func TestPagesOfAMaker(t *testing.T) {
	t.Parallel()
	i, o := inspect(as(t, "maker2")), newOrder("sic-inst")
	m := i.submit(o)
	i.open("/")
	i.look("dashboard")
	i.open("/payments/new?scheme=sct-inst")
	i.look("new payment, SEPA")
	i.open("/payments/new")
	i.typeIn(newOrder("sic-inst"))
	i.says("#creditorIban-feedback", "Switzerland")
	i.look("new payment")
	i.fill("Amount in CHF", "1,234")
	i.fill("Town", "")
	i.choose("No reference")
	i.fill("IBAN", "CH4431999123000889012")
	i.click("button", "Check your answers")
	i.focused(".error-summary")
	i.look("new payment, refused")
	twin := o
	twin.endToEndID = newOrder("sic-inst").endToEndID
	i.open(i.post("/payments/new", twin.form()))
	i.says("main", "Possible duplicate")
	i.look("check")
	i.click("button", "Submit "+o.shown())
	i.focused(".error-summary")
	i.look("check, refused")
	i.open("/payments/" + m.id + "/submitted")
	i.look("submitted")
	i.open("/payments/" + m.id + "/amend")
	i.look("amend")
	i.open("/payments/" + m.id + "/withdraw")
	i.look("withdraw")
	i.open("/mine")
	i.look("my submissions")
	i.open("/payments/upload")
	i.look("upload")
	i.upload("notes.xml", []byte("<Document"))
	i.focused(".error-summary")
	i.look("upload, refused")
	if status := i.open("/payments/01a1f790-a448-7411-87a4-62c2f297990e"); status != http.StatusNotFound {
		t.Errorf("an unknown payment answers %d", status)
	}
	i.look("unknown payment")
	i.followLinks()
}

func TestPagesAboutPayments(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker, o := as(t, "maker1"), newOrder("sic-inst")
	m := maker.submit(o)
	as(t, "checker1").decide(m, "approve", "")
	m.becomes(t, "Settled")
	i := inspect(as(t, "supervisor1"))
	i.open("/payments")
	i.look("payments")
	i.open("/payments?text=nothing-like-it")
	i.look("payments, nothing found")
	for _, part := range []string{"", "/timeline", "/messages", "/related", "/audit"} {
		i.open("/payments/" + m.id + part)
		i.look("payment" + part)
	}
	i.open("/payments/" + m.id + "/messages")
	i.click("link", "pacs.008")
	i.at("/payments/[0-9a-f-]+/messages/[0-9a-f-]+$")
	i.look("document")
	i.open("/me")
	i.look("profile")
	i.press("?")
	i.counts("#shortcut-sheet[open]", 1)
	i.look("shortcuts")
	if status := i.open("/payments/new"); status != http.StatusForbidden {
		t.Errorf("a supervisor opens the form: %d", status)
	}
	i.look("forbidden page")
	i.followLinks()
}

func TestPagesOfAChecker(t *testing.T) {
	t.Parallel()
	maker := as(t, "maker1")
	common, waiting := threeOrders(maker)
	own := as(t, "both1").submit(newOrder("sct-inst"))
	i := inspect(as(t, "checker2"))
	i.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	i.counts("#queue-list tr[data-row]", 3)
	i.look("queue")
	i.click("link", waiting[0].reference)
	i.opened(waiting[0])
	i.look("queue with a message")
	i.press("r")
	i.look("rejecting")
	i.press("Control+Enter")
	i.open("/queue/" + waiting[0].id + "/reject")
	i.look("rejecting on a page of its own")
	i.click("button", "Reject the payment of CHF")
	i.says(".error-summary", "Enter a reason for the rejection.")
	i.look("rejecting, refused")
	i.open("/queue/" + waiting[1].id)
	as(t, "checker1").decide(waiting[1], "reject", "Order is missing")
	i.approve()
	i.focused("#pane .conflict")
	i.look("conflict")
	i.decide(waiting[2], "approve", "")
	i.open("/queue?tab=decided")
	i.look("decided today")
	i.open("/queue?text=nothing-like-it")
	i.look("queue, nothing found")
	i.open("/queue?amountFrom=1,234")
	i.look("queue, refused filter")
	i.followLinks()

	both := inspect(as(t, "both1"))
	both.open("/queue/" + own.id)
	both.says("#pane .barred", "Another person must approve or reject it")
	both.look("own submission")
	admin := inspect(as(t, "admin1"))
	admin.open("/")
	admin.look("home of an administrator, realm " + demo.Realm)
	admin.followLinks()
}
