package portal

import (
	"time"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

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

// connections returns for each scheme the last answer of clearing, and whether it accepts approved messages.
func (v *Request) connections() ([]views.Clearing, error) {
	var shown []views.Clearing
	standing, err := v.Config.Reader.Clearing(v.Context(), v.By.Realm, v.At.Add(-stuckAfter), views.MaxWaiting)
	for _, scheme := range rulebook.Schemes() {
		answered, stuck := standing[scheme].Answered, standing[scheme].Stuck
		connection := views.Clearing{Scheme: scheme, Reached: stuck == 0, Note: "no answer received recently"}
		if !answered.IsZero() {
			connection.LastSeen, connection.Note = answered, "last answer"
		}
		if stuck > 0 {
			connection.Note = i18n.Text("%d approved payments not accepted by clearing").With(stuck)
		}
		if since, interrupted := v.interrupted(scheme); interrupted {
			connection.Reached, connection.LastSeen, connection.Note = false, since,
				"accepts nothing; payments wait and are retried; since"
		}
		shown = append(shown, connection)
	}
	return shown, err
}

// interrupted says since when the connection to a scheme's clearing is interrupted.
func (v *Request) interrupted(scheme rulebook.Scheme) (since time.Time, interrupted bool) {
	if v.Config.Connections == nil {
		return time.Time{}, false
	}
	for _, c := range v.Config.Connections() {
		if c.Scheme == scheme && c.State != clearing.ConnectionWorking {
			return c.Since, true
		}
	}
	return time.Time{}, false
}
