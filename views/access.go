package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Access lists the rights of each account, to be confirmed, or as they were confirmed.
type Access struct {
	Layout   Layout
	Accounts []AccessRow
	Clients  []AccessClient
	Seen     string    // digest of what is shown; sent as seen
	Kept     i18n.Text // by whom and when it was confirmed; empty for the present
	Note     string
	Earlier  []ui.Step
	Problems []ui.Problem
}

// AccessRow is one account.
type AccessRow struct {
	Name, User string
	Status     i18n.Text
	Roles      []i18n.Text
	SignedIn   i18n.Text
	Factors    int
}

// AccessClient is one client.
type AccessClient struct {
	Client                                             string
	Kind, Since, Used, Approval, Payees, Roles, Status i18n.Text
}

func (m Access) note() ui.Field {
	return ui.Field{
		ID: "note", Label: "Note", Hint: "Describe what you found and what must be changed.", Value: m.Note, Rows: 3, Limit: RejectLimit,
		Optional: true, Problem: ui.ProblemOf(m.Problems, "note"),
	}
}
