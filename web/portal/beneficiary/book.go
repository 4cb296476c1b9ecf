package beneficiary

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/internal/store/governance"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// bookPage is how many beneficiaries, or changes of them, one page lists.
const bookPage = 50

// list begins a page of a list.
func (v *visit) list(current, heading, words string) views.AdministrationList {
	waiting := ""
	if v.Changes > 0 {
		waiting = strconv.Itoa(v.Changes)
	}
	tabs := []ui.Tab{{Label: "Beneficiaries", URL: "/beneficiaries"}, {Label: "Changes", URL: "/beneficiaries/changes", Count: waiting}}
	for i := range tabs {
		tabs[i].Current = tabs[i].URL == current
	}
	return views.AdministrationList{
		Shell: v.Shell(language.Sentence(heading), views.PlaceBeneficiaries), Heading: language.Sentence(heading),
		Words: language.Sentence(words), Tabs: tabs, Book: true,
	}
}

// showBook lists the beneficiaries in force.
func showBook(v *visit) error {
	search := page.Searchable(v.Echo.QueryParam("q"))
	of := governance.Book{Search: search, PageSize: bookPage + 1, AfterName: page.Searchable(v.Echo.QueryParam("after"))}
	of.AfterID, _ = uuid.Parse(v.Echo.QueryParam("from"))
	found, err := v.station.Beneficiaries(v.Context(), v.By, of)
	if err != nil {
		return err
	}
	model := v.list("/beneficiaries", "Beneficiaries",
		"Creditors that two people agreed on. A payment to one is filled in by its name, and the queue marks what is new.")
	model.Search = &ui.Field{ID: "q", Label: "Search in names, towns and accounts", Kind: "search", Value: search}
	model.Empty = ui.Empty{Icon: "user", Title: "Nobody here", Text: "No beneficiary is taken into the list yet."}
	if search != "" {
		model.Empty = ui.Empty{
			Icon: "user", Title: "Nobody found", Text: "No beneficiary has this in its name, town or account.", LinkLabel: "Show all",
			LinkURL: "/beneficiaries",
		}
	}
	model.Columns = []language.Text{"Name", "Account", "Town", "In the list since"}
	asks := page.MayMake(v.By) == nil
	if asks {
		model.Columns = append(model.Columns, "Next step")
		model.New = []views.AdministrationLink{{Label: "New beneficiary", URL: "/beneficiaries/new"}}
	}
	if len(found) > bookPage {
		found = found[:bookPage]
		last := found[bookPage-1]
		model.Pages.NextLabel = language.Text("Next %d").With(bookPage)
		model.Pages.NextURL = "/beneficiaries?" + url.Values{"q": {search}, "after": {last.Name}, "from": {last.ID}}.Encode()
	}
	for _, b := range found {
		row := views.AdministrationRow{Cells: []language.Text{
			language.Sentence(b.Name), language.Sentence(ui.GroupFours(b.IBAN)),
			language.Sentence(strings.TrimSpace(b.Postcode + " " + b.Town)),
			language.Sentence(b.AddedAt.In(v.Config.Zone).Format("02.01.2006")),
		}}
		if asks {
			row.Links = []views.AdministrationLink{
				{Label: "Pay", URL: "/payments/new?beneficiary=" + b.ID},
				{Label: "Change", URL: "/beneficiaries/" + b.ID + "/change"},
				{Label: "Remove", URL: "/beneficiaries/" + b.ID + "/remove"},
			}
		}
		model.Rows = append(model.Rows, row)
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// showChanges lists the changes that wait, and with ?tab=all those that were decided too.
func showChanges(v *visit) error {
	filter := governance.Filter{State: administration.StatePending, PageSize: bookPage + 1}
	model := v.list("/beneficiaries/changes", "Changes of beneficiaries",
		"What one maker asked for and a checker decides, who is somebody else.")
	model.Empty = ui.Empty{
		Icon: "inbox", Title: "Nothing waits", Text: "No change of a beneficiary waits for a decision.", LinkLabel: "All changes",
		LinkURL: "/beneficiaries/changes?tab=all",
	}
	model.New = []views.AdministrationLink{{Label: "All changes", URL: "/beneficiaries/changes?tab=all"}}
	tab := ""
	if v.Echo.QueryParam("tab") == "all" {
		filter.State, tab = "", "tab=all&"
		model.New = []views.AdministrationLink{{Label: "Those that wait", URL: "/beneficiaries/changes"}}
	}
	filter.From, _ = uuid.Parse(v.Echo.QueryParam("after"))
	changes, err := v.station.BeneficiaryChanges(v.Context(), v.By, filter)
	if err != nil {
		return err
	}
	if len(changes) > bookPage {
		changes = changes[:bookPage]
		model.Pages.NextLabel = language.Text("Next %d").With(bookPage)
		model.Pages.NextURL = "/beneficiaries/changes?" + tab + "after=" + changes[bookPage-1].ID.String()
	}
	model.Columns = []language.Text{"Change", "Account", "Asked for by", "When", "State"}
	for _, c := range changes {
		model.Rows = append(model.Rows, views.AdministrationRow{URL: "/beneficiaries/changes/" + c.ID.String(), Cells: []language.Text{
			language.Sentence(heading(c)), language.Sentence(ui.GroupFours(c.After["creditorIban"])),
			language.Sentence(c.Requester.Name), language.Sentence(c.RequestedAt.In(v.Config.Zone).Format("02.01.2006 15:04")),
			language.Sentence(string(c.State())),
		}})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// heading names a change by whom it is about.
func heading(c administration.Change) string {
	name := c.Before["creditorName"]
	switch c.Kind {
	case administration.KindBeneficiaryCreate:
		return "Take in " + c.After["creditorName"]
	case administration.KindBeneficiaryRemove:
		return "Remove " + name
	default:
		return "Change " + name
	}
}
