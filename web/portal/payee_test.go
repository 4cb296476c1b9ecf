package portal_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/payee"
	"countersign/internal/service/servicetest"
	"countersign/web/webtest"
)

// asking is the portal with the simulator's banks to ask about payees.
func asking(t *testing.T) (*bench, webtest.Banks) {
	t.Helper()
	banks := webtest.AskBanks(t)
	return setupWith(t, servicetest.Options{Payee: banks}), banks
}

func TestWhatIsFoundAboutAPayeeIsShownToMakerAndCheckers(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	maker, checker, amount := b.as("maker1"), b.as("checker1"), 100
	made := map[payee.Result]string{}
	for name, outcome := range map[string]struct {
		result             payee.Result
		maker, flag, other string
	}{
		"Anna Exemple":    {payee.Match, "The creditor's name is verified", "", "belongs to somebody else"},
		"Nearly Right AG": {payee.CloseMatch, "Use this name: Nearly Right Holding AG", "Similar name", "is verified"},
		"Somebody Else":   {payee.NoMatch, "The account is not in the creditor's name", "Different name", "is verified"},
		"Not Kept Here":   {payee.NotPossible, "The creditor's name could not be verified", "Name not verified", "is verified"},
		"Late Answer":     {payee.Late, "did not answer in time", "Name not verified", "is verified"},
	} {
		amount++
		check := maker.post("/payments/new", with(sepa(), "creditorName", name, "endToEndId", "E-"+string(outcome.result),
			"amount", strconv.Itoa(amount))).goesTo("/payments/")
		page := maker.get(check).is(http.StatusOK).says(outcome.maker)
		action := strings.Replace(check, "/check", "/submit", 1)
		submitted := maker.post(action, page.fields(action)).goesTo("/payments/")
		m := b.message("demo", strings.Split(submitted, "/")[2])
		made[outcome.result] = m.InternalID.String()
		if m.Payee.Result != outcome.result {
			t.Errorf("%s: stored is %+v", name, m.Payee)
		}
		detail := checker.get("/queue/" + m.InternalID.String()).is(http.StatusOK).says("Name check")
		list := checker.get("/queue").is(http.StatusOK)
		if outcome.flag != "" {
			asked := "Checked on"
			if outcome.result == payee.NoMatch {
				asked = "The bank was asked on"
			}
			detail.says(asked)
			list.says(outcome.flag)
		}
		if strings.Contains(detail.page.Find("#pane").Text(), outcome.other) { // the list has the other payments
			t.Errorf("%s: the page says %q too", name, outcome.other)
		}
	}
	narrowed(t, checker, made)
}

// narrowed holds what each flag of payees narrows the queue to, rows and count.
func narrowed(t *testing.T, checker *browser, made map[payee.Result]string) {
	t.Helper()
	for flag, results := range map[string][]payee.Result{
		"other-name": {payee.NoMatch}, "name-differs": {payee.CloseMatch}, "name-not-verified": {payee.NotPossible, payee.Late},
		"nonsense": {payee.Match, payee.CloseMatch, payee.NoMatch, payee.NotPossible, payee.Late},
	} {
		var wanted []string
		for _, result := range results {
			wanted = append(wanted, made[result])
		}
		list := checker.get("/queue?flag=" + flag).is(http.StatusOK)
		rows := list.rows()
		slices.Sort(wanted)
		slices.Sort(rows)
		if !slices.Equal(rows, wanted) {
			t.Errorf("flag=%s lists %v, want %v", flag, rows, wanted)
		}
		if count := list.page.Find(".tabs a[aria-current] .tab-count").Text(); count != strconv.Itoa(len(wanted)) {
			t.Errorf("flag=%s: the tab counts %q, and %d are wanted", flag, count, len(wanted))
		}
	}
}

func TestTheNameOfTheAccountIsTakenOver(t *testing.T) {
	t.Parallel()
	b, banks := asking(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", with(sepa(), "creditorName", "Nearly Right AG")).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK).says("Use this name: Nearly Right Holding AG")
	use, action := strings.Replace(check, "/check", "/payee", 1), strings.Replace(check, "/check", "/submit", 1)
	back := maker.post(use, page.fields(action)).goesTo(check)
	page = maker.get(back).is(http.StatusOK).says("Nearly Right Holding AG").says("The creditor's name is verified")
	submitted := maker.post(action, page.fields(action)).goesTo("/payments/")
	m := b.message("demo", strings.Split(submitted, "/")[2])
	if m.Summary.CreditorName != "Nearly Right Holding AG" || m.Payee.Result != payee.Match {
		t.Errorf("%s with %+v", m.Summary.CreditorName, m.Payee)
	}
	if banks.Asked.Load() != 2 {
		t.Errorf("asked %d times about two names", banks.Asked.Load())
	}
	maker.post(use, page.fields(action)).is(http.StatusNotFound) // it is submitted
}

func TestNobodySubmitsWhatTheyWereNotShownAboutThePayee(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", with(sepa(), "creditorName", "Somebody Else")).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK)
	action := strings.Replace(check, "/check", "/submit", 1)
	form := page.fields(action)
	for _, shown := range []string{"", "MTCH"} {
		maker.post(action, with(form, "payee", shown)).goesTo(check)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Fatalf("%d messages were submitted unseen", n)
	}
	maker.post(action, form).goesTo("/payments/")
}
