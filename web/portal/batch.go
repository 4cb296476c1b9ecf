package portal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// batchPath returns the page of a batch file.
func batchPath(id uuid.UUID) string { return "/payments/batches/" + id.String() }

// takeTable stores each payment of a table as a draft, all or none. The content is nil when no file was uploaded.
func (v *Request) takeTable(name string, content []byte, many orderform.Table) error {
	if len(many.Findings) > 0 {
		return v.refuseFile(name, content, many.Findings)
	}
	id := v.Config.NewID()
	drafts := make([]store.Draft, 0, len(many.Lines))
	numbers := lineNumbers(many.Lines)
	var hash []byte
	if content != nil { // payments of templates were not uploaded
		hash = hashOf(content)
	}
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
		draft.Batch, draft.Line, draft.FileName, draft.FileHash = id, numbers[i], name, hash
		drafts = append(drafts, draft)
	}
	err := v.Config.Drafts.AddAll(v.Context(), v.By, drafts)
	if err != nil {
		return err
	}
	said := i18n.Text("Nothing has been submitted yet.")
	if many.Latin {
		said = "Nothing has been submitted yet. The table was read as Windows-1252, so check the accented letters in names."
	}
	return v.GoTo(batchPath(id), said)
}

// maxListed limits the findings that refuse a file.
const maxListed = 200

// takeParts stores each payment of an order as a draft of its own, all or none. A finding about an element that payments share refuses the
// file; a finding about one payment is shown with that payment.
func (v *Request) takeParts(name string, content []byte, parts orderform.Parts) error {
	outdated, ended := orderform.Outdated(parts.Message, v.Today(), v.Config.Rules)
	if ended {
		parts.Findings = append([]payment.Finding{outdated}, parts.Findings...)
	}
	if len(parts.Findings) > 0 {
		return v.refuseFile(name, content, parts.Findings)
	}
	id := v.Config.NewID()
	drafts := make([]store.Draft, 0, len(parts.Parts))
	made, hash := make([]prepared, 0, len(parts.Parts)), hashOf(content)
	for _, part := range parts.Parts {
		read := v.readFile(part.Content)
		draft := store.Draft{
			ID: v.Config.NewID(), File: part.Content, FileName: name, FileHash: hash, Batch: id, Line: part.Position, SavedAt: v.At,
			ExpiresAt: v.At.Add(DraftLife),
		}
		draft.Scheme = rulebook.SchemeSIC
		if read.Document != nil {
			draft.Scheme = read.Scheme()
		}
		drafts, made = append(drafts, draft), append(made, ofFile(draft, read))
	}
	err := v.previewAll(made)
	if err != nil {
		return err
	}
	if shared := sharedFindings(parts.Parts, made); len(shared) > 0 {
		return v.refuseFile(name, content, shared)
	}
	err = v.Config.Drafts.AddAll(v.Context(), v.By, drafts)
	if err != nil {
		return err
	}
	return v.GoTo(batchPath(id), "Nothing has been submitted yet.")
}

// sharedFindings returns all findings of a file, each once and at its place in the file, when one of them is about an element that payments
// share; else none.
func sharedFindings(parts []orderform.Part, made []prepared) []payment.Finding {
	var all []payment.Finding
	known := map[[2]string]bool{}
	shared := false
	for i, p := range made {
		for _, f := range p.findings {
			shared = shared || !orderform.OfPayment(f.Pointer)
			f.Pointer, f.Line, f.Column = parts[i].InFile(f.Pointer), 0, 0
			key := [2]string{f.Pointer, string(f.Text)}
			if !known[key] && len(all) < maxListed {
				known[key] = true
				all = append(all, f)
			}
		}
	}
	if !shared {
		return nil
	}
	return all
}

// lineNumbers returns the line of the file on which each payment begins, as a refusal of the file counts them. Payments on the same line
// are numbered from 1.
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

// showBatch lists the payments of a file with their problems. While the file is submitted, it shows the progress only.
func showBatch(v *Request) error {
	id, drafts, err := v.batch()
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(v.Echo.QueryParam("from"))
	model := views.Batch{
		FileName: drafts[0].FileName, Action: batchPath(id) + "/submit", Going: err == nil, From: max(from, 1), Payments: len(drafts),
		Checked: digestOf(drafts), Cut: len(drafts[0].File) > 0,
	}
	left := 0 // not submitted, from the line on at which the submission goes on
	for _, draft := range drafts {
		switch {
		case draft.MessageID != uuid.Nil:
			model.Submitted++
		case draft.Line >= model.From:
			left++
		}
	}
	model.Going = model.Going && left > 0
	model.GoesOn = model.Going && v.Status == submitting && v.Echo.QueryParam(CheckedField) == model.Checked
	model.Layout = v.layout("Payments from a file", views.PlaceUpload)
	model.Before, err = v.fileBefore(drafts[0])
	if err != nil {
		return err
	}
	if !model.GoesOn {
		err = v.listBatch(&model, drafts)
		if err != nil {
			return err
		}
	}
	if !model.Going {
		model.From = 1
	}
	return v.Render(http.StatusOK, views.BatchPage(model))
}

// listBatch adds the lines of a file, those with a problem first, and the totals of the ready payments.
func (v *Request) listBatch(model *views.Batch, drafts []store.Draft) error {
	lines, made, err := v.batchLines(drafts)
	if err != nil {
		return err
	}
	tried := v.Echo.QueryParam("tried") != ""
	var amounts []money.Amount
	for i := range lines {
		open := drafts[i].MessageID == uuid.Nil && len(lines[i].Problems) == 0
		if open && tried {
			err = v.hindered(&lines[i], made[i])
			if err != nil {
				return err
			}
		}
		if open && len(lines[i].Problems) == 0 {
			model.Ready++
			amounts = append(amounts, made[i].asked.Summary.Amount)
		}
	}
	slices.SortStableFunc(lines, func(a, b views.BatchLine) int { return cmp.Compare(min(len(b.Problems), 1), min(len(a.Problems), 1)) })
	model.Lines, model.Totals = lines, totalsOf(amounts)
	return nil
}

// batchLines renders the payments of a file: their results, or the steps before they can be submitted. Rules and similar payments are read
// for all of them together.
func (v *Request) batchLines(drafts []store.Draft) ([]views.BatchLine, []prepared, error) {
	made := make([]prepared, len(drafts))
	for i, draft := range drafts {
		var err error
		made[i], err = v.buildDraft(draft)
		if err != nil {
			return nil, nil, err
		}
	}
	err := v.previewAll(made)
	if err != nil {
		return nil, nil, err
	}
	var paid []payment.Message
	for _, p := range made {
		if p.draft.MessageID == uuid.Nil && p.fine() {
			paid = append(paid, v.asMessage(p))
		}
	}
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, paid)
	if err != nil {
		return nil, nil, err
	}
	lines := make([]views.BatchLine, len(made))
	for i, p := range made {
		of, open := news[p.draft.ID]
		lines[i] = v.batchLine(p, of.Alike > 0)
		if !open {
			continue
		}
		lines[i].Flags = v.lineFlags(p, of)
		if of.FormerName != "" {
			lines[i].Check(
				"/payments/"+p.draft.ID.String()+"/check", i18n.Text("This is no longer the account of %s. Check the account.").With(of.FormerName), "",
			)
		}
	}
	return lines, made, nil
}

// asMessage returns a draft as the payment order that it would become.
func (v *Request) asMessage(p prepared) payment.Message {
	return payment.Message{Kind: payment.KindInstruction, InternalID: p.draft.ID, CreatedAt: v.At, Summary: p.asked.Summary}
}

// lineFlags are the marks that the checkers of a payment will see.
func (v *Request) lineFlags(p prepared, news store.CreditorNews) []ui.Fact {
	var flags []ui.Fact
	for _, warning := range fromPast(v.asMessage(p), news, v.At) {
		for _, flag := range warning.Flags {
			flags = append(flags, ui.Fact{Text: flag, Title: warning.Title})
		}
	}
	if needed := p.asked.ApprovalsRequired; needed > 1 {
		flags = append(flags, ui.Fact{Text: i18n.Text("%d approvals").With(needed), Title: "Approvals needed"})
	}
	return flags
}

// batchLine renders one payment of a file.
func (v *Request) batchLine(p prepared, alike bool) views.BatchLine {
	draft, values := p.draft, p.values
	if p.built.Document != nil && len(draft.File) > 0 {
		values = orderform.ValuesOf(p.built.Document, v.Today())
	}
	line := views.BatchLine{
		Line: draft.Line, Name: values.CreditorName, Account: values.CreditorIBAN, Amount: typedAmount(draft.Scheme, values.Amount),
	}
	if draft.MessageID != uuid.Nil {
		line.State, line.URL, line.Label = "Submitted", "/payments/"+draft.MessageID.String(), "Show details"
		return line
	}
	check := "/payments/" + draft.ID.String() + "/check"
	line.State, line.URL, line.Label = "Ready", "/payments/"+draft.ID.String()+"/edit", "Change"
	if len(draft.File) > 0 {
		line.URL, line.Label = check, "Show details"
	}
	if !p.fine() {
		line.State, line.Label = "Needs correction", "Correct"
		line.Problems = problemsOfLine(p, values)
		return line
	}
	line.Name, line.Changes = p.asked.Summary.CreditorName, views.ChangesView(p.built.Transliterated)
	line.Sent, _ = views.LineRows(p.preview(), p.sent())
	line.NotForwarded = p.notForwarded()
	if alike {
		line.Check(check, "A similar payment was entered in the last 7 days. Explain why this payment is also needed.", "")
	}
	return line
}

// problemsOfLine names the form field of each problem, or its element when the form has no such field.
func problemsOfLine(p prepared, values orderform.Values) []views.LineProblem {
	if len(p.draft.File) > 0 {
		shown := make([]views.LineProblem, 0, len(p.findings))
		for _, f := range p.findings {
			shown = append(shown, views.LineProblem{Problem: ui.Problem{Text: f.Text, Code: f.Code}, Element: orderform.ElementOf(f.Pointer)})
		}
		return shown
	}
	problems := problemsOf(p.built.Problems, p.findings, values)
	labels := map[string]i18n.Text{}
	for _, field := range values.Fields() {
		labels[field.Name] = i18n.Kept(field.Label)
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
	return v.GoTo(batchPath(id)+"?tried=yes", "All payments that were ready have been submitted.")
}

// digestOf returns the digest of all lines of a file as they are shown. It stays the same while the file is submitted in parts.
func digestOf(drafts []store.Draft) string {
	hash := sha256.New()
	for _, draft := range drafts {
		_, _ = fmt.Fprintln(hash, draft.Line, draft.Digest()) // a hash takes everything
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// hindered adds to a ready line why it was not submitted: its references were used before, or the payee's bank warns.
func (v *Request) hindered(line *views.BatchLine, p prepared) error {
	check := "/payments/" + p.draft.ID.String() + "/check"
	used, err := v.Config.Submission.UsedBefore(v.Context(), v.By, p.input())
	if err != nil {
		return err
	}
	for _, f := range used {
		line.Check(check, f.Text, f.Code)
		line.State = "Needs correction"
	}
	found, err := v.payeeOf(p)
	if err == nil && found.Warns() {
		line.Check(check, "The creditor's bank did not confirm the name. Read the bank's answer before you continue.", string(found.Result))
	}
	return err
}

// submitLine submits one payment of a file, unless its maker must read or answer something first.
func (v *Request) submitLine(draft store.Draft) error {
	became, err := v.became(draft)
	if err != nil {
		return err
	}
	if became != uuid.Nil {
		return v.Config.Drafts.Submitted(v.Context(), v.By, draft, became)
	}
	lines, made, err := v.batchLines([]store.Draft{draft})
	if err != nil || len(lines[0].Problems) > 0 {
		return err
	}
	p := made[0]
	found, err := v.payeeOf(p)
	if err != nil || found.Warns() {
		return err
	}
	p.seen = &payment.SeenAlike{Since: v.At.Add(-store.DuplicateWindow)} // a line like another is not ready
	m, err := v.createOrAmend(p)
	var refused *payment.RefusalError
	if errors.As(err, &refused) || errors.Is(err, payment.ErrAlike) {
		return nil // the list says why
	}
	if err != nil {
		return err
	}
	return v.Config.Drafts.Submitted(v.Context(), v.By, draft, m.InternalID)
}
