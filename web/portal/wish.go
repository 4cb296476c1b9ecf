package portal

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
)

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
	w.Reason, w.Charge = searchable(form.Get("reason")), searchable(form.Get("charge"))
	w.Information = nil
	for i := range maxLines {
		w.Information = append(w.Information, searchable(form.Get("information"+strconv.Itoa(i+1))))
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

// draft keeps the wish until it is submitted.
func (v *visit) newWishDraft(scheme rulebook.Scheme, w wish) (store.Draft, error) {
	content, err := answers{Wish: &w}.encode()
	return store.Draft{ID: v.cfg.NewID(), Scheme: scheme, Answers: content, SavedAt: v.at, ExpiresAt: v.at.Add(draftLife)}, err
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

// subject is what a wish is about: the payment, the received recall if there is one, and everything else about the payment.
type subject struct {
	kind     payment.Kind
	original payment.Message
	recall   payment.Message // the zero Message when nobody recalled the payment
	related  []payment.Message
}

// maxRelated is how many messages about one payment are looked at; each kind may be rejected and tried again.
const maxRelated = 50

// subjectOf loads what a new message of the kind would be about. id is the payment, or for a resolution the received recall.
func (v *visit) subjectOf(kind payment.Kind, id uuid.UUID) (subject, error) {
	s := subject{kind: kind}
	m, err := v.cfg.Reader.Message(v.ctx(), v.by.Realm, id)
	if err != nil {
		return s, err
	}
	if kind != payment.KindResolution {
		return v.withRelated(s, m)
	}
	if m.Kind != payment.KindReceivedRecall {
		return s, payment.ErrNotFound
	}
	original, err := v.cfg.Reader.Message(v.ctx(), v.by.Realm, m.OriginalID)
	if err != nil {
		return s, err
	}
	return v.withRelated(s, original)
}

// withRelated adds everything about a payment.
func (v *visit) withRelated(s subject, original payment.Message) (subject, error) {
	s.original = original
	var err error
	s.related, err = v.cfg.Reader.Messages(v.ctx(), v.by.Realm, store.Filter{OriginalID: original.InternalID, PageSize: maxRelated})
	if err != nil {
		return s, err
	}
	for _, m := range s.related {
		if m.Kind == payment.KindReceivedRecall {
			s.recall = m
		}
	}
	return s, nil
}

// recalled reports whether another bank waits for an answer to its recall.
func (s subject) recalled() bool { return s.recall.State == payment.StateAwaitingDecision }

// bar says why the message cannot be made now, or "". The store holds the same: one recall of a payment for ever, one return, one
// answer to a recall, each unless it ended before its release.
func (s subject) bar(rules rulebook.Settings) string {
	var err error
	switch s.kind {
	case payment.KindRecall:
		err = s.original.MayRecall()
	case payment.KindReturn:
		err = s.original.MayReturn()
	case payment.KindResolution:
		err = s.recall.MayResolve()
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
		return "This is not made here."
	}
	other, blocked := s.other()
	switch {
	case blocked:
		return underWay(other)
	case err != nil:
		return refusalText(err)
	case s.kind == payment.KindReturn && !s.recalled() && s.original.Scheme == rulebook.SchemeSCT && rules.SCTReturnsAnswerOnly:
		return "Payments of this scheme go back only as the answer to a recall, and nobody has recalled this one."
	}
	return ""
}

// other finds the message about the same payment that excludes a new one.
func (s subject) other() (payment.Message, bool) {
	closed := []payment.State{payment.StateRejected, payment.StateWithdrawn, payment.StateExpired}
	for _, m := range s.related {
		if slices.Contains(closed, m.State) {
			continue
		}
		failed := m.State == payment.StateFailed
		switch {
		case s.kind == payment.KindRecall && m.Kind == payment.KindRecall, // also a failed one: one recall of a payment
			s.kind == payment.KindReturn && m.Kind == payment.KindReturn && !failed,
			s.kind != payment.KindRecall && s.recall.InternalID != uuid.Nil && m.AnswersID == s.recall.InternalID && !failed:
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
