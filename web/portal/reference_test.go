package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestEverybodySeesWhichReferenceDataAreInForce: the directories with their days, where they come from, and what is wrong with them.
func TestEverybodySeesWhichReferenceDataAreInForce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	if w.get("/me").page.Find(`a[href="/reference"]`).Length() != 1 {
		t.Error("no way leads to the page")
	}
	w.get("/reference").is(http.StatusOK).says("01.01.2020").says("the demo's own").
		says("This directory is more than three months old. Ask an operator").says("External code sets")
	_, err := b.DB.Owner(t).Exec(t.Context(), "DELETE FROM routing_directory WHERE scheme = 'sct-inst'")
	if err != nil {
		t.Fatal(err)
	}
	b.as("admin1").get("/reference").is(http.StatusOK).says("none").says("Enter the BIC of the creditor's bank for each payment")
	_, err = b.DB.Owner(t).Exec(t.Context(), "UPDATE routing_directory SET edition = '2026-11-01'")
	if err != nil {
		t.Fatal(err)
	}
	w.get("/reference").is(http.StatusOK).
		says("Every payment is refused because the stored bank directory differs from the imported directory")
}

// TestThePageOfReferenceDataShowsImportedCalendars: with the file they come from, and what is wrong with one.
func TestThePageOfReferenceDataShowsImportedCalendars(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	w.get("/reference").is(http.StatusOK).says("Bank holidays in " +
		"Zurich").says(calendar.Written[8:] + "." + calendar.Written[5:7] + "." + calendar.Written[:4])
	days, err := calendar.Parse([]byte("edition;2026-11-19\nday;scheme;clearing\n2026-12-24;sic-inst;closed\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.ImportReference(t.Context(), store.Provisioner{
		OwnerURL: b.DB.OwnerURL, Keys: storetest.Keys(t), At: time.Now(),
	}, store.ReferenceImport{Calendar: days, Source: "clearing-days.csv"})
	if err != nil {
		t.Fatal(err)
	}
	page := w.get("/reference").is(http.StatusOK).says("clearing-days.csv").says("19.11.2026").says("1 row").says("TARGET calendar")
	if strings.Contains(page.text, "Bank holidays in Zurich") {
		t.Error("the rule of the program is shown beside the calendar in force")
	}
	_, err = b.DB.Owner(t).Exec(t.Context(), "UPDATE reference_edition SET source = 'another'")
	if err != nil {
		t.Fatal(err)
	}
	w.get("/reference").is(http.StatusOK).says("Bank holidays in Zurich").says("was changed after it was imported, so it is not used")
}

// TestTheFormSaysThatABankIsNotReached: while the maker types, before the page to check, and at the field.
func TestTheFormSaysThatABankIsNotReached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	const unreached = "ES9121000418450200051332"
	w.get("/payments/iban?scheme=sct-inst&creditorIban=" + unreached).is(http.StatusOK).says("does not accept instant payments").says("AGNT")
	const reached = "/payments/iban?scheme=sct-inst&creditorIban=FR1420041010050500013M02606"
	w.get(reached).is(http.StatusOK).says("France").says("accepts SEPA instant payments")
	_, err := b.DB.Owner(t).Exec(t.Context(), "DELETE FROM routing_directory WHERE scheme = 'sct-inst'")
	if err != nil {
		t.Fatal(err)
	}
	if page := w.get(reached).is(http.StatusOK); strings.Contains(page.text, "accepts SEPA instant payments") {
		t.Errorf("without a directory the form says that the bank is reached: %s", page.text)
	}
}
