package portal

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// The tabs of the waiting changes, by their value in the address: changes this person may decide, and changes this person requested.
const (
	ChangesForMe  = "me"
	ChangesOfMine = "mine"
)

// changesPage limits the changes listed on one page.
const changesPage = 50

// ChangeDesk holds the differences between the change pages of administrators and those of beneficiaries.
type ChangeDesk struct {
	ListURL string                                                           // the list of those that wait; ?tab=all lists all
	URL     string                                                           // of one change, but for its id
	Place   views.Place                                                      // in the menu
	Report  string                                                           // the report that leads to it; "" elsewhere
	Heading func(administration.Change) i18n.Text                            // names a change
	List    func(store.ChangeFilter) ([]administration.Change, error)        // of the realm
	Read    func(uuid.UUID) (administration.Change, error)                   // one
	Decide  func(id uuid.UUID, approve bool, reason string) (Decided, error) // carries out a decision
	Cells   func(c administration.Change, cells []i18n.Text) []i18n.Text     // further cells of a row
}

// Decided is a decided change, with the secrets that its page shows once.
type Decided struct {
	Change  administration.Change
	Secrets []views.ChangeSecret
}

// ShowChanges completes and renders the list of changes: the waiting ones, with ?tab=me or ?tab=mine a part of them, with ?tab=all the
// decided ones too.
func (v *Request) ShowChanges(desk ChangeDesk, model views.AdministrationList) error {
	filter := store.ChangeFilter{State: administration.StatePending, PageSize: changesPage + 1}
	tab := v.Echo.QueryParam("tab")
	model.New = []ui.Step{{Label: "All changes", URL: desk.ListURL + "?tab=all"}}
	waiting := []ui.Step{{Label: "Changes waiting for a decision", URL: desk.ListURL}}
	switch tab {
	case "all":
		filter.State, model.New = "", waiting
	case ChangesForMe:
		filter.DecidableBy, model.New = v.By.PersonID, waiting
		model.Words = "This page lists the changes that are waiting for your decision."
	case ChangesOfMine:
		filter.Requester, model.New = v.By.PersonID, waiting
		model.Words = "Changes that you requested. Another person must approve or reject them."
	default:
		tab = ""
	}
	sorted := v.sortChanges(&filter)
	after, word, _ := strings.Cut(v.Echo.QueryParam("after"), "~")
	filter.From, _ = uuid.Parse(after)
	filter.FromWord = Searchable(word)
	model.Sort = sorted
	model.SortURL = func(order string) string { return ui.Address(desk.ListURL, "tab", tab, "sort", order) }
	changes, err := desk.List(filter)
	if err != nil {
		return err
	}
	model.Empty.Icon, model.Empty.Title = "inbox", "Nothing is waiting"
	model.Empty.LinkLabel, model.Empty.LinkURL = "All changes", desk.ListURL+"?tab=all"
	if tab == "all" { // this tab lists decided changes too
		model.Empty = ui.Empty{Icon: "inbox", Title: "No entries", Text: "No change has been requested yet."}
	}
	if len(changes) > changesPage {
		changes = changes[:changesPage]
		model.Pages.NextLabel = i18n.Text("Next %d").With(changesPage)
		last := changes[changesPage-1]
		place := strings.TrimSuffix(last.ID.String()+"~"+filter.Sort.Word(last), "~")
		model.Pages.NextURL = ui.Address(desk.ListURL, "tab", tab, "sort", sorted, "after", place)
	}
	if filter.From != uuid.Nil {
		model.Pages.FirstURL = ui.Address(desk.ListURL, "tab", tab, "sort", sorted)
	}
	for _, c := range changes {
		cells := []i18n.Text{
			desk.Heading(c), i18n.Data(c.Requester.Name), i18n.Data(ui.DateTime(c.RequestedAt)),
			ui.StateLabel(c.State()),
		}
		model.Rows = append(model.Rows, views.AdministrationRow{URL: desk.URL + c.ID.String(), Cells: desk.Cells(c, cells)})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// sortChanges reads the order of a list of changes; newest first for a missing or unknown order.
func (v *Request) sortChanges(filter *store.ChangeFilter) string {
	switch asked := v.Echo.QueryParam("sort"); asked {
	case "oldest":
		filter.OldestFirst = true
		return asked
	case string(store.ChangeSortKind), string(store.ChangeSortState):
		filter.Sort = store.ChangeSort(asked)
		return asked
	}
	return ""
}

// ShowChange shows the change that the path names, field by field.
func (v *Request) ShowChange(desk ChangeDesk) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	change, err := desk.Read(id)
	if err != nil {
		return err
	}
	shown := v.Change(desk, change)
	shown.Next, err = v.nextStep(change)
	if err != nil {
		return err
	}
	shown.Tried, err = v.effect(change)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangePage(shown))
}

// Change returns the view of a change.
func (v *Request) Change(desk ChangeDesk, c administration.Change) views.RealmChange {
	title := desk.Heading(c)
	shown := views.RealmChange{
		Layout: v.layout(title, desk.Place), ID: c.ID.String(), Heading: title, State: c.State(), Subject: c.Subject,
		Note: c.Note, Effects: effects(c), Requester: c.Requester.Name, RequestedAt: c.RequestedAt,
		Book: desk.Place == views.PlaceBeneficiaries, Report: desk.Report, Differences: changeDifferences(c),
	}
	if d := c.Decision; d != nil {
		shown.Decider, shown.DecidedAt, shown.Reason, shown.DecisionWords = d.By.Name, d.At, d.Reason, ui.StateLabel(c.State())
	}
	err := c.MayDecide(v.By)
	if err != nil {
		shown.Barred = i18n.OfError(err)
	}
	return shown
}

// nextStep says what follows an applied change that the program does not finish by itself, and who does it; "" for nothing.
func (v *Request) nextStep(c administration.Change) (i18n.Text, error) {
	if c.State() != administration.StateApplied {
		return "", nil
	}
	switch c.Kind { //nolint:exhaustive // the others are done
	case administration.KindRealmRetention:
		return "Next, an operator creates the archive of a month with “countersign archive” and gives an administrator the month and the " +
			"SHA-256 hash of the archive.", nil
	case administration.KindRealmErased:
		return "The keys of the erased data have been deleted. Backups of the database still contain these keys until the backups expire.", nil
	case administration.KindRealmArchived:
		left, err := v.Config.Reader.Archived(v.Context(), v.By.Realm)
		if left.Month >= c.After["archivedMonth"] {
			return "The payments of this month have been removed from the database.", err
		}
		return "Next, an operator runs “countersign archive --detach” with the archive file. Until then, the payments stay in the database.", err
	}
	return "", nil
}

// changeDifferences describes the fields that change.
func changeDifferences(c administration.Change) []views.ChangeDifference {
	var shown []views.ChangeDifference
	if c.Kind.Noun() == "policy" { // its changed fields alone do not say what it rules
		shown = append(shown, views.ChangeDifference{Field: "Policy", Before: ruleOf(c.Before), After: ruleOf(c.After)})
	}
	for _, d := range c.Differences() {
		as := shownAs(c, d.Field)
		if as == "" {
			continue
		}
		shown = append(shown, views.ChangeDifference{
			Field: administration.Label(d.Field), Before: FieldValue(as, d.Before), After: FieldValue(as, d.After),
		})
	}
	if c.Kind == administration.KindBeneficiaryRemove { // whose account it is stands in no difference
		account := FieldValue("creditorIban", c.Before["creditorIban"])
		shown = append(shown, views.ChangeDifference{Field: "IBAN", Before: account, After: account})
	}
	return shown
}

// ruleOf describes the policy of these values in a sentence with its priority; "–" for none.
func ruleOf(values administration.Values) i18n.Text {
	if len(values) == 0 {
		return "–"
	}
	var p administration.Policy
	administration.Fill(&p, values)
	return i18n.Join("; ", wholeRule(p), i18n.Text("%s: %s").With(i18n.Text("Priority"), strconv.Itoa(p.Rank)))
}

// shownAs returns the key under whose format the difference of a field is shown; "" for a field that means nothing to people: an internal
// id beside the name of its subject.
func shownAs(c administration.Change, key string) string {
	field := c.Kind.Field(key)
	switch {
	case field.Hidden, key == "status" && c.Kind == administration.KindBeneficiaryCreate:
		return ""
	case field.ShownAs != nil:
		return field.ShownAs(c.After)
	}
	return key
}

// DecideChange makes a decision. Secrets that an approval shows once are part of this answer.
func (v *Request) DecideChange(desk ChangeDesk, approve bool) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	decided, err := desk.Decide(id, approve, form.Get("reason"))
	if err != nil {
		return v.undecided(desk, id, form.Get("reason"), err)
	}
	if len(decided.Secrets) > 0 {
		err = v.CountWaiting() // the page is shown without another request
		if err != nil {
			return err
		}
		shown := v.Change(desk, decided.Change)
		shown.Secrets = decided.Secrets
		return v.Render(http.StatusOK, views.ChangePage(shown))
	}
	return v.GoTo(desk.URL+id.String(), i18n.Text("Your decision is saved. State of the change: %s.").
		With(ui.StateLabel(decided.Change.State())))
}

// undecided renders the change again with the reason why the decision was refused.
func (v *Request) undecided(desk ChangeDesk, id uuid.UUID, reason string, cause error) error {
	var conflict *administration.ConflictError
	var malformed *payment.FieldError
	var fourEyes *payment.FourEyesError
	status, problem := http.StatusConflict, ui.Problem{Text: i18n.OfError(cause)}
	switch {
	case errors.As(cause, &malformed) && len(malformed.Findings) > 0:
		status, problem = http.StatusUnprocessableEntity, ui.Problem{Field: "reason", Text: malformed.Findings[0].Text}
	case errors.As(cause, &fourEyes):
		status, problem.Text = http.StatusForbidden, i18n.OfError(fourEyes)
	case errors.As(cause, &conflict):
		problem.Text = i18n.OfError(conflict)
	default:
		return cause
	}
	change, err := desk.Read(id)
	if err != nil {
		return err
	}
	shown := v.Change(desk, change)
	shown.Layout.Failed, shown.Problems = true, []ui.Problem{problem}
	if change.Decision == nil {
		shown.Reason = reason
	}
	return v.Render(status, views.ChangePage(shown))
}

// RefuseChange renders the form of a change again with its problems beside the fields. An unrelated error becomes an error page.
func (v *Request) RefuseChange(model views.ChangeForm, err error) error {
	var malformed *payment.FieldError
	if !errors.As(err, &malformed) {
		return err
	}
	for _, f := range malformed.Findings {
		model.Problems = append(model.Problems, model.Refuse(ui.Problem{
			Field: f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:], Text: f.Text, Code: f.Code,
		}))
	}
	model.Layout.Failed = true
	return v.Render(http.StatusUnprocessableEntity, views.ChangeFormPage(model))
}
