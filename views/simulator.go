package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Simulator is the demo's page that makes the other side of clearing act. POST /simulator/payment sends scheme, amount, debtorName and
// remittance; POST /simulator/recall sends transaction and recallReason.
type Simulator struct {
	Layout     Layout
	Scheme     string
	Amount     string
	DebtorName string
	Remittance string
	Payments   []ui.Option // incoming payments that can be recalled; none yet when empty
	Payment    string      // the one chosen
	Reason     string
	Reasons    []ui.Option
	Log        []SimulatorEntry
	LogProblem i18n.Text // why there is no log
	Problems   []ui.Problem
}

// SimulatorEntry is one line of the simulator's log, as the clearing side sees it.
type SimulatorEntry struct {
	At            time.Time
	FromGateway   bool
	Scheme        string
	Type          string
	TransactionID string
	Status        string // with its reason
	Outcome       string
}

func (m Simulator) scheme() ui.Choice {
	return ui.Choice{ID: "scheme", Label: "Scheme", Value: m.Scheme, Problem: ui.ProblemOf(m.Problems, "scheme"), Options: []ui.Option{
		{Value: "sic-inst", Label: "SIC instant, CHF"}, {Value: "sct-inst", Label: "SEPA instant, EUR"},
	}}
}

func (m Simulator) text(id string, label i18n.Text, value string) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Optional: true, Problem: ui.ProblemOf(m.Problems, id)}
}

func (m Simulator) amount() ui.Field {
	field := m.text("amount", "Amount", m.Amount)
	field.InputMode, field.Width, field.Hint = "decimal", "w-10", "100.00 if you leave this field empty"
	return field
}

func (m Simulator) transaction() ui.Choice {
	return ui.Choice{
		ID: "transaction", Label: "Incoming payment", Value: m.Payment, Options: m.Payments, Problem: ui.ProblemOf(m.Problems, "transaction"),
	}
}

func (m Simulator) recallReason() ui.Choice {
	return ui.Choice{
		ID: "recallReason", Label: "Reason", Value: m.Reason, Options: m.Reasons,
		Problem: ui.ProblemOf(m.Problems, "recallReason"),
	}
}

func (e SimulatorEntry) icon() string {
	if e.FromGateway {
		return "arrow-up-right"
	}
	return "arrow-down-left"
}

func (e SimulatorEntry) direction() i18n.Text {
	if e.FromGateway {
		return "From the gateway"
	}
	return "To the gateway"
}
