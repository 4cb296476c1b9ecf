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

// showFlight answers the poll of the page of a payment in progress: nothing while the page is current, which one row shows, else the
// changed part of the page. A browser without htmx is sent to the page.
func showFlight(v *Request, m payment.Message) error {
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

// flightOf returns the progress of a message until clearing's answer; nil for one that is not in progress.
func (v *Request) flightOf(m payment.Message, tab views.PaymentTab) *views.Flight {
	if !inFlight(m) {
		return nil
	}
	due := m.AcceptedAt.Add(clearing.AnswerWithin)
	flight := views.Flight{
		URL: partPath(m, tab), Since: m.AcceptedAt, Due: due, Left: max(0, due.Sub(v.At)), Whole: clearing.AnswerWithin,
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

// unansweredURL returns the poll address for the page of an unconfirmed message, whose answer still counts; "" for another one.
func unansweredURL(m payment.Message, tab views.PaymentTab) string {
	if m.State != payment.StateUnconfirmed || m.Withheld != "" {
		return ""
	}
	return askURL(m, tab, nil)
}

// askURL returns the address that the page of a message polls for news.
func askURL(m payment.Message, tab views.PaymentTab, flight *views.Flight) string {
	ask := url.Values{"seen": {seen(m, flight)}}
	if tab != views.TabOverview {
		ask.Set("part", string(tab))
	}
	return partPath(m, views.TabOverview) + "/flight?" + ask.Encode()
}

// seen returns a key of the displayed state of a message in progress. It changes with the state and its history, clearing's acceptance of
// the document, each status request, and the lateness of the answer.
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
