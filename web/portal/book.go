package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// bookPage is the number of beneficiaries on one page.
const bookPage = 50

// bookList starts a page of one of the lists of beneficiaries.
func (v *Request) bookList(current string, heading, words i18n.Text) views.AdministrationList {
	waiting := ""
	if v.Changes > 0 {
		waiting = strconv.Itoa(v.Changes)
	}
	tabs := []ui.Tab{{Label: "Beneficiaries", URL: "/beneficiaries"}, {Label: "Changes", URL: "/beneficiaries/changes", Count: waiting}}
	for i := range tabs {
		tabs[i].Current = tabs[i].URL == current
	}
	return views.AdministrationList{
		Layout: v.layout(heading, views.PlaceBeneficiaries), Heading: heading,
		Words: words, Tabs: tabs, Book: true,
	}
}

// showBook lists the beneficiaries in force.
func showBook(v *Request) error {
	search := Searchable(v.Echo.QueryParam("q"))
	of := store.Book{Search: search, PageSize: bookPage + 1, AfterName: Searchable(v.Echo.QueryParam("after"))}
	of.AfterID, _ = uuid.Parse(v.Echo.QueryParam("from"))
	found, err := v.Config.Admin.Beneficiaries(v.Context(), v.By, of)
	if err != nil {
		return err
	}
	model := v.bookList("/beneficiaries", "Beneficiaries",
		"Approved creditors. Choose one by name when you enter a payment; the queue highlights recent changes.")
	model.Search = &ui.Field{ID: "q", Label: "Search in names, towns and accounts", Kind: "search", Value: search}
	model.Empty = ui.Empty{Icon: "user", Title: "No beneficiaries yet", Text: "Add the people and companies you pay often."}
	if search != "" {
		model.Empty = ui.Empty{
			Icon: "user", Title: "Nobody found", Text: "No beneficiary matches this name, town or account.", LinkLabel: "Show all",
			LinkURL: "/beneficiaries",
		}
	}
	model.Columns = []i18n.Text{"Name", "Account", "Town", "Last paid", "In the list since"}
	asks := MayMake(v.By) == nil
	if asks {
		model.Columns = append(model.Columns, "Next step")
		model.New = []views.AdministrationLink{{Label: "New beneficiary", URL: "/beneficiaries/new"}}
	}
	if len(found) > bookPage {
		found = found[:bookPage]
		last := found[bookPage-1]
		model.Pages.NextLabel = i18n.Text("Next %d").With(bookPage)
		model.Pages.NextURL = "/beneficiaries?" + url.Values{"q": {search}, "after": {last.Name}, "from": {last.ID}}.Encode()
	}
	accounts := make([]string, len(found))
	for i, b := range found {
		accounts[i] = b.IBAN
	}
	paid, err := v.lastPaid(accounts)
	if err != nil {
		return err
	}
	since, err := v.listedSince(found)
	if err != nil {
		return err
	}
	for i, b := range found {
		row := views.AdministrationRow{Cells: []i18n.Text{
			i18n.Data(b.Name), i18n.Data(ui.GroupFours(b.IBAN)), i18n.Data(strings.TrimSpace(b.Postcode + " " + b.Town)), paid[b.IBAN], since[i],
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

// listedSince describes when each beneficiary was added and by which two people. A beneficiary has the id of the change that created it.
func (v *Request) listedSince(list []administration.Beneficiary) ([]i18n.Text, error) {
	filter := store.ChangeFilter{Kind: administration.KindBeneficiaryCreate, IDs: []uuid.UUID{}, PageSize: bookPage}
	for _, b := range list {
		id, err := uuid.Parse(b.ID)
		if err != nil {
			return nil, err
		}
		filter.IDs = append(filter.IDs, id)
	}
	made, err := v.Config.Admin.BeneficiaryChanges(v.Context(), v.By, filter)
	people := map[string]administration.Change{}
	for _, change := range made {
		people[change.ID.String()] = change
	}
	since := make([]i18n.Text, len(list))
	for i, b := range list {
		since[i] = i18n.Data(ui.Day(b.AddedAt))
		if change := people[b.ID]; change.Decision != nil && change.Decision.Approved {
			since[i] = i18n.Text("%s, by %s and %s").With(ui.Day(b.AddedAt), change.Requester.Name, change.Decision.By.Name)
		}
	}
	return since, err
}

// lastPaid describes the day and the amount of the last payment to each account.
func (v *Request) lastPaid(accounts []string) (map[string]i18n.Text, error) {
	paid, err := v.Config.Reader.LastPaid(v.Context(), v.By.Realm, accounts)
	words := make(map[string]i18n.Text, len(accounts))
	for _, account := range accounts {
		words[account] = "not yet"
		if last, found := paid[account]; found {
			words[account] = i18n.Data(ui.Day(last.At) + ", " + ui.AmountOf(last.Amount).String())
		}
	}
	return words, err
}
