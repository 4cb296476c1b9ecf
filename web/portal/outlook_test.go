package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/store/storetest"
)

// TestAFormTellsWhatItHasBecome: while it is filled in it says what would be paid, what is known of it and what it lacks. Nothing is kept.
func TestAFormTellsWhatItHasBecome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1").withHTMX()
	told := func(form url.Values) answer { return maker.post("/payments/outlook", form).is(http.StatusOK) }

	told(url.Values{"scheme": {"sct-inst"}}).says("EUR –").says("No creditor entered yet").says("Checkers")
	told(filled()).says("CHF 1'234.50").says("Beispiel Holzbau GmbH").says("CH48 2196 6000 0096 1338 8").says("SIC instant payment, within " +
		"the limit").
		says("No similar payment in the last 7 days").says("No information is missing").
		says("1 approval needed within 24 hours. People who can approve: Both 1, Checker 1, Checker 2")
	told(with(filled(), "amount", "12'000")).says("2 approvals needed")
	told(with(filled(), "amount", "20'000.01")).says("Enter at most CHF 20'000.00").says("Missing information")
	told(with(filled(), "amount", "1,234")).says("Did you mean 1'234.00 or 1.234?").says("CHF –")
	told(with(filled(), "creditorIban", "CH4821966000009613389")).says("The check digits of the IBAN are wrong.").says("Similar payments")
	strange := told(with(filled(), "creditorName", "Bei\u200bspiel \u202eHolz\u2011bau"))
	if name := strange.page.Find(".outlook-creditor bdi").Text(); name != "Beispiel Holz-bau" {
		t.Errorf("the name is shown as %q", name)
	}
	told(with(filled(), "creditorName", "", "town", "")).says("No creditor entered yet").says("Still to be completed or corrected: " +
		"Creditor name, Town")
	if n := b.count("SELECT count(*) FROM draft") + b.count("SELECT count(*) FROM message"); n != 0 {
		t.Errorf("%d rows were stored by looking", n)
	}

	m := b.as("maker2").submit(filled())
	alike := told(filled()).says("Possible duplicate: same account and amount entered once in the last 7 days")
	if to := alike.page.Find(".mark-waiting a").AttrOr("href", ""); to != "/payments/"+m.InternalID.String() {
		t.Errorf("the payment like this one is at %q", to)
	}
	b.as("checker1").post("/payments/outlook", filled()).is(http.StatusForbidden)
}

// TestATimeToDecideIsToldInWhole: a policy says whole minutes, and none of them is left out.
func TestATimeToDecideIsToldInWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for waits, told := range map[string]string{"90m": "90 minutes", "60h": "60 hours", "72h": "3 days", "1h": "1 hour"} {
		b.changed("policy.create", "", url.Values{"approvals": {"1"}, "rank": {"500"}, "expiresAfter": {waits}})
		b.as("maker1").withHTMX().post("/payments/outlook", filled()).is(http.StatusOK).says("1 approval needed within " + told + ".")
	}
}

// TestTheFormOfAnAmendmentIsNoDuplicateOfItself: what it amends is left out, and so is its maker.
func TestTheFormOfAnAmendmentIsNoDuplicateOfItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("both1").submit(filled())
	form := b.as("both1").get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	form.says("No similar payment in the last 7 days").says("People who can approve: Checker 1, Checker 2")
	address := form.page.Find(".outlook-says").AttrOr("hx-post", "")
	b.as("both1").withHTMX().post(address, filled()).is(http.StatusOK).says("No similar payment in the last 7 days")
}

// TestAnAddressIsAskedForWhereThereIsOne: it is folded away in an empty form, may be left out, and its country is that of the account.
func TestAnAddressIsAskedForWhereThereIsOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	unfolded := func(page answer) bool { return page.page.Find("details.address[open]").Length() == 1 }
	if unfolded(maker.get("/payments/new").is(http.StatusOK)) {
		t.Error("an empty form shows the fields of an address")
	}
	none := with(filled(), "street", "", "buildingNumber", "", "postcode", "", "town", "", "country", "")
	if m := maker.submit(none); m.Summary.CreditorName != "Beispiel Holzbau GmbH" {
		t.Errorf("without an address the payment is to %q", m.Summary.CreditorName)
	}
	maker.post("/payments/new", with(filled(), "country", "")).goesTo("/payments/")
	refused := maker.post("/payments/new", with(none, "street", "Seestrasse")).is(http.StatusUnprocessableEntity).says("Enter the town")
	if !unfolded(refused) {
		t.Error("what is wrong with an address is folded away")
	}
}

// TestAMakerIsToldWhatTheCheckersWillBeTold: beside the form, and on the page before the submission, in the same words.
func TestAMakerIsToldWhatTheCheckersWillBeTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := func(form url.Values) answer {
		return maker.get(maker.post("/payments/new", form).goesTo("/payments/")).is(http.StatusOK)
	}
	told := func(form url.Values) answer {
		return maker.withHTMX().post("/payments/outlook", form).is(http.StatusOK)
	}

	told(filled()).says("First payment to this account: Nothing has been paid to this account before.")
	check(with(filled(), "endToEndId", "A")).says("First payment to this account")
	maker.paid("endToEndId", "B", "amount", "100.00")
	told(with(filled(), "amount", "99.00")).says("Same details as in earlier payments")
	const other = "The last payment to this account was in the name of Beispiel Holzbau GmbH."
	form := with(filled(), "endToEndId", "C", "amount", "99.00", "creditorName", "Somebody Else AG")
	told(form).says("New name for this account: " + other)
	check(form).says("New name for this account").says(other)
	form = with(filled(), "endToEndId", "D", "amount", "400.00")
	told(form).says("Far above the usual amount: The last payment to this account was CHF 100.00.")
	check(form).says("Far above the usual amount")

	form = with(filled(), "endToEndId", "E")
	form.Set("creditorIban", form.Get("debtorAccount"))
	told(form).says("The debtor and creditor accounts are the same")
	check(form).says("The debtor and creditor accounts are the same")
	m := maker.submit(form)
	if said := b.as("checker1").get("/queue/" + m.InternalID.String()).notices(); !strings.Contains(said, "accounts are the same") {
		t.Errorf("the checker is told %q", said)
	}
}

// TestManyPaymentsLikeOneAreNotSaidToBeCounted: ten are looked for, and there may be more.
func TestManyPaymentsLikeOneAreNotSaidToBeCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker2").submit(filled())
	connection := b.DB.Connect(t)
	_, err := connection.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	storetest.Copies{Of: m.InternalID, First: 1, Count: 8}.Insert(t, connection)
	maker := b.as("maker1")
	maker.withHTMX().post("/payments/outlook", filled()).says("Possible duplicate: same account and amount entered 9 times in the " +
		"last 7 days")
	storetest.Copies{Of: m.InternalID, First: 9, Count: 3}.Insert(t, connection)
	const many = "Possible duplicate: same account and amount entered at least 10 times in the last 7 days"
	maker.withHTMX().post("/payments/outlook", filled()).says(many)
	maker.get(maker.post("/payments/new", filled()).goesTo("/payments/")).says(many)
	b.as("checker1").get("/queue/" + m.InternalID.String()).says(many)
}
