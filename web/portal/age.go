package portal

import (
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// AgeChart counts the pending messages by their wait, and those that expire soon, each count with a link to the queue: for a checker the
// messages to decide, for others all.
func AgeChart(v *Request) (views.Chart, error) {
	chart := views.Chart{
		Heading: "Waiting time", Words: "Everything waiting for approval", Label: "Waiting time", Number: "Payments",
	}
	tab, ask := tabAll, store.Ages{ExpiresBefore: v.At.Add(endsSoon), Most: views.MaxWaiting}
	if v.By.Has(identity.RoleChecker) {
		chart.Words, tab, ask.ExcludePerson = "Waiting for your approval", tabForMe, v.By.PersonID
	}
	ages := views.Ages[1:]
	for _, age := range ages {
		ask.MadeBefore = append(ask.MadeBefore, v.At.Add(-Filter{View: views.Filter{Age: age.Value}}.OlderThan()))
	}
	older, ending, err := v.Config.Reader.Waiting(v.Context(), v.By.Realm, ask)
	if err != nil {
		return chart, err
	}
	urlOf := func(f views.Filter) string {
		f.Tab = tab
		return "/queue" + Filter{View: f}.Query()
	}
	for i, age := range ages {
		chart.Bars = append(chart.Bars, views.ChartBar{
			Label: age.Label, Count: older[i], Most: views.MaxWaiting, URL: urlOf(views.Filter{Age: age.Value}),
		})
	}
	chart.Bars = append(chart.Bars, views.ChartBar{
		Label: "Expires within 4 hours", Count: ending, Most: views.MaxWaiting, URL: urlOf(views.Filter{Flag: views.FlagEnding}),
		Tone: ui.ToneWaiting,
	})
	return chart, nil
}
