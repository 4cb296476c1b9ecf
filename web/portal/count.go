package portal

import (
	"maps"
	"slices"
	"time"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// counted holds the pending messages within the filter of an address: those of the shown tab, and the count of each tab.
type counted struct {
	waiting []store.WaitingMessages
	tabs    map[string]string
	all     store.QueueFilter // what the address narrows the queue to for everybody, its text looked up
}

func (c counted) facts(f Filter, now time.Time) views.QueueFacts {
	facts := factsOf(c.waiting, now)
	facts.Narrowed = f.View.Active > 0 || f.View.Text != ""
	return facts
}

// counted reads all pending messages once and assigns them to the tabs. Only when there are more than one read returns, each tab is read
// further on its own, up to the limit of its count.
func (v *Request) counted(f *Filter) (counted, error) {
	return together(v, func() (counted, error) { return v.count(f) })
}

// count is counted in the transaction of the caller.
func (v *Request) count(f *Filter) (counted, error) {
	r, now := v.Config.Reader, counted{tabs: map[string]string{}}
	if v.By.Has(identity.RoleChecker) {
		decided, err := r.DecidedCount(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight(), views.MaxWaiting)
		if err != nil {
			return now, err
		}
		now.tabs[tabDecided] = views.CountOfWaiting(decided)
	}
	asked, err := r.Questions(v.Context(), v.By.Realm, views.MaxWaiting)
	if err != nil {
		return now, err
	}
	now.tabs[tabAsked] = views.CountOfWaiting(asked)
	shares, all, err := v.shares(f)
	now.all = all
	for tab, waiting := range shares {
		now.tabs[tab] = views.CountOfWaiting(len(waiting))
	}
	now.waiting = shares[v.tab(*f)]
	return now, err
}

// shares returns the keys of each tab, up to the limit of the counts, and the filter common to all tabs.
func (v *Request) shares(f *Filter) (map[string][]store.WaitingMessages, store.QueueFilter, error) {
	r, shares := v.Config.Reader, map[string][]store.WaitingMessages{}
	if f.Impossible {
		return shares, store.QueueFilter{}, nil
	}
	ask, err := r.Meant(v.Context(), v.By.Realm, v.askAll(f))
	if err != nil {
		return nil, ask, err
	}
	ask.PageSize = views.MaxWaiting
	all, err := r.QueueKeys(v.Context(), v.By.Realm, v.By.PersonID, ask)
	if err != nil {
		return nil, ask, err
	}
	shares[tabAll] = all
	shares[tabForMe] = slices.DeleteFunc(slices.Clone(all), func(w store.WaitingMessages) bool {
		return w.Own || w.Decided || w.CreatedAt.Before(v.checker().Since)
	})
	shares[tabMine] = slices.DeleteFunc(slices.Clone(all), func(w store.WaitingMessages) bool { return !w.Own })
	if len(all) < views.MaxWaiting {
		return shares, ask, nil
	}
	for _, t := range v.tabs() {
		if t.name == tabAll || t.name == tabDecided || t.name == tabAsked || len(shares[t.name]) >= views.MaxWaiting {
			continue
		}
		ask := v.onTab(ask, t.name)
		ask.After.MessageID = all[len(all)-1].MessageID
		ask.PageSize = int32(views.MaxWaiting - len(shares[t.name])) //nolint:gosec // a thousand at most
		more, err := r.QueueKeys(v.Context(), v.By.Realm, v.By.PersonID, ask)
		if err != nil {
			return nil, ask, err
		}
		shares[t.name] = append(shares[t.name], more...)
	}
	return shares, ask, nil
}

// waiting lists the keys of the messages within the filter of the address, up to the limit of the counts.
func (v *Request) waiting(f Filter) ([]store.WaitingMessages, error) {
	shares, _, err := v.shares(&f)
	return shares[v.tab(f)], err
}

// payeeFlags maps each flag of the queue's filter to results of the verification of the payee.
var payeeFlags = map[string][]payee.Result{
	views.FlagOtherName: {payee.NoMatch}, views.FlagNameDiffers: {payee.CloseMatch},
	views.FlagUnverified: {payee.NotPossible, payee.Late, payee.Waived},
}

// onTab applies the tab's filter on top of the filter in the address.
func (v *Request) onTab(ask store.QueueFilter, tab string) store.QueueFilter {
	switch tab {
	case tabForMe:
		ask.Checker = v.checker()
	case tabMine:
		ask.OnlyPerson = v.By.PersonID
	}
	return ask
}

// askAll parses the filter in the address. An invalid day is added to the problems of f.
func (v *Request) askAll(f *Filter) store.QueueFilter {
	ask := store.QueueFilter{
		Kind: f.Kind(pendingKinds), Scheme: string(f.Scheme), MakerLogin: f.Maker(), AmountFrom: f.AmountFrom, AmountTo: f.AmountTo,
		Search:  ReadSearch(f.View.Text, v.Today()).Search,
		Amended: f.View.Flag == views.FlagAmended, Begun: f.View.Flag == views.FlagBegun,
		Payees: payeeFlags[f.View.Flag],
	}
	if ask.Payees != nil && ask.Scheme == "" {
		ask.Scheme = string(rulebook.SchemeSCT) // no other verifies payees
	}
	f.Problems = slices.DeleteFunc(f.Problems, func(p ui.Problem) bool { return p.Code == NoDay })
	ask.CreatedFrom, ask.CreatedBefore, _ = f.Days(v.Today())
	if f.View.Flag == views.FlagEnding {
		ask.ExpiresBefore = v.At.Add(endsSoon)
	}
	if age := f.OlderThan(); age > 0 {
		made := v.At.Add(-age)
		if ask.CreatedBefore.IsZero() || made.Before(ask.CreatedBefore) {
			ask.CreatedBefore = made
		}
	}
	return ask
}

// factsOf adds up the waiting amounts by kind and currency.
func factsOf(waiting []store.WaitingMessages, now time.Time) views.QueueFacts {
	facts := views.QueueFacts{Waiting: len(waiting), Now: now}
	amounts := map[payment.Kind][]money.Amount{}
	for _, w := range waiting {
		if facts.Oldest.IsZero() || w.CreatedAt.Before(facts.Oldest) {
			facts.Oldest = w.CreatedAt
		}
		amount, err := money.FromMinor(money.Currency(w.Currency), w.Minor)
		if err == nil { // of a currency nobody knows only the count is told: such a message is withheld
			amounts[w.Kind] = append(amounts[w.Kind], amount)
		}
	}
	if len(waiting) >= views.MaxWaiting {
		return facts // the sum of a part would be taken for the whole
	}
	facts.Totals = kindTotals(amounts)
	return facts
}

// kindTotals counts and adds up amounts by kind and currency.
func kindTotals(amounts map[payment.Kind][]money.Amount) []views.KindTotal {
	var totals []views.KindTotal
	for _, kind := range pendingKinds {
		if count := len(amounts[kind]); count > 0 {
			totals = append(totals, views.KindTotal{Kind: kind, Count: count, Sums: totalsOf(amounts[kind])})
		}
	}
	return totals
}

// totalsOf adds up amounts by currency. A sum beyond the range of the column can only come from tampering; the total then stays unchanged.
func totalsOf(amounts []money.Amount) []ui.Amount {
	totals := map[money.Currency]money.Amount{}
	for _, amount := range amounts {
		total, begun := totals[amount.Currency()]
		if !begun {
			totals[amount.Currency()] = amount
		} else if sum, err := total.Add(amount); err == nil {
			totals[amount.Currency()] = sum
		}
	}
	shown := make([]ui.Amount, 0, len(totals))
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		shown = append(shown, ui.AmountOf(totals[currency]))
	}
	return shown
}

// AgeChart counts the pending messages by their wait, and those that expire soon, each count with a link to the queue: for a checker the
// messages to decide, for others all.
func AgeChart(v *Request) (views.Chart, error) {
	chart := views.Chart{
		Heading: "Waiting time", Words: "Everything waiting for approval", Label: "Waiting time", Number: "Waiting",
	}
	tab, ask := tabAll, store.Ages{ExpiresBefore: v.At.Add(endsSoon), Most: views.MaxWaiting}
	if v.By.Has(identity.RoleChecker) {
		chart.Words, tab, ask.Checker = "Waiting for your approval", tabForMe, v.checker()
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
