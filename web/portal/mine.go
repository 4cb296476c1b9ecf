package portal

import (
	"net/http"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// listPage is how many messages one page of the other lists holds.
const listPage = 50

// mineTabs are the parts of a maker's own list: their address, label and states.
var mineTabs = []struct {
	name   string
	label  string
	states []payment.State
}{
	{"", "Waiting", []payment.State{payment.StateApprovalPending}},
	{"sent", "Sent", []payment.State{payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateAcknowledged, payment.StateOverdue}},
	{"settled", "Settled", []payment.State{payment.StateSettled, payment.StateAccepted, payment.StateCommunicated}},
	{"rejected", "Rejected", []payment.State{payment.StateRejected}},
	{"failed", "Failed", []payment.State{payment.StateFailed, payment.StateRefused}},
	{"closed", "Withdrawn and expired", []payment.State{payment.StateWithdrawn, payment.StateExpired}},
}

// showMine lists what this person submitted.
func showMine(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	f := readFilter(v.echo.QueryParams(), "/mine")
	model := views.Mine{Shell: v.shell("My submissions", views.PlaceMine)}
	ask := store.Filter{Before: f.after, MakerUser: v.by.UserID}
	for _, tab := range mineTabs {
		current := tab.name == f.view.Tab
		model.Tabs = append(model.Tabs, ui.Tab{Label: tab.label, URL: "/mine" + filter{}.query("tab", tab.name), Current: current})
		if current {
			ask.States = tab.states
			model.Empty = ui.Empty{Icon: "file-text", Title: "Nothing here", Text: "None of your submissions is “" + tab.label + "”."}
		}
	}
	list, more, err := v.page(ask)
	if err != nil {
		return err
	}
	for _, m := range list {
		row, err := v.mineRow(m)
		if err != nil {
			return err
		}
		model.Rows = append(model.Rows, row)
	}
	if len(list) > 0 {
		model.Pages = f.pages("/mine", more, list[len(list)-1].InternalID)
	}
	return v.render(http.StatusOK, views.MinePage(model))
}

// mineRow shows one submission with the steps the domain allows its maker.
func (v *visit) mineRow(m payment.Message) (views.MineRow, error) {
	path := "/payments/" + m.InternalID.String()
	row := views.MineRow{
		InternalID: m.InternalID.String(), URL: path, Reference: string(m.GlobalID), Kind: string(m.Kind), Scheme: string(m.Scheme),
		Amount: amountView(m.Summary.Amount), CreditorName: m.Summary.CreditorName, State: string(m.State), SubmittedAt: m.CreatedAt,
		Note: statusReason(m),
	}
	if m.Kind == payment.KindReturn {
		row.CreditorName = m.Summary.DebtorName // who gets the money
	}
	if m.Kind == payment.KindInstruction {
		row.LikeURL = "/payments/new?like=" + m.InternalID.String()
	}
	_, err := m.Withdraw(v.by, "", v.at) // asks the domain; nothing is stored
	if err == nil {
		row.WithdrawURL = path + "/withdraw"
	}
	if mayAmend(v, m) {
		row.AmendURL = path + "/amend"
	}
	if m.State != payment.StateRejected {
		return row, nil
	}
	decisions, err := v.cfg.Reader.Decisions(v.ctx(), v.by.Realm, m.InternalID)
	for _, d := range decisions {
		if d.Action == payment.ActionReject {
			row.Note = d.Name + ": " + d.Reason
		}
	}
	return row, err
}

// mayAmend reports whether the state table and the person's roles leave room for an amendment.
func mayAmend(v *visit, m payment.Message) bool {
	step := payment.Move{Kind: m.Kind, From: m.State, Action: payment.ActionAmend, To: payment.StateApprovalPending}
	return payment.Legal(step) && m.MayChange(v.by) == nil && v.at.Before(m.ExpiresAt)
}
