package portal

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/views"
	"countersign/views/ui"
)

// showDecision shows a waiting message beside the list, or for htmx the message alone.
func showDecision(v *Request, m payment.Message) error {
	typed, err := v.typed(m)
	if err != nil {
		return err
	}
	return v.renderDecision(http.StatusOK, m, typed)
}

// renderDecision renders a message with the additions of a refused decision: a conflict, problems, the typed reason.
func (v *Request) renderDecision(status int, m payment.Message, added views.Decision) error {
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	detail, err := v.decision(m, f, added)
	if err != nil {
		return err
	}
	if v.Fragment() {
		return v.Render(status, views.DetailFragment(detail))
	}
	f.Current = m.InternalID
	model, err := together(v, func() (views.Queue, error) { return v.queue(f) })
	if err != nil {
		return err
	}
	model.Detail = &detail
	model.Layout.Title, model.Layout.Failed = i18n.Data(string(m.GlobalID)), status >= http.StatusBadRequest
	return v.Render(status, views.QueuePage(model))
}

// decision fills the detail of a message. The domain determines its buttons: a rejection is tried without storing it.
func (v *Request) decision(m payment.Message, f Filter, added views.Decision) (views.Decision, error) {
	detail := added
	err := v.look(m)
	if err == nil && v.viewers == nil {
		v.viewers, err = v.Config.Reader.Lookers(v.Context(), v.By, v.At)
	}
	if err != nil {
		return detail, err
	}
	detail.Looked = v.looked(m.InternalID)
	detail.Message, err = FullMessage(v, m)
	if err != nil {
		return detail, err
	}
	detail.Query, detail.Later = f.Query(), m.IsForLaterThan(v.At)
	if m.ApprovalsRequired > 1 {
		detail.Approvals = approvalsGiven(m)
	}
	_, refusal := m.Reject(payment.Verdict{By: v.By, At: v.At}, "-")
	var state *payment.StateError
	switch {
	case m.Withheld != "":
		detail.Barred = "This payment is withheld. Nobody can approve or reject it."
	case refusal == nil:
		detail.Deciding = true
		err = v.demands(m, &detail)
	case errors.As(refusal, &state), !m.State.Pending():
		detail.Barred = WhatHappened(m)
	default:
		detail.Barred = i18n.OfError(refusal)
	}
	return detail, err
}

// demands adds the limits of the message and of this person with the amounts used today, and the question for a second factor where the
// approval needs one.
func (v *Request) demands(m payment.Message, detail *views.Decision) error {
	contexts, err := v.Config.Approval.Contexts(v.Context(), v.By, []payment.Message{m})
	if err != nil {
		return err
	}
	for _, l := range contexts[0].Limits {
		if l.Currency != m.Summary.Amount.Currency() {
			continue
		}
		detail.Limits = append(detail.Limits, i18n.Text("Limit for %s: %s.").With(l.Words(), l.Today()))
		if passed := l.Refuses(m.Summary.Amount); passed != "" {
			detail.Passed = append(detail.Passed, passed)
		}
	}
	if !contexts[0].StepUp {
		return nil
	}
	list, err := v.Config.Auth.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	detail.StepUp, detail.Factorless = true, len(list) == 0
	detail.Passkey, err = v.askPasskey(auth.PasskeyInput{By: v.By, Purpose: identity.PurposeApproval, For: m.Approval()})
	return err
}

// overbooked warns of limits that other payments of a later day use up.
func overbooked(texts ...i18n.Text) (warnings []views.Warning) {
	for _, text := range texts {
		if text != "" {
			warnings = append(warnings, views.Warning{Title: "Above the limit for the execution date", Text: text})
		}
	}
	return warnings
}

// approvalsGiven counts the approvals: "1 of 2 approvals given, by Checker 1".
func approvalsGiven(m payment.Message) i18n.Text {
	var names []string
	for _, d := range m.Decisions {
		if d.Action == payment.ActionApprove {
			names = append(names, d.Name)
		}
	}
	given, needed := i18n.Number(m.Approvals()), i18n.Number(m.ApprovalsRequired)
	if len(names) > 0 {
		return i18n.Text("%s of %s approvals given, by %s").With(given, needed, strings.Join(names, ", "))
	}
	return i18n.Text("%s of %s approvals given").With(given, needed)
}

// verdict is the content of a decision form.
type verdict struct {
	input service.Input
	whole bool // the form names the version and the digest of the shown message
}

// readVerdict reads the version and digest that the checker saw. Without them no decision is made: the checker must have seen the approved
// content.
func readVerdict(id uuid.UUID, form url.Values) verdict {
	v := verdict{input: service.Input{InternalID: id}}
	version, err := strconv.Atoi(form.Get("version"))
	digest, errHash := payment.ParseDigest(form.Get("contentHash"))
	if err != nil || errHash != nil || version < 1 {
		return v
	}
	v.input.Version, v.input.ContentHash, v.whole = version, &digest, true
	return v
}

// errUnlooked refuses the approval of a payment whose warnings the checker did not confirm to have checked.
var errUnlooked = errors.New("the warnings of the payment are not confirmed")

func approve(v *Request, form url.Values) error {
	return v.decide(views.Reject{}, func(in service.Input) (payment.Message, error) {
		m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, in.InternalID)
		if err != nil {
			return m, err
		}
		_, refusal := m.Reject(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
		if refusal == nil && in.Version == m.Version && *in.ContentHash == m.ContentHash {
			shown := views.Message{Message: m}
			err = contents[m.Kind](v, &shown, m)
			if err != nil {
				return m, err
			}
			if !views.Confirmed(form.Get(lookedField), shown.Warnings) {
				return m, errUnlooked
			}
		}
		in.StepUp = v.FactorAnswer(form)
		return v.Config.Approval.Approve(v.Context(), v.By, in)
	})
}

func reject(v *Request, form url.Values) error {
	typed := views.Reject{Open: true, Category: form.Get("category"), Reason: strings.ReplaceAll(form.Get("reason"), "\r\n", "\n")}
	if !slices.ContainsFunc(views.RejectCategories, func(offered ui.Option) bool { return offered.Value == typed.Category }) {
		return v.askCategory(typed)
	}
	return v.decide(typed, func(in service.Input) (payment.Message, error) {
		return v.Config.Approval.Reject(v.Context(), v.By, in, rejectReason(typed))
	})
}

// rejectReason returns the reason for the maker as it is stored: the category in English, which pages translate, then the text. The text is
// required. The category is dropped where both together are too long.
func rejectReason(typed views.Reject) string {
	text := strings.TrimSpace(typed.Reason)
	if text == "" {
		return ""
	}
	for _, category := range views.RejectCategories {
		whole := category.Label.String() + ": " + text
		fits := utf8.RuneCountInString(whole) <= payment.MaxReason
		if category.Value == typed.Category && category.Value != "other" && fits {
			return whole
		}
	}
	return text
}

// decide sends a decision to the approval service and goes on to the next message.
func (v *Request) decide(typed views.Reject, carryOut func(service.Input) (payment.Message, error)) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	said := readVerdict(id, form)
	if !said.whole {
		m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
		if err != nil {
			return err
		}
		return v.refuseDecision(m, &payment.ContentError{Message: m}, typed)
	}
	m, err := Done(carryOut(said.input))
	if err != nil {
		return v.refuseDecision(m, err, typed)
	}
	return v.decided(m)
}

// refuseDecision renders the current message with the cause of the refusal. The typed text is preserved.
func (v *Request) refuseDecision(m payment.Message, cause error, typed views.Reject) error {
	var malformed *payment.FieldError
	var refused *payment.RefusalError
	var withheld *payment.WithheldError
	var stepUp *payment.StepUpError
	added := views.Decision{
		Reject: typed, Conflict: Conflict(cause, m, typed.Reason), Checked: v.Echo.Request().PostForm.Get(lookedField),
	}
	switch {
	case added.Conflict != nil:
		err := v.leadOn(added.Conflict, m)
		if err != nil {
			return err
		}
		return v.renderDecision(http.StatusConflict, m, added)
	case errors.As(cause, &malformed):
		for _, f := range malformed.Findings {
			added.Problems = append(added.Problems, ui.Problem{Field: "reason", Text: f.Text, Code: f.Code})
		}
		if !v.Fragment() {
			return v.renderReject(http.StatusUnprocessableEntity, m, added)
		}
	case errors.Is(cause, errUnlooked):
		added.Problems = append(added.Problems, ui.Problem{
			Field: lookedField, Text: "Nothing was approved. Check the warnings, and confirm that you have checked them.", Code: "CH21",
		})
	case errors.As(cause, &stepUp):
		added.Problems = append(added.Problems, ui.Problem{Field: "factorCode", Text: i18n.OfError(stepUp)})
	case errors.As(cause, &withheld):
		return v.renderDecision(http.StatusConflict, withheld.Message, added)
	case errors.As(cause, &refused):
		for _, f := range refused.Findings {
			added.Problems = append(added.Problems, ui.Problem{Text: f.Text, Code: f.Code})
		}
	default:
		return cause
	}
	return v.renderDecision(http.StatusUnprocessableEntity, m, added)
}

// leadOn adds a link to the panel of a lost decision: to the next message for this person, else to the queue.
func (v *Request) leadOn(conflict *views.Conflict, m payment.Message) error {
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	next, found, err := v.nextAfter(m, f)
	if err != nil || !found || next.InternalID == m.InternalID {
		return err
	}
	conflict.NextURL, conflict.NextLabel = "/queue/"+next.InternalID.String()+f.Query(), "Go to the next entry"
	return nil
}

// decided answers a decision: it opens the next message with a sentence about the decision.
func (v *Request) decided(m payment.Message) error {
	v.Forget(m.InternalID)
	decision, _ := m.LastDecision()
	sentence := decidedSentence(m, decision.Action)
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	next, found, err := v.nextAfter(m, f)
	if err != nil {
		return err
	}
	path := "/queue" + f.Query()
	if found {
		path = "/queue/" + next.InternalID.String() + f.Query()
	}
	if !v.Fragment() {
		return v.GoTo(path, sentence)
	}
	v.Echo.Response().Header().Set("HX-Push-Url", path)
	v.Status = sentence
	err = v.CountWaiting()
	if err != nil {
		return err
	}
	left := f // what may be empty now is the list of this person, as it is narrowed
	left.View.Tab = tabForMe
	answer := views.Decided{Layout: v.layout("Approval queue", views.PlaceQueue), AllDone: v.emptyQueue(left)}
	answer.Row = views.DecidedEntry(v.queueRow(m, f), decidedNote(decision.Action, "you (by)", decision.DecidedAt))
	now, err := v.counted(&f)
	if err != nil {
		return err
	}
	answer.Facts, answer.Tabs, answer.Selecting = now.facts(f, v.At), v.queueTabs(f, now), v.selecting(f)
	answer.Files, err = v.waitingFiles(answer.Selecting)
	if err != nil {
		return err
	}
	if found {
		typed, err := v.typed(next)
		if err != nil {
			return err
		}
		detail, err := v.decision(next, f, typed)
		if err != nil {
			return err
		}
		answer.Next = &detail
	}
	return v.Render(http.StatusOK, views.DecidedFragment(answer))
}

// decidedSentence describes the result of a decision.
func decidedSentence(m payment.Message, action payment.Action) i18n.Text {
	name, _ := views.Facing(m)
	about := i18n.Text("%s to %s").With(ui.AmountOf(m.Summary.Amount).String(), name)
	if m.Kind != payment.KindInstruction {
		about = i18n.Text("%s, %s").With(ui.KindLabel(m.Kind), ui.AmountOf(m.Summary.Amount).String())
	}
	switch {
	case m.State == payment.StateApprovalPending:
		return i18n.Text("%s: %s.").With(about, approvalsGiven(m))
	case action == payment.ActionReject:
		return i18n.Text("%s rejected.").With(about)
	}
	return i18n.Text("%s approved.").With(about)
}

// nextAfter finds the next message that waits for this person: the one after the given in the list, or else the first.
func (v *Request) nextAfter(decided payment.Message, f Filter) (payment.Message, bool, error) {
	f.View.Tab = tabForMe
	first := f
	first.After, first.Place = uuid.Nil, ""
	for _, from := range []Filter{f.Behind(decided), first} {
		list, _, err := v.queuePageOf(from, v.askAll(&from))
		if err != nil {
			return payment.Message{}, false, err
		}
		if len(list) > 0 {
			m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, list[0].InternalID)
			return m, err == nil, err
		}
	}
	return payment.Message{}, false, nil
}

// showReject shows the form of a rejection on a page of its own.
func showReject(v *Request, m payment.Message) error {
	_, err := m.Reject(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
	if err != nil {
		return v.refuseDecision(m, err, views.Reject{})
	}
	typed, err := v.typed(m)
	if err != nil {
		return err
	}
	return v.renderReject(http.StatusOK, m, typed)
}

func (v *Request) renderReject(status int, m payment.Message, added views.Decision) error {
	detail, err := v.decision(m, ReadFilter(v.Echo.QueryParams(), "/queue"), added)
	if err != nil {
		return err
	}
	layout := v.FormShell(i18n.Text("Reject %s").With(m.GlobalID), views.PlaceQueue, status)
	return v.Render(status, views.RejectPage(layout, detail))
}
