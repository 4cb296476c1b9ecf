package screens

import (
	"time"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

func adminShell(title i18n.Text) views.Layout {
	made := shell(title, views.PlaceAdministration)
	made.QueueCount, made.ChangeCount = 0, 2
	made.Person = views.Person{
		UserName: "admin1", Realm: "demo", Roles: []i18n.Text{"Administrator"}, MayAudit: true,
		MayAdminister: true,
	}
	return made
}

// policyChange waits with what the policy would have asked of past messages.
func policyChange(waiting views.RealmChange, form views.ChangeForm) views.RealmChange {
	waiting.Heading, waiting.Subject, waiting.Tried = form.Heading, "", form.Tried
	rule := i18n.Text("%s: %d approvals, within %s")
	waiting.Differences = []views.ChangeDifference{
		{Field: "Policy", Before: rule.With(i18n.Text("All payments and "+
			"requests"), 2, "24 h"), After: rule.With("CHF/EUR 5'000.00 or more", 2, "24 h")},
		{Field: "Smallest amount", Before: "–", After: "5'000.00"},
	}
	return waiting
}

// realmSettings is a list of settings in the place of people.
func realmSettings(list views.AdministrationList) views.AdministrationList {
	list.Heading, list.Layout, list.New = "Realm", adminShell("Realm"), nil
	list.Tabs = []ui.Tab{{Label: "Changes", URL: "/admin", Count: "2"}, {Label: "Realm", URL: "/admin/realm", Current: true}}
	list.Words = "Settings for the whole realm, and payments that were moved to archives."
	list.Columns = []i18n.Text{"Setting", "Value", "Change"}
	list.Rows = []views.AdministrationRow{
		{
			Cells: []i18n.Text{"Months before a payment can be archived", "payments are kept indefinitely"},
			Links: []ui.Step{{Label: "Retention", URL: "/admin/ask/realm.retention"}},
		},
		{
			Cells: []i18n.Text{"Payments with erased personal data", i18n.Data("3")},
			Links: []ui.Step{{Label: "Erase", URL: "/admin/ask/realm.erased"}},
		},
	}
	return list
}

func administrationExhibits() []Exhibit {
	tabs := []ui.Tab{{Label: "Changes", URL: "/admin", Count: "2"}, {Label: "People", URL: "/admin/users", Current: true}}
	people := views.AdministrationList{
		Layout: adminShell("People"), Heading: "People", Tabs: tabs, Words: peopleWords(),
		New:     []ui.Step{{Label: "New user account", URL: "/admin/ask/user.create"}},
		Columns: []i18n.Text{"Account", "Person", "Roles", "Last sign-in", "Second factor", "ID at the identity provider", "Status", "Change"},
		Rows: []views.AdministrationRow{
			{
				Cells: []i18n.Text{"maker1", "Maker 1", "Maker", "20.11.2026 07:58:12 CET", "yes", "–", "active"},
				Links: []ui.Step{
					{Label: "Roles", URL: "/admin/ask/user.roles?subject=maker1"},
					{Label: "Reset", URL: "/admin/ask/user.reset?subject=maker1"},
					{Label: "Block", URL: "/admin/ask/user.suppress?subject=maker1"},
					{Label: "Add user account", URL: "/admin/ask/user.create?person=maker1"},
				},
			},
			{
				Cells: []i18n.Text{"maker3", "Maker 3", "Maker", "never", "no", "–", "suppressed"},
				Links: []ui.Step{{Label: "Restore", URL: "/admin/ask/user.restore?subject=maker3"}},
			},
		},
	}
	empty := people
	empty.Rows, empty.Empty = nil, ui.Empty{Icon: "inbox", Title: "Nothing is waiting", Text: "No changes are waiting for a decision."}
	empty.Layout.BrokenGlasses = []views.BrokenGlass{
		{User: "carla", Reason: "Grippe", At: now.Add(-time.Hour)}, {User: "maker1", Password: true, Reason: "Grippe", At: now.Add(-time.Hour)},
	}
	heading := i18n.Text("Change the roles of %s").With("maker1")
	waiting := views.RealmChange{
		Layout: adminShell(heading), ID: "x", Heading: heading, State: "Approval Pending",
		Subject: "maker1", Note: "Ferienvertretung", Requester: "Admin 1", RequestedAt: now.Add(-time.Hour),
		Differences: []views.ChangeDifference{{Field: "Roles", Before: "Maker", After: i18n.Join(", ", "Checker", "Maker")}},
	}
	barred := waiting
	barred.Barred = i18n.Text("You requested this change. Another %s must approve or reject it.").With(i18n.Text("administrator"))
	barred.Secrets = []views.ChangeSecret{{Label: "The code (shown only once)", Value: "042917", Words: i18n.Text(
		"Give this code to %s in person. The administrator who approves the change receives a link. The user needs both the code and the link.").
		With("maker3")}}
	refused := waiting
	refused.Layout.Failed = true
	refused.Problems = []ui.Problem{{Field: "reason", Text: "Enter the reason for rejecting the change. The requester will see this reason."}}
	decided := waiting
	decided.State, decided.Decider, decided.DecidedAt, decided.DecisionWords, decided.Reason = "Rejected", "Admin 2", now, "Rejected", "Ferien"
	form := policyForm()
	return []Exhibit{
		{Name: "change-second-factors", Page: views.ChangePage(factorsChange(waiting))},
		{Name: "beneficiaries", Page: views.AdministrationListPage(beneficiaryBook())},
		{Name: "beneficiary-change", Page: views.ChangePage(beneficiaryChange(waiting))},
		{Name: "administration-people", Page: views.AdministrationListPage(people)},
		{Name: "administration-realm", Page: views.AdministrationListPage(realmSettings(people))},
		{Name: "administration-empty", Page: views.AdministrationListPage(empty)},
		{Name: "change-waiting", Page: views.ChangePage(waiting)},
		{Name: "change-policy", Page: views.ChangePage(policyChange(waiting, form))},
		{Name: "change-barred", Page: views.ChangePage(barred)},
		{Name: "change-refused", Failed: true, Page: views.ChangePage(refused)},
		{Name: "change-decided", Page: views.ChangePage(decided)},
		{Name: "change-form", Failed: true, Page: views.ChangeFormPage(form)},
		{Name: "change-form-roles", Failed: true, Page: views.ChangeFormPage(rolesForm())},
		{Name: "webhook", Page: views.WebhookPage(webhook())},
		{Name: "webhook-retired", Page: views.WebhookPage(retiredWebhook())},
	}
}

// policyForm asks for a policy, with what it would have asked of past messages.
func policyForm() views.ChangeForm {
	form := views.ChangeForm{
		Layout: adminShell("Create a policy"), Heading: "Create a policy", Words: administration.KindPolicyCreate.Action().Words,
		Action: "/admin/ask/policy.create", BackURL: "/admin/policies", MayTry: true,
		Tried: views.Tried{
			Verdict:   "This change tightens controls. Some payments will need more approvals or checks than they do now.",
			Sentences: []i18n.Text{i18n.Text("Of the last %d payments, the policy would have applied to %d.").With(1000, 12)},
			Changed: []views.TriedPayment{{
				Reference: "7QK4M2XW9TCH3F5A", At: now, Type: i18n.Text("%s: %s").With("SIC", i18n.Text("Payment")),
				Amount: i18n.Data("CHF 1'234'567.00"), Before: 1, After: 2,
			}}, More: 11,
		},
		Inputs: []views.ChangeInput{
			{Field: ui.Field{
				ID: "approvals", Label: "Number of approvals", Hint: "From 0 to 9. With 0, payments are sent without approval", Problem: ui.Problem{
					Field: "approvals", Text: i18n.Text("Enter the number of approvals, from 0 to %d.").With(9),
				},
			}},
			{Choice: ui.Choice{ID: "scheme", Label: "Scheme", Options: []ui.Option{{Label: "All"}, {Value: "sic-inst", Label: "sic-inst"}}}},
		},
	}
	form.Problems, form.Layout.Failed = []ui.Problem{form.Inputs[0].Field.Problem}, true
	return form
}

// rolesForm asks for roles that do not go together.
func rolesForm() views.ChangeForm {
	heading := i18n.Text("Change the roles of %s").With("maker1")
	problem := ui.Problem{
		Field: "roles", Text: "Remove the other roles. An administrator cannot also enter, approve or supervise payments.",
	}
	form := views.ChangeForm{
		Layout: adminShell(heading), Heading: heading, Action: "/admin/ask/user.roles?subject=maker1", BackURL: "/admin/users",
		Problems: []ui.Problem{problem}, Inputs: []views.ChangeInput{{Any: true, Choice: ui.Choice{
			ID: "roles", Label: "Roles", Hint: "An administrator cannot have any other role.", Problem: problem,
			Chosen: []string{"maker", "administrator"}, Options: []ui.Option{
				{Value: "maker", Label: "Maker"},
				{Value: "checker", Label: "Checker"},
				{Value: "supervisor", Label: "Supervisor"},
				{Value: "administrator", Label: "Administrator"},
			},
		}}},
	}
	form.Layout.Failed = true
	return form
}

func beneficiaryBook() views.AdministrationList {
	return views.AdministrationList{
		Layout: bothShell("Beneficiaries", views.PlaceBeneficiaries), Heading: "Beneficiaries",
		Words: "This list contains approved creditors. Makers choose them by name when they enter a payment, and checkers see recent changes " +
			"in the queue.",
		Book: true, Tabs: []ui.Tab{
			{Label: "Beneficiaries", URL: "/beneficiaries", Current: true}, {Label: "Changes", URL: "/beneficiaries/changes", Count: "1"},
		},
		New:     []ui.Step{{Label: "New beneficiary", URL: "/beneficiaries/new"}},
		Search:  &ui.Field{ID: "q", Label: "Search names, towns and accounts", Kind: "search"},
		Columns: []i18n.Text{"Name", "Account", "Town", "Last paid", "In the list since", "Next step"},
		Rows: []views.AdministrationRow{{
			Cells: []i18n.Text{
				"Beispiel Holzbau GmbH", "CH44 3199 9123 0008 8901 2", "8002 Zürich", "19.11.2026, CHF 310.50",
				i18n.Text("%s, by %s and %s").With("03.03.2026", "Maker 1", "Checker 1"),
			},
			Links: []ui.Step{
				{Label: "Pay", URL: "/payments/new?beneficiary=x"},
				{Label: "Change", URL: "/beneficiaries/x/change"},
			},
		}},
	}
}

// peopleWords says what the list of people is, and what the realm asks of them.
func peopleWords() i18n.Text {
	return i18n.Join(" ", "User accounts and the people they belong to. The four-eyes check compares people, whichever user account "+
		"they use. Supervisors confirm the access review under “Control reports”.",
		i18n.Text("Roles that need a second factor: %s.").With(i18n.Join(", ", "Checker", "Administrator")))
}

func factorsChange(asked views.RealmChange) views.RealmChange {
	asked.Heading, asked.Layout = "Choose which roles need a second factor", adminShell("Choose which roles need a second factor")
	asked.Differences = []views.ChangeDifference{{
		Field: "Roles that need a second factor", Before: "–", After: i18n.Join(", ", "Administrator", "Checker"),
	}}
	return asked
}

func beneficiaryChange(moved views.RealmChange) views.RealmChange {
	moved.Layout, moved.Book = bothShell("Change a beneficiary", views.PlaceBeneficiaries), true
	moved.Heading = i18n.Text("Change %s").With("Muster AG")
	moved.Differences = []views.ChangeDifference{{
		Field: "IBAN", Before: "CH44 3199 9123 0008 8901 2", After: "CH48 2196 6000 0096 1338 8",
	}}
	return moved
}

// webhook has a long address, and attempts that were taken, refused and unanswered.
func webhook() views.Webhook {
	return views.Webhook{
		Layout: adminShell("Webhook"), InForce: true, SendURL: "/admin/webhooks/x/send",
		URL: "https://zahlungsverkehr-ereignisse.beispiel-holzbau-und-treuhand.example/countersign/realms/demo/events?channel=treasury",
		Attempts: []views.WebhookAttempt{
			{Type: "webhook.test", At: now.Add(-time.Minute), Answer: "204"},
			{Type: "message.approval_pending", At: now.Add(-time.Hour), Answer: "200", EventID: "e4"},
			{
				Type: "message.settled", At: now.Add(-2 * time.Hour), Answer: "503", EventID: "e3",
				Failure: i18n.Kept("the receiver did not respond with a 2xx status"),
			},
			{
				Type: "recall.received", At: now.Add(-26 * time.Hour), Answer: "none", EventID: "e2", Failure: i18n.Kept(
					"Post \"https://zahlungsverkehr-ereignisse.beispiel-holzbau-und-treuhand.example/countersign/realms/demo/events\": " +
						"context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
				),
			},
			{Type: "change.applied", At: now.Add(-50 * time.Hour), Answer: "200", EventID: "e1"},
		},
	}
}

// retiredWebhook sends nothing any more.
func retiredWebhook() views.Webhook {
	retired := webhook()
	retired.InForce, retired.Attempts = false, nil
	return retired
}
