package portal

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// mineTabs are the parts of a maker's own list: their address, label and states.
var mineTabs = []struct {
	name   string
	label  i18n.Text
	states []payment.State
}{
	{"", "Waiting", []payment.State{payment.StateApprovalPending}},
	{"question", "Questions", []payment.State{payment.StateQuestion}},
	{"scheduled", "Scheduled", []payment.State{payment.StateScheduled}},
	{"sent", "Sent", []payment.State{
		payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateAcknowledged, payment.StateOverdue,
	}},
	{"settled", "Settled", []payment.State{payment.StateSettled, payment.StateAccepted, payment.StateCommunicated}},
	{"rejected", "Rejected", []payment.State{payment.StateRejected}},
	{"failed", "Failed", []payment.State{payment.StateFailed, payment.StateRefused}},
	{"closed", "Withdrawn and expired", []payment.State{payment.StateWithdrawn, payment.StateExpired}},
	{tabDrafts, "Drafts", nil},
}

// showMine lists what this person submitted.
func showMine(v *Request) error {
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/mine")
	model := views.List{
		Layout: v.layout("My submissions", views.PlaceMine), New: ui.Step{Label: "New payment", URL: "/payments/new"},
	}
	heads := ui.Heads{Name: "Creditor and purpose", State: "State", Steps: "Next step", When: "Submitted"}
	unsubmitted, err := v.begun()
	if err != nil {
		return err
	}
	counts, err := v.mineCounts(unsubmitted)
	if err != nil {
		return err
	}
	ask := store.Filter{MakerUser: v.By.UserID}
	for _, tab := range mineTabs {
		current := tab.name == f.View.Tab
		if (tab.name == "question" || tab.name == "scheduled") && !current && (counts[tab.name] == "0" || counts[tab.name] == "") {
			continue
		}
		model.Tabs = append(model.Tabs, ui.Tab{
			Label: tab.label, URL: "/mine" + Filter{}.Query("tab", tab.name), Current: current, Count: counts[tab.name],
		})
		if current {
			ask.States = tab.states
			model.Empty = ui.Empty{
				Icon: "file-text", Title: "Nothing here",
				Text: i18n.Text("None of your submissions is “%s”.").With(tab.label),
			}
		}
	}
	if f.View.Tab == tabDrafts {
		return v.renderDrafts(model, heads, unsubmitted)
	}
	list, next, err := v.Listed(&f, ask)
	if err != nil {
		return err
	}
	model.Entries = views.Sorted("Submissions, newest first", "My submissions", heads, f.View.Sort, f.SortLinks("/mine"))
	for _, m := range list {
		replacements, err := v.replacements(m)
		if err != nil {
			return err
		}
		row, err := v.mineRow(m, replacements)
		if err != nil {
			return err
		}
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	model.Pages = f.PagesOf("/mine", list, next)
	if next.MessageID != uuid.Nil {
		model.Empty = f.NotYet("/mine", next)
	}
	return v.Render(http.StatusOK, views.ListPage(model))
}

// renderDrafts lists the unsubmitted drafts of this person.
func (v *Request) renderDrafts(model views.List, heads ui.Heads, unsubmitted begun) error {
	model.Empty.Text = "What you type in a form is saved as a draft for one day."
	heads.When = "Saved"
	model.Entries = draftEntries(heads)
	if count := unsubmitted.count(); count > 1 {
		model.Discard = discards(i18n.Text("Delete all %d drafts").With(count), allDrafts)
	}
	var err error
	model.Entries.Entries, err = v.draftRows(unsubmitted)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.ListPage(model))
}

// mineCounts returns the counts of the tabs by their address, over the newest messages of this person. A zero count is left out when older
// messages were not counted.
func (v *Request) mineCounts(unsubmitted begun) (map[string]string, error) {
	of, cut, err := v.Config.Reader.StatesOfMaker(v.Context(), v.By.Realm, v.By.UserID)
	if err != nil {
		return nil, err
	}
	counts := map[string]string{}
	for _, tab := range mineTabs {
		count := 0
		for _, state := range tab.states {
			count += of[state]
		}
		counts[tab.name] = CountUpTo(count, MaxOnTab)
		if cut && count == 0 {
			counts[tab.name] = ""
		}
	}
	counts[tabDrafts] = CountUpTo(unsubmitted.count(), MaxOnTab)
	return counts, nil
}

// mineRow shows one submission, with the payment that replaced it if there is any, and the steps the domain allows its maker.
func (v *Request) mineRow(m payment.Message, replacements []payment.Message) (ui.Entry, error) {
	_, account := views.Facing(m)
	row := views.Entry(m, v.At)
	row.Facts = ui.Facts(ui.KindFact(m.Kind), ui.AccountFact(account), ui.SchemeFact(m.Scheme))
	row.States, row.Note = []string{string(m.State)}, views.StatusReason(m)
	if m.State == payment.StateApprovalPending && m.ApprovalsRequired > 1 {
		row.Note = i18n.Text("%s of %s approvals given").With(i18n.Number(m.ApprovalsListed), i18n.Number(m.ApprovalsRequired))
	}
	if m.Withheld == "" && MayAmend(v, m) {
		row.Steps = append(row.Steps, ui.Step{Label: "Amend", URL: row.URL + "/amend"})
	}
	if _, err := m.Withdraw(v.By, "-", v.At); err == nil { // asks the domain; nothing is stored
		row.Steps = append(row.Steps, ui.Step{Label: "Withdraw", URL: row.URL + "/withdraw"})
	}
	if m.Withheld == "" && mayAnswer(v, m) {
		row.Steps = append([]ui.Step{{Label: "Answer", URL: row.URL + "/answer"}}, row.Steps...)
	}
	row.Steps = append(row.Steps, againStep(m, replacements)...)
	var others []payment.Message
	if m.RecallState != "" {
		others = []payment.Message{{Kind: payment.KindRecall, State: m.RecallState}}
	}
	if (payment.RTransactionSubject{Original: m, Others: others}).Eligible(payment.KindRecall, v.Config.Rules) == nil {
		row.Steps = append(row.Steps, ui.Step{Label: "Recall", URL: row.URL + "/recall"})
	}
	if m.Withheld != "" {
		row.Note = "Withheld: do not act on it, and tell an operator."
	}
	if m.State == payment.StateQuestion {
		steps, err := v.Config.Reader.History(v.Context(), v.By.Realm, m.InternalID)
		if talk := talkOf(steps, m.Version); len(talk) > 0 {
			row.Note = i18n.Join(": ", i18n.Data(talk[len(talk)-1].By), talk[len(talk)-1].Text)
		}
		return row, err
	}
	if m.State != payment.StateRejected {
		return row, nil
	}
	decisions, err := v.Config.Reader.Decisions(v.Context(), v.By.Realm, m.InternalID)
	for _, d := range decisions {
		if d.Action == payment.ActionReject {
			row.Note = i18n.Data(d.Name + ": " + d.Reason)
		}
	}
	return row, err
}

// againStep returns the link to a new payment filled from this one, for states that offer it, or to the payment that replaced it.
func againStep(m payment.Message, replacements []payment.Message) []ui.Step {
	label := views.AgainLabel(m)
	switch {
	case label == "":
		return nil
	case len(replacements) > 0:
		return []ui.Step{{Label: "Show the corrected payment", URL: pathOf(replacements[0])}}
	}
	return []ui.Step{{Label: label, URL: "/payments/new?like=" + m.InternalID.String()}}
}

// copySteps returns the links to copy a payment: as a new one, and as a template.
func (v *Request) copySteps(m payment.Message) ([]ui.Step, error) {
	replacements, err := v.replacements(m)
	steps := againStep(m, replacements)
	if len(steps) > 0 {
		steps = append(steps, ui.Step{Label: "Save as a template", URL: "/templates?like=" + m.InternalID.String()})
	}
	return steps, err
}

// replacements returns the payment that corrects a rejected one, if there is any: the youngest with its end-to-end id made after the
// rejection.
func (v *Request) replacements(m payment.Message) ([]payment.Message, error) {
	if m.State != payment.StateRejected {
		return nil, nil
	}
	return v.sameEndToEnd(m, store.Filter{CreatedFrom: m.StateSince, PageSize: 1})
}

// corrects returns the rejected payments that a payment corrects.
func (v *Request) corrects(m payment.Message) ([]payment.Message, error) {
	found, err := v.sameEndToEnd(m, store.Filter{States: []payment.State{payment.StateRejected}, CreatedTo: m.CreatedAt, PageSize: MaxOnTab})
	return slices.DeleteFunc(found, func(before payment.Message) bool {
		return before.InternalID == m.InternalID || before.StateSince.After(m.CreatedAt)
	}), err
}

// sameEndToEnd returns the payments with the end-to-end id of a payment that match the filter.
func (v *Request) sameEndToEnd(m payment.Message, filter store.Filter) ([]payment.Message, error) {
	if m.Kind != payment.KindInstruction || m.Withheld != "" || m.Summary.EndToEndID == "NOTPROVIDED" || m.Summary.EndToEndID == "" {
		return nil, nil
	}
	filter.EndToEndID, filter.Kind = m.Summary.EndToEndID, string(payment.KindInstruction)
	return v.Config.Reader.Messages(v.Context(), v.By.Realm, filter)
}

// endedDays limits the age in days of rejected and failed messages shown to their maker.
const endedDays = 7

// EndedLines returns up to most recently rejected or failed messages of this person, each with its reason. A rejected payment that was
// corrected and submitted again asks for nothing more.
func EndedLines(v *Request, most int32) (views.Lines, error) {
	lines := views.Lines{
		Heading: "Rejected or failed, last 7 days", Nothing: "None of your submissions was rejected or failed",
		More: ui.Step{Label: "All rejected", URL: "/mine?tab=rejected"},
	}
	list, _, err := v.Config.Reader.Page(v.Context(), v.By.Realm, store.Filter{
		MakerUser: v.By.UserID, States: []payment.State{payment.StateRejected, payment.StateFailed, payment.StateRefused},
		ChangedSince: v.Midnight().AddDate(0, 0, 1-endedDays), PageSize: 2 * most,
	})
	for _, m := range list {
		replacements, err := v.replacements(m)
		if err != nil {
			return lines, err
		}
		if len(replacements) > 0 || len(lines.Rows) == int(most) {
			continue
		}
		row, err := v.mineRow(m, nil)
		if err != nil {
			return lines, err
		}
		row.At, row.Steps = m.StateSince, againStep(m, nil)
		lines.Rows = append(lines.Rows, row)
	}
	return lines, err
}
