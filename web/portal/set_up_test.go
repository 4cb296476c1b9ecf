package portal_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/identity"
	"countersign/internal/store"
)

const ownPassword = "correct horse battery"

// newcomer makes an administrator whose password is not set yet, and returns what sets it.
func (b *bench) newcomer(name string) identity.SetUpSecret {
	b.t.Helper()
	secret, err := identity.NewSetUpSecret(rand.Reader)
	if err != nil {
		b.t.Fatal(err)
	}
	by := b.DB.Provisioner(b.t)
	by.At = time.Now()
	err = store.AddAdministrator(b.t.Context(), by, store.Administrator{
		Realm: "demo2", UserName: name, DisplayName: "New " + name, PasswordHash: "nobody knows it", SetUp: secret,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return secret
}

// breakGlass brings an administrator into realm demo past its two.
func (b *bench) breakGlass(name string, secret identity.SetUpSecret, at time.Time) {
	b.t.Helper()
	by := b.DB.Provisioner(b.t)
	by.At = at
	err := store.AddAdministrator(b.t.Context(), by, store.Administrator{
		Realm: "demo", UserName: name, DisplayName: "New " + name, PasswordHash: "nobody knows it", SetUp: secret, BreakGlass: "both are ill",
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func setUpForm(code, password string) url.Values {
	return url.Values{"code": {code}, "password": {password}, "repeated": {password}}
}

func TestLinkAndCodeSetThePasswordOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret := b.newcomer("carla")
	path, w := identity.SetUpPath("demo2", secret.Link), b.browser()
	w.get(path).is(http.StatusOK).says("carla")
	w.get(identity.SetUpPath("demo", secret.Link)).is(http.StatusNotFound).says("no longer valid") // another realm's
	w.get(identity.SetUpPath("demo2", secret.Code)).is(http.StatusNotFound).says("no longer valid")
	w.post(path, setUpForm(secret.Code, "short")).is(http.StatusUnprocessableEntity)
	w.post(path, url.Values{
		"code": {secret.Code}, "password": {ownPassword}, "repeated": {ownPassword + "x"},
	}).is(http.StatusUnprocessableEntity)
	wrong := "000000"
	if secret.Code == wrong {
		wrong = "000001"
	}
	w.post(path, setUpForm(wrong, ownPassword)).is(http.StatusUnprocessableEntity).says("does not belong to this link")
	if n := b.count("SELECT count(*) FROM user_account WHERE name = 'carla' AND status = 'unverified'"); n != 1 {
		t.Fatal("the account is active before its password is set")
	}
	address := w.post(path, setUpForm(secret.Code, ownPassword)).goesTo("/set-up/done")
	if done := w.get(address).is(http.StatusOK).page; done.Find(`main a[href="/signin?next=%2Fme%2Ffactors&realm=demo2"]`).Length() != 1 ||
		done.Find(`main a[href="/signin?realm=demo2"]`).Length() != 1 {
		t.Error("a new person is not offered a second factor, or cannot skip it")
	}
	w.get(path).is(http.StatusNotFound).says("no longer valid")
	w.post(path, setUpForm(secret.Code, ownPassword+"2")).is(http.StatusNotFound)
	signIn := url.Values{"realm": {"demo2"}, "username": {"carla"}, "password": {ownPassword}, "next": {"/"}}
	w.post("/signin", signIn).is(http.StatusSeeOther)
	if n := b.count("SELECT count(*) FROM audit_event WHERE realm = 'demo2' AND event = 'user.set-up'"); n != 1 {
		t.Errorf("%d audit rows, want 1", n)
	}
}

func TestFiveWrongCodesEndALink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret := b.newcomer("carla")
	path := identity.SetUpPath("demo2", secret.Link)
	wrong := "123456"
	if secret.Code == wrong {
		wrong = "123457"
	}
	var tried atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if b.browser().post(path, setUpForm(wrong, ownPassword)).status == http.StatusUnprocessableEntity {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n > identity.SetUpTries {
		t.Errorf("%d codes were compared, want at most %d", n, identity.SetUpTries)
	}
	for range identity.SetUpTries {
		b.browser().post(path, setUpForm(wrong, ownPassword))
	}
	b.browser().post(path, setUpForm(secret.Code, ownPassword)).is(http.StatusNotFound).says("no longer valid")
}

func TestALinkIsGoodForADayAndUntilTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.newcomer("carla")
	second := b.newcomer("carla")
	b.browser().get(identity.SetUpPath("demo2", first.Link)).is(http.StatusNotFound)
	b.browser().get(identity.SetUpPath("demo2", second.Link)).is(http.StatusOK)
	old := b.newcomer("dora")
	b.change("UPDATE user_setup SET made_at = made_at - interval '25 hours', expires_at = expires_at - interval '25 hours'")
	b.browser().get(identity.SetUpPath("demo2", old.Link)).is(http.StatusNotFound)
	// Nor does a row help whose time somebody changed in the tables.
	b.change("UPDATE user_setup SET expires_at = expires_at + interval '50 hours'")
	b.browser().get(identity.SetUpPath("demo2", old.Link)).is(http.StatusNotFound)
}

// TestTheServiceMakesNobodyActive tries in the application's role what only a set-up may do.
func TestTheServiceMakesNobodyActive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.newcomer("carla")
	conn := b.DB.ConnectAsApplication(t, "demo2")
	for _, statement := range []string{
		"UPDATE user_account SET status = 'active' WHERE name = 'carla'",
		"UPDATE user_account SET status = 'suppressed' WHERE name = 'maker1'",
		"INSERT INTO user_setup SELECT * FROM user_setup",
		"DELETE FROM user_setup_try",
		"INSERT INTO break_glass SELECT realm, user_id, user_id, 'because', now() FROM user_account",
	} {
		tag, err := conn.Exec(t.Context(), statement)
		if err == nil {
			t.Errorf("%s: was taken, %s", statement, tag)
		}
	}
}

// TestTooManyTriesEndNoLink: a person who waits as they are told sets the password with the form they have.
func TestTooManyTriesEndNoLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret := b.newcomer("carla")
	path, w := identity.SetUpPath("demo2", secret.Link), b.browser()
	limited := func(ask func() answer) answer {
		for range 200 {
			got := ask()
			if got.status == http.StatusTooManyRequests {
				return got
			}
		}
		t.Fatal("there is no limit")
		return answer{}
	}
	for _, ask := range []func() answer{
		func() answer { return w.get(path) },
		func() answer { return w.post(path, setUpForm(secret.Code, "short")) },
		func() answer { return w.post(path, url.Values{"code": {secret.Code}, "password": {ownPassword}}) },
	} {
		got := limited(ask).says("Too many attempts from your network. Wait")
		if said := got.main(); strings.Contains(said, "no longer valid") ||
			strings.Contains(said, "You are choosing the password for your user account ,") {
			t.Errorf("%s says %q", got.what, said)
		}
		if got.page.Find(`form[action="`+path+`"]`).Length() != 1 {
			t.Errorf("%s has no form to send after the wait", got.what)
		}
	}
	for range 200 {
		if got := w.post(path, setUpForm(secret.Code, ownPassword)); got.status != http.StatusTooManyRequests {
			got.goesTo("/set-up/done")
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the link is not good after the wait")
}
