package administrator

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/admin"
	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/governance"
	"countersign/views"
	"countersign/views/ui"
)

// changesPage is how many changes one page lists.
const changesPage = 50

// showChanges lists the changes that wait, and with ?tab=all those that were decided too.
func showChanges(v *visit) error {
	filter := governance.Filter{State: administration.StatePending, PageSize: changesPage + 1}
	all := v.Echo.QueryParam("tab") == "all"
	if all {
		filter.State = ""
	}
	filter.From, _ = uuid.Parse(v.Echo.QueryParam("after"))
	changes, err := v.station.Changes(v.Context(), v.By, filter)
	if err != nil {
		return err
	}
	model := v.list("/admin", "Changes",
		"What one administrator asked for and another decides. Nobody decides what they asked for, nor what is about them.")
	model.Empty = ui.Empty{
		Icon: "inbox", Title: "Nothing waits", Text: "No change waits for a decision.", LinkLabel: "All changes", LinkURL: "/admin?tab=all",
	}
	model.New = []views.AdministrationLink{{Label: "All changes", URL: "/admin?tab=all"}}
	if all {
		model.New = []views.AdministrationLink{{Label: "Those that wait", URL: "/admin"}}
	}
	if len(changes) > changesPage {
		changes = changes[:changesPage]
		tab := ""
		if all {
			tab = "tab=all&"
		}
		model.Pages.NextURL, model.Pages.NextLabel = "/admin?"+tab+"after="+changes[changesPage-1].ID.String(), "Next page"
	}
	model.Columns = []language.Text{"Change", "Asked for by", "When", "State"}
	for _, c := range changes {
		model.Rows = append(model.Rows, views.AdministrationRow{URL: "/admin/changes/" + c.ID.String(), Cells: []language.Text{
			language.Sentence(heading(c.Kind,
				c.Subject)), language.Sentence(c.Requester.Name),
			language.Sentence(c.RequestedAt.In(v.Config.Zone).Format("02.01.2006 15:04")), language.Sentence(string(c.State())),
		}})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

func showChange(v *visit) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	change, err := v.station.Change(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangePage(v.change(change)))
}

// change is a change as a page shows it.
func (v *visit) change(c administration.Change) views.RealmChange {
	title := heading(c.Kind, c.Subject)
	shown := views.RealmChange{
		Shell: v.Shell(language.Sentence(title),
			views.PlaceAdministration), ID: c.ID.String(), Heading: language.Sentence(title), State: string(c.State()), Subject: c.Subject,
		Note: c.Note, Requester: c.Requester.Name, RequestedAt: c.RequestedAt,
	}
	for _, d := range c.Differences() {
		shown.Differences = append(shown.Differences, views.ChangeDifference{
			Field: language.Sentence(administration.Label(d.Field)), Before: language.Sentence(orDash(d.Before)),
			After: language.Sentence(orDash(d.After)),
		})
	}
	if d := c.Decision; d != nil {
		shown.Decider, shown.DecidedAt, shown.Reason, shown.DecisionWords = d.By.Name, d.At, d.Reason, language.Sentence(string(c.State()))
	}
	err := c.MayDecide(v.By)
	if err != nil {
		shown.Barred = language.Sentence(err.Error())
	}
	return shown
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func approve(v *visit) error { return v.decide(true) }

func reject(v *visit) error { return v.decide(false) }

// decide carries out a decision. What an approval shows once is shown on the answer itself.
func (v *visit) decide(approve bool) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	decided, err := v.station.Decide(v.Context(), v.By, admin.DecideInput{ChangeID: id, Approve: approve, Reason: form.Get("reason")})
	if err != nil {
		return v.undecided(id, form.Get("reason"), err)
	}
	err = v.CountWaiting()
	if err != nil {
		return err
	}
	shown := v.change(decided.Change)
	if decided.SetUpPath != "" {
		shown.Secrets = append(shown.Secrets, views.ChangeSecret{
			Label: "The link, shown this once", Value: v.Origin() + decided.SetUpPath,
			Words: language.Sentence("Give it to " + decided.Change.Subject + ". " + decided.Change.Requester.Name +
				" has the code. Both are needed, within 24 hours."),
		})
	}
	if decided.ClientSecret != "" {
		shown.Secrets = append(shown.Secrets, views.ChangeSecret{
			Label: "The secret, shown this once", Value: decided.ClientSecret,
			Words: "Put it where the client reads it. Only its digest is kept here.",
		})
	}
	if len(shown.Secrets) > 0 {
		return v.Render(http.StatusOK, views.ChangePage(shown))
	}
	return v.GoTo("/admin/changes/"+id.String(), language.Sentence("The change is "+string(decided.Change.State())+"."))
}

// undecided shows the change again with why the decision was not taken.
func (v *visit) undecided(id uuid.UUID, reason string, cause error) error {
	var conflict *administration.ConflictError
	var malformed *payment.FieldError
	var fourEyes *payment.FourEyesError
	status, problem := http.StatusConflict, ui.Problem{Text: language.Sentence(cause.Error())}
	switch {
	case errors.As(cause, &malformed) && len(malformed.Findings) > 0:
		status, problem = http.StatusUnprocessableEntity, ui.Problem{Field: "reason", Text: language.Sentence(malformed.Findings[0].Text)}
	case errors.As(cause, &fourEyes):
		status = http.StatusForbidden
	case errors.As(cause, &conflict):
	default:
		return cause
	}
	change, err := v.station.Change(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	shown := v.change(change)
	shown.Shell.Failed, shown.Problems = true, []ui.Problem{problem}
	if change.Decision == nil {
		shown.Reason = reason
	}
	return v.Render(status, views.ChangePage(shown))
}
