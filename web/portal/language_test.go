package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/interbank"
	"countersign/internal/service/servicetest"
)

// TestALanguageIsGuessedChosenAndKept: guessed from the browser, chosen on the page of the sign-in or on the profile, and kept with the
// account, whatever the next browser asks for.
func TestALanguageIsGuessedChosenAndKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	enter := func(w *browser, user string) {
		w.post("/signin", url.Values{"realm": {"demo"}, "username": {user}, "password": {demo.UserPassword}}).is(http.StatusSeeOther)
	}
	speaks := func(got answer, language, sentence string) {
		t.Helper()
		got.is(http.StatusOK).says(sentence)
		if lang := got.page.Find("html").AttrOr("lang", ""); lang != language || got.header.Get("Content-Language") != language {
			t.Errorf("%s is in %q, header %q, want %q", got.what, lang, got.header.Get("Content-Language"), language)
		}
	}
	swiss := b.browser()
	swiss.header.Set("Accept-Language", "de-CH,de;q=0.9")
	speaks(swiss.get("/signin"), "de", "Anmelden")
	speaks(swiss.get("/signin?language=fr"), "fr", "Se connecter")
	speaks(swiss.get("/signin?language=xx"), "fr", "Se connecter")
	enter(swiss, "checker1")
	speaks(swiss.get("/queue"), "fr", "Liste de validation")
	other := b.browser()
	other.header.Set("Accept-Language", "en")
	enter(other, "checker1")
	speaks(other.get("/queue"), "fr", "Liste de validation")
	other.post("/me", url.Values{"theme": {"auto"}, "density": {"default"}, "language": {"it"}}).goesTo("/me")
	speaks(other.get("/me"), "it", "Impostazioni salvate.")
	speaks(swiss.get("/queue"), "it", "Lista di autorizzazione")
	other.post("/me", url.Values{"theme": {"auto"}, "density": {"default"}, "language": {"pl"}}).is(http.StatusUnprocessableEntity)
	enter(swiss, "checker2") // chose nothing: the browser goes on as it was used, and nothing is kept with the account
	speaks(swiss.get("/queue"), "fr", "Liste de validation")
	fresh := b.browser()
	enter(fresh, "checker2")
	speaks(fresh.get("/queue"), "en", "Approval queue")
}

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
	maker.upload("leer.xml", nil).is(http.StatusUnprocessableEntity).says("Wählen Sie eine Datei, die nicht leer ist.")
	maker.upload("voll.xml", make([]byte, 2049<<10)).is(http.StatusUnprocessableEntity).says("Wählen Sie eine Datei von höchstens 2'048 kB.")
	lines := strings.Replace(strings.Join(table(2), "\n"), "101.50", "101.5051", 1)
	maker.get(maker.upload("Lohn.csv", []byte(lines)).goesTo("/payments/batches/")).says("Geben Sie höchstens 2 Nachkommastellen ein")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("Schweiz")
	own := checker.submit(with(filled(), "country", "LI"))
	checker.get("/queue/" + own.InternalID.String()).is(http.StatusOK).says("Deve decidere un'altra persona.")
}

// TestWhatBecameOfAPaymentIsReadInTheLanguageOfThePage: why clearing refused it, in its timeline as above it, and that nobody answered, in
// the report. What clearing wrote besides is marked as English.
func TestWhatBecameOfAPaymentIsReadInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	refused := func(code, amount string) string {
		m := o.approve(o.as("maker1").submit(with(filled(), "amount", amount)))
		report, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: m.Scheme, About: o.lastSent("pacs.008"), Reference: "ST" + code, StatusID: "S" + code, At: time.Now(), Code: code,
		})
		o.receive(m.Scheme, "ST"+code, report, err)
		return "/payments/" + m.InternalID.String()
	}
	closed, strange := refused("AC04", "11.00"), refused("AC11", "12.00")
	w := o.as("supervisor1")
	w.header.Set("Accept-Language", "de-CH")
	const words = "Das Konto des Empfängers ist saldiert."
	page := w.get(closed).is(http.StatusOK).says(words).says("SIC-Instant-Zahlung")
	if note := page.page.Find(".timeline .event-note").Text(); !strings.Contains(note, words) || strings.Contains(note, "Account number") {
		t.Errorf("the timeline says %q", note)
	}
	w.get(refused("AG11", "15.00")).is(http.StatusOK).says("Die Empfängerbank nimmt zurzeit keine Instant-Zahlungen an.")
	w.get(refused("AC02", "14.00")).is(http.StatusOK).says("Die Kontonummer des Auftraggebers fehlt oder ist falsch.")
	note := w.get(strange).is(http.StatusOK).page.Find(".timeline .event-note").Last()
	if lang := note.AttrOr("lang", ""); lang != "en" || note.Text() == "" {
		t.Errorf("%q is marked as %q", note.Text(), lang)
	}
	unanswered := o.approve(o.as("maker1").submit(with(filled(), "amount", "13.00")))
	o.become("'"+unanswered.InternalID.String()+"'", "Unconfirmed")
	o.change("SET session_replication_role = replica; " +
		"UPDATE message_history SET reason = 'Clearing did not answer in time. The payment could still be settled.' WHERE to_state = " +
		"'Unconfirmed'")
	w.get("/reports/unanswered").is(http.StatusOK).says("Das Clearing hat nicht rechtzeitig geantwortet.")
	w.get("/reference").is(http.StatusOK).says("Bankfeiertage in Zürich").says("Europäische Zentralbank")
}

// TestRefusalsInTheAuditTrailAreReadInTheLanguageOfThePage: they are stored with their values, as are the reasons of what the clock ends.
// What a person writes is never a text of the portal, and programs get the English alone.
func TestRefusalsInTheAuditTrailAreReadInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := b.as("both1").submit(filled())
	b.as("both1").post("/queue/"+own.InternalID.String()+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(own)}}).
		is(http.StatusForbidden)
	b.browser().post("/signin", url.Values{"realm": {"demo"}, "username": {"maker1"}, "password": {"wrong"}})
	checker, tomorrow := b.as("checker1"), time.Now().In(zurich).AddDate(0, 0, 1).Format("2.1.2006")
	decide := func(form url.Values, action, reason string) string {
		m := b.as("maker1").submit(form)
		at := "/queue/" + m.InternalID.String()
		checker.post(at+"/"+action, with(checker.get(at).fields(at+"/approve"), "category", "other", "reason", reason)).goesTo("/queue")
		return "/payments/" + m.InternalID.String() + "/timeline"
	}
	rejected := decide(with(filled(), "amount", "15.00"), "reject", "Nobody decided in time.")
	failed := decide(with(filled(), "amount", "16.00", "executionDate", tomorrow), "approve", "")
	b.changed("policy.create", "", url.Values{"approvals": {"2"}, "amountFrom": {"1.00"}})
	later := b.Again(t, servicetest.Options{Now: func() time.Time { return time.Now().AddDate(0, 0, 8) }, Clearing: &servicetest.Network{}})
	for b.count("SELECT count(*) FROM message WHERE state IN ('Expired', 'Failed')") < 2 && t.Context().Err() == nil {
		later.Clearing.RunOnce(t.Context())
	}
	w := b.as("supervisor1")
	w.header.Set("Accept-Language", "de")
	expired := "/payments/" + own.InternalID.String() + "/timeline"
	for path, want := range map[string]string{
		expired: "Niemand hat rechtzeitig entschieden.", rejected: "Nobody decided in time.",
		failed: "Die geltende Freigaberegel verlangt 2 Freigaben. Bei der Erfassung dieser Zahlung verlangte die Freigaberegel nur 1 Freigabe. " +
			"Erfassen Sie die Zahlung neu.",
	} {
		w.get(path).is(http.StatusOK).says(want)
	}
	for language, want := range map[string][]string{
		"de": {
			"Die geltende Freigaberegel verlangt 2 Freigaben", "Niemand hat rechtzeitig entschieden.", "Sie haben diese Meldung am ",
			"eingereicht. Eine andere Person muss sie freigeben oder ablehnen.",
			"Benutzername oder Passwort ist falsch.", "nicht angemeldet",
		},
		"fr": {"Vous avez transmis cette opération le ", "Nom d'utilisateur ou mot de passe incorrect.", "non connecté"},
		"it": {"Lei ha inserito questo pagamento o questa richiesta il ", "Nome utente o password errati.", "non connesso"},
		"en": {"You submitted this payment or request on ", "Wrong user name or password."},
	} {
		w.header.Set("Accept-Language", language)
		page := w.get("/audit").is(http.StatusOK)
		for _, words := range want {
			page.says(words)
		}
		if language != "en" && strings.Contains(page.main(), "Another person must approve") {
			t.Errorf("the audit trail in %s has English sentences", language)
		}
	}
	table := w.get("/audit/table").is(http.StatusOK).text
	if !strings.Contains(table, "The current policy requires 2 approvals") || strings.Contains(table, `""text""`) {
		t.Errorf("programs get %s", table)
	}
}

// TestTheCategoryOfARejectionIsReadInTheLanguageOfThePage: a checker who reads German chooses it, and it is stored in English.
func TestTheCategoryOfARejectionIsReadInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.header.Set("Accept-Language", "de-CH")
	checker.post(path+"/reject", with(checker.get(path).fields(path+"/reject"), "category", "evidence", "reason", "Rechnung beilegen")).goesTo("/queue")
	if n := b.count("SELECT count(*) FROM decision WHERE reason = 'Payment order or supporting document is missing: Rechnung " +
		"beilegen'"); n != 1 {
		t.Error("the category is not stored in English")
	}
	for name, paths := range map[string][]string{"maker1": {"", "/timeline"}, "supervisor1": {"", "/audit"}} {
		who := b.as(name)
		who.header.Set("Accept-Language", "fr-CH")
		for _, part := range paths {
			who.get("/payments/" + m.InternalID.String() + part).is(http.StatusOK).says("Ordre ou justificatif manquant : Rechnung beilegen")
		}
	}
	maker := b.as("maker1")
	maker.header.Set("Accept-Language", "it-CH")
	maker.get("/mine?tab=rejected").is(http.StatusOK).says("Manca l'ordine o il giustificativo: Rechnung beilegen")
	for _, report := range []string{"/reports/rejected", "/reports/decisions"} {
		b.as("supervisor1").get(report).is(http.StatusOK).says("Payment order or supporting document is missing: Rechnung beilegen")
	}
}
