package portal_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5/pgconn"
)

// holzbau is the form of a beneficiary that nothing is wrong with.
func holzbau() url.Values {
	return url.Values{
		"creditorName": {"Beispiel Holzbau GmbH"}, "creditorIban": {"ch48 2196 6000 0096 1338 8"}, "street": {"Seestrasse"},
		"buildingNumber": {"41"}, "postcode": {"8002"}, "town": {"Zürich"}, "country": {"CH"}, "note": {"By letter of 3 March"},
	}
}

// takenIn asks for a beneficiary and lets it be approved.
func (w *browser) takenIn(form url.Values) {
	w.b.t.Helper()
	change := w.post("/beneficiaries/new", form).goesTo("/beneficiaries/changes/")
	w.b.as("checker1").post(change+"/approve", nil).goesTo(change)
}

// flags are the marks of a payment in the queue.
func (a answer) flags(id string) string {
	return strings.Join(a.page.Find("[data-row='"+id+"'] .flag").Map(func(_ int, flag *goquery.Selection) string {
		return strings.TrimSpace(flag.Text())
	}), ", ")
}

// TestABeneficiaryNeedsTwoPeople goes through the life of a beneficiary, from the request to its end.
func TestABeneficiaryNeedsTwoPeople(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker, both := b.as("maker1"), b.as("checker1"), b.as("both1")
	wrong := maker.post("/beneficiaries/new", url.Values{
		"creditorName": {"Ђорђе"}, "creditorIban": {"CH48 2196 6000 0096 1338 9"}, "town": {"Bern"},
	})
	wrong.is(http.StatusUnprocessableEntity).says("Choose the country").says("Banks cannot transmit this character")
	if n := len(wrong.problems()); n != 3 {
		t.Errorf("%d problems: %q", n, wrong.problems())
	}
	empty := maker.post("/beneficiaries/new", url.Values{"country": {"CH"}}).is(http.StatusUnprocessableEntity)
	if country := empty.page.Find("#country option[selected]").AttrOr("value", ""); country != "CH" {
		t.Errorf("the refused form has the country %q", country)
	}
	change := both.post("/beneficiaries/new", holzbau()).goesTo("/beneficiaries/changes/")
	both.get(change).is(http.StatusOK).says("You requested this change. Another checker must approve or reject it.")
	both.post(change+"/approve", nil).is(http.StatusForbidden).says("You requested this change.")
	maker.post(change+"/approve", nil).is(http.StatusForbidden)
	b.as("admin1").get(change).is(http.StatusForbidden)
	b.as("admin1").get("/admin/changes/" + change[len("/beneficiaries/changes/"):]).is(http.StatusNotFound)
	b.as("admin1").get("/admin?tab=all").is(http.StatusOK).says("No entries")
	b.asIn("demo2", "checker1").get(change).is(http.StatusNotFound)
	b.asIn("demo2", "checker1").post(change+"/approve", nil).is(http.StatusNotFound)
	checker.post("/beneficiaries/new", holzbau()).is(http.StatusForbidden)
	if n := b.count("SELECT count(*) FROM beneficiary"); n != 0 {
		t.Fatalf("%d beneficiaries before a second person agreed", n)
	}
	checker.get("/beneficiaries/changes").is(http.StatusOK).says("Add Beispiel Holzbau GmbH")
	checker.get(change).says("By letter of 3 March").says("CH48 2196 6000 0096 1338 8").says("Switzerland")
	checker.post(change+"/reject", url.Values{"reason": {" "}}).is(http.StatusUnprocessableEntity)
	checker.post(change+"/approve", nil).goesTo(change)
	checker.post(change+"/approve", nil).is(http.StatusConflict).says("already applied")
	maker.get("/beneficiaries?q=zuerich").is(http.StatusOK).says("CH48 2196 6000 0096 1338 8")
	maker.get("/beneficiaries?q=nobody").is(http.StatusOK).says("No beneficiary found")
	maker.post("/beneficiaries/new", holzbau()).is(http.StatusUnprocessableEntity).says("Another beneficiary already has this IBAN")

	row := maker.get("/beneficiaries").is(http.StatusOK).says("not paid yet").says(", by Both 1 and Checker 1")
	path := strings.TrimSuffix(row.page.Find("a:contains('Change')").Last().AttrOr("href", ""), "/change")
	form := maker.get(path + "/change").is(http.StatusOK).fields(path + "/change")
	maker.post(path+"/change", form).is(http.StatusUnprocessableEntity).says("All values are the same as before")
	moved := maker.post(path+"/change", with(form, "creditorIban", "CH9300762011623852957")).goesTo("/beneficiaries/changes/")
	twice := maker.post(path+"/change", with(form, "creditorName", "Holzbau AG")).goesTo("/beneficiaries/changes/")
	checker.post(moved+"/approve", nil).goesTo(moved)
	checker.post(twice+"/approve", nil).is(http.StatusConflict).says("has changed since the change was requested")
	checker.post(twice+"/reject", url.Values{"reason": {"Ask again"}}).goesTo(twice)
	removed := maker.post(path+"/remove", nil).goesTo("/beneficiaries/changes/")
	both.get(removed).says("CH93 0076 2011 6238 5295 7")
	both.post(removed+"/approve", nil).goesTo(removed)
	maker.get("/beneficiaries").says("No beneficiaries yet")
	maker.get("/payments/new?beneficiary=" + strings.Split(path, "/")[2]).is(http.StatusNotFound)
	maker.get(path + "/change").is(http.StatusOK)
	maker.post(path+"/change", holzbau()).is(http.StatusUnprocessableEntity).says("The beneficiary you chose was removed")
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'change.approve' AND detail::text LIKE '%beneficiary%'"); n != 3 {
		t.Errorf("the audit trail tells of %d approvals, want 3", n)
	}
	b.CheckInvariants(t)
}

// TestABeneficiaryFillsTheForm picks by typing, without a script and as htmx asks.
func TestABeneficiaryFillsTheForm(t *testing.T) {
	t.Parallel()
	b := setup(t).clearing()
	maker := b.as("maker1")
	maker.takenIn(holzbau())
	shown := maker.post("/payments/new", url.Values{"act": {"check"}, "find": {"holzbau"}, "amount": {"12.50"}}).is(http.StatusOK)
	pick := shown.page.Find("#picks button.pick").AttrOr("value", "")
	chosen := maker.post("/payments/new", url.Values{"act": {"check"}, "pick": {pick}, "amount": {"12.50"}, "endToEndId": {"E2E-9"}})
	form := chosen.is(http.StatusOK).says("Creditor selected: Beispiel Holzbau GmbH").fields("/payments/new")
	for name, want := range map[string]string{
		"creditorName": "Beispiel Holzbau GmbH", "creditorIban": "CH48 2196 6000 0096 1338 8", "street": "Seestrasse", "town": "Zürich",
		"country": "CH", "amount": "12.50", "endToEndId": "E2E-9", "addressKind": "structured",
	} {
		if form.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, form.Get(name), want)
		}
	}
	m := maker.submit(form)
	part := maker.withHTMX().get("/payments/creditors?find=CH48+2196").is(http.StatusOK)
	if part.page.Find("button.pick").Length() != 1 || part.page.Find("form").Length() != 0 {
		t.Errorf("the part for htmx is %s", part.text)
	}
	if empty := maker.withHTMX().get("/payments/creditors?find=+").is(http.StatusOK); empty.text != "" {
		t.Errorf("nothing to find is answered with %q", empty.text)
	}
	maker.get("/payments/creditors?find=Holz").is(http.StatusOK).says("Beispiel Holzbau GmbH CH48 2196 6000 0096 1338 8 Zürich")
	// The last creditors that this person paid, and nobody else: a submitted payment is not paid.
	if submitted := maker.get("/payments/new").page.Find(".recent button").Length(); submitted != 0 {
		t.Errorf("%d creditors of submitted payments are offered as paid", submitted)
	}
	paid := b.settled(filled())
	recent := maker.get("/payments/new").page.Find(".recent button")
	if recent.Length() != 1 || recent.AttrOr("value", "") != "payment:"+paid.InternalID.String() {
		t.Errorf("%d creditors were paid not long ago", recent.Length())
	}
	if other := b.as("both1").get("/payments/new").page.Find(".recent button").Length(); other != 0 {
		t.Errorf("somebody else is offered %d of them", other)
	}
	again := maker.post("/payments/new", url.Values{"pick": {recent.AttrOr("value", "")}, "amount": {"7"}}).is(http.StatusOK)
	if got := again.fields("/payments/new"); got.Get("creditorName") != "Beispiel Holzbau GmbH" || got.Get("amount") != "7" {
		t.Errorf("the form holds %q and %q", got.Get("creditorName"), got.Get("amount"))
	}
	for _, strange := range []string{"beneficiary:x", "payment:" + strings.Split(pick, ":")[1], "beneficiary:" + m.InternalID.String()} {
		maker.post("/payments/new", url.Values{"pick": {strange}}).is(http.StatusNotFound)
	}
	b.asIn("demo2", "maker1").post("/payments/new", url.Values{"pick": {pick}}).is(http.StatusNotFound)
	b.as("checker1").get("/payments/creditors?find=Holz").is(http.StatusForbidden)
	// In the middle of an amendment too.
	amend := "/payments/" + m.InternalID.String() + "/amend"
	maker.post(amend, url.Values{"pick": {pick}, "amendReason": {"Wrong"}}).is(http.StatusOK).says("Creditor selected")
}

// TestTheQueueMarksWhatIsNewAboutACreditor looks at the marks of payments in the queue and on their pages.
func TestTheQueueMarksWhatIsNewAboutACreditor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	first := maker.submit(with(filled(), "endToEndId", "A", "amount", "11.00")).InternalID.String()
	if said := checker.get("/queue").flags(first); said != "First payment" {
		t.Errorf("of the first payment: %q", said)
	}
	maker.paid("endToEndId", "B", "amount", "12.00")
	second := maker.submit(with(filled(), "endToEndId", "C", "amount", "13.00")).InternalID.String()
	if said := checker.get("/queue").flags(second); said != "" {
		t.Errorf("of the second payment: %q", said)
	}
	maker.takenIn(holzbau())
	queue := checker.get("/queue/" + second)
	if said := queue.flags(second); said != "New beneficiary" {
		t.Errorf("of a beneficiary of today: %q", said)
	}
	if said := queue.notices(); !strings.Contains(said, "New beneficiary") {
		t.Errorf("its page tells %q", said)
	}
	other := maker.submit(with(filled(), "endToEndId", "E", "amount", "15.00", "creditorName", "Somebody Else AG")).InternalID.String()
	queue = checker.get("/queue/" + other)
	if said := queue.flags(other); said != "New beneficiary, Name differs from beneficiary list" {
		t.Errorf("of another name at the account of a beneficiary: %q", said)
	}
	queue.says("this account is in the name of Beispiel Holzbau GmbH.").
		says("Beispiel Holzbau GmbH has been on the list of beneficiaries since")
	b.change("SET session_replication_role = replica; UPDATE beneficiary SET added_at = added_at - interval '8 days'")
	if said := checker.get("/queue").flags(second); said != "" {
		t.Errorf("a beneficiary whose row does not fit its seal counts: %q", said)
	}
	elsewhere := maker.submit(with(filled(), "endToEndId", "D", "amount", "14.00", "creditorIban", "CH9300762011623852957"))
	if said := checker.get("/queue").flags(elsewhere.InternalID.String()); said != "Bank changed, First payment" {
		t.Errorf("of the same name at another bank: %q", said)
	}
	bulk := checker.get("/queue/bulk?id=" + elsewhere.InternalID.String()).is(http.StatusOK).says("Bank changed")
	bulk.says("First payment")
}

// TestNobodyTakesABeneficiaryInByPlainSQL tries in the role of the service what only a decision may bring about.
func TestNobodyTakesABeneficiaryInByPlainSQL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := b.as("both1").post("/beneficiaries/new", holzbau()).goesTo("/beneficiaries/changes/")
	id := change[len("/beneficiaries/changes/"):]
	const decision = `INSERT INTO realm_change_decision (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal, action,
		decider_user, decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal)
		SELECT c.realm, c.change_id, c.requester_person, c.beneficiary_person, c.content_hash, 1, 'approve', g.user_id, u.person_id, g.role,
		g.grant_id, g.granted_at, 'portal', now(), 'k', sha256('x') FROM realm_change c, user_role g JOIN user_account u
		ON u.realm = g.realm AND u.user_id = g.user_id WHERE c.change_id = '$1' AND g.realm = 'demo' AND u.name = '$2' AND g.role = '$3'`
	const beneficiary = `INSERT INTO beneficiary SELECT 'demo', '$1', 'Mine AG', 'CH9300762011623852957', '', '', '', '', '', '', '', now(),
		NULL, '', false`
	const anotherID = "0195a000-0000-7000-8000-000000000001"
	decide := func(name, role string) string {
		return strings.NewReplacer("$1", id, "$2", name, "$3", role).Replace(decision)
	}
	for name, try := range map[string]struct{ sql, want string }{
		"no decision at all":                {strings.ReplaceAll(beneficiary, "$1", id), "42501"},
		"the requester decides":             {decide("both1", "checker"), "23514"},
		"under the role of a maker":         {decide("maker1", "maker"), "23514"},
		"under the role of administrators":  {decide("admin1", "administrator"), "23503"},
		"another beneficiary than approved": {decide("checker1", "checker") + ";" + strings.ReplaceAll(beneficiary, "$1", anotherID), "42501"},
		"a checker opens master data":       {decide("checker1", "checker") + "; UPDATE client SET may_decide_own = true", "42501"},
		"a checker retires a policy":        {decide("checker1", "checker") + "; UPDATE policy SET retired_at = now()", "42501"},
	} {
		connection := b.DB.Connect(t)
		_, err := connection.Exec(context.Background(), "BEGIN; SET LOCAL ROLE countersign_app; SET LOCAL countersign.realm = 'demo'; "+try.sql)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != try.want {
			t.Errorf("%s: %v, want %s", name, err, try.want)
		}
		_, _ = connection.Exec(context.Background(), "ROLLBACK")
	}
}

// TestTwoCheckersDecideABeneficiaryOnce lets two decide at the same moment.
func TestTwoCheckersDecideABeneficiaryOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := b.as("maker1").post("/beneficiaries/new", holzbau()).goesTo("/beneficiaries/changes/")
	people := []*browser{b.as("checker1"), b.as("checker2"), b.as("both1")}
	status := make([]int, len(people))
	var group sync.WaitGroup
	for i, w := range people {
		group.Go(func() { status[i] = w.post(change+"/approve", nil).status })
	}
	group.Wait()
	won := 0
	for _, s := range status {
		switch s {
		case http.StatusSeeOther:
			won++
		case http.StatusConflict:
		default:
			t.Errorf("answered %d", s)
		}
	}
	if won != 1 || b.count("SELECT count(*) FROM beneficiary") != 1 {
		t.Errorf("%d won; the answers are %v", won, status)
	}
	var cells []string
	b.as("maker1").get("/beneficiaries").page.Find("tbody tr").Each(func(_ int, row *goquery.Selection) { cells = append(cells, row.Text()) })
	if len(cells) != 1 {
		t.Errorf("the list holds %q", cells)
	}
}
