package portal

import (
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/views"
	"countersign/views/ui"
)

// fillRole adds the lists and figures of each role of this person that works with payments.
func (v *Request) fillRole(model *views.Dashboard) error {
	decides, makes, reports := v.By.Has(identity.RoleChecker), MayMake(v.By) == nil, v.By.Has(identity.RoleSupervisor)
	if makes {
		asked, err := v.questionLines(dashboardRows)
		if err != nil {
			return err
		}
		if len(asked.Rows) > 0 {
			model.Lists = append(model.Lists, asked)
		}
		ended, err := EndedLines(v, dashboardRows)
		if err != nil {
			return err
		}
		model.Lists = append(model.Lists, ended)
	}
	if makes || reports { // a checker cannot answer a recall
		due, err := DueLines(v, dashboardRows)
		if err != nil {
			return err
		}
		model.Lists = append(model.Lists, due)
	}
	if decides || reports {
		ages, err := AgeChart(v)
		if err != nil {
			return err
		}
		model.Charts = append(model.Charts, ages)
	}
	return nil
}

// fillAdministration adds the content for administrators: nothing about payments.
func (v *Request) fillAdministration(model *views.Dashboard) error {
	home, err := Home(v, dashboardRows)
	if err != nil {
		return err
	}
	gateway, err := v.gatewayTiles()
	model.Tiles, model.Lists = append(home.Tiles, gateway...), home.Lists
	return err
}

// maxQuarantined limits the count of documents in quarantine; their page lists no more.
const maxQuarantined = 100

// quarantineTile counts the documents from clearing that match no message.
func (v *Request) quarantineTile() (views.Tile, error) {
	count, err := v.Config.Reader.QuarantineCount(v.Context(), maxQuarantined)
	tile := views.Tile{
		Label: "Quarantine", Value: i18n.Data(upTo(count, maxQuarantined)), Note: "received, matches no payment", URL: "/quarantine",
	}
	if count > 0 {
		tile.Tone = ui.ToneBad
	}
	return tile, err
}
