package screens

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"countersign/views"
	"countersign/views/ui"
)

func parse(t *testing.T, component templ.Component) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(strings.NewReader(markup(t, component)))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func words(selection *goquery.Selection) string {
	return strings.Join(strings.Fields(selection.Text()), " ")
}

func TestDecisionIsBoundToWhatIsShown(t *testing.T) {
	t.Parallel()
	shown := decision()
	shown.Message.Version, shown.Query = 7, "?scheme=sic-inst"
	page := parse(t, views.DetailFragment(shown))
	forms := page.Find("form[method=post]")
	if forms.Length() != 2 {
		t.Fatalf("%d forms, want approve and reject", forms.Length())
	}
	forms.Each(func(_ int, form *goquery.Selection) {
		if got := form.Find("input[name=version]").AttrOr("value", ""); got != "7" {
			t.Errorf("version %q", got)
		}
		if got := form.Find("input[name=contentHash]").AttrOr("value", ""); got != digest {
			t.Errorf("content hash %q", got)
		}
		if !strings.HasSuffix(form.AttrOr("action", ""), "?scheme=sic-inst") {
			t.Errorf("the filters are lost: %s", form.AttrOr("action", ""))
		}
	})
	if got := words(page.Find("#approve span")); got != "Approve the payment of CHF 1'234.56 to Beispiel Holzbau GmbH" {
		t.Errorf("approve button %q", got)
	}
	if got := words(page.Find(".summary")); !strings.Contains(got, "CH44 3199 9123 0008 8901 2") {
		t.Errorf("the full account is not shown: %s", got)
	}
}

func TestRecallIsNamedInItsButton(t *testing.T) {
	t.Parallel()
	shown := decision()
	shown.Message.Kind = "recall"
	if got := words(
		parse(t, views.DetailFragment(shown)).Find("#approve span"),
	); got != "Approve the recall of CHF 1'234.56 paid to Beispiel Holzbau GmbH" {
		t.Errorf("approve button %q", got)
	}
}

func TestOwnSubmissionOffersNoDecision(t *testing.T) {
	t.Parallel()
	shown := decision()
	shown.Deciding, shown.Barred = false, "Another person must approve or reject it."
	page := parse(t, views.DetailFragment(shown))
	if page.Find("form, #approve, #reject-panel").Length() != 0 {
		t.Error("a decision is offered")
	}
	if got := words(page.Find(".barred")); got != "Another person must approve or reject it." {
		t.Errorf("sentence %q", got)
	}
}

func TestConflictKeepsTheTypedReason(t *testing.T) {
	t.Parallel()
	page := parse(t, views.DetailFragment(conflicted()))
	panel := page.Find(".conflict[role=alert][data-autofocus=page]")
	if panel.Find("blockquote").Text() != "The invoice names another account." || panel.Find("[data-copy]").Length() != 1 {
		t.Errorf("the reason is lost: %s", words(panel))
	}
	if page.Find("#approve").Length() != 0 {
		t.Error("a decided message can still be approved")
	}
}

func TestDecidedRowTravelsBesideTheNextItem(t *testing.T) {
	t.Parallel()
	text := markup(t, views.DecidedFragment(decided()))
	for _, part := range []string{
		`<template><tr id="row-019a9f4e-2c11-7d3a-9b1e-000000000000"`, `hx-swap-oob="outerHTML"`,
		`id="status" class="status" role="status" hx-swap-oob="innerHTML">7QK4M2XW9T00H3F5 approved.`, `id="queue-count" hx-swap-oob="outerHTML"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s", part)
		}
	}
}

func TestWhatPeopleTypeIsNeverMarkup(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	shown := decision()
	shown.Message.Summary.CreditorName, shown.Message.Sent.Remittance.Value, shown.Reject.Reason = attack, attack, attack
	shown.Message.Warnings = []views.Warning{{Title: attack, Links: []ui.Step{{Label: attack, URL: "javascript:alert(1)"}}}}
	model := openQueue(shown)
	model.Rows[0].Name, model.Filter.Text, model.Layout.Status = attack, attack, attack
	page := parse(t, views.QueuePage(model))
	if page.Find("main script, main img, [onerror]").Length() != 0 {
		t.Error("typed text became markup")
	}
	page.Find("a").Each(func(_ int, link *goquery.Selection) {
		if strings.HasPrefix(link.AttrOr("href", ""), "javascript:") {
			t.Errorf("a link that runs a script: %s", outer(link))
		}
	})
	document := views.DocumentView{Layout: shell("Document", views.PlacePayments), Text: "<Document>" + attack}
	if got := parse(t, views.DocumentPage(document)).Find("pre").Text(); got != document.Text {
		t.Errorf("the document is shown as %q", got)
	}
}

func TestNavigationFollowsWhatAPersonMayDo(t *testing.T) {
	t.Parallel()
	entries := func(person views.Person) string {
		made := shell("Payments", views.PlacePayments)
		made.Person = person
		return words(parse(t, views.ListPage(views.List{Layout: made})).Find("nav.primary .nav-label"))
	}
	maker := entries(views.Person{UserName: "maker1", MaySubmit: true})
	if strings.Contains(maker, "queue") || !strings.Contains(maker, "New payment") {
		t.Errorf("a maker sees %q", maker)
	}
	checker := entries(views.Person{UserName: "checker1", MayDecide: true})
	if !strings.Contains(checker, "Approval queue") || strings.Contains(checker, "New payment") {
		t.Errorf("a checker sees %q", checker)
	}
}

func TestShellShowsWhereOneIs(t *testing.T) {
	t.Parallel()
	made := shell("Queue", views.PlaceQueue)
	made.Environment, made.Theme, made.Density, made.Shortcuts = "TEST", views.ThemeDark, views.DensityCompact, false
	page := parse(t, views.QueuePage(views.Queue{Layout: made}))
	if page.Find(`html[data-theme=dark][data-density=compact][data-environment=TEST]`).Length() != 1 ||
		page.Find("body[data-shortcuts=off]").Length() != 1 {
		t.Error("the person's settings are not on the page")
	}
	if title := page.Find("title").Text(); !strings.HasSuffix(title, "TEST") || words(page.Find(".environment")) != "TEST" {
		t.Errorf("title %q, badge %q", title, words(page.Find(".environment")))
	}
	if !strings.Contains(page.Find("link[rel=icon]").AttrOr("href", ""), "favicon-test") {
		t.Error("the icon is that of production")
	}
	if page.Find(`form[action="/signout"][method=post]`).Length() != 1 {
		t.Error("no way to sign out")
	}
	made.Environment = "PROD"
	if page := parse(t, views.QueuePage(views.Queue{Layout: made})); page.Find(".environment").Length() != 0 {
		t.Error("production carries a badge")
	}
}

func TestSchemeSwitchKeepsTheForm(t *testing.T) {
	t.Parallel()
	page := parse(t, views.NewPaymentPage(refusedPayment()))
	form := page.Find("form.payment-form")
	if first := form.Find("button").First(); first.AttrOr("value", "") != "check" {
		t.Errorf("Enter in a field would press %s", outer(first))
	}
	for name, value := range map[string]string{
		"creditorName": "Beispiel Holzbau GmbH", "amount": "1,234", "qrReference": "210000000003139471430009016",
	} {
		if got := form.Find("input[name="+name+"]").AttrOr("value", ""); got != value {
			t.Errorf("%s is %q, typed was %q", name, got, value)
		}
	}
	if page.Find("button[name=switchScheme][value=sct-inst]").Length() != 1 {
		t.Error("the scheme cannot be switched")
	}
	if parse(t, views.NewPaymentPage(sepaPayment())).Find("[value=qr]").Length() != 0 {
		t.Error("a QR reference is offered outside Switzerland")
	}
}

func TestSubmissionNamesTheAct(t *testing.T) {
	t.Parallel()
	model := check()
	if got := words(parse(t, views.CheckPage(model)).Find("main button.primary > span")); got != "Submit CHF 1'234.56 for approval" {
		t.Errorf("button %q", got)
	}
	model.NeedsApproval, model.Approvers = false, ""
	if got := words(parse(t, views.CheckPage(model)).Find("main button.primary > span")); got != "Submit the payment of CHF 1'234.56 to "+
		"Beispiel Holzbau GmbH" {
		t.Errorf("button without approval %q", got)
	}
	model.Duplicates = []views.Duplicate{{Reference: "X", URL: "/payments/x", State: "Settled"}}
	page := parse(t, views.CheckPage(model))
	if page.Find("input[type=checkbox][name=duplicateAcknowledged]").Length() != 1 ||
		page.Find("textarea[name=duplicateReason]").Length() != 1 {
		t.Error("a duplicate needs no acknowledgement")
	}
}

func TestEmptyAnswersSaySomethingElseEach(t *testing.T) {
	t.Parallel()
	model := queue()
	model.Rows, model.Empty = nil, ui.Empty{Title: "Nothing left to decide", LinkLabel: "Today", LinkURL: "/queue?tab=decided"}
	page := parse(t, views.QueuePage(model))
	if page.Find(".entries").Length() != 0 || words(page.Find(".empty-title")) != "Nothing left to decide" {
		t.Errorf("empty queue shows %q", words(page.Find("#queue-list")))
	}
}

// TestWhatIsOpenInTheQueueStandsWhereItsAgePutsIt: the list is sorted "Oldest first", and its pane tells the same time.
func TestWhatIsOpenInTheQueueStandsWhereItsAgePutsIt(t *testing.T) {
	t.Parallel()
	for name, detail := range map[string]views.Decision{"warned": warned(), "conflict": conflicted(), "recall": requestDecision()} {
		model := openQueue(detail)
		if !slices.IsSortedFunc(model.Rows, func(a, b ui.Entry) int { return a.At.Compare(b.At) }) {
			t.Errorf("%s: the rows are in another order than their age", name)
		}
		shown, row := model.Detail.Message, model.Rows[slices.IndexFunc(model.Rows, func(r ui.Entry) bool { return r.Current })]
		if !shown.CreatedAt.Equal(row.At) || !shown.Timeline[0].At.Equal(row.At) {
			t.Errorf("%s: the pane says %s, the row %s", name, shown.CreatedAt, row.At)
		}
	}
}
