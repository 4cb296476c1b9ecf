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

// adminList is the page that lists the subjects of a noun.
type adminList struct {
	noun, path string
	label      i18n.Text // of the tab and the heading
	words      i18n.Text
	make       []administration.Kind // changes without a subject
	columns    []i18n.Text
	fill       func(*Request, *views.AdministrationList) error // adds the rows
}

// adminLists are the lists of a realm in the order of their tabs. The first one is that of changes.
var adminLists = []adminList{
	{noun: "message", path: "/admin", label: "Changes"},
	userList, clientList, accountList, policyList, providerList, limitList, webhookList, realmList,
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

// administrationTabs returns the tabs of the lists of a realm.
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

// administrationList starts a page of a list.
func (v *Request) administrationList(l adminList) views.AdministrationList {
	return views.AdministrationList{
		Layout: v.layout(l.label, views.PlaceAdministration), Heading: l.label, Words: l.words, Tabs: v.administrationTabs(l.path),
		New: links("", l.make...), Columns: l.columns,
		Empty: ui.Empty{Icon: "list", Title: "No entries", Text: "There are no entries in this list yet."},
	}
}

// show answers with the page of the list.
func (l adminList) show(v *Request) error {
	model := v.administrationList(l)
	err := l.fill(v, &model)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}

// subjectsOf lists the subjects of a noun, converted to their type.
func subjectsOf[T administration.Subject](v *Request, noun string) ([]T, error) {
	list, err := v.Config.Admin.Subjects(v.Context(), v.By, noun)
	subjects := make([]T, len(list))
	for i, one := range list {
		subjects[i], _ = one.(T)
	}
	return subjects, err
}

// rowsOf fills a list with a row of each subject of a noun.
func rowsOf[T administration.Subject](
	noun string, row func(v *Request, subject T) views.AdministrationRow,
) func(*Request, *views.AdministrationList) error {
	return func(v *Request, model *views.AdministrationList) error {
		list, err := subjectsOf[T](v, noun)
		for _, one := range list {
			model.Rows = append(model.Rows, row(v, one))
		}
		return err
	}
}

// link returns the link to the form of a change.
func link(kind administration.Kind, subject string) ui.Step {
	return ui.Step{Label: kind.Action().Label, URL: ui.Address("/admin/ask/"+string(kind), "subject", subject)}
}

func links(subject string, kinds ...administration.Kind) []ui.Step {
	list := make([]ui.Step, len(kinds))
	for i, kind := range kinds {
		list[i] = link(kind, subject)
	}
	return list
}

var userList = adminList{
	noun: "user", path: "/admin/users", label: "People",
	words: "User accounts and the people they belong to. The four-eyes check compares people, whichever user account they use. " +
		"Supervisors confirm the access review under “Control reports”.",
	make: []administration.Kind{administration.KindUserCreate},
	columns: []i18n.Text{
		"Account", "Person", "Roles", "E-mail address", "Last sign-in", "Second factor", "ID at the identity provider", "Status", "Actions",
	},
	fill: listUsers,
}

func listUsers(v *Request, model *views.AdministrationList) error {
	users, err := subjectsOf[administration.User](v, "user")
	if err != nil {
		return err
	}
	realms, err := subjectsOf[administration.Factors](v, "realm")
	if err != nil {
		return err
	}
	for _, asked := range realms {
		model.Words = i18n.Join(" ", model.Words, factorWords(asked))
	}
	part, narrowed := shows[v.Echo.QueryParam("show")]
	if narrowed {
		users = slices.DeleteFunc(users, func(u administration.User) bool { return !part.holds(u) })
		model.Words = part.words
		model.New = append(model.New, ui.Step{Label: "Show all people", URL: "/admin/users"})
		model.Empty = ui.Empty{Icon: "circle-check", Title: "Nobody", Text: part.words}
	}
	access, err := v.Config.Reader.Access(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
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
			}, Links: append(links(u.Name, kinds...), ui.Step{
				Label: "Add user account", URL: "/admin/ask/user.create?" + url.Values{"person": {u.Name}}.Encode(),
			}),
		})
	}
	return nil
}

// lastSignIn describes the last sign-in of an account.
func lastSignIn(access store.RealmAccess, user string) i18n.Text {
	for _, a := range access.Accounts {
		if a.User == user && a.SignedIn != nil {
			return i18n.Data(ui.DateTime(*a.SignedIn))
		}
	}
	return "never"
}

// realmList shows the settings of the realm and what left its database.
var realmList = adminList{
	noun: "realm", path: "/admin/realm", label: "Realm", words: "Settings for the whole realm, and payments that were moved to archives.",
	columns: []i18n.Text{"Setting", "Value", "Actions"}, fill: listRealm,
}

func listRealm(v *Request, model *views.AdministrationList) error {
	realms, err := subjectsOf[administration.Factors](v, "realm")
	if err != nil {
		return err
	}
	left, err := v.Config.Reader.Archived(v.Context(), v.By.Realm)
	for _, is := range realms {
		row := func(kind administration.Kind, name, value i18n.Text) {
			model.Rows = append(model.Rows, views.AdministrationRow{Cells: []i18n.Text{name, value}, Links: links("", kind)})
		}
		retention := OrDash(is.RetentionMonths)
		if is.RetentionMonths == "" {
			retention = "payments are kept indefinitely"
		}
		row(administration.KindRealmFactors, "Roles that need a second factor", FieldValue("secondFactorRoles", administration.Words(is.Roles)))
		row(administration.KindRealmNotices, "Amounts and names in e-mails", YesNo(is.NoticeDetails))
		row(administration.KindRealmRetention, "Months before a payment can be archived", retention)
		archived := i18n.ISODate(left.Month)
		switch {
		case left.Month != "":
		case is.RetentionMonths == "":
			archived = "none yet; first set the number of months after which a payment can be archived"
		default:
			archived = "none yet (an operator creates an archive with “countersign archive”)"
		}
		row(administration.KindRealmArchived, "Newest archived month", archived)
		row(administration.KindRealmErased, "Payments with erased personal data", i18n.Data(i18n.Number(left.Erased)))
	}
	return err
}

// factorWords names the roles that need a second factor.
func factorWords(asked administration.Factors) i18n.Text {
	if len(asked.Roles) == 0 {
		return "No role needs a second factor."
	}
	return i18n.Text("Roles that need a second factor: %s.").With(RoleWords(asked.Roles))
}

var clientList = adminList{
	noun: "client", path: "/admin/clients", label: "Clients", words: "Clients are programs that act for users. The portal is also a client.",
	make:    []administration.Kind{administration.KindClientCreate},
	columns: []i18n.Text{"Client", "Kind", "Payments approved by", "Verification of payee", "Client's own roles", "Status", "Actions"},
	fill:    listClients,
}

func listClients(v *Request, model *views.AdministrationList) error {
	policies, err := subjectsOf[administration.Policy](v, "policy")
	if err != nil {
		return err
	}
	return rowsOf("client", func(_ *Request, c administration.Client) views.AdministrationRow {
		var kinds []administration.Kind
		if c.Status == administration.StatusActive && c.Kind == administration.ClientConfidential {
			kinds = append(kinds, administration.KindClientSecret, administration.KindClientRoles)
		}
		if c.Status == administration.StatusActive && c.Kind != administration.ClientPortal {
			kinds = append(kinds, administration.KindClientPayee, administration.KindClientSuppress)
		}
		return views.AdministrationRow{
			Cells: []i18n.Text{
				i18n.Data(c.ClientID), FieldValue("", c.Kind), ownApproval(c.MayDecideOwn, administration.Unapproved(policies, c.ClientID)),
				payees(c.PayeeWaived), FieldValue("roles", administration.Words(c.Roles)), FieldValue("", c.Status),
			}, Links: links(c.ClientID, kinds...),
		}
	})(v, model)
}

// ownApproval describes who approves payments of a client, and through which clients. The maker never approves them.
func ownApproval(may, unapproved bool) i18n.Text {
	if unapproved {
		return "nobody for some payments, because a policy allows them to be sent without approval"
	}
	if may {
		return "another person, through any client"
	}
	return "another person, through another client"
}

// payees describes whether the payees in messages of a client are verified.
func payees(waived bool) i18n.Text {
	if waived {
		return "not verified"
	}
	return "verified"
}

var accountList = adminList{
	noun: "account", path: "/admin/accounts", label: "Accounts",
	words:   "The accounts that payments can be made from, with the holder's name as it appears in messages between banks.",
	make:    []administration.Kind{administration.KindAccountCreate},
	columns: []i18n.Text{"IBAN", "Scheme", "Holder", "Receives payments", "Status", "Actions"},
	fill: rowsOf("account", func(_ *Request, a administration.Account) views.AdministrationRow {
		var kinds []administration.Kind
		if a.Status == administration.StatusOpen {
			kinds = []administration.Kind{administration.KindAccountUpdate, administration.KindAccountClose}
		}
		return views.AdministrationRow{
			Cells: []i18n.Text{
				i18n.Data(ui.GroupFours(a.IBAN)), i18n.Data(ui.SchemeLabel(a.Scheme) + " " + a.Currency),
				i18n.Data(a.HolderName + ", " + a.HolderTown), YesNo(a.Receives), FieldValue("", a.Status),
			},
			Links: links(a.IBAN, kinds...),
		}
	}),
}

var policyList = adminList{
	noun: "policy", path: "/admin/policies", label: "Policies",
	words: "A policy sets how many people must approve a payment. Payments that are already waiting still need the number of approvals " +
		"that applied when they were entered. If a newer policy requires more approvals, withdraw the waiting payments and enter them " +
		"again.",
	make:    []administration.Kind{administration.KindPolicyCreate},
	columns: []i18n.Text{"Policy", "Priority", "Status", "Actions"},
	fill:    listPolicies,
}

func listPolicies(v *Request, model *views.AdministrationList) error {
	policies, err := subjectsOf[administration.Policy](v, "policy")
	if err != nil {
		return err
	}
	asked := v.rulePreview(model)
	applies := ""
	if asked != nil {
		rule, found := administration.RuleFor(policies, *asked)
		model.Preview.Answer = "No policy applies to this payment, so it would be refused."
		if found {
			applies, model.Preview.Answer = rule.ID, i18n.Text("This policy applies: %s").With(wholeRule(rule))
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
	return nil
}

// wholeRule describes a policy in a sentence: "All payments and requests: 1 approval, within 24 h", and its further demands.
func wholeRule(p administration.Policy) i18n.Text {
	parts := []i18n.Text{ruleWords(p)}
	if p.Approvals == 0 {
		parts = []i18n.Text{i18n.Text("%s: sent without any approval").With(PolicyWords(p))}
	}
	if p.ContentHashRequired {
		parts = append(parts, "the approval must include the content hash")
	}
	if p.Funds != "" {
		parts = append(parts, i18n.Text("%s: %s").With(i18n.Text("Funds in core banking"), FieldValue("funds", p.Funds)))
	}
	return i18n.Join("; ", parts...)
}

// rulePreview reads the sample payment in the address and finds the rule that would apply to it. It returns nil without an amount.
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
		Client:  ui.Field{ID: "clientId", Label: "Client ID", Value: query.Get("clientId"), Optional: true},
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

// providerList shows the identity providers of the realm.
var providerList = adminList{
	noun: "provider", path: "/admin/provider", label: "Identity provider",
	words: "Users can sign in through this provider or with their portal password. The portal still manages roles, second factors and the " +
		"four-eyes principle.",
	make: []administration.Kind{administration.KindProviderSet},
	columns: []i18n.Text{
		"Issuer", "Client", "Secret", "Redirect address", "Maximum time since sign-in at the identity provider", "Passwords", "Actions",
	},
	fill: func(v *Request, model *views.AdministrationList) error {
		model.Empty = ui.Empty{Icon: "list", Title: "No identity provider", Text: "Everyone signs in with a user name and password."}
		return rowsOf("provider", func(v *Request, p administration.Provider) views.AdministrationRow {
			return views.AdministrationRow{Links: links(p.Issuer, administration.KindProviderRetire), Cells: []i18n.Text{
				i18n.Data(p.Issuer), i18n.Data(p.ClientID), OrDash(p.Values()["providerSecret"]),
				i18n.Data(p.PortalAddress + administration.RedirectPath(v.By.Realm)),
				i18n.Text("%s ago").With(p.Values()["signInAge"]), FieldValue("", p.Passwords),
			}}
		})(v, model)
	},
}
