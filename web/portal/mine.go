package portal

import (
	"net/http"
	"slices"
	"time"

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
	{"", "Waiting", []payment.State{payment.StateApprovalPending, payment.StateQuestion}},
	{"scheduled", "Scheduled", []payment.State{payment.StateScheduled}},
	{"sent", "Sent", []payment.State{
		payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateAcknowledged, payment.StateOverdue,
	}},
	{"settled", "Settled", []payment.State{payment.StateSettled, payment.StateAccepted, payment.StateCommunicated}},
	{"rejected", "Rejected", []payment.State{payment.StateRejected}},
	{"failed", "Failed or refused", []payment.State{payment.StateFailed, payment.StateRefused}},
	{"closed", "Withdrawn or expired", []payment.State{payment.StateWithdrawn, payment.StateExpired}},
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
		if tab.name == "scheduled" && !current && (counts[tab.name] == "0" || counts[tab.name] == "") {
			continue
		}
		model.Tabs = append(model.Tabs, ui.Tab{
			Label: tab.label, URL: "/mine" + Filter{}.Query("tab", tab.name), Current: current, Count: counts[tab.name],
		})
		if current {
			ask.States = tab.states
			model.Empty = ui.Empty{
				Icon: "file-text", Title: "No entries",
				Text: i18n.Text("You have no submissions under “%s”.").With(tab.label),
			}
		}
	}
	if f.View.Tab == tabDrafts {
		return v.renderDrafts(model, heads, unsubmitted)
	}
	var asked []payment.Message // listed first
	if f.View.Tab == "" {
		ask.States = []payment.State{payment.StateApprovalPending}
		if f.After == uuid.Nil {
			asked, err = v.questions(mostQuestions)
			if err != nil {
				return err
			}
		}
	}
	list, next, err := v.Listed(&f, ask)
	if err != nil {
		return err
	}
	model.Entries = views.Sorted("Submissions, newest first", "My submissions", heads, f.View.Sort, f.SortLinks("/mine"))
	model.Entries.Entries, _, err = v.mineRows(slices.Concat(asked, list))
	if err != nil {
		return err
	}
	model.Pages = f.PagesOf("/mine", list, next)
	if next.MessageID != uuid.Nil {
		model.Empty = f.NotYet("/mine", next)
	}
	return v.Render(http.StatusOK, views.ListPage(model))
}

// renderDrafts lists the unsubmitted drafts of this person.
func (v *Request) renderDrafts(model views.List, heads ui.Heads, unsubmitted begun) error {
	model.Empty.Text = "What you type in a form is kept as a draft for one day."
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
		counts[tab.name] = views.CountOfWaiting(count)
		if cut && count == 0 {
			counts[tab.name] = ""
		}
	}
	counts[tabDrafts] = views.CountOfWaiting(unsubmitted.count())
	return counts, nil
}

// mineRows shows submissions, each with the steps the domain allows its maker, and returns the payments that replaced them, by their ids.
func (v *Request) mineRows(list []payment.Message) ([]ui.Entry, map[uuid.UUID][]payment.Message, error) {
	replacements, err := v.replacements(list...)
	if err != nil {
		return nil, nil, err
	}
	talks, err := v.talks(inState(list, payment.StateQuestion))
	if err != nil {
		return nil, nil, err
	}
	decisions, err := v.Config.Reader.DecisionsOf(v.Context(), v.By.Realm, mapped(inState(list, payment.StateRejected), idOf))
	if err != nil {
		return nil, nil, err
	}
	pending := slices.DeleteFunc(slices.Clone(list), func(m payment.Message) bool { return !m.State.Pending() })
	whole, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, mapped(pending, idOf))
	amends := map[uuid.UUID]bool{}
	for _, m := range whole {
		amends[m.InternalID] = MayAmend(v, m)
	}
	rows := make([]ui.Entry, len(list))
	for i, m := range list {
		rows[i] = v.mineRow(m, replacements[m.InternalID], amends[m.InternalID])
		if talk := talks[m.InternalID]; len(talk) > 0 {
			last := talk[len(talk)-1]
			rows[i].Note = i18n.Join(": ", i18n.Data(last.By), last.Text)
		}
		for _, d := range decisions[m.InternalID] {
			if d.Action == payment.ActionReject {
				rows[i].Note = i18n.Join(": ", i18n.Data(d.Name), views.RejectReason(d.Reason))
			}
		}
	}
	return rows, replacements, err
}

// inState returns the messages in a state that are not withheld.
func inState(list []payment.Message, state payment.State) []payment.Message {
	return slices.DeleteFunc(slices.Clone(list), func(m payment.Message) bool { return m.State != state || m.Withheld != "" })
}

// mineRow shows one submission, with the payment that replaced it if there is any, and the steps the domain allows its maker. amends: it
// can be amended in the form.
func (v *Request) mineRow(m payment.Message, replacements []payment.Message, amends bool) ui.Entry {
	_, account := views.Facing(m)
	row := views.Entry(m, v.At)
	row.Facts = ui.Facts(ui.KindFact(m.Kind), ui.AccountFact(account), ui.SchemeFact(m.Scheme))
	row.States, row.Note = []string{string(m.State)}, views.StatusReason(m)
	if m.State == payment.StateApprovalPending && m.ApprovalsRequired > 1 {
		row.Note = i18n.Text("%s of %s approvals given").With(i18n.Number(m.ApprovalsListed), i18n.Number(m.ApprovalsRequired))
	}
	if amends {
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
		row.Note = "This payment or request is withheld. Tell an operator before you do anything else."
	}
	return row
}

// againStep returns the link to a new payment filled from this one, for states that offer it, or to the payment that replaced it.
func againStep(m payment.Message, replacements []payment.Message) []ui.Step {
	label := views.AgainLabel(m)
	switch {
	case label == "":
		return nil
	case len(replacements) > 0:
		return []ui.Step{{Label: "Show the corrected payment", URL: views.PaymentURL(replacements[0].InternalID)}}
	}
	return []ui.Step{{Label: label, URL: "/payments/new?like=" + m.InternalID.String()}}
}

// copySteps returns the links to copy a payment: as a new one, and as a template.
func (v *Request) copySteps(m payment.Message) ([]ui.Step, error) {
	replacements, err := v.replacements(m)
	steps := againStep(m, replacements[m.InternalID])
	if len(steps) > 0 {
		steps = append(steps, ui.Step{Label: "Save as a template", URL: "/templates?like=" + m.InternalID.String()})
	}
	return steps, err
}

// replacements returns for each rejected payment the one that corrects it, if there is any: the youngest with its end-to-end id made after
// the rejection.
func (v *Request) replacements(list ...payment.Message) (map[uuid.UUID][]payment.Message, error) {
	rejected, after := inState(list, payment.StateRejected), map[uuid.UUID][]payment.Message{}
	var since time.Time
	for _, m := range rejected {
		if since.IsZero() || m.StateSince.Before(since) {
			since = m.StateSince
		}
	}
	found, err := v.sameEndToEnd(rejected, store.Filter{CreatedFrom: since})
	for _, m := range rejected {
		for _, other := range found[m.Summary.EndToEndID] {
			if len(after[m.InternalID]) == 0 && !other.CreatedAt.Before(m.StateSince) {
				after[m.InternalID] = []payment.Message{other}
			}
		}
	}
	return after, err
}

// corrects returns for each payment the rejected ones that it corrects, the newest first.
func (v *Request) corrects(list ...payment.Message) (map[uuid.UUID][]payment.Message, error) {
	found, err := v.sameEndToEnd(list, store.Filter{States: []payment.State{payment.StateRejected}})
	before := map[uuid.UUID][]payment.Message{}
	for _, m := range list {
		for _, other := range found[m.Summary.EndToEndID] {
			if other.InternalID != m.InternalID && !other.StateSince.After(m.CreatedAt) {
				before[m.InternalID] = append(before[m.InternalID], other)
			}
		}
	}
	return before, err
}

// maxSameID limits the payments that sameEndToEnd reads.
const maxSameID = 1000

// sameEndToEnd returns the payments with the end-to-end ids of some payments that match the filter, by that id, the newest first.
func (v *Request) sameEndToEnd(list []payment.Message, filter store.Filter) (map[string][]payment.Message, error) {
	for _, m := range list {
		if id := m.Summary.EndToEndID; m.Kind == payment.KindInstruction && m.Withheld == "" && id != "NOTPROVIDED" && id != "" {
			filter.EndToEndIDs = append(filter.EndToEndIDs, id)
		}
	}
	if len(filter.EndToEndIDs) == 0 {
		return nil, nil //nolint:nilnil // a map without entries
	}
	filter.Kind, filter.PageSize = string(payment.KindInstruction), maxSameID
	found, err := v.Config.Reader.Messages(v.Context(), v.By.Realm, filter)
	alike := map[string][]payment.Message{}
	for _, m := range found {
		alike[m.Summary.EndToEndID] = append(alike[m.Summary.EndToEndID], m)
	}
	return alike, err
}

// endedDays limits the age in days of rejected and failed messages shown to their maker.
const endedDays = 7

// EndedLines returns up to most recently rejected or failed messages of this person, each with its reason. A rejected payment that was
// corrected and submitted again asks for nothing more.
func EndedLines(v *Request, most int32) (views.Lines, error) {
	lines := views.Lines{
		Heading: "Rejected or failed, last 7 days", Nothing: "You have no rejected or failed submissions",
		More: ui.Step{Label: "All rejected submissions", URL: "/mine?tab=rejected"},
	}
	list, _, err := v.Config.Reader.Page(v.Context(), v.By.Realm, store.Filter{
		MakerUser: v.By.UserID, States: []payment.State{payment.StateRejected, payment.StateFailed, payment.StateRefused},
		ChangedSince: v.Midnight().AddDate(0, 0, 1-endedDays), PageSize: 2 * most,
	})
	if err != nil {
		return lines, err
	}
	rows, replacements, err := v.mineRows(list)
	for i, m := range list {
		if len(replacements[m.InternalID]) > 0 || len(lines.Rows) == int(most) {
			continue
		}
		rows[i].At, rows[i].Steps = m.StateSince, againStep(m, nil)
		lines.Rows = append(lines.Rows, rows[i])
	}
	return lines, err
}
