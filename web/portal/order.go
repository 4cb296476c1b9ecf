package portal

import (
	"slices"
	"strconv"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// Sort returns the order in the filter if it is valid, else the default.
func (f Filter) Sort() store.Sort {
	for _, order := range views.Orders {
		if order.Value == f.View.Sort {
			return store.Sort(order.Value)
		}
	}
	return store.SortOldest
}

// Behind returns the filter that continues after a message in the sort order.
func (f Filter) Behind(m payment.Message) Filter {
	f.After, f.Place = m.InternalID, ""
	switch f.Sort() {
	case store.SortLargest, store.SortSmallest:
		f.Place = strconv.FormatInt(m.Summary.Amount.Minor(), 10)
	case store.SortExpiry:
		if !m.ExpiresAt.IsZero() {
			f.Place = strconv.FormatInt(m.ExpiresAt.UnixMicro(), 10)
		}
	default: // by age: the id is the place
	}
	return f
}

// Begins returns the position at which the list begins.
func (f Filter) Begins() store.Place {
	place := store.Place{MessageID: f.After}
	number, err := strconv.ParseInt(f.Place, 10, 64)
	switch {
	case err != nil:
	case f.Sort() == store.SortExpiry:
		place.ExpiresAt = time.UnixMicro(number).UTC()
	default:
		place.Minor = number
	}
	return place
}

// OlderThan returns the minimum age of the listed messages; zero for any age.
func (f Filter) OlderThan() time.Duration {
	ages := map[string]time.Duration{"15m": 15 * time.Minute, "1h": time.Hour, "4h": 4 * time.Hour, "1d": 24 * time.Hour}
	return ages[f.View.Age]
}

// Words describes the filter and its order for people.
func (f Filter) Words() []i18n.Text {
	var words []i18n.Text
	say := func(text i18n.Text, value string) {
		if value != "" {
			words = append(words, text.With(value))
		}
	}
	choose := func(options []ui.Option, value string) {
		for _, option := range options {
			if value != "" && option.Value == value {
				words = append(words, option.Label)
			}
		}
	}
	choose([]ui.Option{
		{Value: "all", Label: "All waiting"}, {Value: "mine", Label: "Submitted by me"}, {Value: "decided", Label: "Decided today"},
	}, f.View.Tab)
	say("with the text %s", f.View.Text)
	for _, data := range []string{f.View.Scheme, f.View.Currency} {
		if data != "" {
			words = append(words, i18n.Data(ui.SchemeLabel(data)))
		}
	}
	say("from (an amount) %s", f.View.AmountFrom)
	say("up to %s", f.View.AmountTo)
	say("by %s", f.View.Maker)
	if f.View.Kind != "" {
		words = append(words, ui.KindLabel(f.View.Kind))
	}
	say("created on or after %s", f.View.From)
	say("created on or before %s", f.View.To)
	choose(views.Ages, f.View.Age)
	choose(views.Flags, f.View.Flag)
	choose(views.Orders, f.View.Sort)
	return words
}

// listSort returns the order in the filter of a list other than the queue; the default for an unknown one.
func (f Filter) listSort() store.ListSort {
	if slices.Contains(views.ListOrders, f.View.Sort) {
		return store.ListSort(f.View.Sort)
	}
	return store.ListNewest
}

// listPlace parses the position at which the list continues; an invalid one is the beginning.
func (f Filter) listPlace(by store.ListSort) store.ListPlace {
	place := store.ListPlace{MessageID: f.After}
	switch by {
	case store.ListLargest, store.ListSmallest:
		minor, err := strconv.ParseInt(f.Place, 10, 64)
		if err != nil {
			return store.ListPlace{}
		}
		place.Minor = minor
	case store.ListState:
		place.State = payment.State(f.Place)
		if !slices.Contains(payment.States(), place.State) {
			return store.ListPlace{}
		}
	case store.ListNewest, store.ListOldest:
	}
	return place
}

// goingOn returns the filter that continues such a list at a place.
func (f Filter) goingOn(next store.ListPlace) Filter {
	f.After, f.Place = next.MessageID, ""
	switch f.listSort() {
	case store.ListLargest, store.ListSmallest:
		f.Place = strconv.FormatInt(next.Minor, 10)
	case store.ListState:
		f.Place = string(next.State)
	case store.ListNewest, store.ListOldest:
	}
	return f
}

// SortLinks are the addresses of the list in each order, from its beginning.
func (f Filter) SortLinks(path string) func(order string) string {
	return func(order string) string { return path + f.Query("sort", order, "after", "") }
}
