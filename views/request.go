package views

import (
	"slices"
	"strconv"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Card is a payment or a recall pinned above a form, to be read only.
type Card struct {
	payment.Message

	Title i18n.Text // "The payment", "The recall"
	Words i18n.Text // before the name: "to", "from"
	Name  string
	Rows  []ui.Row
	Due   *ui.Due // of a received recall
}

// RequestForm is the form for a recall, a return or a resolution. POST Action sends reason, the lines of information under the names
// information1, information2 … and, in a return that answers a recall, charge.
type RequestForm struct {
	Layout      Layout
	Heading     i18n.Text
	Action      string
	BackURL     string
	Cards       []Card
	Usual       []RequestReason
	Others      []RequestReason // behind a click
	Reason      string          // the code chosen
	Information []string        // a line for each field
	LineLimit   int             // characters of a line
	Charge      *ui.Field       // nil where none may be kept
	Prepared    i18n.Text       // why an answer is filled in already; empty when none is
	Instead     *ui.Step        // the other way to answer a recall
	Kept        Kept            // where the form is kept while it is being typed
	Note        i18n.Text       // a sentence under the heading
	Problems    []ui.Problem
}

// RequestReason is one reason on offer.
type RequestReason struct {
	Code string
	Text i18n.Text
	Hint i18n.Text // what goes with it, and until when; may be empty
}

// shownLines are the visible lines of information; a click shows further ones.
const shownLines = 2

func (m RequestForm) line(index int) ui.Field {
	id := "information" + strconv.Itoa(index+1)
	label := i18n.Text("Additional information")
	if len(m.Information) > 1 {
		label = i18n.Text("Additional information, line %d").With(index + 1)
	}
	return ui.Field{
		ID: id, Label: label, Value: m.Information[index], Limit: m.LineLimit, Charset: "sps", Optional: index > 0,
		Problem: ui.ProblemOf(m.Problems, id),
	}
}

// lines are the indexes from the first to before the last.
func (m RequestForm) lines(first, last int) []int {
	var indexes []int
	for index := first; index < min(last, len(m.Information)); index++ {
		indexes = append(indexes, index)
	}
	return indexes
}

// moreLines reports whether a line behind the click has something to show.
func (m RequestForm) moreLines() bool {
	return slices.ContainsFunc(m.lines(shownLines, len(m.Information)), func(index int) bool {
		return m.Information[index] != "" || m.line(index).Problem.Text != ""
	})
}

// otherChosen reports whether the reason chosen is behind the click.
func (m RequestForm) otherChosen() bool {
	return slices.ContainsFunc(m.Others, func(r RequestReason) bool { return r.Code == m.Reason })
}

func (m RequestForm) reasonProblem() ui.Problem { return ui.ProblemOf(m.Problems, "reason") }

// RequestCheck is the last page before a recall, a return or a resolution is submitted.
type RequestCheck struct {
	Layout    Layout
	Action    string // "/payments/{draft}/submit"
	ChangeURL string
	Cards     []Card
	Message   Message   // as it would be submitted
	Title     i18n.Text // heads the answers: "The recall"
	Rows      []ui.Row
	Words     i18n.Text   // what is asked for, in a sentence
	Submit    i18n.Text   // the button: names the act
	Next      []i18n.Text // what happens next, one sentence a step
	Checked   string      // the digest of the draft as it is shown
	Problems  []ui.Problem
}
