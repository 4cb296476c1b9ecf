package portal

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// maxInTile limits the count of a tile: "100+".
const maxInTile = 100

// maxDecided limits the count of a checker's decisions today: "200+".
const maxDecided = 200

// recallTile counts the received recalls that wait for an answer: a maker enters it, and others than makers and checkers watch it.
func recallTile(waiting int) views.Tile {
	return stateTile(
		views.Tile{Label: "Recalls to answer", Note: "from other banks", Tone: ui.ToneWaiting}, payment.StateAwaitingDecision, waiting,
	)
}

// roleTiles returns the figures of one role: a maker's open messages and due answers, a checker's decisions; for other roles the processing
// times and missed deadlines. Rejections and failures of today follow.
func (v *Request) roleTiles(decides, makes bool) ([]views.Tile, error) {
	if makes && !decides {
		return v.makerTiles()
	}
	standing, err := v.Config.Reader.Standing(v.Context(), v.By.Realm, store.Counted{Since: v.Midnight(), Most: maxInTile})
	if err != nil {
		return nil, err
	}
	var tiles []views.Tile
	if decides {
		decided, err := v.Config.Reader.DecidedCount(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight(), maxDecided)
		if err != nil {
			return nil, err
		}
		tiles = append(tiles, views.Tile{
			Label: "Decided by me today", Value: i18n.Data(ui.UpTo(decided, maxDecided)), Note: "approved or rejected", URL: "/queue?tab=decided",
		})
	}
	today := []views.Tile{v.todayTile(payment.StateRejected, standing.Rejected, ""), v.todayTile(payment.StateFailed, standing.Failed, "")}
	if makes {
		tiles = append(tiles, recallTile(standing.ToAnswer))
	}
	if decides {
		return append(tiles, today...), nil
	}
	took, err := v.turnaroundTiles()
	return slices.Concat(today, took, []views.Tile{stateTile(
		views.Tile{Label: "Unconfirmed", Note: "waiting for clearing", Tone: ui.ToneWaiting}, payment.StateUnconfirmed, standing.Unconfirmed,
	), recallTile(standing.ToAnswer), stateTile(
		views.Tile{Label: "Overdue recalls", Note: "no answer in time", Tone: ui.ToneBad}, payment.StateOverdue, standing.Overdue,
	)}), err
}

// makerTiles returns the counts of a maker's open messages.
func (v *Request) makerTiles() ([]views.Tile, error) {
	standing, err := v.Config.Reader.StandingOfMaker(v.Context(), v.By.Realm, store.Counted{
		Maker: v.By.UserID, Since: v.Midnight(), Most: maxInTile,
	})
	if err != nil {
		return nil, err
	}
	begun, err := v.begun()
	if err != nil {
		return nil, err
	}
	recalls, err := v.Config.Reader.Recalls(v.Context(), v.By.Realm, dueBefore(v), maxInTile)
	if err != nil {
		return nil, err
	}
	return []views.Tile{
		countTile(views.Tile{Label: "My waiting submissions", Note: "waiting for approval", URL: "/mine"}, standing.Waiting),
		stateTile(
			views.Tile{Label: "Unconfirmed", Note: "do not pay again yet", Tone: ui.ToneWaiting}, payment.StateUnconfirmed, standing.Unconfirmed,
			"maker", v.By.UserName,
		),
		recallTile(recalls.ToAnswer),
		{
			Label: "Drafts", Value: i18n.Data(i18n.Number(begun.count())), Note: "started, not submitted", URL: "/mine?tab=drafts",
		},
		v.todayTile(payment.StateRejected, standing.Rejected, v.By.UserName),
		v.todayTile(payment.StateFailed, standing.Failed, v.By.UserName),
	}, nil
}

// turnaroundTiles shows how long payments took.
func (v *Request) turnaroundTiles() ([]views.Tile, error) {
	took, err := v.Figures().Turnaround(v.Context(), v.By.Realm, v.LastDay())
	if err != nil {
		return nil, err
	}
	list := "/payments" + Filter{}.Query("made", views.ApprovedLastDay)
	waited := views.Tile{Label: "Time until approval", Value: "–", Note: "nothing approved in the last 24 hours", URL: list}
	if took.Approved > 0 {
		waited.Value, waited.Note = i18n.Data(span(took.WaitedHalf)), i18n.Text("median of %d payments; 95%% of them within %s").
			With(took.Approved, span(took.WaitedMost))
	}
	cleared := views.Tile{
		Label: "Time in clearing", Value: "–", Note: "nothing settled in the last 24 hours", URL: list + "&state=" + string(payment.StateSettled),
	}
	if took.Settled > 0 {
		cleared.Value, cleared.Note = i18n.Data(span(took.ClearedHalf)), i18n.Text("median of %d payments; 95%% of them within %s").
			With(took.Settled, span(took.ClearedMost))
	}
	return []views.Tile{waited, cleared}, nil
}

// countTile sets the limited count of a tile; a zero count has no tone.
func countTile(tile views.Tile, count int) views.Tile {
	tile.Value = i18n.Data(ui.UpTo(count, maxInTile))
	if count == 0 {
		tile.Tone = ""
	}
	return tile
}

// stateTile counts the messages in a state, and links to their list with the same filters, given as pairs of name and value.
func stateTile(tile views.Tile, state payment.State, count int, narrowed ...string) views.Tile {
	tile.URL = "/payments" + Filter{}.Query(append([]string{"state", string(state)}, narrowed...)...)
	return countTile(tile, count)
}

// todayTile counts what entered a state today, of one maker where one is named; the list behind it is narrowed to the same.
func (v *Request) todayTile(state payment.State, count int, maker string) views.Tile {
	query := Filter{}.Query("state", string(state), "since", v.Today().Format(time.DateOnly))
	tile := views.Tile{Label: i18n.Text("%s today").With(ui.StateLabel(string(state))), Note: "see why", URL: "/payments" + query}
	if maker != "" {
		tile.URL += "&maker=" + url.QueryEscape(maker)
	}
	if state == payment.StateFailed {
		tile.Tone = ui.ToneBad
	}
	return countTile(tile, count)
}

// span formats a short duration: "14 ms", "3.8 s", "12 min", "3 h".
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
