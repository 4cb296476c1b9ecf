package portal

import (
	"cmp"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

const (
	// maxBulk limits the messages approved together to a number that can be compared on one page.
	maxBulk = 50
	// maxSelected limits the selected messages that are loaded. A page of the queue lists fewer.
	maxSelected = 100
	// bulkStep is the number of decisions for each request of a page that shows the progress.
	bulkStep = 5
	// itemField is the form field with the key, version, digest and confirmed warnings of each shown message.
	itemField = "item"
	// shownField is the form field with the same of each message that has a tick.
	shownField = "shown"
	// itemParts parts the four.
	itemParts = "~"
)

// showBulk renders the page to compare several messages before they are approved together: each message, their totals, and the messages
// left out with the reason. It decides nothing.
func showBulk(v *Request) error {
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	var selected []uuid.UUID
	for _, text := range v.Echo.QueryParams()["id"] {
		id, err := uuid.Parse(text)
		if err == nil {
			selected = append(selected, id)
		}
	}
	selected = onceEach(selected, func(id uuid.UUID) uuid.UUID { return id })
	if len(selected) == 0 {
		return v.GoTo("/queue"+f.Query(), "Select at least one payment. To select a payment, tick the box in its row, or move "+
			"to the row and press x.")
	}
	if len(selected) > maxSelected {
		return v.GoTo("/queue"+f.Query(), i18n.Text("Nothing was approved. Select no more than %d payments.").With(maxBulk))
	}
	model, err := v.bulk(selected, f)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.BulkPage(model))
}

// bulk is the page of the selected messages.
func (v *Request) bulk(selected []uuid.UUID, f Filter) (views.Bulk, error) {
	model := views.Bulk{
		Layout: v.layout("Approve together", views.PlaceQueue), BackURL: "/queue" + f.Query(),
		Action: "/queue/bulk" + f.Query(),
	}
	messages, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, selected)
	if err != nil {
		return model, err
	}
	return model, v.fillBulk(&model, messages, nil, f)
}

// fillBulk sorts messages into those left out with the reason, those with cautions, and the others, each in the order given. usual are the
// usual amounts of a file by currency. Of selected messages, each one with cautions is ticked on its own and adds nothing to the totals.
func (v *Request) fillBulk(model *views.Bulk, messages []payment.Message, usual map[money.Currency]int64, f Filter) error {
	cautions, err := v.cautionsTogether(messages, usual)
	if err != nil {
		return err
	}
	talks, err := v.talks(messages)
	if err != nil {
		return err
	}
	said, err := v.leftOutBefore(messages)
	if err != nil {
		return err
	}
	var shown []payment.Message
	amounts, selected := map[payment.Kind][]money.Amount{}, model.File == ""
	for i, m := range messages {
		item := bulkItem(m, v.flaggedRow(m, f, cautions))
		item.Said, item.Cautions = said[i], cautions[m.InternalID]
		if selected && item.Said == "" && model.Count() >= maxBulk {
			item.Said = i18n.Text("You can approve up to %d payments together. Approve the other payments first, then select this payment again.").
				With(maxBulk)
		}
		if item.Said != "" {
			if selected {
				item.Cautions = nil // only the form of a file confirms those that are left out
			}
			model.LeftOut = append(model.LeftOut, item)
			continue
		}
		shown = append(shown, m)
		err = v.fillSent(&item, m)
		if err != nil {
			return err
		}
		item.Talk = talks[m.InternalID]
		item.Binding += itemParts + views.Confirming(item.Cautions)
		if len(item.Cautions) == 0 || !selected {
			amounts[m.Kind] = append(amounts[m.Kind], m.Summary.Amount)
		}
		switch {
		case len(item.Cautions) == 0:
			model.Included = append(model.Included, item)
			continue
		case selected:
			item.Act = views.Message{Message: m}.Approve()
		default:
			model.Mark(item.Cautions)
		}
		model.Odd = append(model.Odd, item)
	}
	model.Totals = kindTotals(amounts)
	return v.lookAtAll(shown)
}

// cautionsTogether are the cautions of messages that are approved together, with those that need several approvals and, in a file, the
// amounts far above its usual one by currency.
func (v *Request) cautionsTogether(messages []payment.Message, usual map[money.Currency]int64) (map[uuid.UUID][]views.Warning, error) {
	cautions, err := v.cautions(messages)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		list := cautions[m.InternalID]
		if m.ApprovalsRequired > 1 {
			list = append(list, views.Warning{Title: i18n.Text("The policy requires %d approvals").With(m.ApprovalsRequired)})
		}
		if middle := usual[m.Summary.Amount.Currency()]; middle > 0 && m.Summary.Amount.Minor() > unusual*middle {
			list = append(list, views.Warning{Title: "Amount far above the other amounts in this file"})
		}
		cautions[m.InternalID] = list
	}
	return cautions, nil
}

// leftOut says why a whole message is not approved together with others, "" when it may be.
func (v *Request) leftOut(m payment.Message) i18n.Text {
	_, refusal := m.Reject(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
	var state *payment.StateError
	switch {
	case errors.As(refusal, &state), m.State != payment.StateApprovalPending:
		return WhatHappened(m)
	case refusal != nil:
		return i18n.OfError(refusal)
	case m.Version > 1:
		return "This payment was amended after submission. Open it and check what changed."
	}
	return ""
}

// needsFactor leaves a message out of a bulk approval: a second factor confirms the content of one message only.
const needsFactor i18n.Text = "The policy requires a second factor. Open and approve this payment on its own."

// leftOutBefore is leftOut of messages before the approval, in their order. It also checks the need of a second factor and the limits.
func (v *Request) leftOutBefore(messages []payment.Message) ([]i18n.Text, error) {
	contexts, err := v.Config.Approval.Contexts(v.Context(), v.By, messages)
	if err != nil {
		return nil, err
	}
	said := make([]i18n.Text, len(messages))
	for i, m := range messages {
		said[i] = v.leftOut(m)
		if contexts[i].StepUp {
			said[i] = cmp.Or(said[i], needsFactor)
		}
		for _, l := range contexts[i].Limits {
			if l.Currency == m.Summary.Amount.Currency() {
				said[i] = cmp.Or(said[i], l.Refuses(m.Summary.Amount))
			}
		}
	}
	return said, nil
}

// binding identifies a message with its version and its content as a page shows them.
func binding(m payment.Message) string {
	return strings.Join([]string{m.InternalID.String(), strconv.Itoa(m.Version), hex.EncodeToString(m.ContentHash[:])}, itemParts)
}

// fillSent lists the content that an approval sends, without the fields that the message's line has already.
func (v *Request) fillSent(item *views.BulkItem, m payment.Message) error {
	document, err := m.ToClearing()
	if err != nil {
		return err
	}
	sent := views.SentOf(document, m)
	sent.Banks, err = v.banks(m)
	item.Sent, item.Folded = views.LineRows(m, sent)
	return err
}

func bulkItem(m payment.Message, row ui.Entry) views.BulkItem {
	item := views.BulkItem{Entry: row, Kind: m.Kind, Binding: binding(m)}
	_, item.Account = views.Facing(m)
	item.Facts = ui.Facts(ui.KindFact(m.Kind), ui.SchemeFact(m.Scheme), ui.Fact{Text: i18n.Text("by %s").With(m.MakerLogin)})
	return item
}

// approveItems approves messages one by one, adds their results to the model and returns their number. It stops after the time limit of a
// file.
func (v *Request) approveItems(model *views.BulkOutcome, items []string, f Filter) (decided int, err error) {
	until := v.Config.Now().Add(batchTime)
	for i, item := range items {
		if model.File != "" && v.Config.Now().After(until) {
			return i, nil
		}
		done, err := v.approveItem(item, f)
		if err != nil {
			return i, err
		}
		model.Items = append(model.Items, done)
		switch {
		case done.Waits:
			model.Waiting++
		case done.Approved:
			model.Approved++
		default:
			model.Refused++
		}
	}
	return len(items), nil
}

// approveBulk approves the listed messages one by one, with the same call as a single approval. Each gets its own result, and a refusal
// stops no other message. A page that shows the progress sends the rest in further requests; without a script one request decides all. Sent
// twice, it approves nothing twice.
func approveBulk(v *Request, form url.Values) error {
	items, step, most := form[itemField], bulkStep, maxBulk
	var places []int // of the items in their file
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	model := views.BulkOutcome{
		Layout: v.layout("Payments approved together", views.PlaceQueue), BackURL: "/queue" + f.Query(), Action: "/queue/bulk" + f.Query(),
		Approved: counter(form, "approved"), Waiting: counter(form, "waiting"), Refused: counter(form, "refused"),
	}
	first := model.Approved+model.Waiting+model.Refused == 0 // the decisions of this form themselves add and remove warnings
	if form.Get(fileField) != "" {
		waiting, err := v.waitingOfFile(form)
		if err != nil {
			return err
		}
		if waiting.changed {
			return v.leaveFor("/queue/files/"+form.Get(fileField), fileChanged)
		}
		if len(waiting.items) == 0 {
			return v.allDecided(waiting.last.InternalID)
		}
		items, step, most = waiting.items, fileStep, orderform.MaxPayments
		model.File, model.Checked, places = form.Get(fileField), form.Get(CheckedField), waiting.places
		if !waiting.looked {
			return v.renderFileApproval(uuid.MustParse(model.File), http.StatusUnprocessableEntity, unlooked)
		}
	}
	if len(items) == 0 {
		return v.leaveFor(model.BackURL, "Nothing was approved. Tick the payments that you want to approve.")
	}
	if len(items) > most {
		return v.leaveFor(model.BackURL, i18n.Text("Nothing was approved. Select no more than %d payments.").With(maxBulk))
	}
	items = onceEach(items, itemKey) // a message that is named once more is decided once, and counts once
	if first && model.File == "" {
		var err error
		items, err = v.withoutNewWarnings(&model, items, f)
		if err != nil {
			return err
		}
	}
	now := items
	if v.Fragment() {
		now = items[:min(step, len(items))]
	}
	done, err := v.approveItems(&model, now, f)
	if err != nil {
		return err
	}
	now, model.Rest = now[:done], items[done:]
	model.Unticked, err = v.unticked(form[shownField], form[itemField], f)
	if err != nil {
		return err
	}
	if model.File != "" && len(model.Rest) > 0 {
		model.From = places[len(now)]
	}
	return v.renderOutcome(model)
}

// renderOutcome renders the results of a bulk, for htmx those of one step.
func (v *Request) renderOutcome(model views.BulkOutcome) error {
	if !v.Fragment() {
		return v.Render(http.StatusOK, views.BulkOutcomePage(model))
	}
	err := v.CountWaiting()
	if err != nil {
		return err
	}
	model.Layout.QueueCount = v.Waiting
	return v.Render(http.StatusOK, views.BulkProgress(model))
}

// withoutNewWarnings refuses the items with warnings that their page did not show. It returns the others.
func (v *Request) withoutNewWarnings(model *views.BulkOutcome, items []string, f Filter) ([]string, error) {
	messages, err := v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, keysOf(items))
	if err != nil {
		return nil, err
	}
	cautions, err := v.cautionsTogether(slices.Collect(maps.Values(messages)), nil)
	return slices.DeleteFunc(items, func(text string) bool {
		id, _ := uuid.Parse(itemKey(text))
		if err != nil || views.Confirmed(text[strings.LastIndex(text, itemParts)+1:], cautions[id]) {
			return false
		}
		item := bulkItem(messages[id], v.queueRow(messages[id], f))
		item.Said = "A warning was added after the page was opened. Open the payment and check the warning."
		model.Items, model.Refused = append(model.Items, item), model.Refused+1
		return true
	}), err
}

// onceEach drops elements whose key came before.
func onceEach[T any, K comparable](all []T, key func(T) K) []T {
	var once []T
	known := map[K]bool{}
	for _, each := range all {
		if k := key(each); !known[k] {
			known[k], once = true, append(once, each)
		}
	}
	return once
}

// itemKey is the part of an item that names its message.
func itemKey(item string) string {
	key, _, _ := strings.Cut(item, itemParts)
	return key
}

// unticked returns the shown messages that are not among the items to approve.
func (v *Request) unticked(shown, items []string, f Filter) ([]views.BulkItem, error) {
	keys := keysOf(slices.DeleteFunc(shown, func(item string) bool { return slices.Contains(items, item) }))
	messages, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, keys)
	var list []views.BulkItem
	for _, m := range messages {
		item := bulkItem(m, v.queueRow(m, f))
		item.Said = cmp.Or(v.leftOut(m), "This payment was not ticked and is still waiting for approval.")
		list = append(list, item)
	}
	return list, err
}

// keysOf returns the keys of up to maxSelected items of a form.
func keysOf(items []string) []uuid.UUID {
	var keys []uuid.UUID
	for _, item := range items {
		key, err := uuid.Parse(itemKey(item))
		if err == nil && len(keys) < maxSelected {
			keys = append(keys, key)
		}
	}
	return keys
}

// counter reads the number of earlier results from the form. Only the same person sees the number.
func counter(form url.Values, name string) int {
	number, err := strconv.Atoi(form.Get(name))
	if err != nil {
		return 0
	}
	return max(0, min(number, orderform.MaxPayments))
}

// approveItem approves one message and describes the result. An error stops the work; the remaining messages stay unchanged.
func (v *Request) approveItem(text string, f Filter) (views.BulkItem, error) {
	nameless := views.BulkItem{
		Entry: ui.Entry{Reference: "–"},
		Said:  "The form does not say which payment it is for. No decision was saved.",
	}
	parts := strings.Split(text, itemParts)
	id, err := uuid.Parse(parts[0])
	if err != nil || len(parts) < 3 {
		return nameless, nil
	}
	said := readVerdict(id, url.Values{"version": {parts[1]}, "contentHash": {parts[2]}})
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if errors.Is(err, payment.ErrNotFound) {
		return nameless, nil
	}
	if err != nil {
		return views.BulkItem{}, err
	}
	left := v.leftOut(m)
	decision, decided := m.LastDecision()
	switch {
	case decided && decision.PersonID == v.By.PersonID && decision.Action == payment.ActionApprove &&
		strings.Join(parts[:3], itemParts) == binding(m):
		return v.bulkDone(m, f), nil // sent twice
	case left != "" || !said.whole:
		item := bulkItem(m, v.queueRow(m, f))
		item.Said = left
		if left == "" {
			item.Said = (&payment.ContentError{Message: m}).Sentence()
		}
		return item, nil
	}
	after, err := Done(v.Config.Approval.Approve(v.Context(), v.By, said.input))
	if err == nil {
		return v.bulkDone(after, f), nil
	}
	item := bulkItem(m, v.queueRow(m, f))
	item.Said, err = refusalOf(err)
	return item, err
}

// bulkDone is a message that this person approved.
func (v *Request) bulkDone(m payment.Message, f Filter) views.BulkItem {
	m.ApprovalsListed = m.Approvals() // the row was read before the decision
	item := bulkItem(m, v.queueRow(m, f))
	item.Approved, item.URL = true, "/payments/"+m.InternalID.String()
	item.Said = "Approved."
	if m.State == payment.StateApprovalPending {
		item.Said, item.Waits = approvalsGiven(m), true
	}
	return item
}

// refusalOf describes the refusal of an approval; it returns any other error unchanged.
func refusalOf(err error) (i18n.Text, error) {
	var refused *payment.RefusalError
	var withheld *payment.WithheldError
	var fourEyes *payment.FourEyesError
	var forbidden *payment.ForbiddenError
	var stepUp *payment.StepUpError
	sentence, lost := LostTo(err)
	switch {
	case lost:
		return sentence, nil
	case errors.As(err, &refused):
		return refused.Sentence(), nil
	case errors.As(err, &stepUp):
		return needsFactor, nil
	case errors.As(err, &withheld), errors.As(err, &fourEyes), errors.As(err, &forbidden), errors.Is(err, payment.ErrNotFound):
		return i18n.OfError(err), nil
	}
	return "", err
}

// sumBulk renders the number and the sum of the messages that the form of several would approve as it stands. It decides nothing.
func sumBulk(v *Request, form url.Values) error {
	messages, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, keysOf(form[itemField]))
	if err != nil {
		return err
	}
	amounts := map[payment.Kind][]money.Amount{}
	for _, m := range messages {
		if v.leftOut(m) == "" {
			amounts[m.Kind] = append(amounts[m.Kind], m.Summary.Amount)
		}
	}
	return v.Render(http.StatusOK, views.BulkSum(kindTotals(amounts)))
}
