package portal

import (
	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// beneficiaryDesk describes the pages on which checkers decide changes of beneficiaries.
func (v *Request) beneficiaryDesk() ChangeDesk {
	return ChangeDesk{
		ListURL: "/beneficiaries/changes", URL: "/beneficiaries/changes/", Place: views.PlaceBeneficiaries, Heading: heading,
		List: func(f store.ChangeFilter) ([]administration.Change, error) {
			return v.Config.Admin.BeneficiaryChanges(v.Context(), v.By, f)
		},
		Read: func(id uuid.UUID) (administration.Change, error) {
			return v.Config.Admin.BeneficiaryChange(v.Context(), v.By, id)
		},
		Decide: func(id uuid.UUID, approve bool, reason string) (Decided, error) {
			decided, err := v.Config.Admin.DecideBeneficiary(v.Context(), v.By, service.DecideInput{ChangeID: id, Approve: approve, Reason: reason})
			return Decided{Change: decided}, err
		},
		Cells: func(c administration.Change, cells []i18n.Text) []i18n.Text {
			return append(cells, i18n.Data(ui.GroupFours(c.After["creditorIban"])))
		},
	}
}

// heading names a change by its beneficiary.
func heading(c administration.Change) i18n.Text {
	switch c.Kind {
	case administration.KindBeneficiaryCreate:
		return i18n.Text("Add %s").With(c.After["creditorName"])
	case administration.KindBeneficiaryRemove:
		return i18n.Text("Remove %s").With(c.Before["creditorName"])
	default:
		return i18n.Text("Change %s").With(c.Before["creditorName"])
	}
}

// showChanges lists the waiting changes, and with ?tab=all the decided ones too.
func showChanges(v *Request) error {
	model := v.bookList("/beneficiaries/changes", "Changes to beneficiaries",
		"A maker requests each change, and another person, a checker, approves or rejects it.")
	model.Empty.Text = "No beneficiary changes are waiting for a decision."
	model.Columns = []i18n.Text{"Change (a change)", "Requested by", "When", "State", "Account"}
	return v.ShowChanges(v.beneficiaryDesk(), model)
}
