package portal

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/views"
)

// showFlight tells the page of a payment under way, which asks by itself, what became of it: nothing while it shows what is true, which
// takes one row to know, else the part of the page anew. Somebody who opens the address comes to the page.
func showFlight(v *paymentsVisit) error {
	m, err := v.Readable()
	if err != nil {
		return err
	}
	tab := cmp.Or(views.PaymentTab(v.Echo.QueryParam("part")), views.TabOverview)
	if !isPart(tab) {
		return payment.ErrNotFound
	}
	if !v.Fragment() {
		return v.Echo.Redirect(http.StatusSeeOther, partPath(m, tab))
	}
	if v.Echo.QueryParam("seen") == seen(m, v.flightOf(m, tab)) && (inFlight(m) || m.State == payment.StateUnconfirmed) {
		return v.Echo.NoContent(http.StatusNoContent)
	}
	model, err := v.paymentModel(m, tab)
	if err != nil {
		return err
	}
	model.Over = model.Flight == nil
	if model.Over && m.SettledAt.After(m.AcceptedAt) {
		model.OverAfter = took(m.SettledAt.Sub(m.AcceptedAt))
	}
	return v.Render(http.StatusOK, views.PaymentUpdate(model))
}

// flightOf is how long a message is under way to clearing's answer; nil for one that is not.
func (v *paymentsVisit) flightOf(m payment.Message, tab views.PaymentTab) *views.Flight {
	if !inFlight(m) {
		return nil
	}
	due := m.AcceptedAt.Add(clearing.DefaultAnswerWithin)
	flight := views.Flight{
		URL: partPath(m, tab), Since: m.AcceptedAt, Due: due, Left: max(0, due.Sub(v.At)), Whole: clearing.DefaultAnswerWithin,
		Taken: !m.DeliveredAt.IsZero(), Late: v.At.After(due.Add(time.Second)),
	}
	flight.AskURL = askURL(m, tab, &flight)
	return &flight
}

// inFlight reports whether clearing is to answer a message within seconds.
func inFlight(m payment.Message) bool {
	sent := m.State == payment.StateApproved || m.State == payment.StateProcessing
	answered := m.Kind == payment.KindInstruction || m.Kind == payment.KindReturn
	return sent && answered && !m.AcceptedAt.IsZero() && m.Withheld == ""
}

// unansweredURL is what the page of a message asks that clearing has not answered in time: its answer still counts. "" for another one.
func unansweredURL(m payment.Message, tab views.PaymentTab) string {
	if m.State != payment.StateUnconfirmed || m.Withheld != "" {
		return ""
	}
	return askURL(m, tab, nil)
}

// askURL is what the page of a message asks by itself: whether anything is new there.
func askURL(m payment.Message, tab views.PaymentTab, flight *views.Flight) string {
	ask := url.Values{"seen": {seen(m, flight)}}
	if tab != views.TabOverview {
		ask.Set("part", string(tab))
	}
	return partPath(m, views.TabOverview) + "/flight?" + ask.Encode()
}

// seen names what a page shows of a message under way. It changes with all that can change there: the state and its history, that clearing
// took the document, each status request, and that the answer is late.
func seen(m payment.Message, flight *views.Flight) string {
	if flight == nil {
		flight = &views.Flight{}
	}
	return fmt.Sprintf("%d-%t-%d-%t", m.Sequence, flight.Taken, m.Inquiries, flight.Late)
}

// partPath is the address of one part of a message's page.
func partPath(m payment.Message, tab views.PaymentTab) string {
	path := "/payments/" + m.InternalID.String()
	if tab == views.TabOverview {
		return path
	}
	return path + "/" + string(tab)
}
