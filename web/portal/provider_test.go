package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/auth/oidc/oidctest"
	"countersign/internal/demo"
)

// provided lets one administrator set the realm's identity provider and the other approve it.
func (b *bench) provided(issuer string, more url.Values) {
	b.t.Helper()
	form := url.Values{
		"issuer": {issuer}, "providerClient": {oidctest.ClientID}, "providerSecret": {oidctest.Secret}, "portalAddress": {b.server.URL},
	}
	for name, values := range more {
		form[name] = values
	}
	b.changed("provider.set", "", form)
}

// changed asks for a change by one administrator of realm demo, and approves it by the other.
func (b *bench) changed(kind, subject string, form url.Values) {
	b.t.Helper()
	address := "/admin/ask/" + kind
	if subject != "" {
		address += "?" + url.Values{"subject": {subject}}.Encode()
	}
	change := b.as("admin1").post(address, form).goesTo("/admin/changes/")
	b.as("admin2").post(change+"/approve", nil).goesTo(change)
}

// begins sends the browser to the provider, and returns the address there.
func (w *browser) begins(next string) string {
	w.b.t.Helper()
	got := w.get("/signin/provider?" + url.Values{"realm": {demo.Realm}, "next": {next}}.Encode()).is(http.StatusOK)
	_, address, found := strings.Cut(got.header.Get("Refresh"), "url=")
	if !found || got.page.Find(`main a[href]`).Length() == 0 {
		w.b.t.Fatalf("nothing leads to the provider: %v %s", got.header, got.main())
	}
	return address
}

// comesBack opens the address that the provider sent the browser to.
func (w *browser) comesBack(address string) answer {
	w.b.t.Helper()
	path, found := strings.CutPrefix(address, w.b.server.URL)
	if !found {
		w.b.t.Fatalf("the provider sends to %s", address)
	}
	return w.get(path)
}

// opens fails the test unless the answer lets the browser go on to a page of the portal.
func (a answer) opens(path string) {
	a.t.Helper()
	a.is(http.StatusOK)
	if a.header.Get("Refresh") != "0; url="+path {
		a.t.Fatalf("%s leads to %q, want %s: %s", a.what, a.header.Get("Refresh"), path, a.main())
	}
}

func (b *bench) redirect() string { return b.server.URL + "/signin/provider/demo/answer" }

func TestPeopleSignInThroughTheProviderOfTheirRealm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := oidctest.Start(t, b.redirect())
	if page := b.browser().get("/signin"); page.page.Find(".through-provider").Length() != 0 {
		t.Error("the sign-in page offers a provider that the realm does not have")
	}
	for _, realm := range []string{"demo", "nowhere", "", "%00", "%ff", "..%2f"} {
		b.browser().get("/signin?realm=" + realm).is(http.StatusOK)
		b.browser().get("/signin/provider?realm=" + realm).is(http.StatusUnprocessableEntity).says("This realm has no identity provider")
		b.browser().get("/signin/provider/" + strings.ReplaceAll(realm, "..", "x") + "x/answer?code=c&state=s").is(http.StatusUnprocessableEntity)
	}
	b.provided(provider.Issuer, nil)
	b.browser().get("/signin").says("Or sign in through your institution")

	stranger := b.browser()
	stranger.comesBack(provider.SignIn(t, stranger.begins("/"), "s-4711")).is(http.StatusForbidden).
		says("Your institution identifies you as s-4711, but no user account in this portal is linked to that identifier.")
	stranger.get("/").goesTo("/signin")
	b.as("admin1").get("/audit").says("Sign-in through the identity provider refused").says("The provider identifies the person as s-4711.")

	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-4711"}})
	b.as("admin1").get("/admin/users").says("s-4711")
	w := b.browser()
	w.comesBack(provider.SignIn(t, w.begins("/payments/new"), "s-4711")).opens("/payments/new")
	w.get("/payments/new").is(http.StatusOK).says("maker1")
	w.get("/me").is(http.StatusOK)
	w.get("/admin").is(http.StatusForbidden)
	b.as("admin1").get("/audit").says("Signed in through the identity provider").says(provider.Issuer)
	w.person = "demo/maker1"
	w.submit(filled())

	b.changed("user.unlink", "maker1", nil)
	w.get("/payments/new").goesTo("/signin")
	w.comesBack(provider.SignIn(t, w.begins("/"), "s-4711")).is(http.StatusForbidden)
	b.as("maker1").get("/payments/new").is(http.StatusOK)
	b.CheckInvariants(t)
}

// TestAnotherLinkEndsWhatTheFormerPersonIsSignedInWith: an account that is somebody else at the provider is not theirs any more.
func TestAnotherLinkEndsWhatTheFormerPersonIsSignedInWith(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := oidctest.Start(t, b.redirect())
	b.provided(provider.Issuer, nil)
	by := b.as("maker1")
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-4711"}})
	by.get("/payments/new").is(http.StatusOK) // it was nobody's at the provider
	w := b.browser()
	w.comesBack(provider.SignIn(t, w.begins("/payments/new"), "s-4711")).opens("/payments/new")
	w.get("/payments/new").is(http.StatusOK)
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-4712"}})
	w.get("/payments/new").goesTo("/signin")
	w.comesBack(provider.SignIn(t, w.begins("/"), "s-4711")).is(http.StatusForbidden)
	next := b.browser()
	next.comesBack(provider.SignIn(t, next.begins("/payments/new"), "s-4712")).opens("/payments/new")
	next.get("/payments/new").is(http.StatusOK)
	b.CheckInvariants(t)
}

// TestTheSecretAtTheProviderIsNeverShown: not to the person who asks for the change, the one who decides it, the trail, the log or the database.
func TestTheSecretAtTheProviderIsNeverShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	form := url.Values{
		"issuer": {"http://login.bank.example"}, "providerClient": {oidctest.ClientID}, "providerSecret": {oidctest.Secret},
		"portalAddress": {b.server.URL}, "signInAge": {"13h"},
	}
	wrong := one.post("/admin/ask/provider.set", form).is(http.StatusUnprocessableEntity)
	if len(wrong.problems()) != 2 {
		t.Errorf("an issuer without https and thirteen hours: %q", wrong.problems())
	}
	form.Set("issuer", "https://login.bank.example")
	form.Set("signInAge", "10m")
	change := one.post("/admin/ask/provider.set", form).goesTo("/admin/changes/")
	one.post(change+"/approve", nil).is(http.StatusForbidden)
	seen := two.get(change).is(http.StatusOK).says("a new secret")
	approved := two.post(change+"/approve", nil).goesTo(change)
	list := one.get("/admin/provider").is(http.StatusOK).says(b.redirect())
	again := one.get("/admin/ask/provider.set").is(http.StatusOK)
	for _, text := range []string{wrong.text, seen.text, approved, list.text, again.text, one.get("/audit").text, b.log.String()} {
		if strings.Contains(text, oidctest.Secret) {
			t.Errorf("the secret is shown: %s", text)
		}
	}
	stored := b.count(`SELECT count(*) FROM realm_change c, identity_provider p
		WHERE position($1 IN c.content) > 0 OR position(convert_to($1, 'UTF8') IN p.secret) > 0`, oidctest.Secret)
	if stored != 0 {
		t.Error("the secret can be read in the database")
	}
	other := url.Values{"issuer": {"https://login.bank.example"}, "providerClient": {"another"}, "portalAddress": {b.server.URL}}
	one.post("/admin/ask/provider.set", other).is(http.StatusUnprocessableEntity).says("belongs to another client")
	b.changed("provider.set", "", with(form, "providerSecret", "", "passwords", "break-glass"))
	if kept := b.count(`SELECT count(DISTINCT secret) FROM identity_provider`); kept != 1 {
		t.Errorf("%d secrets, want the one that is kept", kept)
	}
	b.CheckInvariants(t)
}

// lie is what a provider says that is not so.
type lie struct {
	how    string
	status int
	change func(claims map[string]any)
	answer func(query url.Values)
}

func TestAnswersOfAProviderThatLiesLetNobodyIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	liar := oidctest.StartLiar(t, nil)
	b.provided(liar.Issuer, nil)
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-1"}})
	set := func(name string, value any) func(map[string]any) { return func(c map[string]any) { c[name] = value } }
	for name, l := range map[string]lie{
		"another nonce":          {change: set("nonce", "x")},
		"no nonce":               {change: func(c map[string]any) { delete(c, "nonce") }},
		"for somebody else":      {change: set("aud", "another")},
		"for several":            {change: set("aud", []string{oidctest.ClientID, "another"})},
		"of another party":       {change: set("azp", "another")},
		"of another issuer":      {change: set("iss", "https://login.bank.example")},
		"expired":                {change: set("exp", time.Now().Add(-time.Minute).Unix())},
		"without an end":         {change: func(c map[string]any) { delete(c, "exp") }},
		"of tomorrow":            {change: set("iat", time.Now().Add(time.Hour).Unix())},
		"of yesterday":           {change: set("iat", time.Now().Add(-time.Hour).Unix())},
		"not yet good":           {change: set("nbf", time.Now().Add(time.Hour).Unix())},
		"signed in long ago":     {change: set("auth_time", time.Now().Add(-time.Hour).Unix())},
		"signed in some time":    {change: func(c map[string]any) { delete(c, "auth_time") }},
		"nobody":                 {change: set("sub", "")},
		"a subject of two lines": {change: set("sub", "s-1\n")},
		"not signed":             {how: oidctest.Unsigned},
		"signed by another":      {how: oidctest.OtherKey},
		"signed by the secret":   {how: oidctest.SharedKey},
		"signed by a public key": {how: oidctest.PublicAsKey},
		"the code refused":       {status: http.StatusBadRequest},
		"the provider broken":    {status: http.StatusInternalServerError},
		"the provider moved":     {status: http.StatusFound},
		"an error":               {answer: func(q url.Values) { q.Set("error", "access_denied") }},
		"no code":                {answer: func(q url.Values) { q.Del("code") }},
		"another state":          {answer: func(q url.Values) { q.Set("state", "x") }},
		"no state":               {answer: func(q url.Values) { q.Del("state") }},
		"an issuer of another":   {answer: func(q url.Values) { q.Set("iss", "https://login.bank.example") }},
	} {
		w := b.browser()
		got := w.liedTo(t, liar, l)
		if got.status < 400 || got.header.Get("Refresh") != "" {
			t.Errorf("%s: %d, leads to %q", name, got.status, got.header.Get("Refresh"))
		}
		w.get("/").goesTo("/signin")
	}
	w := b.browser()
	w.liedTo(t, liar, lie{}).opens("/")
	w.get("/").is(http.StatusOK)
	count, form := liar.Traded()
	if form["code_verifier"] == nil || form["redirect_uri"][0] != b.redirect() {
		t.Errorf("%d codes traded, the last one with %v", count, form)
	}
}

// liedTo goes to a liar and comes back with a lie.
func (w *browser) liedTo(t *testing.T, liar *oidctest.Liar, l lie) answer {
	t.Helper()
	address, err := url.Parse(w.begins("/"))
	if err != nil {
		t.Fatal(err)
	}
	asked := address.Query()
	if asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") == "" || asked.Get("response_type") != "code" {
		t.Errorf("the provider is asked %v", asked)
	}
	claims := liar.Claims("s-1", asked.Get("nonce"), time.Now())
	if l.change != nil {
		l.change(claims)
	}
	how, status := oidctest.Signed, http.StatusOK
	if l.how != "" {
		how = l.how
	}
	if l.status != 0 {
		status = l.status
	}
	liar.Says(t, how, claims, status)
	back := url.Values{"code": {"c"}, "state": {asked.Get("state")}}
	if l.answer != nil {
		l.answer(back)
	}
	return w.get("/signin/provider/demo/answer?" + back.Encode())
}

func TestAProviderThatSaysItNamesItselfMustDoSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	liar := oidctest.StartLiar(t, map[string]any{"authorization_response_iss_parameter_supported": true})
	b.provided(liar.Issuer, nil)
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-1"}})
	b.browser().liedTo(t, liar, lie{}).is(http.StatusForbidden).says("issuer")
	named := func(q url.Values) { q.Set("iss", liar.Issuer) }
	b.browser().liedTo(t, liar, lie{how: oidctest.Garbage, answer: named}).is(http.StatusForbidden).says("id-token")
	if n := len(b.log.String()); n > 200_000 {
		t.Errorf("the log has %d bytes of what was said", n)
	}
	b.browser().liedTo(t, liar, lie{answer: named}).opens("/")
	other := oidctest.StartLiar(t, map[string]any{"issuer": "https://login.bank.example"})
	b.provided(other.Issuer, nil)
	b.browser().get("/signin/provider?realm=demo").is(http.StatusServiceUnavailable).says("is not responding")
}

// TestAnAnswerCountsInItsOwnBrowserAndRealm: not in another browser, not in another realm, and not at a provider that came later.
func TestAnAnswerCountsInItsOwnBrowserAndRealm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := oidctest.Start(t, b.redirect())
	b.provided(provider.Issuer, nil)
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-1"}})
	w := b.browser()
	back := provider.SignIn(t, w.begins("/"), "s-1")
	b.browser().comesBack(back).is(http.StatusUnprocessableEntity).says("Start again")
	w.comesBack(strings.Replace(back, "/demo/", "/demo2/", 1)).is(http.StatusUnprocessableEntity)
	back = provider.SignIn(t, w.begins("/"), "s-1")
	b.provided(provider.Issuer, url.Values{"signInAge": {"1h"}})
	w.comesBack(back).is(http.StatusForbidden).says("provider-replaced")
	w.comesBack(provider.SignIn(t, w.begins("//elsewhere.example/"), "s-1")).opens("/")
	back = provider.SignIn(t, w.begins("/"), "s-1")
	w.post("/signout", nil).goesTo("/signedout")
	w.comesBack(back).is(http.StatusUnprocessableEntity).says("Start again")
}

// TestOfTheSameAnswerManyTimesAtOnceOneCounts, even at a provider that takes a code as often as it comes.
func TestOfTheSameAnswerManyTimesAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	liar := oidctest.StartLiar(t, nil)
	b.provided(liar.Issuer, nil)
	b.changed("user.link", "maker1", url.Values{"outerSubject": {"s-1"}})
	w := b.browser()
	address, err := url.Parse(w.begins("/"))
	if err != nil {
		t.Fatal(err)
	}
	home, err := url.Parse(b.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	asked, kept := address.Query(), w.client.Jar.Cookies(home)
	liar.Says(t, oidctest.Signed, liar.Claims("s-1", asked.Get("nonce"), time.Now()), http.StatusOK)
	back := "/signin/provider/demo/answer?" + url.Values{"code": {"c"}, "state": {asked.Get("state")}}.Encode()
	var waiting sync.WaitGroup
	in := make(chan bool, 10)
	for range cap(in) {
		waiting.Go(func() {
			again := b.browser()
			again.client.Jar.SetCookies(home, kept)
			in <- again.get(back).header.Get("Refresh") == "0; url=/"
		})
	}
	waiting.Wait()
	close(in)
	entered := 0
	for is := range in {
		if is {
			entered++
		}
	}
	traded, _ := liar.Traded()
	if entered != 1 || traded != 1 {
		t.Errorf("%d of ten got in with one answer, whose code was traded %d times", entered, traded)
	}
}

// TestOnePersonDecidesNothingOfTheirOwnWhicheverWayTheyComeIn: the maker's second account, used through the provider, is the same person.
func TestOnePersonDecidesNothingOfTheirOwnWhicheverWayTheyComeIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := oidctest.Start(t, b.redirect())
	b.provided(provider.Issuer, nil)
	person := ""
	err := b.DB.Owner(t).QueryRow(t.Context(), "SELECT person_id FROM user_account WHERE realm = 'demo' AND name = 'maker1'").Scan(&person)
	if err != nil {
		t.Fatal(err)
	}
	one, two := b.as("admin1"), b.as("admin2")
	asked := one.post("/admin/ask/user.create", url.Values{"name": {"other"}, "personId": {person}, "roles": {"checker"}}).is(http.StatusOK)
	change, _ := one.get("/admin").page.Find("a.row-link").Attr("href")
	link, err := url.Parse(two.post(change+"/approve", nil).is(http.StatusOK).page.Find("main code").Text())
	if err != nil {
		t.Fatal(err)
	}
	b.changed("user.link", "other", url.Values{"outerSubject": {"s-1"}})
	w := b.browser()
	w.comesBack(provider.SignIn(t, w.begins("/queue"), "s-1")).is(http.StatusForbidden).says("has no password yet")
	b.browser().post(link.Path, setUpForm(asked.page.Find("main code").Text(), ownPassword)).goesTo("/set-up/done")
	w.comesBack(provider.SignIn(t, w.begins("/queue"), "s-1")).opens("/queue")
	m := b.as("maker1").submit(filled())
	w.get("/queue/" + m.InternalID.String()).is(http.StatusOK).says("You")
	w.person = "demo/other"
	got := w.post("/queue/"+m.InternalID.String()+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(m)}})
	if got.status != http.StatusForbidden {
		t.Errorf("the maker's other account approves: %d %s", got.status, got.main())
	}
	if b.count("SELECT count(*) FROM decision") != 0 {
		t.Error("it was decided")
	}
	one.post("/admin/ask/user.link?subject=maker2", url.Values{"outerSubject": {"s-1"}}).is(http.StatusUnprocessableEntity).
		says("Unlink that account first")
	b.CheckInvariants(t)
}

// TestPasswordsForBreakingTheGlass: in a realm whose people use its provider a password is for administrators, with an alarm.
func TestPasswordsForBreakingTheGlass(t *testing.T) {
	t.Parallel()
	b := setup(t)
	liar := oidctest.StartLiar(t, nil)
	b.provided(liar.Issuer, url.Values{"passwords": {"break-glass"}})
	form := url.Values{"realm": {"demo"}, "username": {"maker1"}, "password": {demo.UserPassword}, "next": {"/"}}
	b.browser().post("/signin", form).is(http.StatusForbidden).says("sign in through your institution's identity provider")
	b.browser().post("/signin", with(form, "password", "wrong")).is(http.StatusUnprocessableEntity).
		says("Your user name or password is wrong.")
	if strings.Contains(b.log.String(), "alarm=true") {
		t.Fatal("there is an alarm already")
	}
	w := b.as("admin1")
	if !strings.Contains(b.log.String(), "alarm=true") {
		t.Error("nobody is told of an administrator's password")
	}
	w.get("/audit").says("Signed in with the emergency password").says("Someone tried to sign in with a password, but users of this realm")
	b.asIn("demo2", "maker1").get("/payments/new").is(http.StatusOK)
	b.change(`UPDATE identity_provider SET passwords = 'everybody'`)
	b.browser().post("/signin", form).is(http.StatusForbidden)
	b.browser().get("/signin/provider?realm=demo").is(http.StatusUnprocessableEntity).says("changed outside the gateway")
	b.changed("provider.retire", liar.Issuer, nil)
	b.browser().post("/signin", form).is(http.StatusSeeOther)
}
