package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

// command runs the program beside the demo, as its operator, and returns what it prints.
func command(t *testing.T, arguments ...string) string {
	t.Helper()
	c := exec.CommandContext(context.Background(), filepath.Join(shared.program.folder, "countersign"), arguments...)
	c.Env = append(
		os.Environ(), "COUNTERSIGN_DATABASE_OWNER_URL="+shared.program.databaseURL,
		"COUNTERSIGN_TOKEN_KEY_FILE="+filepath.Join(shared.program.folder, "demo", "token.key"), "COUNTERSIGN_PORTAL_URL="+shared.program.address,
	)
	output, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("countersign %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// printed is what a command printed under a name: a link or a code.
func printed(t *testing.T, output, name string) string {
	t.Helper()
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == name {
			return fields[1]
		}
	}
	t.Fatalf("no %s in\n%s", name, output)
	return ""
}

// installed is somebody of the realm that the test installs, without script.
func installed(t *testing.T, name, link, code string) *person {
	t.Helper()
	p := visitor(t, plain)
	p.open(link)
	p.fill("Code", code)
	p.fill("New password", ownPassword)
	p.fill("Repeat the password", ownPassword)
	p.click("button", "Set password")
	p.at("/set-up/done")
	p.comesIn(name)
	return p
}

// comesIn signs in to the installed realm by the form.
func (p *person) comesIn(name string) {
	p.t.Helper()
	p.open("/signin?realm=bank")
	p.fill("User name", name)
	p.fill("Password", ownPassword)
	p.click("button", "Sign in")
	p.says("body", "Sign out")
}

// pair are two administrators.
type pair struct{ one, other *person }

// asks fills in the form of a change, by the names of its fields; the other administrator finds it in the list and approves it. It returns
// what each was shown once.
func (a pair) asks(kind, subject string, fields map[string]string) (toRequester, toApprover string) {
	t := a.one.t
	t.Helper()
	address := "/admin/ask/" + kind
	if subject != "" {
		address += "?subject=" + subject
	}
	if status := a.one.open(address); status != 200 {
		t.Fatalf("%s comes with %d", address, status)
	}
	for name, value := range fields {
		a.one.answers(name, value)
	}
	a.one.answers("note", "By the installation")
	a.one.click("button", "Request approval")
	a.one.says("main", "Another administrator must approve or reject it.")
	heading := a.one.texts("main h1")[0]
	shown := a.one.texts("main .notice code")
	a.one.counts("button:has-text('Approve the change')", 0)
	a.other.open("/admin")
	err := a.other.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: heading, Exact: playwright.Bool(true)}).First().Click()
	if err != nil {
		t.Fatal(err)
	}
	a.other.says("main", "By the installation")
	a.other.click("button", "Approve the change")
	a.other.says(".detail-state", "Applied")
	return strings.Join(shown, " "), strings.Join(a.other.texts("main .notice code"), " ")
}

// answers types or chooses the answer of a field by its name.
func (p *person) answers(name, value string) {
	p.t.Helper()
	var err error
	choice, boxes := p.find("select[name="+name+"]"), p.find("input[type=checkbox][name="+name+"]")
	switch {
	case p.has(choice):
		_, err = choice.SelectOption(playwright.SelectOptionValues{Values: &[]string{value}})
	case p.has(boxes):
		err = ticks(boxes, strings.Split(value, ", "))
	default:
		err = p.find("[name=" + name + "]").First().Fill(value)
	}
	if err != nil {
		p.t.Fatalf("answer %s: %v", name, err)
	}
}

// ticks ticks the boxes of these values, and no others.
func ticks(boxes playwright.Locator, values []string) error {
	all, err := boxes.All()
	for _, box := range all {
		value, failed := box.GetAttribute("value")
		if failed == nil {
			failed = box.SetChecked(slices.Contains(values, value))
		}
		err = errors.Join(err, failed)
	}
	return err
}

func (p *person) has(part playwright.Locator) bool {
	p.t.Helper()
	n, err := part.Count()
	return must(p.t, n, err) > 0
}

// TestABankIsInstalledByThePortal: from a realm that the operator made to a settled payment. What docs/install.md does by calls is done
// here by pages, and none of them needs a script: the forms of administration, setting passwords, entering and approving.
func TestABankIsInstalledByThePortal(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	command(t, "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	file := filepath.Join(t.TempDir(), "banks.csv")
	err := os.WriteFile(file, []byte("edition;"+time.Now().UTC().Format(time.DateOnly)+
		"\nprefix;bic;name;instant\nCH21966;AAAACHZZXXX;A bank;yes\nCH21977;AAAACHBBXXX;Beispiel Bank AG;yes\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	command(t, "directory", "import", file, "--scheme", "sic-inst", "--realm", "bank")
	anna := command(t, "realm", "administrator", "--realm", "bank", "--user", "anna", "--name", "Anna Administrator")
	bert := command(t, "realm", "administrator", "--realm", "bank", "--user", "bert", "--name", "Bert Administrator")
	both := pair{
		one:   installed(t, "anna", printed(t, anna, "link"), printed(t, anna, "code")),
		other: installed(t, "bert", printed(t, bert, "link"), printed(t, bert, "code")),
	}
	both.asks("policy.create", "", map[string]string{"approvals": "1"})
	both.asks("account.create", "", map[string]string{
		"iban": swissDebtor, "scheme": "sic-inst", "holderName": "Muster AG", "holderStreet": "Musterstrasse", "holderBuilding": "24",
		"holderPostcode": "3000", "holderTown": "Bern", "holderCountry": "CH", "agentBic": "AAAACHBBXXX", "agentIid": "21977",
	})
	if _, secret := both.asks("client.create", "", map[string]string{"clientId": "erp", "kind": "confidential"}); len(secret) != 26 {
		t.Errorf("the secret of the client is %q", secret)
	}
	maker, checker := both.employs("maker", "maker"), both.employs("checker", "checker")
	o := newOrder("sic-inst")
	maker.click("link", "New payment")
	maker.typeIn(o)
	maker.click("button", "Check your answers")
	maker.at("/payments/[0-9a-f-]+/check$")
	maker.click("button", "Submit "+o.shown()+" for approval")
	maker.at("/payments/[0-9a-f-]+/submitted$")
	m := o.find(t)
	maker.open("/queue/" + m.id)
	maker.says("main", "You need the checker role to approve or reject payments.")
	checker.open("/queue/" + m.id)
	checker.says("#detail-title", m.reference)
	checker.tickEach("#looked")
	checker.click("button", "Approve ")
	m.becomes(t, "Settled")
	maker.open("/payments/" + m.id)
	maker.says(".payment-states .badge", "Settled")
	if !strings.HasPrefix(m.reference, "BK") {
		t.Errorf("the payment's Global ID is %s", m.reference)
	}
	both.everyForm()
}

// employs makes a person with a role, by two administrators, link and code.
func (a pair) employs(name, role string) *person {
	a.one.t.Helper()
	code, link := a.asks("user.create", "", map[string]string{"name": name, "displayName": "Person " + name, "roles": role})
	return installed(a.one.t, name, link, code)
}

// everyForm goes through the lists and the forms of administration that the installation did not need, still without script.
func (a pair) everyForm() {
	t := a.one.t
	for _, list := range []string{"", "/users", "/clients", "/accounts", "/policies", "/provider"} {
		if status := a.one.open("/admin" + list); status != 200 {
			t.Errorf("/admin%s comes with %d", list, status)
		}
	}
	a.one.open("/admin/ask/policy.create")
	a.one.answers("approvals", "2")
	a.one.click("button", "Test with past payments")
	a.one.says("main", "1 payment would need more approvals.")
	a.one.answers("amountFrom", "a lot")
	a.one.click("button", "Request approval")
	a.one.says(".error-summary", "Enter the smallest amount as a number")
	a.asks("policy.create", "", map[string]string{"approvals": "2", "amountFrom": "5000.00", "scheme": "sic-inst"})
	a.asks("account.update", swissDebtor, map[string]string{"holderStreet": "Neue Strasse"})
	a.asks("client.secret", "erp", nil)
	a.asks("client.payee", "erp", map[string]string{"payeeWaived": "yes"})
	a.asks("client.suppress", "erp", nil)
	a.employs("checker2", "checker").says("main", "checker2")
	a.employs("checker3", "checker").says("main", "checker3")
	a.asks("user.roles", "checker2", map[string]string{"roles": "checker, supervisor"})
	a.asks("user.reset", "checker2", nil)
	a.asks("user.suppress", "checker2", nil)
	a.asks("user.restore", "checker2", nil)
	a.asks("provider.set", "", map[string]string{
		"issuer": "https://login.bank.example", "providerClient": "countersign", "providerSecret": "of the portal",
		"portalAddress": "https://payments.bank.example",
	})
	a.asks("user.link", "maker", map[string]string{"outerSubject": "s-1"})
	a.asks("user.unlink", "maker", nil)
	a.asks("provider.retire", "https://login.bank.example", nil)
	a.asks("realm.factors", "", map[string]string{"secondFactorRoles": "supervisor"})
	a.asks("account.close", swissDebtor, nil)
	a.one.open("/admin/ask/user.suppress?subject=bert")
	a.one.click("button", "Request approval")
	a.one.says(".error-summary", "At least two people must have the role administrator.")
	a.one.open("/admin/ask/user.roles?subject=maker")
	a.one.answers("roles", "maker, supervisor")
	a.one.click("button", "Request approval")
	a.other.open("/admin")
	a.other.click("link", "Change the roles of maker")
	a.other.click("button", "Reject the change")
	a.other.says(".error-summary", "Enter the reason for rejecting the change. The requester will see this reason.")
	a.other.answers("reason", "Not this week")
	a.other.click("button", "Reject the change")
	a.other.says("main", "Not this week")
	a.one.open("/admin?tab=all")
	a.one.says("main", "Close the account "+swissDebtor)
}
