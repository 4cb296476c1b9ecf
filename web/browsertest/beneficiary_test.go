package browsertest

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// takenIn takes a beneficiary in with two people, by the forms.
func (p *person) takenIn(name, iban string) {
	p.t.Helper()
	p.open("/beneficiaries/new")
	p.fill("Name", name)
	p.fill("IBAN", iban)
	p.click("button", "Request approval")
	p.at("/beneficiaries/changes/[0-9a-f-]+$")
	p.says("main", "You requested this change. Another checker must approve or reject it.")
	change, err := url.Parse(p.page.URL())
	if err != nil {
		p.t.Fatal(err)
	}
	checker := as(p.t, "checker1")
	checker.open("/beneficiaries")
	checker.open(change.Path)
	checker.says("main", name)
	inspect(checker).look("a change of a beneficiary")
	checker.click("button", "Approve the change")
	checker.says("main", "Applied")
}

// newBeneficiary is a name and an account of its own.
func newBeneficiary() (name, iban string) {
	number := time.Now().UnixNano() % 1_000_000_000_000
	return fmt.Sprintf("Zimmerei %012d", number), swissIBAN("21966", fmt.Sprintf("%012d", number))
}

// TestABeneficiaryIsPickedByTyping takes a beneficiary in with two people, and pays it without typing name or account.
func TestABeneficiaryIsPickedByTyping(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	name, iban := newBeneficiary()
	maker := as(t, "both1")
	maker.takenIn(name, iban)
	maker.open("/beneficiaries?q=" + iban)
	inspect(maker).look("the beneficiaries")
	maker.click("link", "Pay: "+name)
	maker.holds("Name", name)

	maker.open("/payments/new")
	maker.fill("Amount in CHF", "12.50")
	maker.fill("Find a beneficiary", name[10:])
	maker.says("#picks .pick", name)
	inspect(maker).look("a beneficiary found")
	err := maker.find("#picks .pick").Click()
	if err != nil {
		t.Fatal(err)
	}
	maker.says(".picked", "Creditor selected: "+name)
	maker.focused(".picked")
	maker.holds("Name", name)
	maker.holds("Amount in CHF", "12.50")
	inspect(maker).look("a beneficiary picked")
}

// TestABeneficiaryIsPickedWithoutScript does the same in a browser that runs no script.
func TestABeneficiaryIsPickedWithoutScript(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	name, iban := newBeneficiary()
	as(t, "both1").takenIn(name, iban)
	maker := withoutScript(t, "maker2")
	maker.open("/payments/new")
	maker.fill("Amount in CHF", "12.50")
	maker.fill("Find a beneficiary", name[10:])
	maker.click("button", "Find")
	err := maker.find("#picks .pick").Click()
	if err != nil {
		t.Fatal(err)
	}
	maker.says(".picked", "Creditor selected: "+name)
	maker.holds("Name", name)
	maker.holds("Amount in CHF", "12.50")
}

// swissIBAN is an IBAN of a bank's number and an account of twelve digits.
func swissIBAN(bank, account string) string {
	remainder := 0
	for _, digit := range bank + account + "121700" { // CH00
		remainder = (remainder*10 + int(digit-'0')) % 97
	}
	return fmt.Sprintf("CH%02d%s%s", 98-remainder, bank, account)
}
