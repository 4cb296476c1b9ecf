package portal

import (
	"errors"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// templateEntry is a template as its list shows it.
func templateEntry(t store.Template) (views.NamedEntry, error) {
	shown := views.NamedEntry{
		ID: t.ID.String(), Name: t.Name, Shared: t.Shared, Own: t.Own, Owner: t.Owner,
		Words: "This template cannot be opened because it was saved with a key that no longer exists.",
	}
	if len(t.Answers) == 0 {
		return shown, nil
	}
	answers, err := orderform.DecodeValues(t.Answers)
	shown.URL, shown.Words = "/payments/new?template="+t.ID.String(), i18n.Data(answers.CreditorName)
	if answers.Amount != "" {
		shown.Amount = typedAmount(t.Scheme, answers.Amount)
	}
	iban, unreadable := account.ParseInput(answers.CreditorIBAN)
	if unreadable == nil {
		shown.Account = iban.String()
	}
	return shown, err
}

// templateEntries are the templates of this person and those that others share, with the last payment to the account of each. The search
// in the address narrows them by name and creditor.
func (v *Request) templateEntries() ([]views.NamedEntry, error) {
	list, err := v.Config.Drafts.Templates(v.Context(), v.By)
	if err != nil {
		return nil, err
	}
	search := strings.ToLower(Searchable(v.Echo.QueryParam("q")))
	var entries []views.NamedEntry
	var accounts []string
	for _, t := range list {
		entry, err := templateEntry(t)
		if err != nil {
			return nil, err
		}
		if strings.Contains(strings.ToLower(entry.Name+"\n"+entry.Words.String()), search) {
			entries, accounts = append(entries, entry), append(accounts, entry.Account)
		}
	}
	paid, err := v.lastPaid(accounts)
	for i, account := range accounts {
		if account != "" {
			entries[i].Paid = paid[account]
		}
	}
	return entries, err
}

// toSave returns the answers that the address names: those of a draft of this person, or of a payment of the realm, without fields that
// belong to one payment alone.
func (v *Request) toSave() (scheme rulebook.Scheme, values orderform.Values, found bool, err error) {
	switch query := v.Echo.QueryParams(); {
	case query.Get("draft") != "":
		scheme, values, err = v.draftAnswers(query.Get("draft"))
	case query.Get("like") != "":
		model := views.NewPayment{}
		err = v.fillLike(&model, query.Get("like"))
		scheme, values = SchemeOf(model.Scheme), model.Values
	default:
		return "", values, false, nil
	}
	values.EndToEndID, values.AmendReason, values.ExecutionDate, values.Basis = "", "", "", ""
	return scheme, values, err == nil, err
}

// draftAnswers returns the answers of a payment form saved as a draft, submitted or not.
func (v *Request) draftAnswers(key string) (rulebook.Scheme, orderform.Values, error) {
	id, err := uuid.Parse(key)
	if err != nil {
		return "", orderform.Values{}, payment.ErrNotFound
	}
	draft, err := v.Config.Drafts.Get(v.Context(), v.By, id, v.At)
	if err != nil {
		return "", orderform.Values{}, err
	}
	other, err := FormOf(draft)
	if err == nil && (other != "" || len(draft.File) > 0) {
		err = payment.ErrNotFound
	}
	if err != nil {
		return "", orderform.Values{}, err
	}
	values, err := orderform.DecodeValues(draft.Answers)
	return draft.Scheme, values, err
}

// templateWords describes the amount and the creditor of a template.
func templateWords(scheme rulebook.Scheme, values orderform.Values) i18n.Text {
	words := []string{ui.SchemeLabel(string(scheme))}
	if values.CreditorName != "" {
		words = append(words, values.CreditorName)
	}
	if values.Amount != "" {
		amount := typedAmount(scheme, values.Amount)
		words = append(words, strings.TrimSpace(amount.Currency+" "+amount.Value))
	}
	return i18n.Data(strings.Join(words, " · "))
}

// saveTemplate stores the form in the address under a name.
func saveTemplate(v *Request, n named) error {
	if n.page.SaveURL == "" {
		return payment.ErrNotFound
	}
	return v.saveNamed(n)
}

// payTemplates makes a draft of each named template, together as one file, which is submitted and approved together. A template alone
// becomes a payment to check, or the form with its missing fields marked.
func payTemplates(v *Request, form url.Values) error {
	ticked := form["template"]
	if len(ticked) == 0 {
		return v.GoTo("/templates", "Select at least one template.")
	}
	if len(ticked) > store.MaxTemplates {
		return payment.ErrNotFound
	}
	if len(ticked) == 1 {
		return v.payTemplate(ticked[0])
	}
	var lines orderform.Table
	for i, key := range ticked {
		model := views.NewPayment{}
		err := v.fillTemplate(&model, key)
		if err != nil {
			return err
		}
		lines.Lines = append(lines.Lines, orderform.Line{Number: i + 1, Scheme: SchemeOf(model.Scheme), Values: model.Values})
	}
	return v.takeTable(v.Say("Templates"), nil, lines)
}

// payTemplate makes a payment draft of a template.
func (v *Request) payTemplate(key string) error {
	model := views.NewPayment{Action: "/payments/new"}
	err := v.fillTemplate(&model, key)
	if err != nil {
		return err
	}
	model.Values.EndToEndID = v.newEndToEndID()
	draft, err := v.newDraft(SchemeOf(model.Scheme), model.Values)
	if err != nil {
		return err
	}
	return v.checkForm(model, draft, v.Config.Drafts.Add, "")
}

// templates returns the templates of this person, who may make payments, and the payment in the address as a new one.
func (v *Request) templates() (n named, err error) {
	err = MayMake(v.By)
	if err != nil {
		return n, err
	}
	scheme, values, found, err := v.toSave()
	if err != nil {
		return n, err
	}
	answers, err := values.Encode()
	if err != nil {
		return n, err
	}
	ctx, drafts := v.Context(), v.Config.Drafts
	n = named{
		page: views.NamedList{
			Title: "Templates", Place: views.PlaceTemplates, URL: "/templates", Limit: 60, PayURL: "/templates/pay",
			Search: ui.Field{ID: "q", Label: "Search the list", Kind: "search", Value: Searchable(v.Echo.QueryParam("q"))},
			Words: views.NamedWords{
				Heading: "Save as a template", Save: "Save template", Sharing: "All makers in the realm can use this template",
				How: "A template fills in the form for a payment that you make regularly. To create a template, fill in the form, check it and " +
					"choose “Save as a template”.",
			},
		},
		after: "/templates", empty: "Enter a name, such as “Rent”.", other: "You already have a template with this name. Choose another name.",
		most:  i18n.Text("You already have %d templates, which is the maximum. Remove a template first.").With(store.MaxTemplates),
		taken: store.ErrTemplateNameTaken, full: store.ErrTooManyTemplates,
		list: v.templateEntries,
		save: func(id uuid.UUID, name string, shared bool) error {
			return drafts.SaveTemplate(ctx, v.By, store.Template{
				ID: id, Name: name, Scheme: scheme, Answers: answers, Shared: shared, SavedAt: v.At,
			})
		},
		change: func(id uuid.UUID, name string, shared bool) error {
			return drafts.ChangeTemplate(ctx, v.By, store.Template{ID: id, Name: name, Shared: shared})
		},
		remove: func(id uuid.UUID) error { return drafts.RemoveTemplate(ctx, v.By, id) },
	}
	if found {
		n.page.SaveURL, n.page.Saved = "/templates?"+v.Echo.QueryParams().Encode(), templateWords(scheme, values)
		if draft := v.Echo.QueryParam("draft"); draft != "" {
			n.after = "/payments/" + draft + "/check"
			n.page.Back = ui.Step{Label: "Back to the payment", URL: n.after}
		}
	}
	return n, nil
}

// fillTemplate fills the form from a template.
func (v *Request) fillTemplate(model *views.NewPayment, key string) error {
	id, err := uuid.Parse(key)
	if err != nil {
		return payment.ErrNotFound
	}
	t, err := v.Config.Drafts.Template(v.Context(), v.By, id)
	if errors.Is(err, store.ErrUnreadable) {
		err = payment.ErrNotFound // the list says why
	}
	if err != nil {
		return err
	}
	values, err := orderform.DecodeValues(t.Answers)
	model.Scheme, model.Values, model.Prefilled = string(t.Scheme), values, true
	model.Values.Basis = orderform.BasisTemplate + key
	return err
}

// templateOf is the template that a form was filled from, as far as this person may use it; found is false for none.
func (v *Request) templateOf(basis string) (of store.Template, found bool, err error) {
	id, err := uuid.Parse(strings.TrimPrefix(basis, orderform.BasisTemplate))
	if err != nil {
		return of, false, nil //nolint:nilerr // it was filled from none
	}
	list, err := v.Config.Drafts.Templates(v.Context(), v.By)
	for _, t := range list {
		if t.ID == id {
			return t, true, err
		}
	}
	return of, false, err
}
