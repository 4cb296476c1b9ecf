package portal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// Limits of the calls of the simulator.
const (
	simulatorWait    = 15 * time.Second // it waits ten seconds for the gateway itself
	simulatorAnswer  = 64 << 10         // bytes of an answer
	simulatorLog     = 64 << 20         // bytes of its log
	simulatorEntries = 20               // shown
	simulatorOffers  = 20               // incoming payments that can be recalled
)

// showSimulator shows the page of the demo's clearing simulator.
func (p *Portal) showSimulator(v *Request) error {
	return p.renderSimulator(v, http.StatusOK, views.Simulator{Scheme: string(rulebook.SchemeSIC)})
}

// sendPayment has the simulator send an incoming payment.
func (p *Portal) sendPayment(v *Request, form url.Values) error {
	model := views.Simulator{
		Scheme: string(SchemeOf(form.Get("scheme"))), Amount: form.Get("amount"), DebtorName: form.Get("debtorName"),
		Remittance: form.Get("remittance"),
	}
	asked := map[string]string{
		"scheme": model.Scheme, "debtorName": strings.TrimSpace(model.DebtorName), "remittance": strings.TrimSpace(model.Remittance),
	}
	if typed := strings.TrimSpace(model.Amount); typed != "" {
		profile, _ := SchemeOf(model.Scheme).Profile()
		amount, err := money.ParseInput(profile.Currency, typed)
		var wrong *money.Error
		if errors.As(err, &wrong) {
			model.Problems = []ui.Problem{{Field: "amount", Text: wrong.Text, Code: wrong.Code}}
			return p.renderSimulator(v, http.StatusUnprocessableEntity, model)
		}
		asked["amount"] = amount.Decimal().String()
	}
	var answer struct{ TransactionID, Status, Reason string }
	sentence, err := p.act(v, "/scenario/incoming-payment", asked, &answer)
	if err != nil {
		return err
	}
	if sentence != "" {
		model.Problems = []ui.Problem{{Text: i18n.Kept(sentence)}}
		return p.renderSimulator(v, http.StatusUnprocessableEntity, model)
	}
	answered := strings.TrimSpace(answer.Status + " " + answer.Reason)
	return v.GoTo("/simulator", i18n.Text("Payment %s was sent. Answer from the gateway: %s.").With(answer.TransactionID, answered))
}

// sendRecall has the simulator recall an incoming payment.
func (p *Portal) sendRecall(v *Request, form url.Values) error {
	model := views.Simulator{Scheme: string(rulebook.SchemeSIC), Payment: form.Get("transaction"), Reason: form.Get("recallReason")}
	scheme, transaction, _ := strings.Cut(model.Payment, "/")
	asked := map[string]string{"scheme": scheme, "transactionId": transaction, "reason": model.Reason}
	sentence, err := p.act(v, "/scenario/recall", asked, &struct{}{})
	if err != nil {
		return err
	}
	if sentence != "" {
		model.Problems = []ui.Problem{{Field: "transaction", Text: i18n.Kept(sentence)}}
		return p.renderSimulator(v, http.StatusUnprocessableEntity, model)
	}
	return v.GoTo("/simulator", i18n.Text("The simulator sent a recall of %s. You can find it under “Received recalls”.").With(transaction))
}

func (p *Portal) renderSimulator(v *Request, status int, model views.Simulator) error {
	model.Layout = v.FormShell("Clearing simulator", views.PlaceSimulator, status)
	booked, _, err := v.Config.Reader.Page(v.Context(), v.By.Realm, store.Filter{
		Kind: string(payment.KindPayment), States: []payment.State{payment.StateBooked}, PageSize: simulatorOffers,
	})
	if err != nil {
		return err
	}
	for _, m := range booked {
		model.Payments = append(model.Payments, ui.Option{
			Value: string(m.Scheme) + "/" + m.Summary.TransactionID,
			Label: i18n.Text("%s from %s, %s").With(m.Summary.Amount.Format(), m.Summary.DebtorName, ui.DateTime(m.CreatedAt)),
		})
	}
	for _, reason := range rulebook.RecallReasons(rulebook.SchemeSCT) {
		model.Reasons = append(model.Reasons, ui.Option{
			Value: reason.Code,
			Label: i18n.Text("%s (%s)").With(reason.Text, reason.Code),
		})
	}
	model.Log, err = p.simulatorLog(v)
	if err != nil {
		v.Config.Log.WarnContext(v.Context(), "the simulator's log cannot be read", "error", err.Error())
		model.LogProblem = "The simulator's log cannot be read at the moment."
	}
	return v.Render(status, views.SimulatorPage(model))
}

// act asks the simulator for a scenario and reads its answer. sentence describes the failure, "" for none.
func (p *Portal) act(v *Request, path string, asked map[string]string, answer any) (sentence string, err error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return "", fmt.Errorf("write the scenario: %w", err)
	}
	response, err := p.askSimulator(v.Context(), http.MethodPost, path, body)
	if err != nil {
		v.Config.Log.WarnContext(v.Context(), "the simulator cannot be reached", "error", err.Error())
		return "The simulator cannot be reached. Is it running?", nil
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, simulatorAnswer))
	if err != nil {
		return "", fmt.Errorf("read the simulator's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		var refused struct{ Message string }
		err = json.Unmarshal(content, &refused)
		if err != nil || refused.Message == "" {
			return "The simulator refused with status " + response.Status + ".", nil
		}
		return refused.Message, nil
	}
	err = json.Unmarshal(content, answer)
	if err != nil {
		return "", fmt.Errorf("read the simulator's answer: %w", err)
	}
	return "", nil
}

func (p *Portal) askSimulator(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	address, err := url.JoinPath(p.Config.SimulatorURL, path)
	if err != nil {
		return nil, fmt.Errorf("address of the simulator: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the simulator: %w", err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	return p.simulator.Do(request)
}

// simulatorLog reads the newest entries of the simulator's log, newest first, and keeps only the shown ones in memory.
func (p *Portal) simulatorLog(v *Request) ([]views.SimulatorEntry, error) {
	response, err := p.askSimulator(v.Context(), http.MethodGet, "/log", nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	decoder := json.NewDecoder(io.LimitReader(response.Body, simulatorLog))
	_, err = decoder.Token() // the bracket that opens the array
	if err != nil {
		return nil, fmt.Errorf("read the simulator's log: %w", err)
	}
	var newest []views.SimulatorEntry
	for decoder.More() {
		var entry struct {
			Direction, Scheme, Name, TransactionID, Status, Reason, Outcome string
			At                                                              time.Time
		}
		err = decoder.Decode(&entry)
		if err != nil {
			return nil, fmt.Errorf("read the simulator's log: %w", err)
		}
		if len(newest) == simulatorEntries {
			newest = slices.Delete(newest, 0, 1)
		}
		newest = append(newest, views.SimulatorEntry{
			At: entry.At, FromGateway: entry.Direction == "in", Scheme: entry.Scheme, Type: entry.Name, TransactionID: entry.TransactionID,
			Status: strings.TrimSpace(entry.Status + " " + entry.Reason), Outcome: entry.Outcome,
		})
	}
	slices.Reverse(newest)
	return newest, nil
}
