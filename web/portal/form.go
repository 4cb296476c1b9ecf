package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// maxLines is the most lines of information a form offers.
const maxLines = 10

// form is a recall, return or resolution as a maker typed it, kept in a draft until it is submitted.
type form struct {
	Kind        payment.Kind
	Original    uuid.UUID // the payment it is about
	Recall      uuid.UUID // the received recall a resolution answers; zero for the others
	Reason      string
	Information []string // a line for each field of the form, as typed
	Charge      string   // as typed

	// Name, Currency and Amount are those of the payment, for the list of drafts; a charge is in its currency.
	Name, Currency, Amount string
}

// path is the address of the form.
func (f form) path() string {
	if f.Kind == payment.KindResolution {
		return "/recalls/" + f.Recall.String() + "/resolve"
	}
	return "/payments/" + f.Original.String() + "/" + string(f.Kind)
}

// addressOf returns the address of the form of a draft.
func (f form) addressOf(draft uuid.UUID) string { return f.path() + "?draft=" + draft.String() }

// about reports whether two forms are one kind of request about one payment.
func (f form) about(other form) bool { return f.Kind == other.Kind && f.Original == other.Original }

// read takes the answers of a form. Text that no field can hold is not read.
func (f *form) read(values url.Values) {
	f.Reason, f.Charge = Searchable(values.Get("reason")), Searchable(values.Get("charge"))
	f.Information = nil
	for i := range maxLines {
		f.Information = append(f.Information, Searchable(values.Get("information"+strconv.Itoa(i+1))))
	}
}

// lines returns the non-empty lines of information and the number of the field of each, from 1.
func (f form) lines() (lines []string, numbers []int) {
	for i, line := range f.Information {
		if strings.TrimSpace(line) != "" {
			lines, numbers = append(lines, strings.TrimSpace(line)), append(numbers, i+1)
		}
	}
	return lines, numbers
}

// newRequestDraft returns the draft that stores the form until it is submitted.
func (v *Request) newRequestDraft(a asked) (store.Draft, error) {
	f, about := a.form, a.preview.About.Original
	f.Name, f.Currency, f.Amount = about.Summary.CreditorName, string(about.Summary.Amount.Currency()), about.Summary.Amount.Swiss()
	if f.Kind != payment.KindRecall {
		f.Name = about.Summary.DebtorName
	}
	content, err := json.Marshal(held{&f})
	if err != nil {
		return store.Draft{}, fmt.Errorf("write the answers: %w", err)
	}
	return store.Draft{
		ID: v.Config.NewID(), Scheme: about.Scheme, Answers: content, SavedAt: v.At, ExpiresAt: v.At.Add(DraftLife),
	}, nil
}

// held is the stored content of a form's draft, under the member's original name.
type held struct {
	Form *form `json:"Wish"`
}

// formIn reads the form of a draft; nil for the draft of a payment.
func formIn(draft store.Draft) (*form, error) {
	if len(draft.Answers) == 0 {
		return nil, nil //nolint:nilnil // a file holds a payment
	}
	var kept held
	err := json.Unmarshal(draft.Answers, &kept)
	if err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return kept.Form, nil
}

// asked returns the request of the form, with its parsed charge. The draft's key is the externalId: a form sent twice makes one message.
func (f form) asked(draft uuid.UUID, charge money.Amount) payment.RTransaction {
	lines, _ := f.lines()
	asked := payment.RTransaction{
		Request: rulebook.Request{Reason: f.Reason, Information: lines, Charge: charge},
		Kind:    f.Kind, OriginalID: f.Original, RecallID: f.Recall,
	}
	if draft != uuid.Nil {
		asked.ExternalID = draft.String()
	}
	return asked
}

// FormOf returns the address of the form of a draft that is an R-transaction; "" for a payment.
func FormOf(draft store.Draft) (string, error) {
	f, err := formIn(draft)
	if err != nil || f == nil {
		return "", err
	}
	return f.addressOf(draft.ID), nil
}

// requestRoutes are the forms of R-transactions by their routes.
var requestRoutes = map[string]payment.Kind{
	"/payments/:id/recall": payment.KindRecall, "/payments/:id/return": payment.KindReturn, "/recalls/:id/resolve": payment.KindResolution,
}

// KeepRTransaction stores an R-transaction form that was sent after the session ended, as a draft of the session's person. It returns the
// address that opens the draft; "" for another form, for a form about no payment, and for a person with too many drafts.
func KeepRTransaction(v *Request) (string, error) {
	kind, ours := requestRoutes[strings.TrimSuffix(v.Echo.Path(), "/keep")]
	if !ours {
		return "", nil
	}
	values, err := v.Form()
	if err != nil {
		return "", err
	}
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // a form about nothing is not kept
	}
	f := form{Kind: kind, Original: id}
	if kind == payment.KindResolution {
		f.Original, f.Recall = uuid.Nil, id
	}
	a, err := v.previewRequest(f)
	if errors.Is(err, payment.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	a.read(values)
	at, draft, err := v.placeOfRequest(a, values)
	if err != nil {
		return "", err
	}
	err = v.KeepAt(at, draft)
	var tooMany *payment.ForbiddenError
	if errors.As(err, &tooMany) {
		return "", nil
	}
	return a.addressOf(draft.ID), err
}
