package portal

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
)

// prepared is a draft ready for a service: its document and its findings.
type prepared struct {
	draft    store.Draft
	values   orderform.Values
	built    orderform.BuiltOrder
	source   []byte               // of an uploaded file
	message  iso20022.MessageName // what that file is
	asked    service.Preview      // the preview by the submission service
	findings []payment.Finding
	note     string // what its maker says to the checkers
	seen     *payment.SeenAlike
}

// fine reports whether the draft has no problems.
func (p prepared) fine() bool { return len(p.built.Problems) == 0 && len(p.findings) == 0 }

// input returns the order for the submission service. The draft's key is the externalId: a form sent twice makes one payment.
func (p prepared) input() payment.Order {
	in := payment.Order{
		Scheme: p.draft.Scheme, ExternalID: p.draft.ID.String(), Document: p.built.Document, Structure: p.findings, Note: p.note,
		Seen: p.seen,
	}
	if p.draft.Batch != uuid.Nil && len(p.source) > 0 {
		in.Part = p.draft.Line
	}
	if len(p.source) > 0 {
		in.Source, in.SourceType = p.source, "application/xml"
	}
	return in
}

// prepareDraft builds the document of a draft and has the submission service check it.
func (v *Request) prepareDraft(draft store.Draft) (prepared, error) {
	p, err := v.buildDraft(draft)
	if err != nil {
		return prepared{}, err
	}
	return v.preview(p)
}

// buildDraft builds the document of a draft without checking rules.
func (v *Request) buildDraft(draft store.Draft) (prepared, error) {
	if len(draft.File) > 0 {
		return ofFile(draft, v.readFile(draft.File)), nil
	}
	values, err := orderform.DecodeValues(draft.Answers)
	if err != nil {
		return prepared{}, err
	}
	account, err := v.debtorAccount(values.DebtorAccount)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{draft: draft, values: values, built: orderform.Order{
		Draft: draft.ID, Scheme: draft.Scheme, Values: values, Account: account, At: draft.SavedAt, Today: v.Today(),
	}.Build()}
	p.findings = codec.Validate(p.built.Document)
	if draft.Amends != uuid.Nil {
		p.built.Problems = append(p.built.Problems, amendProblems(values.AmendReason)...)
	}
	return p, nil
}

// amendProblems validates the reason of an amendment; nil for a valid one.
func amendProblems(reason string) []orderform.Problem {
	if strings.TrimSpace(reason) == "" {
		return []orderform.Problem{{Field: "amendReason", Text: "Explain why you are amending the payment. The checkers will see your reason."}}
	}
	if utf8.RuneCountInString(reason) > views.AmendReasonLimit {
		text := i18n.Text("Shorten the reason to %d characters.").With(views.AmendReasonLimit)
		return []orderform.Problem{{Field: "amendReason", Text: text, Code: "FF01"}}
	}
	if f := payment.CheckReason(reason); f != nil {
		return []orderform.Problem{{Field: "amendReason", Text: f.Text, Code: f.Code}}
	}
	return nil
}

// readFile reads an uploaded order. An order of the previous version is refused from its cut-off date on.
func (v *Request) readFile(content []byte) orderform.File {
	file := orderform.ReadFile(content)
	outdated, ended := orderform.Outdated(file.Message, v.Today(), v.Config.Rules)
	if ended {
		file.Findings = append([]payment.Finding{outdated}, file.Findings...)
	}
	return file
}

// ofFile returns the draft of an order file.
func ofFile(draft store.Draft, file orderform.File) prepared {
	return prepared{draft: draft, source: draft.File, message: file.Message, built: file.BuiltOrder, findings: file.Findings}
}

// preview requests a preview of a draft from the submission service. A draft without a document gets none.
func (v *Request) preview(p prepared) (prepared, error) {
	if p.built.Document == nil {
		return p, nil
	}
	var err error
	p.asked, err = v.Config.Submission.Preview(v.Context(), v.By, p.input())
	p.findings = p.asked.Findings
	return p, err
}

// previewAll is preview for several drafts; it reads their common data once.
func (v *Request) previewAll(made []prepared) error {
	var orders []payment.Order
	var of []int
	for i, p := range made {
		if p.built.Document != nil && p.draft.MessageID == uuid.Nil {
			orders, of = append(orders, p.input()), append(of, i)
		}
	}
	previews, err := v.Config.Submission.PreviewAll(v.Context(), v.By, orders)
	for i, preview := range previews {
		made[of[i]].asked, made[of[i]].findings = preview, preview.Findings
	}
	return err
}

// debtorAccount finds one of the realm's accounts; nil when it has no such account.
func (v *Request) debtorAccount(iban string) (*payment.DebtorAccount, error) {
	if v.accounts == nil {
		var err error
		v.accounts, err = v.Config.Reader.Accounts(v.Context(), v.By.Realm)
		if err != nil {
			return nil, err
		}
	}
	for i := range v.accounts {
		if v.accounts[i].IBAN == iban {
			return &v.accounts[i], nil
		}
	}
	return nil, nil //nolint:nilnil // no such account is an answer, which the service turns into a finding
}

// newDraft makes a draft of a form.
func (v *Request) newDraft(scheme rulebook.Scheme, values orderform.Values) (store.Draft, error) {
	content, err := values.Encode()
	return store.Draft{
		ID: v.Config.NewID(), Scheme: scheme, Answers: content, SavedAt: v.At, ExpiresAt: v.At.Add(DraftLife),
	}, err
}
