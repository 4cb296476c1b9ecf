package checker

import (
	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// AgeChart is how many messages wait so long or longer, and how many expire soon, each number the way to them in the queue: of a checker
// what waits for them, of others what waits for anybody.
func AgeChart(v *page.Visit) (views.Chart, error) {
	chart := views.Chart{
		Heading: "What waits, by age", Words: "All that wait for an approval", Label: "Waits", Number: "Waiting",
	}
	tab, ask := tabAll, lookup.QueueFilter{PageSize: views.MaxWaiting}
	if v.By.Has(identity.RoleChecker) {
		chart.Words, tab, ask.ExcludePerson = "What you may decide", tabForMe, v.By.PersonID
	}
	waiting, err := v.Config.Reader.QueueKeys(v.Context(), v.By.Realm, uuid.Nil, ask)
	if err != nil {
		return chart, err
	}
	urlOf := func(f views.Filter) string {
		f.Tab = tab
		return "/queue" + page.Filter{View: f}.Query()
	}
	for _, age := range views.Ages[1:] {
		narrowed := views.Filter{Age: age.Value}
		made := v.At.Add(-page.Filter{View: narrowed}.OlderThan())
		bar := views.ChartBar{Label: age.Label, Most: views.MaxWaiting, URL: urlOf(narrowed)}
		for _, w := range waiting {
			if w.CreatedAt.Before(made) {
				bar.Count++
			}
		}
		chart.Bars = append(chart.Bars, bar)
	}
	ask.ExpiresBefore = v.At.Add(endsSoon)
	ending, err := v.Config.Reader.QueueKeys(v.Context(), v.By.Realm, uuid.Nil, ask)
	chart.Bars = append(chart.Bars, views.ChartBar{
		Label: "Expires within 4 hours", Count: len(ending), Most: views.MaxWaiting, URL: urlOf(views.Filter{Flag: views.FlagEnding}),
		Tone: ui.ToneWaiting,
	})
	return chart, err
}
