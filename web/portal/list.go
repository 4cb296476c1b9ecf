package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// lists are the lists of a realm by noun, in the order of their tabs.
var adminLists = []struct {
	noun, path string
	label      i18n.Text
}{
	{"message", "/admin", "Changes"},
	{"user", "/admin/users", "People"},
	{"client", "/admin/clients", "Clients"},
	{"account", "/admin/accounts", "Accounts"},
	{"policy", "/admin/policies", "Policies"},
	{"provider", "/admin/provider", "Identity provider"},
	{"limit", "/admin/limits", "Limits"},
	{"webhook", "/admin/webhooks", "Webhooks"},
}

// listOf returns the page that lists the subjects of a kind.
func listOf(kind administration.Kind) string {
	for _, list := range adminLists {
		if list.noun == kind.Noun() {
			return list.path
		}
	}
	return "/admin/users"
}

// tabs lead to the lists of a realm.
func (v *Request) administrationTabs(current string) []ui.Tab {
	tabs := make([]ui.Tab, len(adminLists))
	for i, list := range adminLists {
		tabs[i] = ui.Tab{Label: list.label, URL: list.path, Current: list.path == current}
	}
	if v.Changes > 0 {
		tabs[0].Count = strconv.Itoa(v.Changes)
	}
	return tabs
}

// list begins a page of a list.
func (v *Request) administrationList(path string, heading, words i18n.Text) views.AdministrationList {
	return views.AdministrationList{
		Layout: v.layout(heading, views.PlaceAdministration), Heading: heading, Words: words, Tabs: v.administrationTabs(path),
		Empty: ui.Empty{Icon: "list", Title: "Nothing here", Text: "The realm has none yet."},
	}
}

// link leads to the form of a change.
func link(kind administration.Kind, subject string) views.AdministrationLink {
	address := "/admin/ask/" + string(kind)
	if subject != "" {
		address += "?" + url.Values{"subject": {subject}}.Encode()
	}
	return views.AdministrationLink{Label: kind.Action().Label, URL: address}
}

func links(subject string, kinds ...administration.Kind) []views.AdministrationLink {
	list := make([]views.AdministrationLink, len(kinds))
	for i, kind := range kinds {
		list[i] = link(kind, subject)
	}
	return list
}

func showUsers(v *Request) error {
	users, err := v.Config.Admin.Users(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/users", "People",
		"User accounts and the people behind them. Four-eyes compares people, whichever account they use.")
	asked, err := v.Config.Admin.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	model.Words = i18n.Join(" ", model.Words, factorWords(asked))
	model.New = links("", administration.KindUserCreate, administration.KindRealmFactors, administration.KindRealmNotices)
	part, narrowed := shows[v.Echo.QueryParam("show")]
	if narrowed {
		users = slices.DeleteFunc(users, func(u administration.User) bool { return !part.holds(u) })
		model.Words = part.words
		model.New = append(model.New, views.AdministrationLink{Label: "All people", URL: "/admin/users"})
		model.Empty = ui.Empty{Icon: "circle-check", Title: "Nobody", Text: part.words}
	}
	access, err := v.Config.Reader.Access(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
	model.Columns = []i18n.Text{"Account", "Person", "Roles", "E-mail address", "Last sign-in", "Second factor", "At the provider", "Status", "Change"}
	for _, u := range users {
		kinds := []administration.Kind{
			administration.KindUserRoles, administration.KindUserReset, administration.KindUserSuppress, administration.KindUserLink,
			administration.KindUserEmail,
		}
		if u.OuterSubject != "" {
			kinds = append(kinds, administration.KindUserUnlink)
		}
		if u.Status == administration.StatusSuppressed {
			kinds = []administration.Kind{administration.KindUserRestore}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []i18n.Text{
				i18n.Data(u.Name), i18n.Data(u.DisplayName), RoleWords(u.Roles), OrDash(u.Email), lastSignIn(access, u.Name), YesNo(u.HasFactor),
				OrDash(u.OuterSubject), FieldValue("", u.Status),
			}, Links: append(links(u.Name, kinds...), views.AdministrationLink{
				Label: "Another account", URL: "/admin/ask/user.create?" + url.Values{"person": {u.Name}}.Encode(),
			}),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// lastSignIn says when an account was signed in with last.
func lastSignIn(access []store.AccountAccess, user string) i18n.Text {
	for _, a := range access {
		if a.User == user && a.SignedIn != nil {
			return i18n.Data(ui.DateTime(*a.SignedIn))
		}
	}
	return "never"
}

// factorWords says of which roles a second factor is asked.
func factorWords(asked administration.Factors) i18n.Text {
	if len(asked.Roles) == 0 {
		return "No role needs a second factor."
	}
	return i18n.Text("Roles that need a second factor: %s.").With(RoleWords(asked.Roles))
}

func showClients(v *Request) error {
	clients, err := v.Config.Admin.Clients(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/clients", "Clients", "Programs that act for people. The portal is one of them.")
	model.New = links("", administration.KindClientCreate)
	model.Columns = []i18n.Text{"Client", "Kind", "May decide its own", "Payees", "Roles", "Status", "Change"}
	for _, c := range clients {
		var kinds []administration.Kind
		if c.Status == administration.StatusActive && c.Kind == administration.ClientConfidential {
			kinds = append(kinds, administration.KindClientSecret, administration.KindClientRoles)
		}
		if c.Status == administration.StatusActive && c.Kind != administration.ClientPortal {
			kinds = append(kinds, administration.KindClientPayee, administration.KindClientSuppress)
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []i18n.Text{
				i18n.Data(c.ClientID), FieldValue("", c.Kind), YesNo(c.MayDecideOwn),
				payees(c.PayeeWaived), FieldValue("roles", administration.Words(c.Roles)), FieldValue("", c.Status),
			}, Links: links(c.ClientID, kinds...),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// payees describes whether the payees in messages of a client are verified.
func payees(waived bool) i18n.Text {
	if waived {
		return "not verified"
	}
	return "verified"
}

func showAccounts(v *Request) error {
	accounts, err := v.Config.Admin.Accounts(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/accounts", "Accounts",
		"The accounts that payments can be made from, with their holders as interbank documents name them.")
	model.New = links("", administration.KindAccountCreate)
	model.Columns = []i18n.Text{"IBAN", "Scheme", "Holder", "Receives", "Status", "Change"}
	for _, a := range accounts {
		var kinds []administration.Kind
		if a.Status == administration.StatusOpen {
			kinds = []administration.Kind{administration.KindAccountUpdate, administration.KindAccountClose}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []i18n.Text{
				i18n.Data(ui.GroupFours(a.IBAN)), i18n.Data(a.Scheme + " " + a.Currency),
				i18n.Data(a.HolderName + ", " + a.HolderTown), YesNo(a.Receives), FieldValue("", a.Status),
			},
			Links: links(a.IBAN, kinds...),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

func showPolicies(v *Request) error {
	policies, err := v.Config.Admin.Policies(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/policies", "Policies",
		"How many people must approve a payment. Payments already waiting keep the number of approvals they were entered "+
			"with. If a newer rule requires more, they must be withdrawn and entered again.")
	model.New = links("", administration.KindPolicyCreate)
	asked := v.rulePreview(&model)
	model.Columns = []i18n.Text{"Rule", "Priority", "Status", "Change"}
	applies := ""
	if asked != nil {
		rule, found := administration.RuleFor(policies, *asked)
		model.Preview.Answer = "No rule matches: such a payment would be refused."
		if found {
			applies, model.Preview.Answer = rule.ID, i18n.Text("This rule applies: %s").With(wholeRule(rule))
		}
	}
	for _, p := range policies {
		var kinds []administration.Kind
		if p.Status == administration.StatusInForce {
			kinds = []administration.Kind{administration.KindPolicyUpdate, administration.KindPolicyRetire}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Current: p.ID == applies && applies != "", Links: links(p.ID, kinds...),
			Cells: []i18n.Text{wholeRule(p), i18n.Data(strconv.Itoa(p.Rank)), FieldValue("", p.Status)},
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// wholeRule describes a policy in a sentence: "1 approval, within 24 h (Everything)", and its further demands.
func wholeRule(p administration.Policy) i18n.Text {
	parts := []i18n.Text{ruleWords(p)}
	if p.Approvals == 0 {
		parts = []i18n.Text{i18n.Text("Sent without any approval (%s)").With(PolicyWords(p))}
	}
	if p.ContentHashRequired {
		parts = append(parts, "the approval names the content")
	}
	if p.Funds != "" {
		parts = append(parts, i18n.Text("%s: %s").With(i18n.Text("Funds at core banking"), FieldValue("funds", p.Funds)))
	}
	return i18n.Join("; ", parts...)
}

// rulePreview asks for a payment, to say which rule would take it. It returns nil until an amount is sent.
func (v *Request) rulePreview(model *views.AdministrationList) *administration.PastMessage {
	query := v.Echo.QueryParams()
	choice := func(name string) ui.Choice {
		field := administration.KindPolicyCreate.Field(name)
		options := optionsOf(field)[1:] // without "all": a payment has one
		return ui.Choice{ID: name, Label: field.Label, Value: query.Get(name), Options: options}
	}
	amount := strings.TrimSpace(query.Get("amount"))
	model.Preview = &views.RulePreview{
		Choices: []ui.Choice{choice("scheme"), choice("kind"), choice("channel")},
		Amount:  ui.Field{ID: "amount", Label: "Amount", Value: amount, InputMode: "decimal"},
		Client:  ui.Field{ID: "clientId", Label: "Client's id", Value: query.Get("clientId"), Optional: true},
	}
	if amount == "" {
		return nil
	}
	parsed, err := money.ParseInput("EUR", amount) // the bounds of rules hold for any currency
	if err != nil {
		model.Preview.Amount.Problem = ui.Problem{Field: "amount", Text: i18n.OfError(err)}
		return nil
	}
	return &administration.PastMessage{
		Scheme: query.Get("scheme"), Kind: query.Get("kind"), Channel: query.Get("channel"), ClientID: query.Get("clientId"),
		Amount: parsed.Minor(),
	}
}
