package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/pquerna/otp/totp"

	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/store"
)

// phone is an authenticator app. Each code it shows is of a later time step than the one before, as the portal takes each once.
type phone struct {
	t    *testing.T
	key  string
	last int64
}

func (p *phone) code() string {
	p.t.Helper()
	step := max(p.last+1, time.Now().Unix()/30)
	p.last = step
	code, err := totp.GenerateCode(p.key, time.Unix(step*30, 0))
	if err != nil {
		p.t.Fatal(err)
	}
	return code
}

// takeUp adds an authenticator app on the profile, and returns it with the recovery codes.
func (w *browser) takeUp() (*phone, []string) {
	t := w.b.t
	t.Helper()
	page := w.get("/me/factors/app").is(http.StatusOK)
	if picture := page.page.Find("img.qr").AttrOr("src", ""); !strings.HasPrefix(picture, "data:image/png;base64,") {
		t.Errorf("the page shows the QR code %q", picture)
	}
	form := page.fields("/me/factors/app")
	key := strings.ReplaceAll(page.page.Find("main code").Text(), " ", "")
	p := &phone{t: t, key: key, last: time.Now().Unix()/30 - 1}
	form.Set("name", "My phone")
	form.Set("password", demo.UserPassword)
	form.Set("code", "000000")
	refused := w.post("/me/factors/app", form).is(http.StatusUnprocessableEntity).says("The code is wrong")
	if again := refused.fields("/me/factors/app"); again.Get("held") != form.Get("held") || again.Get("name") != "My phone" {
		t.Errorf("the refused page forgot what was there: %v", again)
	}
	form.Set("code", p.code())
	shown := w.post("/me/factors/app", form).is(http.StatusOK).says("The codes will not be shown again")
	var codes []string
	shown.page.Find(".recovery-codes code").Each(func(_ int, code *goquery.Selection) { codes = append(codes, code.Text()) })
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes are shown", len(codes))
	}
	return p, codes
}

func signInForm(name string) url.Values {
	return url.Values{"realm": {"demo"}, "username": {name}, "password": {demo.UserPassword}, "next": {"/queue"}}
}

func TestSignInAsksForTheSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("checker1")
	p, codes := w.takeUp()
	w.get("/me/factors").is(http.StatusOK).says("My phone").says("10 codes left")
	w.get("/me").says("You have one second factor.")

	other := b.browser()
	other.get("/signin/factor").goesTo("/signin")
	other.post("/signin", signInForm("checker1")).goesTo("/signin/factor")
	other.get("/queue").goesTo("/signin?next=") // half of it opens nothing
	other.get("/signin/factor").is(http.StatusOK).says("checker1")
	other.post("/signin/factor", url.Values{"factorCode": {"123456"}}).is(http.StatusUnprocessableEntity).
		says("This code is wrong or was used before.")
	other.post("/signin/factor", url.Values{"factorCode": {p.code()}}).goesTo("/queue")
	other.get("/queue").is(http.StatusOK)

	third := b.browser()
	third.post("/signin", signInForm("checker1")).goesTo("/signin/factor")
	third.post("/signin/factor", url.Values{"factorCode": {codes[0]}}).goesTo("/queue")
	third.get("/me/factors").says("9 codes left")
	remove, _ := third.get("/me/factors").page.Find("main a[aria-label='Remove My phone']").Attr("href")
	third.post(remove, url.Values{"password": {demo.UserPassword}, "factorCode": {codes[0]}}).is(http.StatusUnprocessableEntity)
	refused := third.post(remove, url.Values{"password": {"wrong"}, "factorCode": {codes[1]}}).is(http.StatusUnprocessableEntity)
	refused.says("Your password is not correct.")
	third.post(remove, url.Values{"password": {demo.UserPassword}, "factorCode": {codes[1]}}).goesTo("/me/factors")
	third.get("/me/factors").says("Two-step sign-in protects your account")
	b.browser().post("/signin", signInForm("checker1")).goesTo("/queue")
}

// TestWhoHasNoSecondFactorIsLedToOne: where an approval asks for one, the way to it stands in place of the button, and a rejection asks for
// none. Who has one shows it.
func TestWhoHasNoSecondFactorIsLedToOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, checker := b.as("maker1").submit(filled()), b.as("checker1")
	path := "/queue/" + m.InternalID.String()
	before := checker.get(path).is(http.StatusOK).fields(path + "/approve")
	b.changed("policy.create", "", url.Values{"approvals": {"1"}, "rank": {"900"}, "stepUp": {"yes"}})
	refused := checker.post(path+"/approve", before).is(http.StatusUnprocessableEntity) // a page of before the policy
	for _, page := range []answer{refused, checker.get(path).is(http.StatusOK)} {
		page.says("You need a second factor to approve this payment.")
		if page.page.Find("#approve, input[name=factorCode]").Length() > 0 || page.page.Find(".decide a[href='/me/factors']").Length() != 1 {
			t.Error("who has no second factor is asked to show one")
		}
		if page.page.Find("#reject-panel").Length() != 1 {
			t.Error("who has no second factor may not even reject")
		}
	}
	app, _ := checker.takeUp()
	form := checker.get(path).is(http.StatusOK).fields(path + "/approve")
	form.Set("factorCode", app.code())
	checker.post(path+"/approve", form).goesTo("/queue")
}

func TestTwoAdministratorsResetASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker2").takeUp()
	one, two := b.as("admin1"), b.as("admin2")
	asked := one.post("/admin/ask/user.reset?subject=maker2", url.Values{}).is(http.StatusOK)
	code := asked.page.Find("main code").Text()
	change, _ := two.get("/admin").is(http.StatusOK).page.Find("a.row-link").Attr("href")
	approved := two.post(change+"/approve", nil).is(http.StatusOK)
	link, err := url.Parse(approved.page.Find("main code").Text())
	if err != nil {
		t.Fatal(err)
	}
	b.browser().post(link.Path, setUpForm(code, ownPassword)).goesTo("/set-up/done")
	form := signInForm("maker2")
	form.Set("password", ownPassword)
	w := b.browser()
	w.post("/signin", form).goesTo("/queue") // no factor is asked for
	w.get("/me/factors").says("Two-step sign-in protects your account")
}

func TestARoleThatNeedsASecondFactorIsHeldAtItsPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.askFactorOf("checker")
	w := b.browser()
	w.post("/signin", signInForm("checker1")).goesTo("/me/factors")
	w.get("/queue").goesTo("/me/factors")
	w.get("/me").goesTo("/me/factors")
	w.post("/me/sessions/end", nil).goesTo("/me/factors")
	w.get("/me/factors").is(http.StatusOK).says("Your realm requires a second factor")
	w.takeUp()
	w.get("/queue").is(http.StatusOK)
	b.browser().post("/signin", signInForm("maker1")).goesTo("/queue")
}

func TestTwoAdministratorsSayWhichRolesNeedASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const ask = "/admin/ask/realm.factors"
	checker, maker, one := b.as("checker1"), b.as("maker1"), b.as("admin1")
	one.get("/admin/users").is(http.StatusOK).says("No role needs a second factor")
	const lacking = `.tile-waiting a[href="/admin/users?show=no-factor"]`
	if one.get("/").page.Find(lacking).Length() != 0 {
		t.Error("missing second factors are shown as work where no role needs one")
	}
	one.post(ask, url.Values{"secondFactorRoles": {"boss"}}).is(http.StatusUnprocessableEntity).says("Choose one or more roles")
	change := one.post(ask, url.Values{"secondFactorRoles": {"Checker, administrator"}}).goesTo("/admin/changes/")
	one.get(change).is(http.StatusOK).says("Roles that need a second factor").says("You requested this change")
	checker.get("/queue").is(http.StatusOK)
	b.as("admin2").post(change+"/approve", nil).goesTo(change)
	checker.get("/queue").goesTo("/signin") // and what was begun waits behind the sign-in
	maker.get("/payments/new").is(http.StatusOK)
	one.get("/admin").goesTo("/signin") // the person who asked is asked too
	fresh := b.browser()
	fresh.post("/signin", signInForm("checker1")).goesTo("/me/factors")
	fresh.get("/queue").goesTo("/me/factors")
	fresh.takeUp()
	fresh.get("/queue").is(http.StatusOK)
	// Nobody is locked out: both administrators take a factor up, and may then ask for less.
	var pair [2]*browser
	for i, name := range []string{"admin1", "admin2"} {
		pair[i] = b.browser()
		pair[i].post("/signin", signInForm(name)).goesTo("/me/factors")
		pair[i].takeUp()
		if pair[i].get("/").page.Find(lacking).Length() != 1 {
			t.Error("missing second factors are not shown as work where a role needs one")
		}
	}
	// Of whom it was asked before is not signed out again: they may just take one up.
	waiting := b.browser()
	waiting.post("/signin", signInForm("checker2")).goesTo("/me/factors")
	more := pair[0].post(ask, url.Values{"secondFactorRoles": {"checker", "administrator", "supervisor"}}).goesTo("/admin/changes/")
	pair[1].post(more+"/approve", nil).goesTo(more)
	waiting.get("/me/factors").is(http.StatusOK)
	pair[0].get(ask).is(http.StatusOK).says("If you do not select a role, nobody is asked")
	back := pair[0].post(ask, nil).goesTo("/admin/changes/")
	pair[1].post(back+"/approve", nil).goesTo(back)
	b.browser().post("/signin", signInForm("checker2")).goesTo("/queue")
}

// What was looked at before two administrators decided, and kept a moment after, is over: as where another gateway's clock is ahead, its
// own time says that it is the younger one.
func TestASignInThatOvertookADecisionIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	app, _ := b.as("checker2").takeUp()
	ahead := *b
	ahead.config.Now = func() time.Time { return time.Now().Add(time.Minute) }
	ahead.serve()
	checker, half, maker := ahead.as("checker1"), ahead.browser(), ahead.as("maker1")
	half.post("/signin", signInForm("checker2")).goesTo("/signin/factor")
	one, two := b.as("admin1"), b.as("admin2")
	decided := func(kind string, values url.Values) {
		t.Helper()
		change := one.post("/admin/ask/"+kind, values).goesTo("/admin/changes/")
		two.post(change+"/approve", nil).goesTo(change)
	}
	checker.get("/queue").is(http.StatusOK)
	decided("user.suppress?subject=checker2", nil)
	decided("user.restore?subject=checker2", nil)
	decided("realm.factors", url.Values{"secondFactorRoles": {"checker"}})
	checker.get("/queue").goesTo("/signin")
	half.post("/signin/factor", url.Values{"factorCode": {app.code()}}).goesTo("/signin?ended=yes")
	maker.get("/payments/new").is(http.StatusOK)
}

// askFactorOf has realm demo ask a role for a second factor.
func (b *bench) askFactorOf(role identity.Role) {
	b.t.Helper()
	known, err := store.ReadRealm(b.t.Context(), b.DB.OwnerURL, demo.Realm)
	if err != nil {
		b.t.Fatal(err)
	}
	known.SecondFactor = []identity.Role{role}
	err = store.ApplyRealm(b.t.Context(), b.DB.Provisioner(b.t), known.RealmDefinition)
	if err != nil {
		b.t.Fatal(err)
	}
}
