package views

import (
	"cmp"
	"math"
	"strconv"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Dashboard is the first page after sign-in: open work and figures, each linked to the list that proves it.
type Dashboard struct {
	Layout   Layout
	Tiles    []Tile
	Lists    []Lines // the longest waiting messages, and what else this person's role has to look at
	Charts   []Chart // figures of the role
	Clearing []Connection
	Volumes  []Volume // the last 24 hours
}

// Lines is a short list of tasks, each line with a link to its page.
type Lines struct {
	Heading i18n.Text
	Nothing i18n.Text  // said when there are none
	Rows    []ui.Entry // each with the step to take next, if there is one
	More    ui.Step    // the whole list
}

// Chart is a table of numbers with a bar for each, so that it reads with and without the bars. Each number is the way to the rows that it
// counts.
type Chart struct {
	Heading i18n.Text
	Words   i18n.Text // what is counted
	Label   i18n.Text // the head of the names: "Reason"
	Number  i18n.Text // the head of the numbers: "Payments"
	Bars    []ChartBar
	Nothing i18n.Text // said when there are no bars
}

// ChartBar is one number of a chart.
type ChartBar struct {
	Label i18n.Text
	Count int
	Most  int // where counting ended: so many are "so many or more"; 0 for no such end
	URL   string
	Tone  ui.Tone // ui.ToneBad or ui.ToneWaiting when there are any; empty otherwise
}

func (b ChartBar) number() string { return ui.UpTo(b.Count, cmp.Or(b.Most, math.MaxInt)) }

// chartWidth is the length of the longest bar in its own units.
const chartWidth = 100

// length returns the length of a bar; a count above zero is always visible.
func (c Chart) length(b ChartBar) string {
	most := 1
	for _, bar := range c.Bars {
		most = max(most, bar.Count)
	}
	if b.Count == 0 {
		return "0"
	}
	return strconv.Itoa(max(b.Count*chartWidth/most, 1))
}

func (b ChartBar) class() string {
	switch {
	case b.Tone == "" || b.Count == 0:
		return "bar-settled"
	case b.Tone == ui.ToneBad:
		return "bar-failed"
	}
	return "bar-open"
}

// Tile is one figure.
type Tile struct {
	Label i18n.Text
	Value i18n.Text // "12", "2 h"
	Note  i18n.Text // what the figure means; may be empty
	URL   string
	Tone  ui.Tone // ui.ToneBad or ui.ToneWaiting to draw attention; empty otherwise
}

// Volume is the volume of one scheme in the last 24 hours.
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
	// tickEvery is the number of hours between two labels.
	tickEvery = 6
)

// bar is one part of one column of the chart, in units of the chart.
type bar struct {
	class        string
	x, y, height string
	title        i18n.Text // "08:00 · 3 settled"
}

// bars scales the counts to the height of the chart, with the outcomes stacked. A count of one stays visible, and an hour without payments
// has a faint foot.
func (v Volume) bars() []bar {
	most := v.most()
	bars := make([]bar, 0, len(v.ByHour))
	for index, hour := range v.ByHour {
		x, top := strconv.Itoa(index*(barWidth+barGap)), barHeight
		if hour.count() == 0 {
			bars = append(bars, bar{class: "bar-none", x: x, y: strconv.Itoa(barHeight - 1), height: "1"})
		}
		for _, part := range []struct {
			class string
			count int
			words i18n.Text
		}{{"bar-settled", hour.Settled, "settled"}, {"bar-open", hour.Open, "in progress or waiting"}, {"bar-failed", hour.Failed, "failed"}} {
			if part.count == 0 {
				continue
			}
			height := max(part.count*barHeight/most, 2)
			top -= height
			bars = append(bars, bar{
				class: part.class, x: x, y: strconv.Itoa(top), height: strconv.Itoa(height),
				title: i18n.Join(" ", i18n.Data(hour.Hour+":00 · "+i18n.Number(part.count)), part.words),
			})
		}
	}
	return bars
}

// most is the number of payments at the top of the chart.
func (v Volume) most() int {
	most := 1
	for _, hour := range v.ByHour {
		most = max(most, hour.count())
	}
	return most
}

// ticks are the labels under the chart, one for every tickEvery hours.
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

func (v Volume) sentence() i18n.Text {
	return i18n.Text("%d payments through %s in the last 24 hours, by hour and outcome").With(v.Count, ui.SchemeLabel(v.Scheme))
}

func (t Tile) tone() string {
	if t.Tone == "" {
		return "tile-plain"
	}
	return "tile-" + string(t.Tone)
}
