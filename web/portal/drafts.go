package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// tabDrafts is the tab of a maker's list with unsubmitted drafts.
const tabDrafts = "drafts"

// allDrafts is the form value for all drafts.
const allDrafts = "all"

// keepTyped saves a payment form as a draft while it is typed. Nothing is checked. It answers with a part of the form: the key of the draft
// and the time of saving.
func keepTyped(v *Request, form url.Values) error {
	draft, err := v.newDraft(SchemeOf(form.Get("scheme")), orderform.ReadForm(form))
	if err != nil {
		return err
	}
	return v.keepAs(form, draft)
}

// begun holds the unsubmitted drafts of this person.
type begun struct {
	forms []store.Draft
	files []store.ListedBatch // of many payments
}

func (b begun) count() int { return len(b.forms) + len(b.files) }

// begun reads the unsubmitted drafts of this person, as the tab of drafts lists them.
func (v *Request) begun() (b begun, err error) {
	b.forms, err = v.Config.Drafts.List(v.Context(), v.By, v.At, MaxDrafts)
	if err != nil {
		return b, err
	}
	b.files, err = v.Config.Drafts.Batches(v.Context(), v.By, v.At)
	return b, err
}

// draftRows lists the unsubmitted drafts, the last changed first.
func (v *Request) draftRows(b begun) ([]ui.Entry, error) {
	rows := mapped(b.files, func(f store.ListedBatch) ui.Entry {
		return ui.Entry{
			ID: f.ID.String(), URL: batchPath(f.ID), Name: i18n.Data(f.FileName), At: f.SavedAt, Now: v.At, Aged: true,
			Reference: v.Say("kept until %s", ui.ShortTime(f.ExpiresAt, v.At)), Purpose: i18n.Text("%d of %d payments submitted").
					With(f.Submitted, f.Lines),
			Steps: []ui.Step{discards("Delete", f.ID.String())},
		}
	})
	for _, d := range b.forms {
		row, err := v.draftRow(d)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b ui.Entry) int { return b.At.Compare(a.At) })
	return rows, nil
}

// draftEntries is the table of drafts without its rows.
func draftEntries(heads ui.Heads) ui.Entries {
	heads.State = ""
	return ui.Entries{Caption: "Drafts, most recently changed first", Heads: heads}
}

// discards returns the step to the question whether to delete drafts.
func discards(label i18n.Text, drafts string) ui.Step {
	return ui.Step{Label: label, URL: views.DiscardPath + "?draft=" + drafts}
}

// askDiscard asks whether to delete an open draft, the open ones of a file, or all.
func askDiscard(v *Request) error {
	drafts, err := v.begun()
	if err != nil {
		return err
	}
	named := v.Echo.QueryParam("draft")
	if named != allDrafts {
		drafts.forms = slices.DeleteFunc(drafts.forms, func(d store.Draft) bool { return d.ID.String() != named })
		drafts.files = slices.DeleteFunc(drafts.files, func(f store.ListedBatch) bool { return f.ID.String() != named })
	}
	if drafts.count() == 0 {
		return payment.ErrNotFound
	}
	model := views.Discard{
		Draft: named, Label: i18n.Text("Delete %d drafts").With(drafts.count()), BackURL: "/mine?tab=" + tabDrafts,
		Entries: draftEntries(ui.Heads{Name: "Creditor and purpose", When: "Saved"}),
	}
	model.Layout = v.layout(i18n.Text("Delete %d drafts?").With(drafts.count()), views.PlaceMine)
	model.Entries.Entries, err = v.draftRows(drafts)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.DiscardPage(model))
}

// discardDrafts deletes an open draft, the open ones of a file, or all.
func discardDrafts(v *Request, form url.Values) error {
	id, err := uuid.Parse(form.Get("draft"))
	if err != nil && form.Get("draft") != allDrafts {
		return payment.ErrNotFound
	}
	count, err := v.Config.Drafts.Discard(v.Context(), v.By, id)
	if err != nil {
		return err
	}
	return v.GoTo("/mine?tab="+tabDrafts, i18n.Text("%d drafts deleted.").With(int(count)))
}

// draftToward are the words before the name in the list of drafts.
var draftToward = map[payment.Kind]i18n.Text{
	payment.KindRecall: "Recall from", payment.KindReturn: "Return of money to", payment.KindResolution: "Refusal to return money to",
}

func (v *Request) draftRow(d store.Draft) (ui.Entry, error) {
	path := "/payments/" + d.ID.String()
	row := ui.Entry{
		ID: d.ID.String(), URL: path + "/edit", At: d.SavedAt, Now: v.At, Aged: true,
		Reference: v.Say("kept until %s", ui.ShortTime(d.ExpiresAt, v.At)),
		Facts:     ui.Facts(ui.SchemeFact(string(d.Scheme))),
		Steps:     []ui.Step{{Label: "Check and submit", URL: path + "/check"}, discards("Delete", d.ID.String())},
	}
	if d.FileName != "" {
		row.Name, row.URL = i18n.Text("File %s").With(d.FileName), path+"/check"
		return row, nil
	}
	request, err := formIn(d)
	if err != nil {
		return row, err
	}
	if request != nil {
		row.URL, row.Toward, row.Name = request.addressOf(d.ID), draftToward[request.Kind], i18n.Data(cmp.Or(request.Name, d.ID.String()))
		row.Purpose = views.ReasonText(request.Kind, d.Scheme, request.Reason)
		row.Amount = ui.Amount{Currency: request.Currency, Value: request.Amount}
		return row, nil
	}
	values, err := orderform.DecodeValues(d.Answers)
	if err != nil {
		return row, err
	}
	row.Name, row.Purpose = i18n.Data(values.CreditorName), i18n.Data(values.RemittanceText)
	if values.CreditorName == "" {
		row.Name = "No creditor entered yet"
	}
	if values.Amount != "" {
		row.Amount = typedAmount(d.Scheme, values.Amount)
	}
	if d.Amends != uuid.Nil {
		row.Flags = append(row.Flags, ui.Fact{Text: "Amendment", Title: "This draft changes a payment that is waiting for approval"})
	}
	return row, nil
}

// typedAmount formats a typed amount of a scheme; invalid text stays as typed.
func typedAmount(scheme rulebook.Scheme, typed string) ui.Amount {
	profile, _ := scheme.Profile()
	amount, err := money.ParseInput(profile.Currency, typed)
	switch {
	case err == nil:
		return ui.AmountOf(amount)
	case money.NamesOther(profile.Currency, typed):
		return ui.Amount{Value: typed}
	}
	return ui.Amount{Currency: string(profile.Currency), Value: typed}
}
