package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/testutil"
)

func TestARejectionSaysOfWhichKindItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	path := "/queue/" + m.InternalID.String() + "/reject"
	for _, checker := range []*browser{b.as("checker1"), b.as("checker1").withHTMX()} {
		form := url.Values{"version": {"1"}, "contentHash": {hash(m)}, "reason": {"Nobody knows it"}}
		got := checker.post(path, form).is(http.StatusUnprocessableEntity).says("Choose a reason for the rejection.")
		if kept := got.fields(path); kept.Get("reason") != "Nobody knows it" {
			t.Errorf("the reason comes back as %q", kept.Get("reason"))
		}
		if problems := checker.post(path, with(form, "category", "no such", "reason", " ")).problems(); len(problems) != 2 {
			t.Errorf("an empty form has the problems %q", problems)
		}
	}
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", m.State)
	}
}

func TestTheCheckPageLeadsToEachField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.submit(filled())
	check := maker.post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK)
	form := maker.get(strings.TrimSuffix(check, "check") + "edit").is(http.StatusOK)
	changes := page.page.Find(".change a")
	for i := range changes.Length() {
		link := changes.Eq(i)
		_, field, found := strings.Cut(link.AttrOr("href", ""), "#")
		if !found || form.page.Find(`[id="`+field+`"], [name="`+field+`"]`).Length() == 0 {
			t.Errorf("%s leads to the field %q", link.Text(), field)
		}
		if strings.Contains(link.Text(), "iBAN") {
			t.Errorf("a link is called %q", link.Text())
		}
	}
	if changes.Length() < 7 {
		t.Errorf("%d links", changes.Length())
	}
	text := page.main()
	if strings.Index(text, "Possible duplicate") > strings.Index(text, "End-to-end ID") {
		t.Error("the warning stands below what it warns of")
	}
	if strings.Index(text, "CH48 2196") > strings.Index(text, "Change Name") && strings.Contains(text, "Change Name") {
		t.Error("the account stands behind the name, other than in the form")
	}
}

func TestPagesTravelCompressed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("checker1")
	plain := len(w.get("/queue").text)
	w.header.Set("Accept-Encoding", "gzip")
	got := w.get("/queue").is(http.StatusOK)
	if got.header.Get("Content-Encoding") != "gzip" || len(got.text)*2 > plain {
		t.Errorf("%d of %d bytes travel, encoded as %q", len(got.text), plain, got.header.Get("Content-Encoding"))
	}
	if vary := strings.Join(got.header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") ||
		!strings.Contains(vary, "HX-Request") {
		t.Errorf("the answer varies by %q", vary)
	}
}

// TestPagesOfManyRowsTravelSmall: each page with rows, as many as it shows at most or 100 of a file, takes at most 15 kB on the wire.
func TestPagesOfManyRowsTravelSmall(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	maker, checker, supervisor := b.as("maker1"), b.as("checker1"), b.as("supervisor1")
	path := maker.upload("Lohn.xml", []byte(salaries(100))).goesTo("/payments/batches/")
	maker.submitFile(path)
	rows := checker.get("/queue").is(http.StatusOK).rows()
	for w, paths := range map[*browser][]string{
		maker:      {path, "/mine", "/mine?tab=drafts", "/payments"},
		checker:    {"/queue", "/queue/" + rows[0], chosen(rows[:min(len(rows), 50)]...), strings.Replace(path, "/payments/batches/", "/queue/files/", 1)},
		supervisor: {"/audit", "/incoming", "/payments"},
	} {
		w.header.Set("Accept-Encoding", "gzip")
		for _, one := range paths {
			size := len(w.get(one).is(http.StatusOK).text)
			if t.Logf("%6d bytes of %s", size, one); size > 15_000 {
				t.Errorf("%s takes %d bytes", one, size)
			}
		}
	}
}

func TestAConflictSaysWhatWasLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	path := "/queue/" + m.InternalID.String()
	stale := checker.get(path).is(http.StatusOK).fields(path + "/approve")
	amend := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "5.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	got := checker.post(path+"/approve", stale).is(http.StatusConflict)
	if panel := got.page.Find(".conflict"); panel.Length() != 1 || panel.Find(".before-after").Length() != 0 {
		t.Errorf("the panel of an amended payment says %q", panel.Text())
	}
	withdraw := "/payments/" + m.InternalID.String() + "/withdraw"
	lost := maker.post(withdraw, url.Values{"version": {"1"}, "reason": {"wrong"}}).is(http.StatusConflict)
	if text := lost.main(); strings.Contains(text, "decide") ||
		!strings.Contains(text, "Read the new version before you withdraw the payment.") {
		t.Errorf("a withdrawal of what was amended says %q", text)
	}
	fresh := checker.get(path).is(http.StatusOK).fields(path + "/approve")
	checker.post(path+"/approve", fresh).goesTo("/queue")
	for _, version := range []string{"1", "2"} {
		lost := maker.post(withdraw, url.Values{"version": {version}, "reason": {"too late"}}).is(http.StatusConflict).main()
		if strings.Contains(lost, "Your decision") || !strings.Contains(lost, "already approved by") ||
			!strings.Contains(lost, "Nothing was withdrawn.") {
			t.Errorf("a withdrawal of version %s that lost says %q", version, lost)
		}
	}
}

func TestTheFormTakesWhatPeopleType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", with(filled(), "amount", "CHF 1'234.50")).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("CHF 1'234.50")
	check = maker.post("/payments/new", with(filled(), "amount", ".50")).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("CHF 0.50")
	maker.post("/payments/new", with(filled(), "amount", "EUR 5.00")).is(http.StatusUnprocessableEntity)
	check = maker.post("/payments/new", with(filled(), "country", "")).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("Switzerland")
}

func TestNavigationAndShortcutsLeadToWhatThePersonMayDo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker := b.as("checker1").get("/queue").is(http.StatusOK)
	if sheet := strings.Join(checker.texts(".shortcut-list dd"), ", "); strings.Contains(sheet, "New payment") ||
		!strings.Contains(sheet, "Approval queue") {
		t.Errorf("the sheet of a checker lists %s", sheet)
	}
	admin := b.as("admin1").get("/").is(http.StatusOK) // the entry leads somewhere
	if entries := admin.texts("nav.primary a"); len(entries) != 3 || entries[0] != "Dashboard Home" {
		t.Errorf("an administrator is led to %q", entries)
	}
	m := b.as("maker1").submit(filled())
	amend := b.as("maker1").get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	if place := amend.texts("nav.primary a[aria-current]"); len(place) != 1 || !strings.Contains(place[0], "My submissions") {
		t.Errorf("an amendment stands under %q", place)
	}
}

// TestACorrectionSaysWhatItCorrects: the form filled from a rejected payment has its reference and the reason, also after a refusal.
func TestACorrectionSaysWhatItCorrects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	like, path := "/payments/new?like="+m.InternalID.String(), "/queue/"+m.InternalID.String()+"/reject"
	reject := checker.get("/queue/" + m.InternalID.String()).is(http.StatusOK).fields(path)
	if text := maker.get(like).is(http.StatusOK).main(); strings.Contains(text, "Correction of payment") {
		t.Errorf("a payment that waits is corrected: %s", text)
	}
	checker.post(path, with(reject, "category", "other", "reason", "Invoice of last year")).goesTo("/queue")
	form := maker.get(like).is(http.StatusOK).says("Correction of payment " + string(m.GlobalID) + " (Rejected)").says("Invoice of last year").
		fields("/payments/new")
	maker.post("/payments/new", with(form, "amount", "")).is(http.StatusUnprocessableEntity).says("Invoice of last year")
	other := b.asIn("demo2", "maker1").post("/payments/new", with(form, "amount", "", "person", "demo2/maker1")).is(http.StatusUnprocessableEntity)
	if strings.Contains(other.main(), "Correction of payment") {
		t.Error("another realm reads of the payment")
	}
}
