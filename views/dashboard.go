package views

import (
	"strconv"
	"time"

	"countersign/internal/language"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Dashboard is the first page after sign-in: what needs attention, each figure
// a link to the list that proves it.
type Dashboard struct {
	Shell    Shell
	Tiles    []Tile
	Heading  language.Text // over the longest waiting
	Nothing  language.Text // said when nothing waits
	Waiting  []QueueRow    // the longest waiting, at most five
	Clearing []Clearing
	Volumes  []Volume // the last 24 hours
}

// Tile is one figure.
type Tile struct {
	Label language.Text
	Value language.Text // "12", "2 h"
	Note  language.Text // what the figure means; may be empty
	URL   string
	Tone  ui.Tone // ui.ToneBad or ui.ToneWaiting to draw attention; empty otherwise
}

// Clearing is the connection to one scheme's clearing.
type Clearing struct {
	Scheme   rulebook.Scheme
	Reached  bool
	LastSeen time.Time // of the last message received; zero for none
	Note     language.Text
}

// Volume is what one scheme moved in the last 24 hours.
type Volume struct {
	Scheme  rulebook.Scheme
	Count   int
	Amount  ui.Amount
	ByHour  []HourCount // oldest first, at most 24
	ListURL string
}

// HourCount is the number of payments in one hour.
type HourCount struct {
	Hour    string // "08"
	Settled int
	Failed  int
	Open    int // waiting, under way or unconfirmed
}

func (h HourCount) count() int { return h.Settled + h.Failed + h.Open }

const (
	barWidth  = 10
	barGap    = 3
	barHeight = 64
	// tickEvery is how many hours lie between two labels.
	tickEvery = 6
)

// bar is one part of one column of the chart in its own units.
type bar struct {
	class        string
	x, y, height string
}

// bars scales the counts to the height of the chart, the outcomes one upon the other. What there is of one is always visible, and an hour
// without payments keeps a faint foot.
func (v Volume) bars() []bar {
	most := 1
	for _, hour := range v.ByHour {
		most = max(most, hour.count())
	}
	bars := make([]bar, 0, len(v.ByHour))
	for index, hour := range v.ByHour {
		x, top := strconv.Itoa(index*(barWidth+barGap)), barHeight
		if hour.count() == 0 {
			bars = append(bars, bar{class: "bar-none", x: x, y: strconv.Itoa(barHeight - 1), height: "1"})
		}
		for _, part := range []struct {
			class string
			count int
		}{{"bar-settled", hour.Settled}, {"bar-open", hour.Open}, {"bar-failed", hour.Failed}} {
			if part.count == 0 {
				continue
			}
			height := max(part.count*(barHeight-6)/most, 2)
			top -= height
			bars = append(bars, bar{class: part.class, x: x, y: strconv.Itoa(top), height: strconv.Itoa(height)})
		}
	}
	return bars
}

// ticks are the labels under the chart, each over as many hours.
func (v Volume) ticks() []string {
	var ticks []string
	for index := 0; index < len(v.ByHour); index += tickEvery {
		ticks = append(ticks, v.ByHour[index].Hour+":00")
	}
	return ticks
}

func (v Volume) viewBox() string {
	return "0 0 " + strconv.Itoa(len(v.ByHour)*(barWidth+barGap)) + " " + strconv.Itoa(barHeight)
}

func (v Volume) sentence() language.Text {
	return language.Text("%d payments by %s made in the last 24 hours, by hour and outcome").With(v.Count, ui.SchemeLabel(v.Scheme))
}

func (t Tile) tone() string {
	if t.Tone == "" {
		return "tile-plain"
	}
	return "tile-" + string(t.Tone)
}
