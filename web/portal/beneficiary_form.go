package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// askedBeneficiary is a requested change: its kind, its beneficiary and the values of the form.
type askedBeneficiary struct {
	kind    administration.Kind
	subject administration.Beneficiary // zero for a new one
	values  administration.Values
}

// showNew shows the form of a new beneficiary; with from= it is filled from a payment of the realm.
func showNew(v *Request) error {
	ask := askedBeneficiary{kind: administration.KindBeneficiaryCreate, values: administration.Values{"country": "CH"}}
	err := ask.kind.MayAsk(v.By)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Echo.QueryParam("from"))
	if err == nil {
		ask.values, err = v.creditorOf(id)
		if err != nil {
			return err
		}
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.beneficiaryForm(ask)))
}

// creditorOf returns the fields of a payment's creditor.
func (v *Request) creditorOf(id uuid.UUID) (administration.Values, error) {
	_, document, err := v.order(id)
	if err != nil {
		return nil, err
	}
	answers, values := orderform.ValuesOf(document, v.Today()), administration.Values{}
	for _, f := range answers.Fields() {
		for _, name := range administration.KindBeneficiaryCreate.Fields() {
			if f.Name == name {
				values[name] = *f.Value
			}
		}
	}
	return values, nil
}

// show shows the form to change or remove a beneficiary.
func (v *Request) show(kind administration.Kind) error {
	ask, err := v.askedAbout(kind)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.beneficiaryForm(ask)))
}

// askedAbout loads the beneficiary of the path for a person who may request the change.
func (v *Request) askedAbout(kind administration.Kind) (askedBeneficiary, error) {
	ask := askedBeneficiary{kind: kind}
	err := kind.MayAsk(v.By)
	if err != nil || kind.Creates() {
		return ask, err
	}
	id, err := v.ID("id")
	if err != nil {
		return ask, err
	}
	ask.subject, err = v.Config.Admin.Beneficiary(v.Context(), v.By, id)
	ask.values = ask.subject.Values()
	return ask, err
}

// beneficiaryForm returns the form of a change with its values.
func (v *Request) beneficiaryForm(ask askedBeneficiary) views.ChangeForm {
	model := views.ChangeForm{
		Heading: "New beneficiary", Action: "/beneficiaries/new", BackURL: "/beneficiaries",
		Words: "Enter the name and account as the creditor gave them to you. A checker must approve them before anyone can use them.",
	}
	switch ask.kind {
	case administration.KindBeneficiaryUpdate:
		model.Heading, model.Action = i18n.Text("Change %s").With(ask.subject.Name), "/beneficiaries/"+ask.subject.ID+"/change"
		model.Words = "A checker must approve the change. Until then, new payments use the old details. Confirm the change with the " +
			"creditor, using contact details you already have and not those on the invoice."
	case administration.KindBeneficiaryRemove:
		model.Heading, model.Action = i18n.Text("Remove %s").With(ask.subject.Name), "/beneficiaries/"+ask.subject.ID+"/remove"
		model.Words = i18n.Text("A checker must approve the removal. After that, %s can no longer be chosen by name.").
			With(ui.GroupFours(ask.subject.IBAN))
	default:
	}
	model.Layout = v.layout(model.Heading, views.PlaceBeneficiaries)
	for _, name := range ask.kind.Fields() {
		field := ask.kind.Field(name)
		if field.Type == administration.TypeCountry {
			model.Inputs = append(model.Inputs, views.ChangeInput{Choice: ui.Choice{
				ID: name, Label: field.Label, Value: ask.values[name], Options: Countries(v.Language()),
			}})
			continue
		}
		input := ui.Field{
			ID: name, Label: field.Label, Hint: field.Hint, Value: ask.values[name],
			IBAN: field.Type == administration.TypeIBAN, Optional: !field.Required,
		}
		if field.Max > 16 { // a shorter one needs no counter
			input.Limit = field.Max
		}
		model.Inputs = append(model.Inputs, views.ChangeInput{Field: input})
	}
	return model
}

// ask stores a requested change, or renders the form with the problems beside its fields.
func (v *Request) ask(kind administration.Kind) error {
	ask, err := v.askedAbout(kind)
	if err != nil {
		return err
	}
	typed, err := v.Form()
	if err != nil {
		return err
	}
	ask.values = administration.Values{}
	for _, name := range kind.Fields() {
		ask.values[name] = strings.TrimSpace(typed.Get(name))
	}
	if ask.values["street"]+ask.values["buildingNumber"]+ask.values["addressLine1"]+ask.values["addressLine2"]+ask.values["postcode"]+
		ask.values["town"] == "" {
		ask.values["country"] = "" // the country alone, which the form offers, is no address
	}
	note := typed.Get("note")
	made, err := v.Config.Admin.Request(v.Context(), v.By, service.RequestInput{
		Kind: kind, Subject: ask.subject.ID, Values: ask.values.Compact(), Note: note,
	})
	if err != nil {
		ask.values["country"] = typed.Get("country")
		model := v.beneficiaryForm(ask)
		model.Note = note
		return v.RefuseChange(model, err)
	}
	return v.GoTo("/beneficiaries/changes/"+made.Change.ID.String(), "A checker must now approve or reject the change.")
}

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
		"This list contains approved creditors. Makers choose them by name when they enter a payment, and checkers see recent changes in the "+
			"queue.")
	model.Search = &ui.Field{ID: "q", Label: "Search names, towns and accounts", Kind: "search", Value: search}
	model.Empty = ui.Empty{Icon: "user", Title: "No beneficiaries yet", Text: "Add the people and companies you pay often."}
	if search != "" {
		model.Empty = ui.Empty{
			Icon: "user", Title: "No beneficiary found", Text: "No beneficiary matches this name, town or account.", LinkLabel: "Show all",
			LinkURL: "/beneficiaries",
		}
	}
	model.Columns = []i18n.Text{"Name", "Account", "Town", "Last paid", "In the list since"}
	asks := MayMake(v.By) == nil
	if asks {
		model.Columns = append(model.Columns, "Next step")
		model.New = []ui.Step{{Label: "New beneficiary", URL: "/beneficiaries/new"}}
	}
	if len(found) > bookPage {
		found = found[:bookPage]
		last := found[bookPage-1]
		model.Pages.NextLabel = i18n.Text("Next %d").With(bookPage)
		model.Pages.NextURL = "/beneficiaries?" + url.Values{"q": {search}, "after": {last.Name}, "from": {last.ID}}.Encode()
	}
	paid, err := v.lastPaid(mapped(found, func(b administration.Beneficiary) string { return b.IBAN }))
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
			row.Links = []ui.Step{
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
		words[account] = "not paid yet"
		if last, found := paid[account]; found {
			words[account] = i18n.Data(ui.Day(last.At) + ", " + ui.AmountOf(last.Amount).String())
		}
	}
	return words, err
}
