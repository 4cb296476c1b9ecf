package admin

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/language"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// canonical converts the text of a field to its stored form: an amount as 10000.00, a time as 24h, roles by their ids, codes in capitals.
// Invalid text stays unchanged; the domain refuses it.
func canonical(name, text string) string {
	switch kind := administration.TypeOf(name); {
	case kind == administration.TypeWords:
		return administration.Words(administration.WordsOf[identity.Role](strings.ToLower(text)))
	case kind == administration.TypeAmount:
		amount, err := money.ParseInput("EUR", text)
		if err == nil {
			return amount.String()
		}
	case name == "expiresAfter", name == "signInAge":
		return spans.Replace(strings.ToLower(text))
	case name == "agentBic", name == "holderCountry":
		return strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	}
	return text
}

// spans are the ways to write 24h and 90m that the pages themselves have.
var spans = strings.NewReplacer(" ", "", "min", "m")

// kind parses the kind of change in the path.
func (v *visit) kind() (administration.Kind, error) {
	kind := administration.Kind(v.Echo.Param("kind"))
	if !slices.Contains(administration.Kinds(), kind) {
		return "", payment.ErrNotFound
	}
	return kind, administration.MayAdminister(v.By)
}

// showForm renders the form of a change.
func showForm(v *visit) error {
	kind, err := v.kind()
	if err != nil {
		return err
	}
	subject := v.Echo.QueryParam("subject")
	values, err := v.present(kind, subject)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ChangeFormPage(v.form(kind, subject, values)))
}

// listOf returns the page that lists the subjects of a kind.
func listOf(kind administration.Kind) string {
	switch kind.Noun() {
	case "user", "realm":
		return "/admin/users"
	case "client":
		return "/admin/clients"
	case "account":
		return "/admin/accounts"
	case "provider":
		return "/admin/provider"
	case "limit":
		return "/admin/limits"
	case "message":
		return "/admin"
	}
	return "/admin/policies"
}

// present returns the initial values of a form: the current subject, where the form shows it. Error: as subject.
func (v *visit) present(kind administration.Kind, subject string) (administration.Values, error) {
	switch kind {
	case administration.KindUserCreate:
		return administration.Values{"personId": v.Echo.QueryParam("person")}, nil
	case administration.KindProviderSet:
		provider, _, err := v.station.Provider(v.Context(), v.By)
		return provider.Values(), err
	case administration.KindRealmFactors:
		asked, err := v.station.Factors(v.Context(), v.By)
		return asked.Values(), err
	case administration.KindUserRoles, administration.KindAccountUpdate, administration.KindLimitSet:
		return v.subject(kind, subject)
	default:
		_, err := v.subject(kind, subject)
		return administration.Values{}, err
	}
}

// form is the form of a kind with values.
func (v *visit) form(kind administration.Kind, subject string, values administration.Values) views.ChangeForm {
	title := page.ChangeHeading(kind, subject)
	model := views.ChangeForm{
		Shell: v.Shell(title, views.PlaceAdministration), Heading: title, Words: page.WordsOf(kind).Words, BackURL: listOf(kind),
		Action: "/admin/ask/" + string(kind), MayTry: kind == administration.KindPolicyCreate,
	}
	if subject != "" {
		model.Action += "?" + url.Values{"subject": {subject}}.Encode()
	}
	for _, name := range fieldsOf(kind, subject) {
		model.Inputs = append(model.Inputs, input(kind, name, values[name]))
	}
	return model
}

// input is the question of one field.
func input(kind administration.Kind, name, value string) views.ChangeInput {
	if administration.TypeOf(name) == administration.TypeWords {
		chosen := administration.WordsOf[string](value)
		return views.ChangeInput{Any: true, Choice: ui.Choice{
			ID: name, Label: page.FieldLabel(name), Hint: hints[name], Chosen: append([]string{}, chosen...), Options: roleOptions(),
		}}
	}
	if options := optionsOf(kind, name); options != nil {
		return views.ChangeInput{Choice: ui.Choice{
			ID: name, Label: page.FieldLabel(name), Value: value, Options: options,
		}}
	}
	field := ui.Field{ID: name, Label: page.FieldLabel(name), Value: value, Hint: hints[name], Optional: optional(kind, name)}
	if name == "providerSecret" { // the form never shows it again
		field.Kind, field.Value, field.Autocomplete = "password", "", "off"
	}
	return views.ChangeInput{Field: field}
}

// roleOptions are the roles by the names that people know them by.
func roleOptions() []ui.Option {
	var options []ui.Option
	for _, role := range identity.Roles() {
		options = append(options, ui.Option{Value: string(role), Label: page.RoleWords([]identity.Role{role})})
	}
	return options
}

// fieldsOf returns the fields of a form. The form of an existing limit does not ask for its scope.
func fieldsOf(kind administration.Kind, subject string) []string {
	if kind == administration.KindLimitSet && subject != "" {
		return []string{"perPayment", "perDay"}
	}
	return kind.Fields()
}

// hints stand beside fields.
var hints = map[string]language.Text{ //nolint:gosec // words for people, no secret
	"roles": "An administrator holds no other role.", "expiresAfter": "Such as 24h or 90m",
	"iban":        "With or without spaces",
	"displayName": "Leave it out for another account of somebody who is here already",
	"personId":    "For another account of somebody who is here already: the name of one they have",
	"issuer":      "As the provider writes it, such as https://login.bank.example/realms/staff", "signInAge": "0s to 12h; 5m when left out",
	"providerSecret": "Empty for a public client, and to keep the one there is", "portalAddress": "Such as https://payments.bank.example",
	"outerSubject": "The claim sub: never a name or a mail address, which pass to others in time",
	"holder":       "A user name, a client's id, or an IBAN",
	"perPayment":   "Such as 10000.00", "perDay": "Such as 50000.00",
	"approvals": "0 to 9", "amountFrom": "Such as 10000.00", "holderCountry": "Two letters, such as CH", "rank": "0 to 1000",
	"secondFactorRoles": "Without one ticked nobody is asked for a second factor.",
}

// optional reports whether a field may be empty.
func optional(kind administration.Kind, name string) bool {
	needed := []string{
		"name", "roles", "clientId", "iban", "holderName", "holderTown", "holderCountry", "agentBic", "approvals",
		"issuer", "providerClient", "portalAddress", "outerSubject", "limitOf", "holder",
	}
	return !slices.Contains(needed, name) || kind == administration.KindPolicyCreate && name == "clientId"
}

// optionsOf returns the choices of a field; nil for a text field.
func optionsOf(kind administration.Kind, name string) []ui.Option {
	all := ui.Option{Label: "All"}
	plain := func(words ...string) []ui.Option {
		options := make([]ui.Option, len(words))
		for i, word := range words {
			options[i] = ui.Option{Value: word, Label: page.FieldValue("", word)}
		}
		return options
	}
	schemes := plain(string(rulebook.SchemeSIC), string(rulebook.SchemeSCT))
	switch {
	case administration.TypeOf(name) == administration.TypeYesNo:
		return []ui.Option{{Value: "", Label: "No"}, {Value: administration.Yes, Label: "Yes"}}
	case name == "limitOf":
		return plain(administration.LimitsOf()...)
	case name == "currency" && kind == administration.KindLimitSet:
		return append([]ui.Option{{Label: "That of the account"}}, plain("CHF", "EUR")...)
	case name == "scheme" && kind == administration.KindPolicyCreate:
		return append([]ui.Option{all}, schemes...)
	case name == "scheme":
		return schemes
	case name == "kind" && kind == administration.KindPolicyCreate:
		return append([]ui.Option{all}, plain(administration.PolicyKinds()...)...)
	case name == "kind":
		return plain(administration.ClientConfidential, administration.ClientPublic)
	case name == "passwords":
		return plain(administration.PasswordsEverybody, administration.PasswordsBreakGlass)
	case name == "channel":
		return append([]ui.Option{all}, plain(string(identity.ChannelAPI), string(identity.ChannelPortal))...)
	}
	return nil
}

// ask stores a request, or renders the form with its problems beside the fields.
func ask(v *visit) error {
	kind, err := v.kind()
	if err != nil {
		return err
	}
	typed, err := v.Form()
	if err != nil {
		return err
	}
	subject := v.Echo.QueryParam("subject")
	values := administration.Values{}
	for _, name := range fieldsOf(kind, subject) {
		values[name] = canonical(name, strings.TrimSpace(strings.Join(typed[name], ", ")))
	}
	if kind != administration.KindAccountUpdate { // whose form begins with what is there: what is empty was emptied
		values.Compact()
	}
	model := v.form(kind, subject, values)
	if kind == administration.KindUserCreate {
		err = v.knownPerson(values)
	}
	if err != nil {
		return err
	}
	model.Note = typed.Get("note")
	if typed.Get("try") != "" && kind == administration.KindPolicyCreate {
		return v.try(model, values)
	}
	made, err := v.station.Request(v.Context(), v.By, service.RequestInput{Kind: kind, Subject: subject, Values: values, Note: model.Note})
	if err != nil {
		return v.RefuseChange(model, err)
	}
	if made.Code == "" {
		return v.GoTo("/admin/changes/"+made.Change.ID.String(), "Another administrator decides it now.")
	}
	shown := v.Change(v.desk(), made.Change)
	shown.Secrets = []views.ChangeSecret{{
		Label: "The code, shown this once", Value: made.Code,
		Words: language.Text("Give it to %s yourself. Whoever approves the change gets the link. Neither is enough alone.").
			With(made.Change.Subject),
	}}
	return v.Render(http.StatusOK, views.ChangePage(shown))
}

// knownPerson puts the id of a person into the place of the name of an account that the person has.
func (v *visit) knownPerson(values administration.Values) error {
	if values["personId"] == "" {
		return nil
	}
	users, err := v.station.Users(v.Context(), v.By)
	for _, u := range users {
		if u.Name == identity.NormaliseName(values["personId"]) {
			values["personId"] = u.Person.String()
			return nil
		}
	}
	return err
}

// try shows the result of a policy on past messages.
func (v *visit) try(model views.ChangeForm, values administration.Values) error {
	run, err := v.station.DryRun(v.Context(), v.By, values)
	if err != nil {
		return v.RefuseChange(model, err)
	}
	model.Tried = tried(run)
	return v.Render(http.StatusOK, views.ChangeFormPage(model))
}

// tried describes the result of a policy on past messages.
func tried(run administration.DryRun) []language.Text {
	found := []language.Text{language.Text("Of the last %d messages %d would have needed another number of approvals.").
		With(run.Of, run.Changed)}
	for _, approvals := range slices.Sorted(maps.Keys(run.ByApprovals)) {
		found = append(found, language.Text("Number of approvals %d: messages %d.").With(approvals, run.ByApprovals[approvals]))
	}
	return found
}

// triedBefore returns the result on past messages of the policy in a pending change, for its checker.
func (v *visit) triedBefore(c administration.Change) ([]language.Text, error) {
	if c.Kind != administration.KindPolicyCreate {
		return nil, nil
	}
	run, err := v.station.DryRun(v.Context(), v.By, c.After)
	if err != nil {
		return nil, err
	}
	return tried(run), nil
}
