package portal_test

import (
	"net/http"
	"testing"
)

// TestRefusalsAreReadInTheLanguageOfThePage: what the rules and the domain refuse, and why.
func TestRefusalsAreReadInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("both1")
	maker.header.Set("Accept-Language", "de-CH")
	checker.header.Set("Accept-Language", "it")
	refused := maker.post("/payments/new", with(filled(), "amount", "1,234", "town", "", "creditorIban", "DE62007620110623852957"))
	refused.is(http.StatusUnprocessableEntity).says("Meinen Sie 1'234.00 oder 1.234? Geben Sie den Betrag mit zwei Nachkommastellen ein.").
		says("Geben Sie den Ort der Adresse ein.").says("Österreich")
	maker.post("/payments/new", with(filled(), "amount", "20000.01")).is(http.StatusUnprocessableEntity).
		says("Geben Sie höchstens CHF 20'000.00 ein, die Grenze für Instant-Zahlungen")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("Schweiz")
	own := checker.submit(with(filled(), "country", "LI"))
	checker.get("/queue/" + own.InternalID.String()).is(http.StatusOK).says("Deve decidere un'altra persona.")
}
