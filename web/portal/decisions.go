package portal

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

// decisionColumns are the columns of the report on the page; its spreadsheet has more.
var (
	decisionColumns = []i18n.Text{
		"Payment", "Kind", "Decided", "Time taken to decide", "Outcome", "Reason", "Maker", "Checker", "Amount", "Creditor", "Purpose", "Policy",
	}
	decisionTable = []i18n.Text{
		"Decided", "Outcome", "Maker", "Checker", "Channel", "Kind", "Amount", "Currency", "Creditor", "IBAN", "Purpose",
		"End-to-end ID", "Policy", "Reason", "Seconds", "Reference", "Internal ID",
	}
)

// reportedDecisions lists the decisions of a period with people, message, rule and waiting time.
func (v *Request) reportedDecisions(period store.Period, words i18n.Text, most int32) (reported, error) {
	found := reported{heading: "Decisions", words: words, columns: decisionColumns, tableColumns: decisionTable}
	list, err := v.Config.Reader.ReportedDecisions(v.Context(), v.By.Realm, period, most)
	if err != nil {
		return found, err
	}
	var policies []uuid.UUID
	for _, d := range list {
		if !slices.Contains(policies, d.PolicyID) {
			policies = append(policies, d.PolicyID)
		}
	}
	rules, err := v.Config.Admin.Rules(v.Context(), v.By.Realm, policies)
	for _, d := range list {
		if d.Withheld {
			d.Creditor, d.Account, d.Remittance, d.EndToEndID, d.Words = v.Say(ui.Withheld), "", "", "", ""
		}
		row, cells := v.decisionRow(d, rules[d.PolicyID])
		found.rows, found.table = append(found.rows, row), append(found.table, cells)
	}
	return found, err
}

func (v *Request) decisionRow(d store.ReportedDecision, rule administration.Policy) (views.ReportRow, []request.Cell) {
	waited := d.At.Sub(d.Written)
	outcome, seconds := i18n.Text("Approved"), strconv.Itoa(int(math.Round(waited.Seconds())))
	if d.Action == string(payment.ActionReject) {
		outcome = "Rejected"
	}
	amount, decimal, currency := d.Amount.Format(), d.Amount.Decimal().String(), string(d.Amount.Currency())
	if d.Withheld {
		amount, decimal, currency = "", "", ""
	}
	words := ruleWords(rule)
	row := views.ReportRow{URL: "/payments/" + d.MessageID.String(), Cells: slices.Concat(
		data(d.GlobalID), []i18n.Text{ui.KindLabel(d.Kind)}, data(ui.DateTime(d.At)), []i18n.Text{took(waited), outcome},
		[]i18n.Text{views.RejectReason(d.Words)}, data(d.Makers, d.Checker, amount, d.Creditor, d.Remittance), []i18n.Text{words},
	)}
	cells := textCells(d.At.In(v.Config.Zone).Format(time.RFC3339), v.Say(outcome), d.Makers, d.Checker,
		v.Say(views.ChannelName(d.Channel, d.Client)), v.Say(ui.KindLabel(d.Kind)))
	cells = append(cells, request.Cell{Text: decimal, Number: decimal != ""})
	cells = append(cells, textCells(currency, d.Creditor, d.Account, d.Remittance, d.EndToEndID, v.Say(words), d.Words)...)
	cells = append(cells, request.Cell{Text: seconds, Number: true})
	return row, append(cells, textCells(d.GlobalID, d.MessageID.String())...)
}

// tooManyDecisions refuses a table that would leave decisions out.
func (v *Request) tooManyDecisions(period store.Period) error {
	count, err := v.Config.Reader.DecisionsCount(v.Context(), v.By.Realm, period, store.MaxDecisions+1)
	if err == nil && count > store.MaxDecisions {
		err = &payment.ForbiddenError{
			Text: i18n.Text("This period has more than %d decisions, which is too many for one table. Choose a shorter period.").
				With(store.MaxDecisions),
		}
	}
	return err
}

// evidenceTries and evidencePause limit the wait for the seals of the newest rows.
const (
	evidenceTries = 6
	evidencePause = 400 * time.Millisecond
)

// downloadEvidence sends the bundle that proves a message without the database, for a supervisor. The download is audited.
func downloadEvidence(v *Request) error {
	if !v.By.Has(identity.RoleSupervisor) {
		return &payment.ForbiddenError{Text: "You need the supervisor role to download evidence."}
	}
	m, err := v.Readable()
	if err != nil {
		return err
	}
	if v.Config.Evidence == nil {
		return payment.ErrNotFound
	}
	err = v.Config.Desk.Exported(v.Context(), v.By, "/payments/"+m.InternalID.String()+"/evidence", "bundle", v.At)
	if err != nil {
		return err
	}
	var file []byte
	for try := range evidenceTries {
		file, err = v.Config.Evidence(v.Context(), v.By.Realm, m.InternalID)
		if !errors.Is(err, integrity.ErrNotSealed) || try+1 == evidenceTries {
			break
		}
		select {
		case <-v.Context().Done():
			return v.Context().Err()
		case <-time.After(evidencePause):
		}
	}
	if errors.Is(err, integrity.ErrNotSealed) || errors.Is(err, integrity.ErrNotGenuine) {
		return v.noEvidence(m, err)
	}
	if err != nil {
		return err
	}
	v.Echo.Response().Header().Set("Content-Disposition", `attachment; filename="evidence-`+string(m.GlobalID)+`.json"`)
	return v.Echo.Blob(http.StatusOK, "application/json", file)
}

// noEvidence says why there is no bundle of a message.
func (v *Request) noEvidence(m payment.Message, cause error) error {
	model := views.Problem{
		Layout: v.layout("Evidence not available", views.PlacePayments), Heading: "The evidence for this payment is not available at the moment",
		Text: "The latest steps of this payment are still being recorded in the signed audit trail. Try again in a minute. If the " +
			"problem continues, tell an operator.",
		NextLabel: "Show the payment", NextURL: "/payments/" + m.InternalID.String(),
	}
	if errors.Is(cause, integrity.ErrNotGenuine) {
		model.Text = "The stored payment failed its integrity check. Do not continue. Ask an operator to run “countersign check”."
	}
	return v.Render(http.StatusConflict, views.ProblemPage(model))
}

// decidedRows fills the page with the decisions of this person today, newest first.
func (v *Request) decidedRows(f Filter, model *views.Queue) error {
	decided, err := v.Config.Reader.DecidedBy(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight(), beginOf(f), queuePage+1)
	if err != nil {
		return err
	}
	more := len(decided) > queuePage
	decided = decided[:min(len(decided), queuePage)]
	keys := mapped(decided, func(d store.Decided) uuid.UUID { return d.MessageID })
	messages, err := v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, keys)
	if err != nil {
		return err
	}
	for _, d := range decided {
		m, there := messages[d.MessageID]
		if !there {
			continue
		}
		row := v.queueRow(m, f)
		row.Decided, row.States, row.At, row.Aged = outcomeNote(d.Action, "you (by)"), views.StatesOf(m), d.At, false
		model.Rows = append(model.Rows, row)
	}
	if len(decided) > 0 {
		last, behind := decided[len(decided)-1], f
		behind.After, behind.Place = last.MessageID, strconv.FormatInt(last.At.UnixMicro(), 10)
		model.Pages = f.Pages("/queue", more, behind)
	}
	return nil
}

// beginOf parses the decision after which the page begins: its message and its time in microseconds. The first page has none.
func beginOf(f Filter) store.Decided {
	micros, err := strconv.ParseInt(f.Place, 10, 64)
	if err != nil {
		return store.Decided{}
	}
	return store.Decided{MessageID: f.After, At: time.UnixMicro(micros)}
}
