package browsertest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
	"countersign/internal/keyring"
	"countersign/internal/testutil"
)

// cookie is the browser's session.
func (p *person) cookie() playwright.Cookie {
	p.t.Helper()
	cookies, err := p.context.Cookies()
	if err != nil {
		p.t.Fatal(err)
	}
	cookies = slices.DeleteFunc(cookies, func(c playwright.Cookie) bool { return c.Name == "device" || c.Name == "list" })
	if len(cookies) != 1 {
		p.t.Fatalf("%d cookies beside those of the device and of the list behind a page, want the session's alone", len(cookies))
	}
	return cookies[0]
}

// digest is what the session is called in the database: a digest under the demo's key of tokens.
func (p *person) digest() [32]byte {
	p.t.Helper()
	file, err := os.ReadFile(filepath.Join(shared.program.folder, "demo", "token.key"))
	if err != nil {
		p.t.Fatal(err)
	}
	keys, err := keyring.Parse(file, "token-1")
	if err != nil {
		p.t.Fatal(err)
	}
	lookups, err := keys.Derive("session lookup")
	if err != nil {
		p.t.Fatal(err)
	}
	token := sha256.Sum256([]byte(p.cookie().Value))
	return lookups.Digests(token[:])[0]
}

// lapse lets the session run out now, as a quarter of an hour without a request would.
func (p *person) lapse() {
	p.t.Helper()
	digest := p.digest()
	changed, err := shared.program.database.Exec(
		context.Background(), "UPDATE sessions SET expiry = now() - interval '1 minute' WHERE token = $1",
		base64.RawURLEncoding.EncodeToString(digest[:]),
	)
	if err != nil || changed.RowsAffected() != 1 {
		p.t.Fatalf("%d sessions ended: %v", changed.RowsAffected(), err)
	}
}

// signInAgain fills the form of the sign-in page.
func (p *person) signInAgain(name string) {
	p.t.Helper()
	p.fill("User name", name)
	p.fill("Password", demo.UserPassword)
	p.click("button", "Sign in")
}

func TestAFormSentAfterTheSessionEndedComesBackFilled(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.lapse()
	p.click("button", "Check your answers")
	p.says("main h1", "Your session has ended")
	p.says("main", "What you typed was saved.")
	p.click("link", "Sign in")
	p.signInAgain("maker1")
	p.at("/payments/[0-9a-f-]+/edit$")
	p.holds("Name", o.name)
	p.holds("Amount in CHF", o.amount)
	p.holds("Message", "Rechnung 1107")
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments were submitted by a session that had ended", n)
	}
}

func TestADecisionAfterTheSessionEndedDecidesNothing(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	m := as(t, "maker1").submit(newOrder("sic-inst"))
	p := as(t, "checker1")
	p.open("/queue/" + m.id)
	p.lapse()
	p.press("a", "Enter")
	p.at(`/signin\?ended=yes`) // the whole window, never a sign-in form inside the pane
	p.says("main", "Your session has ended")
	m.is(t, "Approval Pending", 0)
	p.signInAgain("checker1")
	p.at("/queue/" + m.id)
	p.says("#detail-title", m.reference)
	m.is(t, "Approval Pending", 0)
}

func TestSignOutEndsTheSessionEverywhere(t *testing.T) {
	t.Parallel()
	m := as(t, "maker1").submit(newOrder("sic-inst"))
	p := as(t, "checker1")
	p.open("/queue/" + m.id)
	second, err := p.context.NewPage() // another window of the same browser
	must(t, second, err)
	_, err = second.Goto("/queue/" + m.id)
	if err != nil {
		t.Fatal(err)
	}
	stolen := p.cookie()
	p.click("button", "Sign out")
	p.at("/signedout$")
	_, err = p.page.GoBack()
	if err != nil {
		t.Fatal(err)
	}
	p.at("/signin")
	p.counts("#detail-title", 0)

	thief := visitor(t, desktop)
	err = thief.context.AddCookies(
		[]playwright.OptionalCookie{{Name: stolen.Name, Value: stolen.Value, URL: playwright.String(shared.program.address)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	thief.open("/queue")
	thief.at("/signin")
	if status, _ := thief.postRaw(
		"/queue/"+m.id+"/approve", map[string]any{"version": "1", "contentHash": m.hash},
	); status != http.StatusUnauthorized {
		t.Errorf("a decision with a session that was signed out is answered with %d", status)
	}
	err = second.Locator("#approve").Click()
	if err != nil {
		t.Fatal(err)
	}
	err = p.expect.Page(second).ToHaveTitle(regexp.MustCompile("^Sign in "))
	if err != nil {
		t.Error(err)
	}
	m.is(t, "Approval Pending", 0)
}

func TestAWrongPasswordIsToldBesideTheField(t *testing.T) {
	t.Parallel()
	p := visitor(t, desktop)
	p.open("/signin")
	p.fill("User name", "nobody-of-this-name")
	p.fill("Password", "wrong")
	p.press("Enter")
	p.focused(".error-summary")
	p.says(".error-summary", "Your user name or password is wrong.")
	p.holds("User name", "nobody-of-this-name")
	p.holds("Password", "")
	p.at("/signin")
}

// TestATabSaysThatAnotherPersonIsSignedInNow: a page without the queue's stream follows a sign-in in another tab, and its form is refused.
func TestATabSaysThatAnotherPersonIsSignedInNow(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker1")
	p.open("/payments/new")
	second, err := p.context.NewPage()
	must(t, second, err)
	p.signIn(demo.Realm, "checker2")
	_, err = second.Goto("/queue")
	must(t, second, err)
	p.says("#stay", "You are now signed in as demo/checker2")
	p.click("button", "Check your answers")
	p.says("#main", "No action was taken, because a different user (maker1) opened this page.")
	p.signIn(demo.Realm, "maker1")
	p.open("/payments/new")
	p.counts("#stay[hidden]", 1)
}
