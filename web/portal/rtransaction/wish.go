package rtransaction

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/submission"
	"countersign/web/portal/page"
)

// Around loads everything that is about the same payment as a message: the payment itself and what refers to it.
func Around(v *page.Visit, m payment.Message) (Subject, error) {
	original := m
	if m.OriginalID != uuid.Nil {
		var err error
		original, err = v.Config.Reader.Message(v.Context(), v.By.Realm, m.OriginalID)
		if err != nil {
			return Subject{}, err
		}
	}
	return withRelated(v, Subject{}, original)
}

// maxLines is the most lines of information a form offers.
const maxLines = 10

// wish is a recall, return or resolution as a maker typed it, kept in a draft until it is submitted.
type wish struct {
	Kind        payment.Kind
	Original    uuid.UUID // the payment it is about
	Recall      uuid.UUID // the received recall a resolution answers; zero for the others
	Reason      string
	Information []string // a line for each field of the form, as typed
	Charge      string   // as typed
}

// path is the address of the form.
func (w wish) path() string {
	switch w.Kind {
	case payment.KindResolution:
		return "/recalls/" + w.Recall.String() + "/resolve"
	case payment.KindReturn:
		return "/payments/" + w.Original.String() + "/return"
	case payment.KindRecall, payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return "/payments/" + w.Original.String() + "/recall"
}

// read takes the answers of a form. Text that no field can hold is not read.
func (w *wish) read(form url.Values) {
	w.Reason, w.Charge = page.Searchable(form.Get("reason")), page.Searchable(form.Get("charge"))
	w.Information = nil
	for i := range maxLines {
		w.Information = append(w.Information, page.Searchable(form.Get("information"+strconv.Itoa(i+1))))
	}
}

// lines are the lines of information with something in them, and for each the number of its field, from 1.
func (w wish) lines() (lines []string, numbers []int) {
	for i, line := range w.Information {
		if strings.TrimSpace(line) != "" {
			lines, numbers = append(lines, strings.TrimSpace(line)), append(numbers, i+1)
		}
	}
	return lines, numbers
}

// newWishDraft keeps the wish until it is submitted.
func (v *visit) newWishDraft(scheme rulebook.Scheme, w wish) (store.Draft, error) {
	content, err := json.Marshal(struct{ Wish wish }{w})
	if err != nil {
		return store.Draft{}, fmt.Errorf("write the answers: %w", err)
	}
	return store.Draft{ID: v.Config.NewID(), Scheme: scheme, Answers: content, SavedAt: v.At, ExpiresAt: v.At.Add(page.DraftLife)}, nil
}

// wishOf reads the wish of a draft; nil for the draft of a payment.
func wishOf(draft store.Draft) (*wish, error) {
	if len(draft.Answers) == 0 {
		return nil, nil //nolint:nilnil // a file holds a payment
	}
	var a struct{ Wish *wish }
	err := json.Unmarshal(draft.Answers, &a)
	if err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return a.Wish, nil
}

// Subject is what a wish is about: the payment, the received recall if there is one, and everything else about the payment.
type Subject struct {
	Kind     payment.Kind
	Original payment.Message
	Recall   payment.Message // the zero Message when nobody recalled the payment
	Related  []payment.Message
}

// MaxRelated is how many messages about one payment are looked at; each kind may be rejected and tried again.
const MaxRelated = 50

// subjectOf loads what a new message of the kind would be about. id is the payment, or for a resolution the received recall.
func (v *visit) subjectOf(kind payment.Kind, id uuid.UUID) (Subject, error) {
	s := Subject{Kind: kind}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if err != nil {
		return s, err
	}
	if kind != payment.KindResolution {
		return withRelated(v.Visit, s, m)
	}
	if m.Kind != payment.KindReceivedRecall {
		return s, payment.ErrNotFound
	}
	original, err := v.Config.Reader.Message(v.Context(), v.By.Realm, m.OriginalID)
	if err != nil {
		return s, err
	}
	return withRelated(v.Visit, s, original)
}

// withRelated adds everything about a payment.
func withRelated(v *page.Visit, s Subject, original payment.Message) (Subject, error) {
	s.Original = original
	var err error
	s.Related, err = v.Config.Reader.Messages(v.Context(), v.By.Realm, store.Filter{OriginalID: original.InternalID, PageSize: MaxRelated})
	if err != nil {
		return s, err
	}
	for _, m := range s.Related {
		if m.Kind == payment.KindReceivedRecall {
			s.Recall = m
		}
	}
	return s, nil
}

// Recalled reports whether another bank waits for an answer to its recall.
func (s Subject) Recalled() bool { return s.Recall.State == payment.StateAwaitingDecision }

// Bar says why the message cannot be made now, or "". The store holds the same: one recall of a payment for ever, one return, one
// answer to a recall, each unless it ended before its release.
func (s Subject) Bar(rules rulebook.Settings) string {
	var err error
	switch s.Kind {
	case payment.KindRecall:
		err = s.Original.MayRecall()
	case payment.KindReturn:
		err = s.Original.MayReturn()
	case payment.KindResolution:
		err = s.Recall.MayResolve()
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
		return "This is not made here."
	}
	other, blocked := s.other()
	switch {
	case blocked:
		return underWay(other)
	case err != nil:
		return refusalText(err)
	case s.Kind == payment.KindReturn && !s.Recalled() && s.Original.Scheme == rulebook.SchemeSCT && rules.SCTReturnsAnswerOnly:
		return "Payments of this scheme go back only as the answer to a recall, and nobody has recalled this one."
	}
	return ""
}

// other finds the message about the same payment that excludes a new one.
func (s Subject) other() (payment.Message, bool) {
	closed := []payment.State{payment.StateRejected, payment.StateWithdrawn, payment.StateExpired}
	for _, m := range s.Related {
		if slices.Contains(closed, m.State) {
			continue
		}
		failed := m.State == payment.StateFailed
		switch {
		case s.Kind == payment.KindRecall && m.Kind == payment.KindRecall, // also a failed one: one recall of a payment
			s.Kind == payment.KindReturn && m.Kind == payment.KindReturn && !failed,
			s.Kind != payment.KindRecall && s.Recall.InternalID != uuid.Nil && m.AnswersID == s.Recall.InternalID && !failed:
			return m, true
		}
	}
	return payment.Message{}, false
}

// underWay says which message stands in the way of another.
func underWay(m payment.Message) string {
	name, state := string(m.GlobalID), strings.ToLower(string(m.State))
	if m.State == payment.StateApprovalPending {
		state = "waiting for approval"
	}
	switch m.Kind {
	case payment.KindRecall:
		return "The recall " + name + " of this payment is " + state + ": a payment can be recalled once, whatever the answer."
	case payment.KindReturn:
		return "The return " + name + " of this payment is " + state + "."
	case payment.KindResolution:
		return "The refusal " + name + " of the recall is " + state + ": a return and a refusal exclude each other."
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return name + " is " + state + "."
}

// request is what the submission station takes. The draft's key is the externalId: a form sent twice makes one message.
func (w wish) request(draft store.Draft, charge string) submission.Request {
	lines, _ := w.lines()
	return submission.Request{
		Kind: w.Kind, Scheme: draft.Scheme, OriginalID: w.Original, RecallID: w.Recall, Reason: w.Reason, Information: lines,
		Charge: charge, ExternalID: draft.ID.String(),
	}
}
