package portal

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showTemplates lists the templates; with draft= or like= in the address it asks for the name of a new one.
func showTemplates(v *paymentsVisit) error {
	return v.renderTemplates(http.StatusOK, views.Templates{})
}

// renderTemplates renders the page with the additions of a refused form: the typed text and the problems.
func (v *paymentsVisit) renderTemplates(status int, model views.Templates) error {
	err := MayMake(v.By)
	if err != nil {
		return err
	}
	scheme, values, found, err := v.toSave()
	if err != nil {
		return err
	}
	if found {
		model.SaveURL, model.Saved = "/templates?"+v.Echo.QueryParams().Encode(), templateWords(scheme, values)
	}
	list, err := v.Config.Drafts.Templates(v.Context(), v.By)
	if err != nil {
		return err
	}
	for _, t := range list {
		shown := views.Template{
			ID: t.ID.String(), Name: t.Name, Shared: t.Shared, Own: t.Own, Words: "It was saved under a key that is gone.",
		}
		if !t.Own {
			shown.Owner = t.Owner
		}
		if len(t.Answers) > 0 {
			answers, err := orderform.DecodeValues(t.Answers)
			if err != nil {
				return err
			}
			shown.URL, shown.Words = "/payments/new?template="+t.ID.String(), templateWords(t.Scheme, answers)
		}
		model.Templates = append(model.Templates, shown)
	}
	model.Shell = v.FormShell("Templates", views.PlaceNew, status)
	return v.Render(status, views.TemplatesPage(model))
}

// toSave are the answers that the address names: those of a draft of this person, or of a payment of the realm. What belongs to one payment
// alone is left out.
func (v *paymentsVisit) toSave() (scheme rulebook.Scheme, values orderform.Values, found bool, err error) {
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
	values.EndToEndID, values.AmendReason = "", ""
	return scheme, values, err == nil, err
}

// draftAnswers are the answers of a payment form that is kept as a draft, submitted or not.
func (v *paymentsVisit) draftAnswers(key string) (rulebook.Scheme, orderform.Values, error) {
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
func saveTemplate(v *paymentsVisit) error {
	err := MayMake(v.By)
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	scheme, values, found, err := v.toSave()
	if err != nil {
		return err
	}
	if !found {
		return payment.ErrNotFound
	}
	answers, err := values.Encode()
	if err != nil {
		return err
	}
	kept := v.templates()
	t := store.Template{
		ID: v.Config.NewID(), Name: kept.Name(form), Scheme: scheme, Answers: answers, Shared: form.Get("shared") == "yes", SavedAt: v.At,
	}
	problem := kept.Wrong(t.Name)
	if problem == "" {
		err = v.Config.Drafts.SaveTemplate(v.Context(), v.By, t)
	}
	if errors.Is(err, store.ErrTooManyTemplates) {
		problem = i18n.Text("You have %d templates. Remove one first.").With(store.MaxTemplates)
	} else if err != nil {
		return err
	}
	if problem != "" {
		return v.renderTemplates(http.StatusUnprocessableEntity, views.Templates{
			Name: form.Get("name"), Shared: t.Shared, Problems: []ui.Problem{{Field: "name", Text: problem}},
		})
	}
	return v.GoTo("/templates", i18n.Text("Saved as “%s”.").With(t.Name))
}

// changeTemplate renames a template, shares it or not, or removes it.
func changeTemplate(v *paymentsVisit) error {
	err := MayMake(v.By)
	if err != nil {
		return err
	}
	return v.ChangeNamed(v.templates())
}

// templates are the templates of this person.
func (v *paymentsVisit) templates() Named {
	ctx, kept := v.Context(), v.Config.Drafts
	return Named{
		Limit: views.TemplateNameLimit, Empty: "Enter a name, such as “Rent”.", List: "/templates",
		Remove: func(id uuid.UUID) error { return kept.RemoveTemplate(ctx, v.By, id) },
		Change: func(id uuid.UUID, name string, shared bool) error {
			return kept.ChangeTemplate(ctx, v.By, store.Template{ID: id, Name: name, Shared: shared})
		},
		Taken: store.ErrTemplateNameTaken, Other: "Another template of yours has this name.",
		Again: func(id, typed string, problem ui.Problem) error {
			return v.renderTemplates(http.StatusUnprocessableEntity, views.Templates{
				Changed: id, ChangedName: typed, Problems: []ui.Problem{problem},
			})
		},
	}
}

// fillTemplate fills the form from a template.
func (v *paymentsVisit) fillTemplate(model *views.NewPayment, key string) error {
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
	return err
}
