package views

import (
	"strconv"
	"time"

	"countersign/views/ui"
)

// Dashboard is the first page after sign-in: what needs attention, each figure
// a link to the list that proves it.
type Dashboard struct {
	Shell    Shell
	Tiles    []Tile
	Heading  string     // over the longest waiting
	Nothing  string     // said when nothing waits
	Waiting  []QueueRow // the longest waiting, at most five
	Clearing []Clearing
	Volumes  []Volume // the last 24 hours
}

// Tile is one figure.
type Tile struct {
	Label string
	Value string // "12", "2 h"
	Note  string // what the figure means; may be empty
	URL   string
	Tone  ui.Tone // ui.ToneBad or ui.ToneWaiting to draw attention; empty otherwise
}

// Clearing is the connection to one scheme's clearing.
type Clearing struct {
	Scheme   string
	Reached  bool
	LastSeen time.Time // of the last message received; zero for none
	Note     string
}

// Volume is what one scheme moved in the last 24 hours.
type Volume struct {
	Scheme  string
	Count   int
	Amount  ui.Amount
	ByHour  []HourCount // oldest first, at most 24
	ListURL string
}

// HourCount is the number of payments in one hour.
type HourCount struct {
	Hour  string // "08"
	Count int
}

const (
	barWidth  = 10
	barGap    = 3
	barHeight = 48
)

// bar is one column of the chart in its own units.
type bar struct {
	x, y, height string
}

// bars scales the counts to the height of the chart. An hour with payments is
// always visible.
func (v Volume) bars() []bar {
	most := 1
	for _, hour := range v.ByHour {
		most = max(most, hour.Count)
	}
	bars := make([]bar, 0, len(v.ByHour))
	for index, hour := range v.ByHour {
		height := hour.Count * barHeight / most
		if hour.Count > 0 {
			height = max(height, 2)
		}
		bars = append(bars, bar{
			x: strconv.Itoa(index * (barWidth + barGap)), y: strconv.Itoa(barHeight - height), height: strconv.Itoa(height),
		})
	}
	return bars
}

func (v Volume) viewBox() string {
	return "0 0 " + strconv.Itoa(len(v.ByHour)*(barWidth+barGap)) + " " + strconv.Itoa(barHeight)
}

func (v Volume) sentence() string {
	return ui.Plural(v.Count, "payment") + " by " + ui.SchemeLabel(v.Scheme) + " in the last 24 hours, by hour"
}

func (t Tile) tone() string {
	if t.Tone == "" {
		return "tile-plain"
	}
	return "tile-" + string(t.Tone)
}
