package portal_test

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

func TestAReceivedRecallSaysItsDayOnce(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	_, recall := o.recalled(rulebook.SchemeSCT, "TX1")
	text := o.as("maker1").get("/payments/" + recall.InternalID.String()).is(http.StatusOK).main()
	if n := strings.Count(text, recall.AnswerBy.Format("02.01.2006")); n != 1 {
		t.Errorf("the day of the answer stands there %d times: %s", n, text)
	}
}

// TestACorrectedRejectionAsksForNothingMore: once a rejected payment is submitted again, with whatever corrected, the dashboard leaves it
// out. Others stay, and a payment like one that was not rejected has an end-to-end id of its own.
func TestACorrectedRejectionAsksForNothingMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	like := func(m payment.Message) string { return "/payments/new?like=" + m.InternalID.String() }
	var rejected []payment.Message
	for _, amount := range []string{"5.00", "6.00"} {
		m := maker.submit(with(filled(), "amount", amount, "endToEndId", "E2E-"+amount))
		path := "/queue/" + m.InternalID.String()
		reject := with(checker.get(path).fields(path+"/reject"), "category", "other", "reason", "Add user account")
		checker.post(path+"/reject", reject).is(http.StatusSeeOther)
		rejected = append(rejected, m)
	}
	open := func() []string {
		links := maker.get("/").is(http.StatusOK).page.Find(".line-note a")
		return links.Map(func(_ int, link *goquery.Selection) string { return link.AttrOr("href", "") })
	}
	if got := open(); !slices.Equal(got, []string{like(rejected[1]), like(rejected[0])}) {
		t.Fatalf("to be corrected: %q", got)
	}
	maker.submit(with(filled(), "amount", "7.00"))
	form := maker.get(like(rejected[0])).is(http.StatusOK).fields("/payments/new")
	again := maker.submit(with(form, "act", "check", "amount", "5.55", "creditorName", "Beispiel Holzbau AG"))
	if got := open(); !slices.Equal(got, []string{like(rejected[1])}) {
		t.Errorf("to be corrected once one was: %q", got)
	}
	other := maker.get(like(again)).is(http.StatusOK).fields("/payments/new")
	if id := other.Get("endToEndId"); again.Summary.EndToEndID != "E2E-5.00" || id == "" || id == "E2E-5.00" {
		t.Errorf("the correction is %s, a payment like it %q", again.Summary.EndToEndID, id)
	}
}

func TestAFormFilledFromAnEarlierPaymentSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	form := maker.get("/payments/new?like=" + m.InternalID.String()).is(http.StatusOK).says("filled in from another payment or a template")
	iban := form.page.Find("#creditorIban")
	if want := ui.GroupFours(m.Summary.CreditorAccount); iban.AttrOr("value", "") != want || !iban.HasClass("is-prefilled") {
		t.Errorf("the account is filled in as %q, want %q, tinted", iban.AttrOr("value", ""), want)
	}
	maker.post("/payments/new", with(form.fields("/payments/new"), "act", "check", "amount", "8.00")).goesTo("/payments/")
	if n := maker.get("/payments/new").page.Find(".is-prefilled").Length(); n != 0 {
		t.Errorf("%d fields of an empty form are tinted", n)
	}
}

func TestWhatWasDecidedIsListedByItsDecision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	b.change("SET session_replication_role = replica; UPDATE message SET created_at = created_at - interval '2 hours'")
	path, checker := "/queue/"+m.InternalID.String(), b.as("checker1")
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	list := checker.get("/queue?tab=decided&text=nobody").is(http.StatusOK)
	if heads := strings.Join(list.texts("thead th"), " "); !strings.Contains(heads, "Decided") || strings.Contains(heads, "Age") {
		t.Errorf("the heads are %q", heads)
	}
	at, err := time.Parse(time.RFC3339, list.page.Find("td.cell-when time").AttrOr("datetime", ""))
	if err != nil || time.Since(at) > time.Hour {
		t.Errorf("the row says %s, want when it was decided: %v", at, err)
	}
	if list.page.Find("form.filter").Length() != 0 {
		t.Error("a list that is not narrowed has a form to narrow it")
	}
}

// dated is a sample order for a day, without the identification that the form does not have.
func dated(t *testing.T, day string) []byte {
	t.Helper()
	order := sample(t, "sic-inst_01_pain.001.001.09.xml")
	order = regexp.MustCompile(`<UETR>.*</UETR>`).ReplaceAll(order, nil)
	return regexp.MustCompile(`<Dt>[-0-9]*</Dt>`).ReplaceAll(order, []byte("<Dt>"+day+"</Dt>"))
}

func TestAFileOfYesterdayIsCorrectedInTheForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	got := maker.upload("old.xml", dated(t, "2026-03-02")).is(http.StatusUnprocessableEntity).says("The date you entered is in the past")
	form := got.fields("/payments/new")
	check := maker.post("/payments/new", with(form, "act", "check")).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("CHF 199.95")
	broken := bytes.Replace(dated(t, "2026-03-02"), []byte("CH4821966000009613388"), []byte("CH4821966000009613389"), 1)
	form = maker.upload("old.xml", broken).is(http.StatusUnprocessableEntity).fields("/payments/new")
	maker.post("/payments/new", with(form, "act", "check")).is(http.StatusUnprocessableEntity).says("check digits")
	whole := sample(t, "sic-inst_01_pain.001.001.09.xml") // with its UETR, which the form would lose
	whole = regexp.MustCompile(`<Dt>[-0-9]*</Dt>`).ReplaceAll(whole, []byte("<Dt>2026-03-02</Dt>"))
	offered := maker.upload("old.xml", whole).is(http.StatusUnprocessableEntity).page.Find(".into-form")
	if told := strings.Join(strings.Fields(offered.Text()), " "); !strings.Contains(told, "The form cannot keep these parts of the "+
		"file:GrpHdr/MsgId") ||
		!strings.Contains(told, "PmtInf/CdtTrfTxInf/PmtId/UETR: ") {
		t.Errorf("the form is offered without what it loses: %q", told)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Errorf("%d messages from refused files", n)
	}
}

func TestWhatIsNoPaymentFileIsCalledByItsName(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	whole := sample(t, "sic-inst_01_pain.001.001.09.xml")
	inTag := bytes.Index(whole, []byte("<DbtrAgt>")) + 1
	for want, content := range map[string][]byte{
		"as an XML file, not as a PDF":        []byte("%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n"),
		"a spreadsheet or an archive":         []byte("PK\x03\x04 and more"),
		"it ends before its last element":     whole[:len(whole)/2],
		"ends before its last element is clo": whole[:inTag],
	} {
		got := maker.upload("file", content).is(http.StatusUnprocessableEntity).says(want)
		if rows := got.page.Find("#findings tbody tr").Length(); rows != 1 || strings.Contains(got.text, "contains 0 payments") {
			t.Errorf("%q: %d findings", want, rows)
		}
	}
}

// TestTheWordsOfISOAreSaidInTheLanguageOfThePage: they are published in English alone.
func TestTheWordsOfISOAreSaidInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	_, recall := o.recalled(rulebook.SchemeSCT, "TX1")
	maker := o.as("maker1")
	for spoken, want := range map[string]string{"de": "Der Kunde verlangt den Rückruf", "en": "The customer asked for the recall"} {
		maker.post("/me", url.Values{"theme": {"auto"}, "density": {"default"}, "language": {spoken}}).goesTo("/me")
		note := maker.get("/payments/" + recall.InternalID.String() + "/timeline").is(http.StatusOK).page.Find(".event-note").First()
		if note.Text() != want || note.AttrOr("lang", "") != "" {
			t.Errorf("in %s the note is %q in %q, want %q", spoken, note.Text(), note.AttrOr("lang", ""), want)
		}
	}
}

// TestWhatIsTypedIntoASearchCanBeCleared: the way back to the whole list comes with the list, whose form stays as it is, and goes with it.
func TestWhatIsTypedIntoASearchCanBeCleared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	both := b.as("both1")
	for _, path := range []string{"/queue", "/payments", "/incoming"} {
		list := both.withHTMX().get(path + "?text=Holzbau&scheme=&currency=&amountFrom=").is(http.StatusOK)
		place := list.page.Find("#filter-clear[hx-swap-oob]")
		clearing := place.Find("a:contains('Clear filters')").AttrOr("href", "")
		if place.Length() != 1 || strings.Contains(clearing, "text=") || !strings.HasPrefix(clearing, path) {
			t.Errorf("the answer to a search in %s is cleared by %q", path, clearing)
		}
		if list.page.Find("form.filter").Length() != 0 {
			t.Errorf("the answer to a search in %s brings the form that is typed in", path)
		}
		again := both.withHTMX().get(path + "?text=").is(http.StatusOK)
		if place := again.page.Find("#filter-clear[hx-swap-oob]"); place.Length() != 1 || place.Find("a").Length() != 0 {
			t.Errorf("an empty search in %s can be cleared", path)
		}
	}
	supervisor := b.as("supervisor1")
	for path, who := range map[string]*browser{
		"/queue?text=nothing-like-it": both, "/queue?tab=decided&text=nothing-like-it": both, "/queue?tab=question&text=nothing-like-it": both,
		"/payments?text=nothing-like-it": both, "/search?text=nothing-like-it": both, "/incoming?text=nothing-like-it": both,
		"/audit?actor=nothing-like-it": supervisor,
	} {
		empty := who.get(path).is(http.StatusOK).page.Find(".list .empty")
		title, clearing := empty.Find(".empty-title").Text(), empty.Find("a:contains('Clear filters')").AttrOr("href", "")
		if title != "No results" || clearing == "" || strings.Contains(clearing, "nothing-like-it") {
			t.Errorf("%s says %q, and is cleared by %q", path, title, clearing)
		}
	}
}

// TestASearchIsReachedInTheOrderItIsSeen: the field, its button, and then what narrows the list more.
func TestASearchIsReachedInTheOrderItIsSeen(t *testing.T) {
	t.Parallel()
	both := setup(t).as("both1")
	for _, path := range []string{"/queue", "/payments", "/incoming"} {
		var order []string
		both.get(path).is(http.StatusOK).page.Find("form.filter").Find("#text, button[type=submit], summary, #sort").
			Each(func(_ int, s *goquery.Selection) { order = append(order, goquery.NodeName(s)) })
		want := "input button summary"
		if path == "/queue" {
			want = "input button select summary"
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("%s is reached as %q, want %q", path, got, want)
		}
	}
}

// TestTheKeysOfAnEmptyPaneStandApart: they are read one by one.
func TestTheKeysOfAnEmptyPaneStandApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, checker := "/queue/"+b.as("maker1").submit(filled()).InternalID.String(), b.as("checker1")
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	pane := checker.get("/queue?tab=decided").is(http.StatusOK).page.Find("#pane .keys span")
	var keys []string
	pane.Each(func(_ int, s *goquery.Selection) { keys = append(keys, strings.Join(strings.Fields(s.Text()), " ")) })
	if got := strings.Join(keys, "|"); got != "j k move up or down|o open|? all shortcuts" {
		t.Errorf("the keys read %q", got)
	}
}

// TestARequestSaysForWhomItIsMade: a bank that asks for itself is not named by its BIC alone.
func TestARequestSaysForWhomItIsMade(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	home := "/payments/" + o.settled(filled()).InternalID.String() + "/recall"
	m := o.as("maker1").requests(home, "reason", "DUPL")
	o.as("maker1").get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("the bank itself (AAAACHBBXXX)")
}
