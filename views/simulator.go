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

// direction is the direction in words, with its icon.
func (e SimulatorEntry) direction() (words i18n.Text, icon string) {
	if e.FromGateway {
		return "From the gateway", "arrow-up-right"
	}
	return "To the gateway", "arrow-down-left"
}
