package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// bookPage is the number of beneficiaries on one page.
const bookPage = 50

// list begins a page of a list.
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
			Icon: "user", Title: "Nobody found", Text: "No beneficiary has this in its name, town or account.", LinkLabel: "Show all",
			LinkURL: "/beneficiaries",
		}
	}
	model.Columns = []i18n.Text{"Name", "Account", "Town", "In the list since"}
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
	for _, b := range found {
		row := views.AdministrationRow{Cells: []i18n.Text{
			i18n.Data(b.Name), i18n.Data(ui.GroupFours(b.IBAN)),
			i18n.Data(strings.TrimSpace(b.Postcode + " " + b.Town)),
			i18n.Data(b.AddedAt.In(v.Config.Zone).Format("02.01.2006")),
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
