package browsertest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
	"countersign/views"
)

// patience is how long an expectation may take to come true, in milliseconds. It is only waited for when a test fails.
const patience = 20_000

// device is what a person looks at the portal with.
type device struct {
	width, height int
	noScript      bool
}

var desktop = device{width: 1440, height: 900}

// person is somebody in front of a browser of their own. Everything they do fails the test when it cannot be done.
type person struct {
	t       *testing.T
	context playwright.BrowserContext
	page    playwright.Page
	expect  playwright.PlaywrightAssertions
	mark    string // who signed in last, as forms carry it

	mu         sync.Mutex
	complaints []string
}

// must fails the test on an error, and hands the value on.
func must[T any](t *testing.T, value T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// traced has the driver note every step with the page before and after it, which costs a tenth of the time of all:
// COUNTERSIGN_BROWSER_TRACE=1 for a test that fails and whose picture does not say why.
var traced = os.Getenv("COUNTERSIGN_BROWSER_TRACE") == "1"

// visitor is somebody who has not signed in. When the test ends, the browser must have had nothing to complain about.
func visitor(t *testing.T, with device) *person {
	t.Helper()
	context, err := shared.browser.NewContext(playwright.BrowserNewContextOptions{
		BaseURL:           playwright.String(shared.program.address),
		Viewport:          &playwright.Size{Width: with.width, Height: with.height},
		JavaScriptEnabled: playwright.Bool(!with.noScript),
		ColorScheme:       playwright.ColorSchemeLight,
		ReducedMotion:     playwright.ReducedMotionReduce,
		AcceptDownloads:   playwright.Bool(true),
	})
	p := &person{t: t, context: must(t, context, err), expect: playwright.NewPlaywrightAssertions(patience)}
	context.SetDefaultTimeout(patience)
	context.OnConsole(p.listen)
	context.OnWebError(func(failure playwright.WebError) { p.complain("script error: " + failure.Error().Error()) })
	context.OnResponse(func(response playwright.Response) {
		if response.Status() >= http.StatusInternalServerError {
			p.complain(fmt.Sprintf("%s %s answered %d", response.Request().Method(), response.URL(), response.Status()))
		}
	})
	if traced {
		_ = context.Tracing().Start(playwright.TracingStartOptions{Screenshots: playwright.Bool(false), Snapshots: playwright.Bool(true)})
	}
	page, err := context.NewPage()
	p.page = must(t, page, err)
	t.Cleanup(p.leave)
	return p
}

// as is a person of the demo's realm, signed in.
func as(t *testing.T, name string) *person {
	t.Helper()
	return signedIn(t, name, desktop)
}

// signedIn is the same with another device.
func signedIn(t *testing.T, name string, with device) *person {
	t.Helper()
	p := visitor(t, with)
	p.signIn(demo.Realm, name)
	return p
}

// signIn signs in without the form; the form has tests of its own.
func (p *person) signIn(realm, name string) {
	p.t.Helper()
	place := p.post("/signin", map[string]any{"realm": realm, "username": name, "password": demo.UserPassword, "next": "/"})
	if place != "/" {
		p.t.Fatalf("%s cannot sign in: %q", name, place)
	}
}

// refusedForm is what Chromium writes to the console when a page or fragment comes with one of the statuses of refused forms.
var refusedForm = regexp.MustCompile(`^Failed to load resource: the server responded with a status of (401|403|404|409|422) `)

// streamEnded is what htmx writes to the console when the event stream of a page ends: its session was signed out, its page left.
const streamEnded = "[object Event]"

// listen takes what the browser says about a page: script errors and what the content policy stopped.
func (p *person) listen(message playwright.ConsoleMessage) {
	if message.Type() != "error" && message.Type() != "warning" {
		return
	}
	if refusedForm.MatchString(message.Text()) || message.Text() == streamEnded {
		return
	}
	p.complain(message.Type() + " on the console: " + message.Text())
}

func (p *person) complain(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, text)
}

// leave ends the person's visit. What a failed test saw is kept.
func (p *person) leave() {
	p.mu.Lock()
	for _, complaint := range p.complaints {
		p.t.Error(complaint)
	}
	p.mu.Unlock()
	if p.t.Failed() {
		name := filepath.Join("artefacts", strings.ReplaceAll(p.t.Name(), "/", "_")+"_"+fmt.Sprintf("%p", p))
		_ = os.MkdirAll("artefacts", 0o755)
		_, _ = p.page.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(name + ".png"), FullPage: playwright.Bool(true)})
		p.t.Logf("at %s; picture: %s.png", p.page.URL(), name)
		if traced {
			_ = p.context.Tracing().Stop(name + ".zip")
			p.t.Logf("trace: %s.zip", name)
		}
	}
	err := p.context.Close()
	if err != nil {
		p.t.Error(err)
	}
}

// post sends a form as the browser would, without a page, and returns the path it leads to; "" when it leads nowhere.
func (p *person) post(path string, form map[string]any) string {
	p.t.Helper()
	status, place := p.postRaw(path, form)
	if status != http.StatusSeeOther {
		return ""
	}
	return place
}

func (p *person) postRaw(path string, form map[string]any) (status int, place string) {
	p.t.Helper()
	if path == "/signin" {
		p.mark = fmt.Sprintf("%s/%s", form["realm"], form["username"])
	} else {
		form = maps.Clone(form)
		form[views.PersonField] = p.mark
	}
	answer, err := p.context.Request().Post(path, playwright.APIRequestContextPostOptions{
		Form: form, MaxRedirects: playwright.Int(0),
		Headers: map[string]string{"Origin": shared.program.address}, // as a form of this site sends it
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.Status(), strings.TrimPrefix(answer.Headers()["location"], shared.program.address)
}

// checkedField is the field of a check page that says what it shows.
var checkedField = regexp.MustCompile(`name="checked" value="([0-9a-f]{64})"`)

// shown is what a check page says that it shows.
func (p *person) shown(check string) string {
	p.t.Helper()
	answer, err := p.context.Request().Get(check)
	body, err2 := must(p.t, answer, err).Text()
	found := checkedField.FindStringSubmatch(must(p.t, body, err2))
	if found == nil {
		p.t.Fatalf("%s does not say what it shows", check)
	}
	return found[1]
}

// open goes to a page and returns the status it came with.
func (p *person) open(path string) int {
	p.t.Helper()
	response, err := p.page.Goto(path)
	return must(p.t, response, err).Status()
}

// at waits until the address begins with a path.
func (p *person) at(pattern string) {
	p.t.Helper()
	err := p.expect.Page(p.page).ToHaveURL(regexp.MustCompile("^" + regexp.QuoteMeta(shared.program.address) + pattern))
	if err != nil {
		p.t.Fatal(err)
	}
}

// find locates by CSS.
func (p *person) find(selector string) playwright.Locator { return p.page.Locator(selector) }

// says waits until the part of the page holds the text; white space does not matter.
func (p *person) says(selector, text string) {
	p.t.Helper()
	err := p.expect.Locator(p.find(selector).First()).ToContainText(text)
	if err != nil {
		p.t.Fatal(err)
	}
}

// counts waits until the part is there so many times.
func (p *person) counts(selector string, want int) {
	p.t.Helper()
	err := p.expect.Locator(p.find(selector)).ToHaveCount(want)
	if err != nil {
		p.t.Fatalf("%s: %v", selector, err)
	}
}

// field is the field to write in with the label.
func (p *person) field(label string) playwright.Locator {
	return p.page.GetByLabel(label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)}).And(
		p.find("input:not([type=radio]), textarea"),
	)
}

// fill types into the field with the label.
func (p *person) fill(label, text string) {
	p.t.Helper()
	err := p.field(label).Fill(text)
	if err != nil {
		p.t.Fatalf("fill %s: %v", label, err)
	}
}

// holds waits until the field with the label has the value.
func (p *person) holds(label, want string) {
	p.t.Helper()
	err := p.expect.Locator(p.field(label)).ToHaveValue(want)
	if err != nil {
		p.t.Fatalf("%s: %v", label, err)
	}
}

// choose picks the radio button with the label.
func (p *person) choose(label string) {
	p.t.Helper()
	err := p.page.GetByRole("radio", playwright.PageGetByRoleOptions{Name: label, Exact: playwright.Bool(true)}).Check()
	if err != nil {
		p.t.Fatalf("choose %s: %v", label, err)
	}
}

// tick ticks the box of a selector.
func (p *person) tick(selector string) {
	p.t.Helper()
	err := p.find(selector).Check()
	if err != nil {
		p.t.Fatalf("tick %s: %v", selector, err)
	}
}

// tickEach ticks every box that a selector finds.
func (p *person) tickEach(selector string) {
	p.t.Helper()
	boxes, err := p.page.Locator(selector).All()
	for _, box := range boxes {
		err = errors.Join(err, box.Check())
	}
	if err != nil {
		p.t.Fatalf("tick each %s: %v", selector, err)
	}
}

// click presses the button or follows the link whose name holds the text.
func (p *person) click(role playwright.AriaRole, name string) {
	p.t.Helper()
	err := p.page.GetByRole(role, playwright.PageGetByRoleOptions{Name: name}).First().Click()
	if err != nil {
		p.t.Fatalf("click %s: %v", name, err)
	}
}

// arrived waits until the scripts of the page have run, which listen to keys: the address, and what can be read, are there before.
func (p *person) arrived() {
	p.t.Helper()
	err := p.page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: playwright.LoadStateDomcontentloaded})
	if err != nil {
		p.t.Fatal(err)
	}
}

// press sends keys to whatever has the focus: "j", "Enter", "Control+Enter".
func (p *person) press(keys ...string) {
	p.t.Helper()
	p.arrived()
	for _, key := range keys {
		err := p.page.Keyboard().Press(key)
		if err != nil {
			p.t.Fatalf("press %s: %v", key, err)
		}
	}
}

// approve presses the keys of an approval of a payment with warnings.
func (p *person) approve() {
	p.t.Helper()
	p.press("a")
	p.focused("#looked")
	p.press("Space", "Enter")
}

// write types text to whatever has the focus.
func (p *person) write(text string) {
	p.t.Helper()
	p.arrived()
	err := p.page.Keyboard().Type(text)
	if err != nil {
		p.t.Fatal(err)
	}
}

// focused waits until the part has the focus.
func (p *person) focused(selector string) {
	p.t.Helper()
	err := p.expect.Locator(p.find(selector).First()).ToBeFocused()
	if err != nil {
		p.t.Fatalf("the focus is not on %s but on %v: %v", selector, p.evaluate(describeFocus), err)
	}
}

// describeFocus names the element that has the focus.
const describeFocus = `() => { const e = document.activeElement; return e ? e.tagName + "#" + e.id + "." + e.className : "nothing" }`

// evaluate runs a script in the page.
func (p *person) evaluate(script string, argument ...any) any {
	p.t.Helper()
	value, err := p.page.Evaluate(script, argument...)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// texts are the readable texts of all parts.
func (p *person) texts(selector string) []string {
	p.t.Helper()
	list, err := p.find(selector).AllInnerTexts()
	if err != nil {
		p.t.Fatal(err)
	}
	for i, text := range list {
		list[i] = strings.Join(strings.Fields(text), " ")
	}
	return list
}

// title is the title of the page.
func (p *person) title() string {
	p.t.Helper()
	title, err := p.page.Title()
	return must(p.t, title, err)
}
