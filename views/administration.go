package views

import (
	"slices"
	"time"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// AdministrationList is a list of administered nouns of a realm, including beneficiaries, or of the changes to them.
type AdministrationList struct {
	Layout  Layout
	Heading i18n.Text
	Words   i18n.Text // what the list is, in a sentence
	Tabs    []ui.Tab
	New     []ui.Step // what can be asked for that is new
	Columns []i18n.Text
	Rows    []AdministrationRow
	Empty   ui.Empty
	Pages   ui.Pages
	Sort    string                    // "", oldest, kind or state, of a list of changes
	SortURL func(order string) string // such a list in another order; nil for a list that has one order
	Search  *ui.Field                 // narrows the list of beneficiaries; nil where nothing is searched
	Preview *RulePreview              // asks which rule would take a payment; nil for other lists
	Book    bool                      // of beneficiaries, which makers and checkers keep
}

// sorts are the links that sort a list of changes by a column; none for other columns and lists.
func (m AdministrationList) sorts(column i18n.Text) []ui.Sort {
	if m.SortURL == nil {
		return nil
	}
	switch column {
	case "Change (a change)":
		return []ui.Sort{sortLink(m.Sort, m.SortURL, column, "kind", "kind")}
	case "When":
		return []ui.Sort{sortLink(m.Sort, m.SortURL, column, "", "oldest")}
	case "State":
		return []ui.Sort{sortLink(m.Sort, m.SortURL, column, "state", "state")}
	}
	return nil
}

func (m AdministrationList) about() i18n.Text {
	if m.Book {
		return "Beneficiaries"
	}
	return "Administration"
}

// AdministrationRow is one line of such a list. The first cell is its name.
type AdministrationRow struct {
	URL   string // of the change; "" for a row of master data
	Cells []i18n.Text
	Links []ui.Step

	Current bool // the rule that the preview found
}

// RulePreview is a form for a sample payment, and the policy that would apply to it.
type RulePreview struct {
	Choices []ui.Choice
	Amount  ui.Field
	Client  ui.Field
	Answer  i18n.Text // "" until a payment is asked for
}

// RealmChange is one change of administration. POST to its address with /approve or /reject (reason) decides it.
type RealmChange struct {
	Layout        Layout
	ID            string
	Heading       i18n.Text            // "Change the roles of maker3"
	State         administration.State // "Approval Pending", "Applied", "Rejected"
	Subject       string
	Note          string
	Requester     string
	RequestedAt   time.Time
	Decider       string // "" while it waits
	DecidedAt     time.Time
	DecisionWords i18n.Text
	Differences   []ChangeDifference
	Barred        i18n.Text // why this person may not decide it; "" when they may
	Reason        string    // of a rejection, as typed
	Problems      []ui.Problem
	Secrets       []ChangeSecret // shown once
	Next          i18n.Text      // what follows, and who does it; "" for nothing
	Effects       []i18n.Text    // what it makes more or less of
	Tried         Tried          // what a policy would have asked of past messages
	Book          bool           // about a beneficiary: makers ask, checkers decide
	Report        string         // the report it was opened from, by somebody who decides none; "" elsewhere
}

// ChangeDifference is a field that changes.
type ChangeDifference struct{ Field, Before, After i18n.Text }

// ChangeSecret is something that is shown once.
type ChangeSecret struct {
	Label i18n.Text
	Value string
	Words i18n.Text
}

func (m RealmChange) reason() ui.Field {
	return ui.Field{
		ID: "reason", Label: "Reason for rejecting", Hint: "The requester will see this reason", Value: m.Reason, Rows: 3, Limit: 512,
		Problem: ui.ProblemOf(m.Problems, "reason"),
	}
}

func (m RealmChange) action(step string) string {
	if m.Book {
		return "/beneficiaries/changes/" + m.ID + "/" + step
	}
	return "/admin/changes/" + m.ID + "/" + step
}

// home returns the address of the list that the change belongs to.
func (m RealmChange) home() string {
	if m.Book {
		return "/beneficiaries/changes"
	}
	return "/admin"
}

func (m RealmChange) waits() bool { return m.State == administration.StatePending }

// ChangeForm is the form of a change. POST to Action sends the fields, note, and try (a dry run of a policy).
type ChangeForm struct {
	Layout   Layout
	Heading  i18n.Text
	Words    i18n.Text
	Action   string
	BackURL  string
	Inputs   []ChangeInput
	Note     string
	Problems []ui.Problem
	MayTry   bool  // a policy can be tried
	MustNote bool  // a request without a note is refused
	Tried    Tried // what a dry run found
}

// Tried is the outcome of a policy for past payments: whether it loosens the control, sentences, the first payments with another number of
// approvals, and the number of further ones.
type Tried struct {
	Verdict   i18n.Text
	Looser    bool
	Readable  bool // by this person: rows have a creditor and a link
	Sentences []i18n.Text
	Changed   []TriedPayment
	More      int
}

// TriedPayment is a payment that would have needed another number of approvals. Its creditor and link are empty for administrators, who do
// not read payments.
type TriedPayment struct {
	Reference, URL string
	At             time.Time
	Type, Amount   i18n.Text
	Creditor       i18n.Text
	Before, After  int
}

// ChangeInput is a field of the form: a text, a choice, or several choices.
type ChangeInput struct {
	Field  ui.Field  // where Choice has no id
	Choice ui.Choice // one of its options, or any where Any says so
	Any    bool
}

func (m ChangeForm) note() ui.Field {
	return ui.Field{
		ID: "note", Label: "Note", Hint: "Explain the change to the person who approves or rejects it",
		Value: m.Note, Rows: 2, Limit: 512, Optional: !m.MustNote,
		Problem: ui.ProblemOf(m.Problems, "note"),
	}
}

// Refuse shows a problem beside its field and returns it for the summary: without its field where the form has none of that name.
func (m ChangeForm) Refuse(problem ui.Problem) ui.Problem {
	known := problem.Field == "note"
	for i := range m.Inputs {
		input := &m.Inputs[i]
		switch problem.Field {
		case input.Field.ID:
			input.Field.Problem, known = problem, true
		case input.Choice.ID:
			input.Choice.Problem, known = problem, true
		}
	}
	if !known {
		problem.Field = ""
	}
	return problem
}

func (r Tried) tone() ui.Tone {
	if r.Looser {
		return ui.ToneWaiting
	}
	return ui.ToneMoving
}

func (r Tried) columns() ui.Columns {
	columns := ui.Columns{"Reference", "Created", "Type", "Amount", "Creditor", "Approvals needed without the " +
		"change", "Approvals needed with the change"}
	if !r.Readable {
		columns = slices.Delete(columns, 4, 5)
	}
	return columns
}
