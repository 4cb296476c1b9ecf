package portal

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/views"
	"countersign/views/ui"
)

// canonical converts the text of a field to its stored form: an amount as 10000.00, a time as 24h, roles by their ids, codes in capitals.
// Invalid text stays unchanged; the domain refuses it.
func canonical(name, text string) string {
	switch administration.TypeOf(name) { //nolint:exhaustive // the others stay as they are
	case administration.TypeWords:
		return administration.Words(administration.WordsOf[identity.Role](strings.ToLower(text)))
	case administration.TypeList:
		return administration.Words(administration.WordsOf[string](text))
	case administration.TypeAmount:
		amount, err := money.ParseInput("EUR", text)
		if err == nil {
			return amount.String()
		}
	case administration.TypeDuration:
		return spans.Replace(strings.ToLower(text))
	case administration.TypeBIC, administration.TypeCountry:
		return strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	}
	return text
}

// spans normalises the spellings of durations that the pages themselves use.
var spans = strings.NewReplacer(" ", "", "min", "m")

// kind parses the kind of change in the path.
func (v *Request) kind() (administration.Kind, error) {
	kind := administration.Kind(v.Echo.Param("kind"))
	if !slices.Contains(administration.Kinds(), kind) {
		return "", payment.ErrNotFound
	}
	return kind, administration.MayAdminister(v.By)
}

// showForm renders the form of a change.
func showForm(v *Request, kind administration.Kind) error {
	subject := v.Echo.QueryParam("subject")
	values, err := v.present(kind, subject)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.changeForm(kind, subject, values)))
}

// present returns the initial values of a form: the current subject, where the form shows it. Error: payment.ErrNotFound for a subject that
// the realm does not have. A request for an unknown provider, realm or message is refused later.
func (v *Request) present(kind administration.Kind, subject string) (administration.Values, error) {
	if kind == administration.KindRealmDifference {
		return administration.Values{"difference": v.Echo.QueryParam("difference")}, nil
	}
	if kind.Creates() {
		return administration.Values{"personId": v.Echo.QueryParam("person")}, nil
	}
	single := slices.Contains([]string{"provider", "realm", "message"}, kind.Noun())
	if !single && kind.Action().Sets && subject == "" {
		return administration.Values{}, nil
	}
	list, err := v.Config.Admin.Subjects(v.Context(), v.By, kind.Noun())
	for _, one := range list {
		values := one.Values()
		switch {
		case !single && values[kind.Key()] != subject:
		case kind.Action().Filled:
			return values, nil
		default:
			return administration.Values{}, nil
		}
	}
	if err == nil && !single {
		err = payment.ErrNotFound
	}
	return administration.Values{}, err
}

// tries reports whether past messages show the effect of a kind of change.
func tries(kind administration.Kind) bool {
	return kind == administration.KindPolicyCreate || kind == administration.KindPolicyUpdate
}

// changeForm returns the form of a kind of change, filled with values.
func (v *Request) changeForm(kind administration.Kind, subject string, values administration.Values) views.ChangeForm {
	title := ChangeHeading(kind, subject)
	model := views.ChangeForm{
		Layout: v.layout(title, views.PlaceAdministration), Heading: title, Words: kind.Action().Words, BackURL: listOf(kind),
		MustNote: kind.Action().NoteMissing != "",
		Action:   link(kind, subject).URL, MayTry: tries(kind),
	}
	for _, name := range fieldsOf(kind, subject) {
		model.Inputs = append(model.Inputs, input(kind, name, values[name]))
	}
	return model
}

// input returns the form field for one value of a change.
func input(kind administration.Kind, name, value string) views.ChangeInput {
	field := kind.Field(name)
	if field.Type == administration.TypeWords {
		chosen := administration.WordsOf[string](value)
		return views.ChangeInput{Any: true, Choice: ui.Choice{
			ID: name, Label: field.Label, Hint: field.Hint, Chosen: append([]string{}, chosen...), Options: roleOptions(field.Options),
		}}
	}
	if options := optionsOf(field); options != nil {
		return views.ChangeInput{Choice: ui.Choice{ID: name, Label: field.Label, Hint: field.Hint, Value: value, Options: options}}
	}
	shown := ui.Field{ID: name, Label: field.Label, Value: value, Hint: field.Hint, Optional: !field.Required}
	if field.Type == administration.TypeSecret { // the form never shows it again
		shown.Kind, shown.Value, shown.Autocomplete = "password", "", "off"
	}
	return views.ChangeInput{Field: shown}
}

// roleOptions returns the roles that a field offers (all without such a list) under their display names.
func roleOptions(of []string) []ui.Option {
	var options []ui.Option
	for _, role := range identity.Roles() {
		if of != nil && !slices.Contains(of, string(role)) {
			continue
		}
		options = append(options, ui.Option{Value: string(role), Label: RoleWords([]identity.Role{role})})
	}
	return options
}

// fieldsOf returns the fields of a form. The form of an existing limit does not ask for its scope.
func fieldsOf(kind administration.Kind, subject string) []string {
	if action := kind.Action(); action.Sets && subject != "" && len(action.Clears) > 0 {
		return action.Clears
	}
	return kind.Fields()
}

// optionsOf returns the choices of a field; nil for a text field.
func optionsOf(field administration.Field) []ui.Option {
	if field.Type == administration.TypeYesNo {
		return []ui.Option{{Value: "", Label: "No"}, {Value: administration.Yes, Label: "Yes"}}
	}
	var options []ui.Option
	if field.None != "" {
		options = append(options, ui.Option{Label: field.None})
	}
	for _, word := range field.Options {
		options = append(options, ui.Option{Value: word, Label: FieldValue(field.Key, word)})
	}
	return options
}

// ask stores a requested change, or renders the form with the problems beside its fields.
func ask(v *Request, kind administration.Kind) error {
	typed, err := v.Form()
	if err != nil {
		return err
	}
	subject := v.Echo.QueryParam("subject")
	values := administration.Values{}
	for _, name := range fieldsOf(kind, subject) {
		values[name] = canonical(name, strings.TrimSpace(strings.Join(typed[name], ", ")))
	}
	if action := kind.Action(); !action.Filled || action.Sets || len(action.Clears) == 0 { // else an empty field was emptied
		values.Compact()
	}
	model := v.changeForm(kind, subject, values)
	if kind == administration.KindUserCreate {
		err = v.knownPerson(values)
	}
	if err != nil {
		return err
	}
	model.Note = typed.Get("note")
	if typed.Get("try") != "" && tries(kind) {
		return v.try(model, values)
	}
	made, err := v.Config.Admin.Request(v.Context(), v.By, service.RequestInput{
		Kind: kind, Subject: subject, Values: values, Note: model.Note,
	})
	if err != nil {
		return v.RefuseChange(model, err)
	}
	if made.Code == "" {
		return v.GoTo("/admin/changes/"+made.Change.ID.String(), "Another administrator must now approve or reject the change.")
	}
	shown := v.Change(v.realmDesk(), made.Change)
	shown.Secrets = []views.ChangeSecret{{
		Label: "The code (shown only once)", Value: made.Code,
		Words: i18n.Text("Give this code to %s in person. The administrator who approves the change receives a link. The user needs both the " +
			"code and the link.").
			With(made.Change.Subject),
	}}
	return v.Render(http.StatusOK, views.ChangePage(shown))
}

// knownPerson replaces an account name in the field of the person by the id of that account's person.
func (v *Request) knownPerson(values administration.Values) error {
	if values["personId"] == "" {
		return nil
	}
	users, err := subjectsOf[administration.User](v, "user")
	for _, u := range users {
		if u.Name == identity.NormaliseName(values["personId"]) {
			values["personId"] = u.Person.String()
			return nil
		}
	}
	return err
}

// try adds the result of a policy on past messages to the form and renders it.
func (v *Request) try(model views.ChangeForm, values administration.Values) error {
	asked := maps.Clone(values)
	asked["policyId"] = v.Echo.QueryParam("subject")
	run, err := v.Config.Admin.DryRun(v.Context(), v.By, asked.Compact())
	if err != nil {
		return v.RefuseChange(model, err)
	}
	model.Tried, err = v.tried(run)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(model))
}

// tried describes the result of a policy on past messages. It names their creditors only to readers of payments.
func (v *Request) tried(run administration.DryRun) (views.Tried, error) {
	found := views.Tried{More: run.More + run.Fewer - len(run.Changed), Looser: run.Looser, Readable: payment.MayRead(v.By) == nil}
	switch {
	case run.Looser && run.Tighter:
		found.Verdict = "This change relaxes controls for some payments and tightens them for others."
	case run.Looser:
		found.Verdict = "This change relaxes controls. Some payments will need fewer approvals or checks than they do now."
	case run.Tighter:
		found.Verdict = "This change tightens controls. Some payments will need more approvals or checks than they do now."
	default:
		found.Verdict = "This change does not relax or tighten controls for any payment."
	}
	var messages map[uuid.UUID]payment.Message
	if found.Readable {
		var err error
		keys := mapped(run.Changed, func(m administration.ChangedMessage) uuid.UUID { return m.ID })
		messages, err = v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, keys)
		if err != nil {
			return found, err
		}
	}
	for _, m := range run.Changed {
		amount, err := money.FromMinor(money.Currency(m.Currency), m.Amount)
		row := views.TriedPayment{
			Reference: m.GlobalID, At: m.At, Before: m.Before, After: m.After,
			Type: i18n.Text("%s: %s").With(ui.SchemeLabel(m.Scheme), ui.KindLabel(m.Kind)),
		}
		if err == nil {
			row.Amount = i18n.Data(amount.Format())
		}
		if known, there := messages[m.ID]; there && known.Withheld == "" {
			row.URL, row.Creditor = "/payments/"+m.ID.String(), i18n.Data(known.Summary.CreditorName)
		}
		found.Changed = append(found.Changed, row)
	}
	found.Sentences = []i18n.Text{
		i18n.Text("Of the last %d payments, the policy would have applied to %d.").With(run.Of, run.Taken),
		i18n.Text("%d payments would need more approvals.").With(run.More),
		i18n.Text("%d payments would need fewer approvals.").With(run.Fewer),
		i18n.Text("%d payments would need the same number of approvals as now.").With(run.Of - run.More - run.Fewer),
	}
	for _, approvals := range slices.Sorted(maps.Keys(run.ByApprovals)) {
		found.Sentences = append(found.Sentences, i18n.Text("Payments that would need %d approvals: %d.").With(approvals, run.ByApprovals[approvals]))
	}
	return found, nil
}

// effect returns the result of the policy in a change on the messages before its decision.
func (v *Request) effect(c administration.Change) (views.Tried, error) {
	if c.Kind.Noun() != "policy" {
		return views.Tried{}, nil
	}
	run, err := v.Config.Admin.Effect(v.Context(), v.By, c)
	if err != nil {
		return views.Tried{}, err
	}
	return v.tried(run)
}
