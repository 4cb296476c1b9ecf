package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// batchPath returns the page of a batch file.
func batchPath(id uuid.UUID) string { return "/payments/batches/" + id.String() }

// takeMany keeps each payment of a file as a draft, all or none.
func (v *Request) takeMany(name string, content []byte, many orderform.Many) error {
	outdated, ended := orderform.Outdated(many.Message, v.Today(), v.Config.Rules)
	if ended {
		many.Findings = append([]payment.Finding{outdated}, many.Findings...)
	}
	if len(many.Findings) > 0 {
		return v.refuseFile(name, content, many.Findings)
	}
	id := v.Config.NewID()
	drafts := make([]store.Draft, 0, len(many.Lines))
	numbers := lineNumbers(many.Lines)
	for i, line := range many.Lines {
		if line.Values.EndToEndID == "" {
			line.Values.EndToEndID = v.newEndToEndID()
		}
		iban, err := account.ParseInput(line.Values.CreditorIBAN)
		if line.Values.Country == "" && line.Values.Postcode+line.Values.Town != "" && err == nil {
			line.Values.Country = iban.Country()
		}
		draft, err := v.newDraft(line.Scheme, line.Values)
		if err != nil {
			return err
		}
		draft.Batch, draft.Line, draft.FileName = id, numbers[i], name
		drafts = append(drafts, draft)
	}
	err := v.Config.Drafts.AddAll(v.Context(), v.By, drafts)
	if err != nil {
		return err
	}
	return v.GoTo(batchPath(id), "Nothing is submitted yet.")
}

// lineNumbers are the lines of the file on which its payments begin, as a refusal of the file counts them; where several begin on one line
// they are counted from 1.
func lineNumbers(lines []orderform.Line) []int {
	numbers, counted := make([]int, len(lines)), make([]int, len(lines))
	for i, line := range lines {
		numbers[i], counted[i] = line.Number, i+1
	}
	if slices.Contains(numbers, 0) || len(slices.Compact(slices.Sorted(slices.Values(numbers)))) < len(lines) {
		return counted
	}
	return numbers
}

// batch loads the drafts of the file that the path names; it is the visitor's own or does not exist.
func (v *Request) batch() (id uuid.UUID, drafts []store.Draft, err error) {
	err = MayMake(v.By)
	if err != nil {
		return id, nil, err
	}
	id, err = v.ID("id")
	if err != nil {
		return id, nil, err
	}
	drafts, err = v.Config.Drafts.Batch(v.Context(), v.By, id, v.At)
	return id, drafts, err
}

// showBatch lists the payments of a file with their problems.
func showBatch(v *Request) error {
	id, drafts, err := v.batch()
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(v.Echo.QueryParam("from"))
	model := views.Batch{FileName: drafts[0].FileName, Action: batchPath(id) + "/submit", Going: err == nil, From: max(from, 1)}
	model.Checked = digestOf(drafts)
	model.GoesOn = model.Going && v.Status == submitting && v.Echo.QueryParam(CheckedField) == model.Checked
	totals := map[money.Currency]money.Amount{}
	left := 0 // ready, from the line on at which the submission goes on
	for _, draft := range drafts {
		line, p, err := v.batchLine(draft)
		if err == nil && v.Echo.QueryParam("tried") != "" && p.fine() {
			err = v.payeeOfLine(&line, p)
		}
		if err != nil {
			return err
		}
		model.Lines = append(model.Lines, line)
		switch {
		case draft.MessageID != uuid.Nil:
			model.Submitted++
		case len(line.Problems) == 0:
			model.Ready++
			amount := p.asked.Summary.Amount
			sum, known := totals[amount.Currency()]
			if known {
				amount, err = sum.Add(amount)
				if err != nil {
					return err
				}
			}
			totals[amount.Currency()] = amount
			if draft.Line >= model.From {
				left++
			}
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		model.Totals = append(model.Totals, totals[currency].Format())
	}
	if left == 0 {
		model.Going, model.GoesOn, model.From = false, false, 1
	}
	model.Layout = v.layout("Payments of a file", views.PlaceNew)
	return v.Render(http.StatusOK, views.BatchPage(model))
}

// batchLine renders one payment of a file: its result, or the steps before it can be submitted.
func (v *Request) batchLine(draft store.Draft) (views.BatchLine, prepared, error) {
	values, err := orderform.DecodeValues(draft.Answers)
	if err != nil {
		return views.BatchLine{}, prepared{}, err
	}
	line := views.BatchLine{
		Line: draft.Line, Name: values.CreditorName, Account: values.CreditorIBAN, Amount: typedAmount(draft.Scheme, values.Amount),
	}
	if draft.MessageID != uuid.Nil {
		line.State, line.URL, line.Label = "Submitted", "/payments/"+draft.MessageID.String(), "Show it"
		return line, prepared{}, nil
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return line, p, err
	}
	line.State, line.URL, line.Label = "Ready", "/payments/"+draft.ID.String()+"/edit", "Change"
	if !p.fine() {
		line.State, line.Label = "To be mended", "Mend"
		line.Problems = problemsOfLine(problemsOf(p.built.Problems, p.findings, values), values)
		return line, p, nil
	}
	line.Name, line.Changes = p.asked.Summary.CreditorName, views.ChangesView(p.built.Transliterated)
	hits, err := v.duplicates(p, p.asked.Summary)
	if err != nil {
		return line, p, err
	}
	if len(hits) > 0 {
		line.State, line.URL, line.Label = "To be checked", "/payments/"+draft.ID.String()+"/check", "Check and submit"
		line.Problems = []views.LineProblem{{Problem: ui.Problem{
			Text: "A payment like this one was made in the last days: say why it is paid again.",
		}}}
	}
	return line, p, nil
}

// problemsOfLine names the answer that each problem is about, which stands beside its field in the form.
func problemsOfLine(problems []ui.Problem, values orderform.Values) []views.LineProblem {
	labels := map[string]i18n.Text{}
	for _, field := range values.Fields() {
		labels[field.Name] = i18n.Stored(field.Label)
	}
	shown := make([]views.LineProblem, 0, len(problems))
	for _, p := range problems {
		shown = append(shown, views.LineProblem{Problem: p, Where: labels[p.Field]})
	}
	return shown
}

const (
	// batchPart and batchTime limit the payments and the duration of one request, because payees' banks may answer slowly.
	batchPart = 20
	batchTime = 8 * time.Second
)

// submitting is the title of the page after a partial submission. Only that page continues by itself; a reload needs the button.
const submitting = i18n.Text("Submitting…")

// submitBatch submits the ready lines in parts. A line that needs an answer of its own is left for its check page. The draft's key is the
// externalId, so a part that is sent twice makes no payment twice.
func submitBatch(v *Request) error {
	id, drafts, err := v.batch()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	checked := digestOf(drafts)
	if form.Get(CheckedField) != checked {
		return v.GoTo(batchPath(id), ChangedSince)
	}
	from, err := strconv.Atoi(form.Get("from"))
	if err != nil {
		from = 1
	}
	tried, until := 0, v.At.Add(batchTime)
	for _, draft := range drafts {
		if draft.Line < from || draft.MessageID != uuid.Nil {
			continue
		}
		if tried == batchPart || v.Config.Now().After(until) {
			return v.GoTo(batchPath(id)+"?from="+strconv.Itoa(draft.Line)+"&"+CheckedField+"="+checked, submitting)
		}
		tried++
		err = v.submitLine(draft)
		if err != nil {
			return err
		}
	}
	return v.GoTo(batchPath(id)+"?tried=yes", "What was ready is submitted.")
}

// digestOf is the digest of all lines of a file as they are shown. It stays while they are submitted, a part at a time.
func digestOf(drafts []store.Draft) string {
	hash := sha256.New()
	for _, draft := range drafts {
		_, _ = fmt.Fprintln(hash, draft.Line, draft.Digest()) // a hash takes everything
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// payeeOfLine adds the payee verification to a line that was not submitted.
func (v *Request) payeeOfLine(line *views.BatchLine, p prepared) error {
	if p.draft.MessageID != uuid.Nil || len(line.Problems) > 0 {
		return nil
	}
	found, err := v.payeeOf(p)
	if err != nil || !found.Warns() {
		return err
	}
	line.State, line.URL, line.Label = "To be checked", "/payments/"+p.draft.ID.String()+"/check", "Check and submit"
	line.Problems = []views.LineProblem{{Problem: ui.Problem{
		Text: "The payee's bank does not confirm the name: look at what it says.", Code: string(found.Result),
	}}}
	return nil
}

// submitLine submits one payment of a file unless something has to be said to it first.
func (v *Request) submitLine(draft store.Draft) error {
	became, err := v.became(draft)
	if err != nil {
		return err
	}
	if became != uuid.Nil {
		return v.noteSubmitted(draft, became)
	}
	line, p, err := v.batchLine(draft)
	if err != nil || len(line.Problems) > 0 {
		return err
	}
	found, err := v.payeeOf(p)
	if err != nil || found.Warns() {
		return err
	}
	m, err := v.createOrAmend(p)
	var refused *payment.RefusalError
	if errors.As(err, &refused) {
		return nil // the list says why
	}
	if err != nil {
		return err
	}
	return v.noteSubmitted(draft, m.InternalID)
}

func (v *Request) noteSubmitted(draft store.Draft, message uuid.UUID) error {
	return v.Config.Drafts.Submitted(v.Context(), v.By, draft.ID, message)
}
