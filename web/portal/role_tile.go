package portal

import (
	"strconv"
	"time"

	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// roleTiles are the figures of one role: what a checker did and which answers are due; for those who neither decide nor make, how long
// payments took, and what is late.
func (v *visit) roleTiles(decides, makes bool) ([]views.Tile, error) {
	var tiles []views.Tile
	if decides {
		decided, err := v.Config.Reader.DecidedBy(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight())
		if err != nil {
			return nil, err
		}
		tiles = append(tiles, views.Tile{
			Label: "Decided by me today", Value: language.Data(language.Number(len(decided))), Note: "approved or rejected",
			URL: "/queue?tab=decided",
		})
	}
	if decides || !makes {
		due, err := v.stateTile(
			views.Tile{Label: "Recalls to answer", Note: "from other banks", Tone: ui.ToneWaiting}, payment.StateAwaitingDecision,
		)
		if err != nil {
			return nil, err
		}
		tiles = append(tiles, due)
	}
	if decides || makes {
		return tiles, nil
	}
	late, err := v.lateTiles()
	return append(tiles, late...), err
}

// lateTiles say how long payments took, and what has no answer.
func (v *visit) lateTiles() ([]views.Tile, error) {
	took, err := v.Config.Reader.Turnaround(v.Context(), v.By.Realm, v.LastDay())
	if err != nil {
		return nil, err
	}
	list := "/payments" + page.Filter{}.Query("made", views.ApprovedLastDay)
	waited := views.Tile{Label: "Time to approval", Value: "–", Note: "nothing was approved in 24 hours", URL: list}
	if took.Approved > 0 {
		waited.Value, waited.Note = language.Data(span(took.WaitedHalf)), language.Text("half of %d; 95 of 100 within %s").
			With(took.Approved, span(took.WaitedMost))
	}
	cleared := views.Tile{
		Label: "Time at clearing", Value: "–", Note: "nothing settled in 24 hours", URL: list + "&state=" + string(payment.StateSettled),
	}
	if took.Settled > 0 {
		cleared.Value, cleared.Note = language.Data(span(took.ClearedHalf)), language.Text("half of %d; 95 of 100 within %s").
			With(took.Settled, span(took.ClearedMost))
	}
	unsure, err := v.stateTile(views.Tile{Label: "Unconfirmed", Note: "clearing is asked", Tone: ui.ToneWaiting}, payment.StateUnconfirmed)
	if err != nil {
		return nil, err
	}
	overdue, err := v.stateTile(views.Tile{Label: "Recalls overdue", Note: "no answer in time", Tone: ui.ToneBad}, payment.StateOverdue)
	return []views.Tile{waited, cleared, unsure, overdue}, err
}

// stateTile counts what is in a state now, and leads to the list of it.
func (v *visit) stateTile(tile views.Tile, state payment.State) (views.Tile, error) {
	tile.URL = "/payments" + page.Filter{}.Query("state", string(state))
	return v.countTile(tile, lookup.Filter{States: []payment.State{state}})
}

// span writes how long something took: "14 ms", "3.8 s", "12 min", "3 h".
func span(took time.Duration) string {
	switch {
	case took < time.Second:
		return strconv.FormatInt(took.Milliseconds(), 10) + " ms"
	case took < time.Minute:
		return strconv.FormatFloat(took.Seconds(), 'f', 1, 64) + " s"
	case took < time.Hour:
		return strconv.Itoa(int(took.Minutes())) + " min"
	}
	return strconv.Itoa(int(took.Hours())) + " h"
}
