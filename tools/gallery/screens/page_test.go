package screens

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/i18n"
	"countersign/static"
	"countersign/views"
)

// each runs one rule on every exhibit.
func each(t *testing.T, rule func(t *testing.T, shown Exhibit, page *goquery.Document)) {
	t.Helper()
	for _, shown := range Exhibits() {
		t.Run(shown.Name, func(t *testing.T) {
			t.Parallel()
			page, err := goquery.NewDocumentFromReader(strings.NewReader(markup(t, shown.Page)))
			if err != nil {
				t.Fatal(err)
			}
			rule(t, shown, page)
		})
	}
}

func outer(selection *goquery.Selection) string {
	text, err := goquery.OuterHtml(selection)
	if err != nil {
		return err.Error()
	}
	return text[:min(len(text), 160)]
}

func TestEveryPageHasItsFrame(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shown Exhibit, page *goquery.Document) {
		if shown.Fragment {
			if page.Find("h1, main, nav").Not("#payment *, #bulk-title").Length() != 0 { // their own headings and tabs come with them
				t.Error("a fragment brings parts of the frame along")
			}
			return
		}
		for selector, want := range map[string]int{
			"h1": 1, "main#main": 1, "html[lang=en]": 1, "head > title": 1, `a.skip-link[href="#main"]`: 1,
			`meta[name="htmx-config"]`: 1, `link[rel="icon"]`: 1,
		} {
			if got := page.Find(selector).Length(); got != want {
				t.Errorf("%d × %s, want %d", got, selector, want)
			}
		}
		if got := strings.HasPrefix(page.Find("head > title").Text(), "Error: "); got != shown.Failed {
			t.Errorf("title %q, failed %v", page.Find("head > title").Text(), shown.Failed)
		}
	})
}

// TestTitlesAreReadWhole: windows and tabs cut a title of more than 70 characters, and with it the product and its environment.
func TestTitlesAreReadWhole(t *testing.T) {
	t.Parallel()
	long := views.Layout{Title: i18n.Text("Change the roles of %s").With(strings.Repeat("long", 30)), Environment: "TEST"}
	wordy := views.Layout{Title: i18n.Data(strings.Repeat("roles and ", 10)), Environment: "TEST", Failed: true}
	shown := append(Exhibits(), Exhibit{Name: "long", Page: views.NamedPage(views.NamedList{Layout: long})}, Exhibit{Name: "wordy", Page: views.NamedPage(views.NamedList{Layout: wordy})})
	for _, one := range shown {
		if one.Fragment {
			continue
		}
		for _, spoken := range i18n.Languages() {
			var written bytes.Buffer
			err := one.Page.Render(i18n.In(t.Context(), spoken), &written)
			if err != nil {
				t.Fatal(err)
			}
			page, err := goquery.NewDocumentFromReader(&written)
			if err != nil {
				t.Fatal(err)
			}
			title := page.Find("title").First().Text()
			if utf8.RuneCountInString(title) > 70 || !strings.Contains(title, " – "+views.Product) {
				t.Errorf("%s in %s: title %q", one.Name, spoken, title)
			}
		}
	}
}

// The content policy forbids inline styles and scripts; a page that uses one would look broken only in a browser.
func TestNoPageNeedsAnExceptionFromTheContentPolicy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("style, [style], script:not([src]), [hx-on], [data-hx-on]").Each(func(_ int, found *goquery.Selection) {
			t.Errorf("inline style or script: %s", outer(found))
		})
		page.Find("script").Each(func(_ int, script *goquery.Selection) {
			if source, _ := script.Attr("src"); !strings.HasPrefix(source, "/static/") {
				t.Errorf("script from elsewhere: %s", outer(script))
			}
		})
		page.Find("*").Each(func(_ int, element *goquery.Selection) {
			for _, attribute := range element.Nodes[0].Attr {
				evaluated := strings.HasPrefix(attribute.Val, "js:") || strings.HasPrefix(attribute.Val, "javascript:")
				if strings.HasPrefix(attribute.Key, "on") || strings.HasPrefix(attribute.Key, "hx-on") || evaluated {
					t.Errorf("%s on %s", attribute.Key, outer(element))
				}
			}
		})
	})
}

// TestWhatIsCopiedIsSaid: the script says what the button holds for it (static/app/button.js), and says nothing where it holds nothing.
func TestWhatIsCopiedIsSaid(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("[data-copy]").Each(func(_ int, button *goquery.Selection) {
			if button.AttrOr("data-copy-said", "") == "" {
				t.Errorf("nothing is said of what was copied: %s", outer(button))
			}
		})
	})
}

// styleSheet is the portal's, as browsers get it.
func styleSheet(t *testing.T) string {
	t.Helper()
	answer := httptest.NewRecorder()
	static.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, static.Path("app.css"), nil))
	if answer.Code != http.StatusOK || answer.Body.Len() == 0 {
		t.Fatalf("no style sheet: %d", answer.Code)
	}
	return answer.Body.String()
}

// TestEveryButtonLooksLikeWhatItIs: a class of a button that the style sheet does not know makes an ordinary one of the one that counts.
func TestEveryButtonLooksLikeWhatItIs(t *testing.T) {
	t.Parallel()
	styles := styleSheet(t)
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("button[class], a.button").AddSelection(page.Find("a.button").Parent()).Each(func(_ int, button *goquery.Selection) {
			for _, class := range strings.Fields(button.AttrOr("class", "")) {
				if !strings.Contains(styles, "."+class) {
					t.Errorf("no style for %q: %s", class, outer(button))
				}
			}
		})
	})
}

func TestEveryFormWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("form").Each(func(_ int, form *goquery.Selection) {
			action, method := form.AttrOr("action", ""), form.AttrOr("method", "")
			if !strings.HasPrefix(action, "/") || !slices.Contains([]string{"get", "post", "dialog"}, method) {
				t.Errorf("action %q, method %q", action, method)
			}
			if action == "/me/factors/passkey" {
				return // a passkey is made by a script, as browsers have it, and the page says so
			}
			if form.Find(`button[type="submit"]`).Length() == 0 {
				t.Errorf("no button that sends it: %s", outer(form))
			}
			if _, skips := form.Attr("novalidate"); method == "post" && form.Find("input:not([type=hidden]), textarea, select").Length() > 0 &&
				!skips {
				t.Errorf("the browser's own checks are on: %s", outer(form))
			}
			if sent, found := form.Attr("hx-post"); found && (sent != action || method != "post") {
				t.Errorf("hx-post %q differs from action %q", sent, action)
			}
		})
		page.Find("[hx-get]").Each(func(_ int, element *goquery.Selection) {
			target := element.AttrOr("href", element.AttrOr("action", ""))
			found := element.Is("input[name=find]") && element.Closest("form").Find("button[name=act][value=find]").Length() == 1
			asks, page := element.AttrOr("hx-get", ""), element.Find("a").AttrOr("href", "none")
			news := element.Is(".flight") && strings.HasPrefix(asks, page+"/flight?") // asked by itself; a link looks again
			if !element.Is("input[data-iban]") && !found && !news && target != element.AttrOr("hx-get", "") {
				t.Errorf("hx-get without a link or form of the same address: %s", outer(element))
			}
		})
		page.Find("[hx-post]:not(form)").Each(func(_ int, element *goquery.Selection) {
			checked := element.Closest("form").Find("button[name=act][value=check]:not([tabindex])").Length() == 1
			if element.Is(".outlook-says") && checked { // a view ahead, by itself; without a script the page to check tells the same
				return
			}
			if element.AttrOr("hx-post", "") == views.BulkSumPath && element.Closest("form").Find("#approve").Length() == 1 {
				return // a sum of what is ticked; without a script the button counts it by its style
			}
			t.Errorf("hx-post outside a form: %s", outer(element))
		})
		page.Find("a").Each(func(_ int, link *goquery.Selection) {
			if link.AttrOr("href", "") == "" {
				t.Errorf("a link that leads nowhere: %s", outer(link))
			}
		})
	})
}

func TestEveryFieldHasAVisibleLabelAndItsTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("input:not([type=hidden]), select, textarea").Each(func(_ int, field *goquery.Selection) {
			if field.Closest(".cell-select").Length() == 1 && (field.AttrOr("aria-label", "") != "" || field.Closest("label").Length() == 1) {
				return // what a box in a row selects is the row
			}
			id := field.AttrOr("id", "")
			label := page.Find(`label[for="` + id + `"]`)
			if id == "" || label.Length() != 1 || label.HasClass("visually-hidden") {
				t.Errorf("%d labels for %s", label.Length(), outer(field))
			}
			if _, found := field.Attr("placeholder"); found || field.AttrOr("type", "") == "number" {
				t.Errorf("placeholder or number field: %s", outer(field))
			}
		})
		page.Find("[aria-describedby], [aria-labelledby]").Each(func(_ int, element *goquery.Selection) {
			for _, id := range strings.Fields(element.AttrOr("aria-describedby", "") + " " + element.AttrOr("aria-labelledby", "")) {
				if page.Find(`[id="`+id+`"]`).Length() != 1 {
					t.Errorf("refers to %q, which is not there: %s", id, outer(element))
				}
			}
		})
	})
}

func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		seen := map[string]bool{}
		page.Find("[id]").Each(func(_ int, element *goquery.Selection) {
			id := element.AttrOr("id", "")
			if seen[id] {
				t.Errorf("id %q twice", id)
			}
			seen[id] = true
		})
	})
}

// The summary comes first, takes the focus, links to the fields, and says what the fields say.
func TestErrorSummaryMatchesTheFields(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find(".error-summary").Each(func(_ int, summary *goquery.Selection) {
			if summary.AttrOr("data-autofocus", "") != "page" || summary.AttrOr("tabindex", "") != "-1" || summary.AttrOr("role", "") != "alert" {
				t.Errorf("the summary does not take the focus: %s", outer(summary))
			}
			if summary.Find("h2").Text() != "There is a problem" {
				t.Errorf("heading %q", summary.Find("h2").Text())
			}
			summary.Find("li a").Each(func(_ int, link *goquery.Selection) {
				id := strings.TrimPrefix(link.AttrOr("href", ""), "#")
				inline := page.Find(`[id="` + id + `-error"]`).Text()
				if page.Find(`[id="`+id+`"]`).Length() != 1 || !strings.Contains(inline, strings.TrimSpace(link.Text())) {
					t.Errorf("link to %q says %q, the field says %q", id, link.Text(), inline)
				}
			})
		})
		page.Find("[id$='-error']").Each(func(_ int, inline *goquery.Selection) {
			field := page.Find(`[id="` + strings.TrimSuffix(inline.AttrOr("id", ""), "-error") + `"]`)
			if field.AttrOr("aria-invalid", "") != "true" || !strings.Contains(field.AttrOr("aria-describedby", ""), inline.AttrOr("id", "")) {
				t.Errorf("the field is not marked: %s", outer(field))
			}
		})
	})
}

var vague = regexp.MustCompile(`(?i)^(ok|yes|no|submit|confirm|continue|approve|reject|go)$`)

func TestButtonsNameTheAct(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("button").Each(func(_ int, button *goquery.Selection) {
			name := strings.TrimSpace(button.AttrOr("aria-label", button.Clone().Find("kbd").Remove().End().Text()))
			if name == "" || vague.MatchString(name) {
				t.Errorf("button %q does not say what happens: %s", name, outer(button))
			}
		})
	})
}

// TestAKeyBelongsToOneButton: two buttons of a page that show one key leave open which of them it presses.
func TestAKeyBelongsToOneButton(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		shown, heard := map[string]string{}, map[string]string{}
		page.Find("main :is(button, summary, a, input)").Each(func(_ int, button *goquery.Selection) {
			for key, of := range map[string]map[string]string{button.Find("kbd").Text(): shown, button.AttrOr("aria-keyshortcuts", ""): heard} {
				if key != "" && of[key] != "" {
					t.Errorf("the key %s is of %s and of %s", key, of[key], outer(button))
				}
				of[key] = outer(button)
			}
		})
	})
}

func TestTablesAreTables(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shown Exhibit, page *goquery.Document) {
		page.Find("table").Each(func(_ int, table *goquery.Selection) {
			if _, found := table.Attr("role"); found {
				t.Error("a table with a role of its own")
			}
			columns := table.Find("thead th[scope=col]").Length()
			table.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
				width := row.Find("td, th").Length()
				if row.Find("[colspan='3']").Length() == 1 {
					width += 2
				}
				if width != columns {
					t.Errorf("%d cells under %d headings", width, columns)
				}
			})
		})
		if shown.Fragment {
			return
		}
		page.Find("[data-row]").Each(func(_ int, row *goquery.Selection) {
			if row.Find("a[data-open][href]").Length() != 1 {
				t.Errorf("a row that the keyboard cannot open: %s", outer(row))
			}
		})
	})
}

func TestEveryIconIsOnTheSheet(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		page.Find("svg use").Each(func(_ int, use *goquery.Selection) {
			if id := strings.TrimPrefix(use.AttrOr("href", ""), "#"); !strings.Contains(static.Sprite(), `id="`+id+`"`) {
				t.Errorf("icon %q is not on the sheet", id)
			}
		})
	})
}

// The budgets are those of the portal's targets for a full page of the queue:
// 10 kB compressed (with all filters, purposes and boxes to tick; 15 is the bar), 1,600 elements (2,500).
func TestFullQueueStaysSmall(t *testing.T) {
	t.Parallel()
	model := queue()
	model.Rows = rows(60)
	text := markup(t, views.QueuePage(model))
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	elements := parse(t, views.QueuePage(model)).Find("*").Length()
	t.Logf("60 rows: %d bytes, %d compressed, %d elements", len(text), compressed.Len(), elements)
	if compressed.Len() > 10_000 || elements > 1_610 {
		t.Errorf("%d bytes compressed, %d elements", compressed.Len(), elements)
	}
}

// TestStepsThatRepeatAreCountedBesideTheFacts: a payment that clearing was asked about twelve times keeps its facts and its story in sight.
func TestStepsThatRepeatAreCountedBesideTheFacts(t *testing.T) {
	t.Parallel()
	for _, tab := range []views.PaymentTab{views.TabOverview, views.TabTimeline} {
		model := unconfirmed()
		model.Tab = tab
		page, err := goquery.NewDocumentFromReader(strings.NewReader(markup(t, views.PaymentPage(model))))
		if err != nil {
			t.Fatal(err)
		}
		steps, want := page.Find(".timeline li").Length(), len(model.Message.Timeline)
		if tab == views.TabOverview {
			want -= 12 - 3
		}
		counted := page.Find(`.timeline a[href$="/timeline"]`).Text()
		if steps != want || (counted == "10 similar steps not shown") != (tab == views.TabOverview) {
			t.Errorf("%s shows %d steps, want %d, and says %q", tab, steps, want, counted)
		}
	}
}

// TestTheCheckpointCountsAsPeopleRead: numbers of thousands have their apostrophe, as everywhere.
func TestTheCheckpointCountsAsPeopleRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, shown Exhibit, page *goquery.Document) {
		if shown.Name == "audit" && !strings.Contains(page.Find("main").Text(), "covers 1'041 rows") {
			t.Errorf("the page says %.400s", page.Find("main").Text())
		}
	})
}

// TestNoSpaceStandsBeforeAComma: a comma or a full stop follows the text before it at once, also where that text is an element of its own.
func TestNoSpaceStandsBeforeAComma(t *testing.T) {
	t.Parallel()
	apart := regexp.MustCompile(`.{0,40}</[a-z]+>\s+[.,][^0-9].{0,20}`)
	each(t, func(t *testing.T, _ Exhibit, page *goquery.Document) {
		html, err := page.Html()
		if err != nil {
			t.Fatal(err)
		}
		if found := apart.FindString(html); found != "" {
			t.Errorf("a space stands before a comma or a full stop: %s", found)
		}
	})
}
