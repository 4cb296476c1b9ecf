package portal

import (
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/submission"
	"countersign/views"
	"countersign/views/ui"
)

// draftLife is how long a draft waits for its submission.
const draftLife = 24 * time.Hour

// prepared is a draft ready for a station: its document and what was found wrong in it.
type prepared struct {
	draft    store.Draft
	answers  answers
	made     made
	source   []byte // of an uploaded file
	preview  submission.Preview
	findings []payment.Finding
}

// fine reports whether nothing is wrong.
func (p prepared) fine() bool { return len(p.made.problems) == 0 && len(p.findings) == 0 }

// input is what the submission station takes. The draft's key is the externalId: a form sent twice makes one payment.
func (p prepared) input() submission.Input {
	in := submission.Input{Scheme: p.draft.Scheme, ExternalID: p.draft.ID.String(), Document: p.made.document}
	if len(p.source) > 0 {
		in.Source, in.SourceType = p.source, "application/xml"
	}
	return in
}

// prepare builds the document of a draft and has the submission station check it.
func (v *visit) prepareDraft(draft store.Draft) (prepared, error) {
	a, err := answersOf(draft)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{draft: draft, answers: a}
	if len(draft.File) > 0 {
		file := readFile(draft.File)
		p.source, p.made, p.findings = draft.File, file.made, file.findings
		if file.document == nil {
			return p, nil
		}
	} else {
		account, err := v.debtorAccount(a.Values.DebtorAccount)
		if err != nil {
			return prepared{}, err
		}
		p.made = order{
			draft: draft.ID, scheme: draft.Scheme, values: a.Values, account: account, at: draft.SavedAt, today: v.today(),
		}.document()
		p.findings = iso20022.Validate(p.made.document)
	}
	if reason := strings.TrimSpace(a.Values.AmendReason); reason != "" {
		if f := payment.CheckReason(reason); f != nil {
			p.made.problems = append(p.made.problems, ui.Problem{Field: "amendReason", Text: f.Text, Code: f.Code})
		}
	}
	p.preview, err = v.cfg.Submission.Preview(v.ctx(), v.by, p.input())
	if err != nil {
		return prepared{}, err
	}
	p.findings = addFindings(p.findings, p.preview.Findings)
	return p, nil
}

// addFindings adds the findings of rules to those of the structure. Where the structure is broken the rules have nothing to add.
func addFindings(structural, rules []payment.Finding) []payment.Finding {
	all := structural
	for _, f := range rules {
		known := false
		for _, s := range structural {
			known = known || s.Pointer == f.Pointer
		}
		if !known {
			all = append(all, f)
		}
	}
	return all
}

// today is the moment in the zone of the banking day.
func (v *visit) today() time.Time { return v.at.In(v.cfg.Zone) }

// debtorAccount finds one of the realm's accounts; nil when it has no such account.
func (v *visit) debtorAccount(iban string) (*payment.DebtorAccount, error) {
	accounts, err := v.cfg.Reader.Accounts(v.ctx(), v.by.Realm)
	if err != nil {
		return nil, err
	}
	for i := range accounts {
		if accounts[i].IBAN == iban {
			return &accounts[i], nil
		}
	}
	return nil, nil //nolint:nilnil // no such account is an answer, which the station turns into a finding
}

// newDraft makes a draft of a form.
func (v *visit) newDraft(scheme rulebook.Scheme, values views.PaymentValues) (store.Draft, error) {
	content, err := answers{Values: values}.encode()
	return store.Draft{
		ID: v.cfg.NewID(), Scheme: scheme, Answers: content, SavedAt: v.at, ExpiresAt: v.at.Add(draftLife),
	}, err
}

// openDraft loads the draft the path names; it is the visitor's own or does not exist.
func (v *visit) openDraft() (store.Draft, error) {
	id, err := v.id("id")
	if err != nil {
		return store.Draft{}, err
	}
	return v.cfg.Drafts.Get(v.ctx(), v.by, id, v.at)
}
