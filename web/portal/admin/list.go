package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// lists are the lists of a realm by noun, in the order of their tabs.
var lists = []struct {
	noun, path string
	label      language.Text
}{
	{"message", "/admin", "Changes"},
	{"user", "/admin/users", "People"},
	{"client", "/admin/clients", "Clients"},
	{"account", "/admin/accounts", "Accounts"},
	{"policy", "/admin/policies", "Policies"},
	{"provider", "/admin/provider", "Identity provider"},
	{"limit", "/admin/limits", "Limits"},
}

// listOf returns the page that lists the subjects of a kind.
func listOf(kind administration.Kind) string {
	for _, list := range lists {
		if list.noun == kind.Noun() {
			return list.path
		}
	}
	return "/admin/users"
}

// tabs lead to the lists of a realm.
func (v *visit) tabs(current string) []ui.Tab {
	tabs := make([]ui.Tab, len(lists))
	for i, list := range lists {
		tabs[i] = ui.Tab{Label: list.label, URL: list.path, Current: list.path == current}
	}
	if v.Changes > 0 {
		tabs[0].Count = strconv.Itoa(v.Changes)
	}
	return tabs
}

// list begins a page of a list.
func (v *visit) list(path string, heading, words language.Text) views.AdministrationList {
	return views.AdministrationList{
		Shell: v.Shell(heading, views.PlaceAdministration), Heading: heading, Words: words, Tabs: v.tabs(path),
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

func showUsers(v *visit) error {
	users, err := v.station.Users(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.list("/admin/users", "People",
		"User accounts and the people behind them. Four-eyes compares people, whichever account they use.")
	asked, err := v.station.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	model.Words = language.Join(" ", model.Words, factorWords(asked))
	model.New = links("", administration.KindUserCreate, administration.KindRealmFactors)
	part, narrowed := shows[v.Echo.QueryParam("show")]
	if narrowed {
		users = slices.DeleteFunc(users, func(u administration.User) bool { return !part.holds(u) })
		model.Words = part.words
		model.New = append(model.New, views.AdministrationLink{Label: "All people", URL: "/admin/users"})
		model.Empty = ui.Empty{Icon: "circle-check", Title: "Nobody", Text: part.words}
	}
	model.Columns = []language.Text{"Account", "Person", "Roles", "At the provider", "Status", "Change"}
	for _, u := range users {
		kinds := []administration.Kind{
			administration.KindUserRoles, administration.KindUserReset, administration.KindUserSuppress, administration.KindUserLink,
		}
		if u.OuterSubject != "" {
			kinds = append(kinds, administration.KindUserUnlink)
		}
		if u.Status == administration.StatusSuppressed {
			kinds = []administration.Kind{administration.KindUserRestore}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []language.Text{
				language.Data(u.Name), language.Data(u.DisplayName), page.RoleWords(u.Roles),
				page.OrDash(u.OuterSubject), page.FieldValue("", u.Status),
			}, Links: append(links(u.Name, kinds...), views.AdministrationLink{
				Label: "Another account", URL: "/admin/ask/user.create?" + url.Values{"person": {u.Name}}.Encode(),
			}),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// factorWords says of which roles a second factor is asked.
func factorWords(asked administration.Factors) language.Text {
	if len(asked.Roles) == 0 {
		return "No role needs a second factor."
	}
	return language.Text("Roles that need a second factor: %s.").With(page.RoleWords(asked.Roles))
}

func showClients(v *visit) error {
	clients, err := v.station.Clients(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.list("/admin/clients", "Clients", "Programs that act for people. The portal is one of them.")
	model.New = links("", administration.KindClientCreate)
	model.Columns = []language.Text{"Client", "Kind", "May decide its own", "Payees", "Status", "Change"}
	for _, c := range clients {
		var kinds []administration.Kind
		if c.Status == administration.StatusActive && c.Kind == administration.ClientConfidential {
			kinds = append(kinds, administration.KindClientSecret)
		}
		if c.Status == administration.StatusActive && c.Kind != administration.ClientPortal {
			kinds = append(kinds, administration.KindClientPayee, administration.KindClientSuppress)
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []language.Text{
				language.Data(c.ClientID), page.FieldValue("", c.Kind), page.YesNo(c.MayDecideOwn),
				payees(c.PayeeWaived), page.FieldValue("", c.Status),
			}, Links: links(c.ClientID, kinds...),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// payees describes whether the payees in messages of a client are verified.
func payees(waived bool) language.Text {
	if waived {
		return "not verified"
	}
	return "verified"
}

func showAccounts(v *visit) error {
	accounts, err := v.station.Accounts(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.list("/admin/accounts", "Accounts",
		"The accounts that payments can be made from, with their holders as interbank documents name them.")
	model.New = links("", administration.KindAccountCreate)
	model.Columns = []language.Text{"IBAN", "Scheme", "Holder", "Receives", "Status", "Change"}
	for _, a := range accounts {
		var kinds []administration.Kind
		if a.Status == administration.StatusOpen {
			kinds = []administration.Kind{administration.KindAccountUpdate, administration.KindAccountClose}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{
			Cells: []language.Text{
				language.Data(ui.GroupFours(a.IBAN)), language.Data(a.Scheme + " " + a.Currency),
				language.Data(a.HolderName + ", " + a.HolderTown), page.YesNo(a.Receives), page.FieldValue("", a.Status),
			},
			Links: links(a.IBAN, kinds...),
		})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

func showPolicies(v *visit) error {
	policies, err := v.station.Policies(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.list("/admin/policies", "Policies",
		"How many people must approve a message. Each keeps the number it was entered with. One that needs more by a policy added since "+
			"can only be rejected or withdrawn, and either policy may ask for a second factor.")
	model.New = links("", administration.KindPolicyCreate)
	model.Columns = []language.Text{"Matches", "Rank", "Approvals", "Content named", "Second factor", "Waits at most", "Status", "Change"}
	for _, p := range policies {
		var kinds []administration.Kind
		if p.Status == administration.StatusInForce {
			kinds = []administration.Kind{administration.KindPolicyRetire}
		}
		model.Rows = append(model.Rows, views.AdministrationRow{Links: links(p.ID, kinds...), Cells: []language.Text{
			page.PolicyWords(p), language.Data(strconv.Itoa(p.Rank)),
			language.Data(strconv.Itoa(p.Approvals)), page.YesNo(p.ContentHashRequired),
			page.YesNo(p.StepUp),
			page.FieldValue("expiresAfter", administration.Wait(p.ExpiresAfter)), page.FieldValue("", p.Status),
		}})
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}
