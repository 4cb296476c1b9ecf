package portal_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/payment"
)

// wrongAnswer is a form with one field that cannot be, and its code.
type wrongAnswer struct {
	form        url.Values
	field, code string
}

func wrongAnswers() map[string]wrongAnswer {
	sepa := with(filled(), "scheme", "sct-inst", "debtorAccount", "DE62007620110623852957", "creditorIban", "FR1420041010050500013M02606",
		"country", "FR", "town", "Paris", "postcode", "75001")
	return map[string]wrongAnswer{
		"check digits":            {with(filled(), "creditorIban", "CH4821966000009613389"), "creditorIban", "AC01"},
		"no IBAN":                 {with(filled(), "creditorIban", ""), "creditorIban", "CH21"},
		"IBAN outside the scheme": {with(filled(), "creditorIban", "DE89370400440532013000"), "creditorIban", "BE09"},
		"ambiguous amount":        {with(filled(), "amount", "1,234"), "amount", "AM12"},
		"no amount":               {with(filled(), "amount", ""), "amount", "CH21"},
		"nothing":                 {with(filled(), "amount", "0.00"), "amount", "AM01"},
		"above the limit":         {with(filled(), "amount", "20'000.01"), "amount", "AM02"},
		"no name":                 {with(filled(), "creditorName", " "), "creditorName", "CH21"},
		"long name":               {with(sepa, "creditorName", strings.Repeat("n", 71)), "creditorName", "CH16"},
		"foreign letters":         {with(filled(), "creditorName", "Иван"), "creditorName", "CH16"},
		"no name, no address": {
			with(filled(), "creditorName", "", "street", "", "buildingNumber", "", "postcode", "", "town", "", "country", ""),
			"creditorName", "CH21",
		},
		"no town":   {with(filled(), "town", ""), "town", "CH21"},
		"long town": {with(filled(), "town", strings.Repeat("t", 36)), "town", "CH16"},
		"QR check digit": {
			with(filled(), "remittanceKind", "qr", "qrReference", "210000000003139471430009018"), "qrReference", "CH16",
		},
		"QR check digit of a QR-IBAN": {
			with(filled(), "creditorIban", "CH4431999123000889012", "remittanceKind", "qr", "qrReference", "210000000003139471430009018"),
			"qrReference", "CH16",
		},
		"QR reference without QR": {
			with(filled(), "remittanceKind", "qr", "qrReference", "210000000003139471430009017"), "remittanceKind", "CH17",
		},
		"QR-IBAN without QR": {
			with(filled(), "creditorIban", "CH4431999123000889012", "remittanceKind", "none"), "remittanceKind", "CH21",
		},
		"creditor reference": {
			with(filled(), "remittanceKind", "scor", "creditorReference", "RF19539007547034"), "creditorReference", "CH16",
		},
		"no message":                {with(filled(), "remittanceText", ""), "remittanceText", "CH21"},
		"long message":              {with(filled(), "remittanceText", strings.Repeat("m", 141)), "remittanceText", "CH16"},
		"end-to-end ID":             {with(filled(), "endToEndId", "//x"), "endToEndId", "CH16"},
		"somebody else's account":   {with(filled(), "debtorAccount", "CH9300762011623852957"), "debtorAccount", "AC01"},
		"account of another scheme": {with(filled(), "debtorAccount", "DE62007620110623852957"), "debtorAccount", "AC01"},
	}
}

func TestEachWrongAnswerIsNamedBesideItsField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for name, c := range wrongAnswers() {
		t.Run(name, func(t *testing.T) {
			got := maker.post("/payments/new", c.form).is(http.StatusUnprocessableEntity)
			if title := got.page.Find("title").Text(); !strings.HasPrefix(title, "Error: ") {
				t.Errorf("the title is %q", title)
			}
			link := got.page.Find(`.error-summary a[href="#` + c.field + `"]`)
			inline := got.page.Find("#" + c.field + "-error")
			if link.Length() != 1 || inline.Length() != 1 {
				t.Fatalf("%d links and %d sentences for %s; the summary says %q", link.Length(), inline.Length(), c.field, got.problems())
			}
			if !strings.Contains(inline.Text(), link.Text()) || !strings.Contains(inline.Text(), c.code) {
				t.Errorf("the summary says %q, the field %q; want code %s", link.Text(), inline.Text(), c.code)
			}
			if n := len(got.problems()); n != 1 {
				t.Errorf("%d problems for one mistake: %q", n, got.problems())
			}
			kept := got.fields("/payments/new")
			for name, values := range c.form {
				if name == "act" || name == "debtorAccount" {
					continue
				}
				if kept.Get(name) != values[0] {
					t.Errorf("%s was %q and comes back as %q", name, values[0], kept.Get(name))
				}
			}
		})
	}
	if n := b.count("SELECT count(*) FROM draft") + b.count("SELECT count(*) FROM message"); n != 0 {
		t.Errorf("%d rows were stored for refused forms", n)
	}
}

func TestAllProblemsComeAtOnceInTheOrderOfTheForm(t *testing.T) {
	t.Parallel()
	got := setup(t).as("maker1").post("/payments/new", with(filled(), "creditorName", "", "creditorIban", "CH00", "amount", "x", "town", ""))
	var order []string
	for _, link := range got.is(http.StatusUnprocessableEntity).page.Find(".error-summary a").EachIter() {
		order = append(order, link.AttrOr("href", ""))
	}
	if want := []string{"#creditorIban", "#creditorName", "#amount", "#town"}; !slices.Equal(order, want) {
		t.Errorf("the summary leads to %v, want %v", order, want)
	}
}

func TestTheSchemeSwitchKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	form := with(filled(), "switchScheme", "sct-inst", "amount", "1,234")
	form.Del("act")
	got := setup(t).as("maker1").post("/payments/new", form).is(http.StatusOK)
	kept := got.fields("/payments/new")
	if kept.Get("scheme") != "sct-inst" || kept.Get("amount") != "1,234" || kept.Get("creditorName") != "Beispiel Holzbau GmbH" {
		t.Errorf("after the switch the form holds %v", kept)
	}
	if got.page.Find(".error-summary").Length() > 0 {
		t.Error("a switch is answered with problems")
	}
}

func TestIBANFeedback(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	for typed, want := range map[string]string{
		"ch48 2196 6000 0096 1338 8": "Switzerland · accepts SIC instant payments",
		"CH4821966000009613389":      "The check digits of the IBAN are wrong. Compare the IBAN with the invoice.",
		"CH48219660000096133":        "An IBAN that starts with CH has 21 characters, not 19.",
		"DE89370400440532013000":     "Enter an IBAN that starts with CH or LI",
		"CH44 3199 9123 0008 8901 2": "QR-IBAN",
	} {
		path := "/payments/iban?scheme=sic-inst&creditorIban=" + url.QueryEscape(typed)
		got := maker.withHTMX().get(path).is(http.StatusOK).says(want)
		if strings.Contains(got.text, "<input") || strings.Contains(got.text, "<html") {
			t.Errorf("the feedback for %s replaces more than itself: %s", typed, got.text)
		}
		maker.get(path).is(http.StatusOK).says(want).says("New payment")
	}
}

// TestAFilledFormSaysOfItsAccountWhatATypedOneSays: one that was refused, and one that begins as another payment.
func TestAFilledFormSaysOfItsAccountWhatATypedOneSays(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	const want = "Switzerland · accepts SIC instant payments"
	check := func(name string, page answer) {
		t.Helper()
		if said := page.page.Find("#creditorIban-feedback").Text(); !strings.Contains(said, want) {
			t.Errorf("%s says %q", name, said)
		}
	}
	check("a refused form", maker.post("/payments/new", with(filled(), "amount", "")).is(http.StatusUnprocessableEntity))
	check("a form like another", maker.get("/payments/new?like="+maker.submit(filled()).InternalID.String()).is(http.StatusOK))
}

// TestAnAccountOutsideTheListIsToldAsSuch: one's own account is chosen from a list, whatever else is wrong with another number, and be it
// one that no database takes.
func TestAnAccountOutsideTheListIsToldAsSuch(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	for _, typed := range []string{"CH5000762011623852957", "CH5021977000004331346\x00"} {
		form := with(filled(), "debtorAccount", typed)
		got := maker.post("/payments/new", form).is(http.StatusUnprocessableEntity)
		if said := got.page.Find("#debtorAccount-error").Text(); !strings.Contains(said, "Choose one of your own accounts") {
			t.Errorf("of %q the field says %q", typed, said)
		}
		maker.post("/payments/outlook", form).is(http.StatusOK)
	}
}

func TestNobodyDecidesWhatTheyMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	both := b.as("both1")
	m := both.submit(filled())
	path := "/queue/" + m.InternalID.String()
	got := both.get(path).is(http.StatusOK).says("You submitted this payment or request on")
	if n := got.page.Find(`form[action*="approve"], form[action*="/reject"]`).Length(); n != 0 {
		t.Errorf("%d decision forms are offered to the maker", n)
	}
	both.get("/queue").is(http.StatusOK).says("0 waiting")
	form := url.Values{"version": {"1"}, "contentHash": {hash(m)}, "reason": {"no"}}
	both.post(path+"/approve", form).is(http.StatusForbidden).says("Another person must approve or reject it.")
	both.post(path+"/reject", form).is(http.StatusForbidden).says("Another person must approve or reject it.")
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending || len(m.Decisions) != 0 {
		t.Errorf("the message is %s with %d decisions", m.State, len(m.Decisions))
	}
}

func TestRolesDecideWhatIsReached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	id := m.InternalID.String()
	decision := url.Values{"version": {"1"}, "contentHash": {hash(m)}}
	for name, c := range map[string]struct {
		person, path string
		form         url.Values
	}{
		"a maker approves":            {"maker2", "/queue/" + id + "/approve", decision},
		"a supervisor approves":       {"supervisor1", "/queue/" + id + "/approve", decision},
		"an administrator approves":   {"admin1", "/queue/" + id + "/approve", decision},
		"a checker creates":           {"checker1", "/payments/new", filled()},
		"a checker opens the form":    {"checker1", "/payments/new", nil},
		"a checker amends":            {"checker1", "/payments/" + id + "/amend", nil},
		"a checker withdraws":         {"checker1", "/payments/" + id + "/withdraw", url.Values{"version": {"1"}}},
		"another maker withdraws":     {"maker2", "/payments/" + id + "/withdraw", url.Values{"version": {"1"}}},
		"an administrator reads":      {"admin1", "/payments/" + id, nil},
		"an administrator lists":      {"admin1", "/payments", nil},
		"an administrator opens it":   {"admin1", "/queue/" + id, nil},
		"a supervisor opens the form": {"supervisor1", "/payments/new", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := b.as(c.person)
			if c.form == nil {
				w.get(c.path).is(http.StatusForbidden)
				return
			}
			w.post(c.path, c.form).is(http.StatusForbidden)
		})
	}
	if m := b.message("demo", id); m.State != payment.StateApprovalPending || m.Sequence != 1 {
		t.Errorf("the message is %s after %d steps", m.State, m.Sequence)
	}
}

func TestAnotherRealmSeesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	draft := b.as("maker1").post("/payments/new", filled()).goesTo("/payments/")
	documents, err := b.Reader.Documents(context.Background(), "demo", documentsOf(m))
	if err != nil || len(documents) == 0 {
		t.Fatal(err)
	}
	id := m.InternalID.String()
	checker, maker := b.asIn("demo2", "checker1"), b.asIn("demo2", "maker1")
	for _, path := range []string{
		"/payments/" + id, "/queue/" + id, "/payments/" + id + "/submitted", "/queue/" + id + "/reject",
		"/payments/" + id + "/messages/" + documents[0].ID.String(), "/payments/" + id + "/messages/" + documents[0].ID.String() + "/download",
	} {
		checker.get(path).is(http.StatusNotFound)
	}
	maker.get("/payments/new?like=" + id).is(http.StatusNotFound)
	maker.get("/payments/" + id + "/amend").is(http.StatusNotFound)
	maker.get(draft).is(http.StatusNotFound)
	checker.post("/queue/"+id+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(m)}}).is(http.StatusNotFound)
	checker.get("/search?q=" + string(m.GlobalID)).is(http.StatusOK).says("No results")
	checker.get("/queue").is(http.StatusOK).says("Nothing left to decide")
	// A draft is its owner's, also within the realm.
	other := b.as("maker2")
	other.get(draft).is(http.StatusNotFound)
	other.post(strings.TrimSuffix(draft, "check")+"submit", nil).is(http.StatusNotFound)
}

func TestOnlyWhatWasShownIsDecided(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	path := "/queue/" + m.InternalID.String()
	checker := b.as("checker1")
	form := checker.get(path).is(http.StatusOK).fields(path + "/reject")

	amend := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "9'999.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	answers := maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", "x")
	done := maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/" + m.InternalID.String())
	maker.get(done).is(http.StatusOK)

	got := checker.post(path+"/reject", with(form, "reason", "Wrong amount, see order 7")).is(http.StatusConflict)
	got.says("The current version differs from the version you opened.").says("Wrong amount, see order 7")
	got.says("9'999.00").says("1'234.50") // before and after
	checker.post(path+"/approve", with(form, "looked", "yes")).is(http.StatusConflict)
	checker.post(path+"/approve", url.Values{}).is(http.StatusConflict)
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending || m.Version != 2 {
		t.Fatalf("the message is %s in version %d", m.State, m.Version)
	}
	fresh := got.fields(path + "/approve")
	if fresh.Get("version") != "2" {
		t.Errorf("the panel offers version %s", fresh.Get("version"))
	}
	checker.post(path+"/approve", fresh).goesTo("/queue")
}

func TestTheSlowerCheckerSeesWhoWon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	next := b.as("maker1").submit(with(filled(), "amount", "77.00"))
	path := "/queue/" + m.InternalID.String()
	fast, slow := b.as("checker1"), b.as("checker2")
	form := slow.get(path).is(http.StatusOK).fields(path + "/reject")
	fast.post(path+"/approve", fast.get(path).fields(path+"/approve")).goesTo("/queue")
	for _, w := range []*browser{slow, slow.withHTMX()} {
		got := w.post(path+"/reject", with(form, "reason", "I do not know <them>", "category", "fraud")).is(http.StatusConflict)
		got.says(string(m.GlobalID) + " was already approved by Checker 1 at").says("I do not know <them>").says("Approved")
		if on := got.page.Find(".conflict a").AttrOr("href", ""); on != "/queue/"+next.InternalID.String() {
			t.Errorf("the panel leads on to %q, want what waits next", on)
		}
	}
	other := "/queue/" + next.InternalID.String()
	fast.post(other+"/approve", fast.get(other).fields(other+"/approve")).goesTo("/queue")
	last := slow.post(path+"/reject", with(form, "reason", "No", "category", "fraud")).is(http.StatusConflict)
	if on := last.page.Find(".conflict a").AttrOr("href", ""); on != "/queue" {
		t.Errorf("with nothing left the panel leads on to %q", on)
	}
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApproved || len(m.Decisions) != 1 {
		t.Errorf("the message is %s with %d decisions", m.State, len(m.Decisions))
	}
}
