package browsertest

import (
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
	"github.com/pquerna/otp/totp"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// ownPassword is what somebody chooses who sets an account up.
const ownPassword = "correct horse battery"

// securityKey is the device that makes passkeys and shows them.
type securityKey struct {
	devices playwright.CDPSession
	id      string
}

// putBack has the device count from 1 again, as a copy of it would that was made at the beginning.
func (k securityKey) putBack(t *testing.T) {
	t.Helper()
	kept, err := k.devices.Send("WebAuthn.getCredentials", map[string]any{"authenticatorId": k.id})
	passkeys := must(t, kept, err).(map[string]any)["credentials"].([]any)
	if len(passkeys) != 1 {
		t.Fatalf("the device has %d passkeys", len(passkeys))
	}
	passkey := passkeys[0].(map[string]any)
	passkey["signCount"] = 0
	_, err = k.devices.Send("WebAuthn.removeCredential", map[string]any{"authenticatorId": k.id, "credentialId": passkey["credentialId"]})
	if err == nil {
		_, err = k.devices.Send("WebAuthn.addCredential", map[string]any{"authenticatorId": k.id, "credential": passkey})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// throughLocalhost is somebody who reaches the portal by the name that browsers know passkeys for, with a security key plugged in.
func throughLocalhost(t *testing.T) (*person, string, securityKey) {
	t.Helper()
	p := visitor(t, desktop)
	devices, err := p.context.NewCDPSession(p.page)
	devices = must(t, devices, err)
	_, err = devices.Send("WebAuthn.enable", map[string]any{})
	var made any
	if err == nil {
		made, err = devices.Send("WebAuthn.addVirtualAuthenticator", map[string]any{"options": map[string]any{
			"protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true, "isUserVerified": true,
			"automaticPresenceSimulation": true,
		}})
	}
	if err != nil {
		t.Fatal(err)
	}
	id := must(t, made, err).(map[string]any)["authenticatorId"].(string)
	return p, strings.Replace(shared.program.address, "127.0.0.1", "localhost", 1), securityKey{devices, id}
}

// changed asks for a change as one administrator and approves it as another, both by their pages. It returns what each was shown once.
func changed(t *testing.T, kind string, fill func(*person)) (toRequester, toApprover []string) {
	t.Helper()
	one, two := as(t, "admin1"), as(t, "admin2")
	one.open("/admin/ask/" + kind)
	fill(one)
	one.click("button", "Request approval")
	one.says("main", "Another administrator must approve or reject it.")
	toRequester = one.texts("main .notice code")
	heading := one.texts("main h1")[0]
	two.open("/admin")
	err := two.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: heading}).First().Click()
	if err != nil {
		t.Fatal(err)
	}
	two.says("main", heading)
	two.click("button", "Approve the change")
	two.says("main", "Applied")
	return toRequester, two.texts("main .notice code")
}

// enter answers fields by their names, whether they may be left out or not.
func (p *person) enter(values map[string]string) {
	p.t.Helper()
	for name, value := range values {
		p.answers(name, value)
	}
}

// owner is somebody with an authenticator app and recovery codes.
type owner struct {
	*person
	key   string
	codes []string
}

// newChecker is a checker who came through two administrators, a link and a code, in a browser without script, and who took an
// authenticator app up.
func newChecker(t *testing.T, name string) owner {
	t.Helper()
	code, link := changed(t, "user.create", func(p *person) {
		p.enter(map[string]string{"name": name, "displayName": "Checker Nine", "roles": "checker"})
	})
	p := visitor(t, plain)
	p.open(link[0])
	p.fill("Code", code[0])
	p.fill("New password", ownPassword)
	p.fill("Repeat the password", ownPassword)
	p.click("button", "Set password")
	p.at("/set-up/done")
	p.click("link", "Sign in")
	p.fill("User name", name)
	p.fill("Password", ownPassword)
	p.click("button", "Sign in")
	p.open("/me/factors/app")
	key := strings.ReplaceAll(p.texts("main p code")[0], " ", "")
	p.fill("Name", "My phone")
	p.fill("Code shown in the app", shownBy(t, key, -1))
	p.fill("Your password", ownPassword)
	p.click("button", "Add authenticator app")
	p.counts(".recovery-codes li", 10)
	return owner{person: p, key: key, codes: p.texts(".recovery-codes code")}
}

// signInAt signs in by the form at an address, with a code after the password.
func (p *person) signInAt(address, name, code string) {
	p.t.Helper()
	p.open(address + "/signin?realm=" + demo.Realm)
	p.fill("User name", name)
	p.fill("Password", ownPassword)
	p.click("button", "Sign in")
	p.says("main", "Confirm with your second factor")
	p.fill("Code", code)
	p.click("button", "Sign in")
	p.says("main", "Dashboard")
}

// shownBy is the code that an app with this key shows, some steps from now. It waits for the next step where the present one is about to
// end: a code of the step before would be two steps old when it arrives, and refused.
func shownBy(t *testing.T, key string, steps int) string {
	t.Helper()
	const step, room = 30 * time.Second, 15 * time.Second
	now := time.Now()
	if left := now.Truncate(step).Add(step).Sub(now); left < room {
		time.Sleep(left)
	}
	code, err := totp.GenerateCode(key, time.Now().Add(time.Duration(steps)*step))
	return must(t, code, err)
}

// TestASecondFactorApproves: two administrators make a policy that asks for a second factor, and a checker; the checker shows a code in a
// browser without script, and a passkey in one with.
func TestASecondFactorApproves(t *testing.T) {
	t.Parallel()
	checker := newChecker(t, "checker9")
	changed(t, "policy.create", func(p *person) {
		p.enter(map[string]string{"approvals": "1", "rank": "900", "amountFrom": "4711.11", "amountTo": "4711.22"})
		_, err := p.find("#stepUp").SelectOption(playwright.SelectOptionValues{Labels: playwright.StringSlice("Yes")})
		if err != nil {
			t.Fatal(err)
		}
	})
	maker := as(t, "maker1")
	entered := func(amount string) submitted {
		o := newOrder("sic-inst")
		o.amount = amount
		return maker.submit(o)
	}
	first, second, third := entered("4711.11"), entered("4711.12"), entered("4711.13")

	checker.open("/queue/" + first.id)
	checker.tickEach("#looked")
	checker.click("button", "Approve the payment of CHF 4'711.11")
	checker.says(".error-summary", "Use a second factor")
	first.is(t, "Approval Pending", 0)
	checker.fill("Second factor", "000000")
	checker.click("button", "Approve the payment of CHF 4'711.11")
	checker.says(".error-summary", "The second factor is wrong or was already used.")
	checker.fill("Second factor", shownBy(t, checker.key, 0))
	checker.click("button", "Approve the payment of CHF 4'711.11")
	checker.says("#status", first.about+" approved.")
	first.is(t, "Settled", 1)

	p, at, device := throughLocalhost(t)
	p.signInAt(at, "checker9", checker.codes[0])
	p.open(at + "/me/factors")
	i := inspect(p)
	i.look("second factors")
	i.open(at + "/me/factors/app")
	i.look("a new app")
	p.open(at + "/me/factors/passkey")
	i.look("a new passkey")
	p.fill("Name", "My key")
	p.fill("Your password", ownPassword)
	p.fill("Code from a second factor you already have", checker.codes[1])
	p.click("button", "Create the passkey")
	p.says("main", "My key")
	p.open(at + "/queue/" + second.id)
	i.look("an approval with a second factor")
	p.tickEach("#looked")
	p.click("button", "Approve with a passkey")
	p.says("#status", second.about+" approved.")
	second.becomes(t, "Settled")
	if n := count(t, `SELECT count(*) FROM decision d JOIN factor_use u ON u.use_id = d.factor_use_id JOIN second_factor f USING (factor_id)
		WHERE d.message_id = $1 AND f.kind = 'passkey' AND u.content_hash = d.content_hash`, second.id); n != 1 {
		t.Errorf("%d decisions name the passkey, want 1", n)
	}

	device.putBack(t)
	p.open(at + "/queue/" + third.id)
	p.tickEach("#looked")
	p.click("button", "Approve with a passkey")
	p.says(".error-summary", "The second factor is wrong or was already used.")
	third.is(t, "Approval Pending", 0)
	n := count(t, `SELECT count(*) FROM audit_event WHERE event = 'second-factor.refused' AND detail::jsonb ->> 'refused' = 'counter'`)
	if n != 1 {
		t.Errorf("%d copies of a passkey are in the trail, want 1", n)
	}
}

func TestPagesOfAnAdministrator(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "admin1")
	i := inspect(p)
	for _, path := range []string{
		"/admin", "/admin/users", "/admin/clients", "/admin/accounts", "/admin/policies", "/admin/ask/user.create", "/admin/ask/policy.create",
		"/me", "/me/factors",
	} {
		p.open(path)
		i.look(path)
	}
	p.open("/admin/ask/client.create")
	p.click("button", "Request approval")
	p.says(".error-summary", "There is a problem")
	i.look("a refused change")
}

// TestEachRowOfAListIsItsOwnLink: a row opens what stands in it, wherever it is touched, and covers no other row.
func TestEachRowOfAListIsItsOwnLink(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	one, two := as(t, "admin1"), as(t, "admin2")
	var asked []string
	for _, name := range []string{"both1", "supervisor1"} {
		one.open("/admin/ask/user.suppress?subject=" + name)
		one.click("button", "Request approval")
		one.says("main", "Another administrator must approve or reject it.")
		asked = append(asked, one.page.URL())
	}
	two.open("/admin")
	covered, err := two.page.Evaluate(`() => [...document.querySelectorAll("main tbody tr")].filter((row) => {
		const link = row.querySelector("a.row-link"), box = row.getBoundingClientRect();
		return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) !== link;
	}).map((row) => row.innerText)`)
	if rows, list := covered.([]any); err != nil || !list || len(rows) > 0 {
		t.Errorf("rows that open another one: %v, %v", covered, err)
	}
	if rows := two.texts("main tbody tr"); len(rows) < len(asked) {
		t.Errorf("%d changes wait", len(rows))
	}
	for _, address := range asked {
		two.post(address[strings.Index(address, "/admin/"):]+"/reject", map[string]any{"reason": "Nobody is to be suppressed."})
	}
}
