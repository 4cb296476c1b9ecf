package portal

import (
	"net/http"
	"strconv"
	"time"

	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/checker"
	"countersign/web/portal/page"
)

// dashboardRows is how many of the longest waiting messages the dashboard lists.
const dashboardRows = 5

// showDashboard says what needs attention. Somebody who may not read payments has nothing to see there and lands on the profile.
func showDashboard(v *visit) error {
	if payment.MayRead(v.By) != nil {
		return v.Echo.Redirect(http.StatusSeeOther, "/me")
	}
	model := views.Dashboard{Shell: v.Shell("Dashboard", views.PlaceDashboard)}
	var err error
	model.Tiles, err = v.tiles()
	if err != nil {
		return err
	}
	waiting, err := v.Config.Reader.Queue(v.Context(), v.By.Realm, lookup.QueueFilter{ExcludePerson: v.By.PersonID, PageSize: dashboardRows})
	if err != nil {
		return err
	}
	for _, m := range waiting {
		model.Waiting = append(model.Waiting, checker.QueueRow(v.Visit, m, page.Filter{}))
	}
	model.Volumes, err = v.volumes()
	if err != nil {
		return err
	}
	model.Clearing, err = v.connections()
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.DashboardPage(model))
}

// tiles are the figures of the day, each a link to the list behind it.
func (v *visit) tiles() ([]views.Tile, error) {
	totals, err := v.Totals()
	if err != nil {
		return nil, err
	}
	count, oldest := int64(0), time.Time{}
	for _, total := range totals {
		count += total.Count
		if oldest.IsZero() || total.Oldest.Before(oldest) {
			oldest = total.Oldest
		}
	}
	waiting := views.Tile{Label: "Waiting for me", Value: views.CountOfWaiting(int(count)), URL: "/queue"}
	age := views.Tile{Label: "Oldest", Value: "–", Note: "nothing waits", URL: "/queue"}
	if count > 0 {
		waiting.Tone = ui.ToneWaiting
		age.Value, age.Note = ui.Age(oldest, v.At), "since "+ui.DateTime(oldest)
	}
	entered, err := v.Config.Reader.EnteredSince(v.Context(), v.By.Realm, v.Midnight(), payment.StateRejected, payment.StateFailed)
	if err != nil {
		return nil, err
	}
	tile := func(label string, state payment.State) views.Tile {
		list := "/payments" + page.Filter{}.Query("state", string(state))
		t := views.Tile{Label: label, Value: strconv.FormatInt(entered[state], 10), URL: list}
		if entered[state] > 0 && state != payment.StateRejected {
			t.Tone = ui.ToneBad
		}
		return t
	}
	return []views.Tile{waiting, age, tile("Rejected today", payment.StateRejected), tile("Failed today", payment.StateFailed)}, nil
}
