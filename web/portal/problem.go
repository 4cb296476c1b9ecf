package portal

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

// fail turns the error of a handler into a page. An unexpected error is logged, and its page shows only the request id.
func (v *Request) fail(err error) error {
	if v.Echo.Response().Committed {
		v.Config.Log.ErrorContext(v.Context(), "page broken off", "error", err)
		return nil
	}
	var unreadable *FormError
	if errors.As(err, &unreadable) {
		return v.unreadable(err)
	}
	var other *store.OtherDraftError
	p := request.ProblemOf(err)
	reference := request.Reference(v.Context())
	page := views.Problem{
		Layout: v.layout("Not completed", views.PlaceNone), Heading: "This action could not be completed", Text: p.Text,
		NextLabel: "Go to the dashboard", NextURL: "/",
	}
	switch {
	case p.Unexpected:
		v.Config.Log.ErrorContext(v.Context(), "page failed", "route", v.Echo.Path(), "reference", reference, "error", err)
		page = Failed(v.Echo.Request(), views.Failed(page.Layout, reference))
	case errors.As(err, &other):
		page = views.OtherDraft(page.Layout, other.Owner)
	case p.Code == request.NotFound().Code:
		page = views.NotFound(page.Layout)
	case p.Status == http.StatusServiceUnavailable:
		page = Unavailable(v.Echo, page.Layout, p)
	case p.Status == http.StatusForbidden:
		page = views.Forbidden(page.Layout, p.Text)
	default:
		page.Layout.Failed = true
	}
	p.AskToWait(v.Echo.Response().Header())
	return v.Render(p.Status, views.ProblemPage(page))
}

// Unavailable builds the page for a gateway that cannot work. A GET page reloads by itself; the page of a form holds the sent fields for
// another try.
func Unavailable(c echo.Context, layout views.Layout, p *request.Problem) views.Problem {
	r := c.Request()
	if r.Method == http.MethodGet {
		where := LocalPath(r.URL.RequestURI())
		if r.Header.Get("HX-Request") == "" {
			c.Response().Header().Set("Refresh", strconv.Itoa(reloadAfter)+"; url="+where)
		}
		return views.Unavailable(layout, p.Text, where)
	}
	return resent(r, views.Unavailable(layout, p.Text, "/payments"))
}

// Failed completes the page of an internal error: a GET page links to itself; the page of a form holds the sent fields for another try.
func Failed(r *http.Request, page views.Problem) views.Problem {
	if r.Method == http.MethodGet {
		page.NextLabel, page.NextURL = "Try again", LocalPath(r.URL.RequestURI())
	}
	return resent(r, page)
}

// resent adds the sent fields of the request to a page for another try.
func resent(r *http.Request, page views.Problem) views.Problem {
	fields, kept := request.Sent(r)
	if !kept {
		return page
	}
	return page.With(views.Resend{URL: LocalPath(r.URL.RequestURI()), Fields: fields})
}

// reloadAfter is the pause, in seconds, after which a page that could not be shown is opened again: longer than Retry-After, as a person
// can wait and a gateway that comes back has much to do.
const reloadAfter = 5

func (v *Request) unreadable(err error) error {
	status, text := http.StatusBadRequest, i18n.Text("The form could not be read. Go back and send it again.")
	next, label := "/", i18n.Text("Go to the dashboard")
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		status, text = http.StatusRequestEntityTooLarge, "The file is too large. Go back and choose a smaller file."
		next, label = LocalPath(v.Echo.Request().URL.Path), "Back to the form" // only forms with a file are so large
	case request.TooSlow(err):
		status, text = http.StatusRequestTimeout, "The form did not arrive in time. Go back and send it again."
	}
	layout := v.layout("Form not accepted", views.PlaceNone)
	layout.Failed = true
	return v.Render(status, views.ProblemPage(views.Problem{
		Layout: layout, Heading: "The form was not accepted", Text: text, NextLabel: label, NextURL: next,
	}))
}

// askToSignIn answers a request without a session. A fragment never becomes the sign-in page. A form is not executed, and the page says so.
func (v *Request) askToSignIn() error {
	r := v.Echo.Request()
	where := "/"
	if r.Method == http.MethodGet {
		where = r.URL.RequestURI()
	}
	target := "/signin?next=" + url.QueryEscape(where)
	target += v.endedWord()
	switch {
	case v.Echo.Path() == EventsPath:
		return v.Echo.NoContent(http.StatusNoContent) // tells the browser not to come back
	case v.Fragment():
		return v.fragmentTooLate()
	case r.Method != http.MethodGet:
		return v.tooLate(target)
	case v.comesFromOutside():
		return v.reopen(where)
	}
	return v.Echo.Redirect(http.StatusSeeOther, target)
}

// endedWord says in the address of the sign-in page that a session ended, and why.
func (v *Request) endedWord() string {
	if !v.hadSession() {
		return ""
	}
	return "&ended=" + v.endedWhy()
}

// answeredInPlace lists the fragments that a page requests by itself, and the button to stay signed in. The page reports the end
// of the session itself, so a person who types is not redirected.
var answeredInPlace = map[string]bool{IBANPath: true, OutlookPath: true, StayPath: true, views.BulkSumPath: true}

// fragmentTooLate answers an htmx request without a session: the whole page goes to sign in and comes back to the requested address. Every
// address of a part of a page is also that of a page. A form is kept.
func (v *Request) fragmentTooLate() error {
	if answeredInPlace[v.Echo.Path()] {
		return v.Echo.NoContent(http.StatusUnauthorized)
	}
	r := v.Echo.Request()
	where := r.URL.RequestURI()
	if r.Method != http.MethodGet {
		kept, err := keepAfterTimeout(v)
		if err != nil {
			return v.fail(err)
		}
		current, err := url.Parse(r.Header.Get("HX-Current-URL"))
		if err == nil && current.Path != "" {
			where = current.RequestURI()
		}
		where = cmp.Or(kept, where)
	}
	ended := strings.TrimPrefix(cmp.Or(v.endedWord(), "&ended=yes"), "&")
	v.Echo.Response().Header().Set("HX-Redirect", "/signin?"+ended+"&next="+url.QueryEscape(LocalPath(where)))
	return v.Echo.NoContent(http.StatusUnauthorized)
}

// tooLate answers a form that was sent without a session. Its fields are saved for their owner.
func (v *Request) tooLate(target string) error {
	page := views.SessionEnded(v.layout("Session ended", views.PlaceNone), v.endedWhy(), target)
	kept, err := keepAfterTimeout(v)
	if err != nil {
		return v.fail(err)
	}
	if kept != "" {
		page.Text = views.EndedWords(v.endedWhy(),
			"Nothing was submitted. What you typed was saved. Sign in again and the form opens as you left it.")
		page.NextURL = "/signin?next=" + url.QueryEscape(kept)
	}
	return v.Render(http.StatusUnauthorized, views.ProblemPage(page))
}

// comesFromOutside reports whether a person followed a link from another site or a mail; the browser then does not send a strict cookie.
func (v *Request) comesFromOutside() bool {
	header := v.Echo.Request().Header
	return header.Get("Sec-Fetch-Site") == "cross-site" && header.Get("Sec-Fetch-Mode") == "navigate" && !v.hadSession()
}

// reopen reloads the address from a page of our own, so that the browser sends its cookie. Nobody with a session is sent to sign in.
func (v *Request) reopen(where string) error {
	where = LocalPath(where)
	v.Echo.Response().Header().Set("Refresh", "0; url="+where)
	return v.Render(http.StatusOK, views.ProblemPage(views.Problem{
		Layout: v.layout("Opening the page", views.PlaceNone), Heading: "Opening the portal",
		Text:      "You followed a link from outside the portal.",
		NextLabel: "Continue", NextURL: where,
	}))
}

// problemsOf places the unreadable answers and the findings of the services beside the fields of the form, in the order of the form. A
// field that could not be read gets one problem; when a rule and the schema find the same mistake, the rule's sentence is shown, because it
// speaks of payments rather than elements.
func problemsOf(unreadable []orderform.Problem, findings []payment.Finding, values orderform.Values) []ui.Problem {
	problems := make([]ui.Problem, 0, len(unreadable)+len(findings))
	for _, p := range unreadable {
		problems = append(problems, ui.Problem(p))
	}
	rulesFirst := slices.Clone(findings)
	slices.SortStableFunc(rulesFirst, func(a, b payment.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	for _, f := range rulesFirst {
		name := orderform.FieldOf(f.Pointer, values)
		known := slices.ContainsFunc(problems, func(p ui.Problem) bool {
			unreadable := name == "remittanceKind" && strings.HasSuffix(p.Field, "Reference") // so the order is without it
			return p.Field == name && (name != "" || p.Text == f.Text) || unreadable
		})
		if !known {
			problems = append(problems, ui.Problem{Field: name, Text: sentenceBeside(name, f), Code: f.Code})
		}
	}
	order := values.Fields()
	position := func(p ui.Problem) int {
		at := slices.IndexFunc(order, func(f orderform.Field) bool { return f.Name == p.Field })
		if at < 0 {
			return len(order)
		}
		return at
	}
	slices.SortStableFunc(problems, func(a, b ui.Problem) int { return position(a) - position(b) })
	return problems
}

// sentenceBeside returns the sentence of a finding in the form: beside a field, a finding of the schema loses the name of the element.
func sentenceBeside(field string, f payment.Finding) i18n.Text {
	if field == "" || f.Rule != "" {
		return f.Text
	}
	return i18n.Advice(f.Text)
}

// rank orders the findings of one field, of which the form shows the first. An unknown account of one's own comes before its check digits,
// because it is chosen from a list. Findings of rules come before those of the schema.
func rank(f payment.Finding) int {
	switch f.Rule {
	case rulebook.RuleDebtorAccountOfRealm:
		return 0
	case "":
		return 2
	}
	return 1
}
