package portal

import (
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/views/ui"
)

// dashboardRows is the number of the longest waiting messages on the dashboard.
const dashboardRows = 5

// showDashboard shows each role its open work. A person without a role is sent to the profile.
func showDashboard(v *Request) error {
	model := views.Dashboard{Layout: v.layout("Dashboard", views.PlaceDashboard)}
	var err error
	switch {
	case payment.MayRead(v.By) == nil:
		err = v.fillWork(&model)
	case v.By.Has(identity.RoleAdministrator):
		err = v.fillAdministration(&model)
	default:
		return v.Echo.Redirect(http.StatusSeeOther, "/me")
	}
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.DashboardPage(model))
}

// fillWork adds the work of makers, checkers and supervisors. Queries over thousands of messages run in parallel: the page takes as long as
// the slowest one.
func (v *Request) fillWork(model *views.Dashboard) error {
	var group errgroup.Group
	group.Go(func() (err error) { model.Volumes, err = v.volumes(); return err })
	group.Go(func() (err error) { model.Clearing, err = v.connections(v.By.Realm); return err })
	var control []views.Chart
	if v.By.Has(identity.RoleSupervisor) {
		group.Go(func() (err error) { control, err = ControlCharts(v); return err })
	}
	err, beside := v.fillWaiting(model), group.Wait()
	model.Charts = append(model.Charts, control...)
	if err != nil {
		return err
	}
	return beside
}

// fillWaiting adds the figures of the day, the longest waiting messages, and the lists of each role.
func (v *Request) fillWaiting(model *views.Dashboard) error {
	var err error
	model.Tiles, err = v.tiles()
	if err != nil {
		return err
	}
	lines, ask := v.longest()
	waiting, err := v.Config.Reader.Queue(v.Context(), v.By.Realm, ask)
	if err != nil {
		return err
	}
	for _, m := range waiting {
		lines.Rows = append(lines.Rows, views.QueueEntry(m, v.By.PersonID, "", v.At))
	}
	model.Lists = append(model.Lists, lines)
	return v.fillRole(model)
}

// longest starts the list of the longest waiting messages: those this person may decide, else those this person made, else all.
func (v *Request) longest() (views.Lines, store.QueueFilter) {
	switch {
	case v.By.Has(identity.RoleChecker):
		return views.Lines{Heading: "Waiting longest for my decision", Nothing: "Nothing is waiting for you"},
			store.QueueFilter{PageSize: dashboardRows, Checker: v.checker()}
	case MayMake(v.By) == nil:
		return views.Lines{Heading: "My longest-waiting submissions", Nothing: "None of your submissions are waiting for a decision"},
			store.QueueFilter{PageSize: dashboardRows, OnlyPerson: v.By.PersonID}
	}
	return views.Lines{Heading: "Longest-waiting submissions", Nothing: "Nothing is waiting"}, store.QueueFilter{PageSize: dashboardRows}
}

// tiles returns the figures of the day, each linked to its list. Only people who may decide see how many messages wait.
func (v *Request) tiles() ([]views.Tile, error) {
	var tiles []views.Tile
	decides, makes := v.By.Has(identity.RoleChecker), MayMake(v.By) == nil
	if decides || !makes {
		waiting, err := v.waitingTile(decides)
		if err != nil {
			return nil, err
		}
		tiles = append(tiles, waiting)
	}
	more, err := v.roleTiles(decides, makes)
	if err != nil {
		return nil, err
	}
	tiles = append(tiles, more...)
	more, err = v.gatewayTiles()
	return fewer(append(tiles, more...)), err
}

// maxTiles is the number of tiles that a person reads at a glance.
const maxTiles = 6

// fewer drops the last tiles without a warning until maxTiles are left.
func fewer(tiles []views.Tile) []views.Tile {
	for i := len(tiles) - 1; i > 0 && len(tiles) > maxTiles; i-- {
		if tiles[i].Tone == "" {
			tiles = slices.Delete(tiles, i, i+1)
		}
	}
	return tiles
}

// gatewayTiles describes the state of the gateway itself for its operators.
func (v *Request) gatewayTiles() ([]views.Tile, error) {
	var tiles []views.Tile
	if payment.MayAudit(v.By) == nil && v.Config.Sealing != nil {
		tiles = append(tiles, sealingTile(v.Config.Sealing()))
	}
	if v.portal.mayOperate(v.By) != nil {
		return tiles, nil
	}
	tile, err := v.quarantineTile()
	return append(tiles, tile), err
}

// sealingTile shows the state of the sealing of the audit trail.
func sealingTile(standing integrity.SignerStanding) views.Tile {
	tile := views.Tile{Label: "Audit trail", Value: "sealed", Note: "no entries sealed since the system started", URL: "/audit"}
	if !standing.Newest.IsZero() {
		tile.Note = i18n.Text("last entry sealed on %s").With(ui.DateTime(standing.Newest))
	}
	if words := standing.String(); words != tile.Value.String() {
		tile.Value, tile.Note, tile.Tone = "check", i18n.Kept(words), ui.ToneBad
	}
	return tile
}

// waitingTile counts the waiting messages, for this person or for all.
func (v *Request) waitingTile(mine bool) (views.Tile, error) {
	label, list, totals := i18n.Text("Waiting for me"), "/queue", v.totals
	var err error
	if !mine {
		label, list = "Waiting for approval", "/queue?tab=all"
		totals, err = v.pending(store.Checker{})
	}
	number, oldest := int64(0), time.Time{}
	for _, total := range totals {
		number += total.Count
		if oldest.IsZero() || total.Oldest.Before(oldest) {
			oldest = total.Oldest
		}
	}
	waiting := views.Tile{Label: label, Value: i18n.Data(views.CountOfWaiting(int(number))), Note: "nothing is waiting", URL: list}
	if number > 0 {
		waiting.Tone = ui.ToneWaiting
		waiting.Note = i18n.Text("the oldest has waited for %s, since %s").With(ui.Age(oldest, v.At), ui.DateTime(oldest))
	}
	return waiting, err
}

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

// quarantineTile counts the documents from clearing that match no message.
func (v *Request) quarantineTile() (views.Tile, error) {
	count, err := v.Config.Reader.QuarantineCount(v.Context(), quarantineLimit)
	tile := views.Tile{
		Label: "Quarantine", Value: i18n.Data(ui.UpTo(count, quarantineLimit)), Note: "received messages that match no payment",
		URL: "/quarantine",
	}
	if count > 0 {
		tile.Tone = ui.ToneBad
	}
	return tile, err
}

// volumeHours is the number of hours on the dashboard, including the current one.
const volumeHours = 24

// stuckAfter is the wait of an approved payment from which the connection counts as lost.
const stuckAfter = time.Minute

// volumes returns the payments of the last hours per scheme, the current hour last.
func (v *Request) volumes() ([]views.Volume, error) {
	first := v.LastDay()
	counted, err := v.Figures().VolumeByHour(v.Context(), v.By.Realm, first)
	if err != nil {
		return nil, err
	}
	var shown []views.Volume
	for _, scheme := range rulebook.Schemes() {
		volume, err := volumeOf(scheme, counted, first.In(v.Config.Zone))
		if err != nil {
			return nil, err
		}
		shown = append(shown, volume)
	}
	return shown, nil
}

func volumeOf(scheme rulebook.Scheme, counted []store.Volume, first time.Time) (views.Volume, error) {
	profile, _ := scheme.Profile()
	sum, err := money.FromMinor(profile.Currency, 0)
	if err != nil {
		return views.Volume{}, err
	}
	volume := views.Volume{
		Scheme: scheme, ListURL: "/payments" + Filter{}.Query("scheme", string(scheme), "made", views.MadeLastDay),
	}
	for hour := range volumeHours {
		volume.ByHour = append(volume.ByHour, views.HourCount{Hour: first.Add(time.Duration(hour) * time.Hour).Format("15")})
	}
	for _, one := range counted {
		place := int(one.Hour.Sub(first) / time.Hour)
		if one.Scheme != scheme || place < 0 || place >= volumeHours {
			continue
		}
		volume.Count += int(one.Count)
		hour := &volume.ByHour[place]
		switch one.Outcome {
		case "settled":
			hour.Settled += int(one.Count)
		case "failed":
			hour.Failed += int(one.Count)
		default:
			hour.Open += int(one.Count)
		}
		if one.Outcome == "failed" || one.Amount.Currency() != profile.Currency {
			continue // what moved nothing, and what came in another currency, is no part of the sum
		}
		total, err := sum.Add(one.Amount)
		if err == nil { // a sum that no column holds can only be planted; its messages are withheld
			sum = total
		}
	}
	volume.Amount = ui.AmountOf(sum)
	return volume, nil
}

// connections returns for each scheme whether clearing takes documents and answers them, for the messages of a realm, or of all realms if
// realm is empty.
func (v *Request) connections(realm string) ([]views.Connection, error) {
	var shown []views.Connection
	standing, err := v.Config.Reader.Clearing(v.Context(), realm, v.At.Add(-stuckAfter), views.MaxWaiting)
	status := map[rulebook.Scheme]clearing.ConnectionStatus{}
	for _, c := range v.Config.Connections() {
		status[c.Scheme] = c
	}
	for _, scheme := range rulebook.Schemes() {
		of, is := standing[scheme], status[scheme]
		connection := views.Connection{
			Scheme: scheme, Reached: of.Stuck == 0, Interrupted: connectionWords[is.State], Since: is.Since, LastSeen: of.Answered,
			Note: "no recent answer from clearing", TheirCertificate: is.Certificates.Theirs, OurCertificate: is.Certificates.Ours,
		}
		if !of.Answered.IsZero() {
			connection.Note = "last answer"
		}
		if of.Unconfirmed > 0 {
			connection.Unanswered = i18n.Text("%d messages have no answer yet. The oldest was sent %s ago.").
				With(of.Unconfirmed, took(v.At.Sub(of.Unanswered)))
		}
		if of.Stuck > 0 {
			connection.Stuck = i18n.Text("%d approved payments not accepted by clearing").With(of.Stuck)
			connection.Note = connection.Stuck
		}
		if connection.Interrupted != "" {
			connection.Reached, connection.LastSeen, connection.Note = false, is.Since, "payments are waiting to be sent because clearing has "+
				"not accepted messages since"
		}
		shown = append(shown, connection)
	}
	return shown, err
}
