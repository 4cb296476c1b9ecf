package portal

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// showOutlook renders the preview of a payment form while it is typed. It stores nothing.
func showOutlook(v *Request, form url.Values) error {
	var amends uuid.UUID
	if named := v.Echo.QueryParam("amends"); named != "" {
		id, err := uuid.Parse(named)
		if err != nil {
			return payment.ErrNotFound
		}
		amends = id
	}
	so, err := v.outlook(SchemeOf(form.Get("scheme")), typed(form), amends)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.OutlookSays(so))
}

// outlook returns the preview of a form: the payment as far as it can be read, and the results of the checks. An empty form is not checked.
func (v *Request) outlook(scheme rulebook.Scheme, values orderform.Values, amends uuid.UUID) (views.Outlook, error) {
	profile, _ := scheme.Profile()
	so := views.Outlook{Amount: ui.Amount{Currency: string(profile.Currency)}}
	if values.Amount+values.CreditorIBAN+values.CreditorName == "" {
		so.Marks = []views.Mark{
			open("The creditor's bank"), open("Limit"), open("Similar payments"), open("Earlier payments to the creditor"),
			open("Missing information"), open("Checkers"),
		}
		return so, nil
	}
	amount, err := money.ParseInput(profile.Currency, values.Amount)
	if err == nil {
		so.Amount = ui.AmountOf(amount)
	}
	iban, err := account.ParseInput(values.CreditorIBAN)
	if err == nil {
		so.Account = iban.Grouped()
	}
	draft, err := v.newDraft(scheme, values)
	if err != nil {
		return so, err
	}
	draft.Amends = amends
	p, err := v.prepareDraft(draft)
	if err != nil {
		return so, err
	}
	if _, tx, _ := p.built.Document.SinglePayment(); tx != nil && tx.Creditor != nil {
		so.CreditorName = tx.Creditor.Name // as it will be sent
	}
	problems := problemsOf(p.built.Problems, p.findings, values)
	alike, apart, err := v.pastMarks(p, problems)
	if err != nil {
		return so, err
	}
	approvers, err := v.approverMark(p, so.Amount.Value != "")
	if err != nil {
		return so, err
	}
	so.Marks = []views.Mark{bankMark(iban, p, problems), limitMark(p, problems), alike, apart, restMark(p, problems), approvers}
	return so, nil
}

// amended returns the submission that a form amends; zero for a new payment.
func amended(model views.NewPayment) uuid.UUID {
	if model.Amending == nil {
		return uuid.Nil
	}
	id, _ := uuid.Parse(model.Amending.ID) // written by us
	return id
}

// open returns the mark of a check that cannot run yet.
func open(text i18n.Text) views.Mark { return views.Mark{Tone: ui.ToneClosed, Text: text} }

// wrong returns the mark of a field with a problem; ok is false without one.
func wrong(problems []ui.Problem, field string) (views.Mark, bool) {
	problem := ui.ProblemOf(problems, field)
	return views.Mark{Tone: ui.ToneBad, Text: problem.Text}, problem.Text != ""
}

// bankMark names the bank of the creditor's account, or says why the account cannot be paid.
func bankMark(iban account.IBAN, p prepared, problems []ui.Problem) views.Mark {
	if p.values.CreditorIBAN == "" {
		return open("The creditor's bank")
	}
	if mark, is := wrong(problems, "creditorIban"); is {
		return mark
	}
	known := describeIBAN(iban, p.draft.Scheme)
	if known.Bank == "" {
		return views.Mark{Tone: ui.ToneGood, Text: i18n.Text("Account held in %s").With(known.Country)}
	}
	return views.Mark{Tone: ui.ToneGood, Text: i18n.Text("Account held at %s").With(known.Bank)}
}

// limitMark returns the mark of the limit check.
func limitMark(p prepared, problems []ui.Problem) views.Mark {
	if p.values.Amount == "" {
		return open("Limit")
	}
	if mark, is := wrong(problems, "amount"); is {
		return mark
	}
	return views.Mark{Tone: ui.ToneGood, Text: i18n.Text("%s instant payment, within the limit").With(ui.SchemeLabel(string(p.draft.Scheme)))}
}

// restMark names the fields that are missing or invalid, besides the account and the amount.
func restMark(p prepared, problems []ui.Problem) views.Mark {
	var names []i18n.Text
	for _, f := range p.values.Fields() {
		if f.Label != "" && f.Name != "creditorIban" && f.Name != "amount" && ui.ProblemOf(problems, f.Name).Text != "" {
			names = append(names, i18n.Kept(f.Label))
		}
	}
	if len(names) > 0 {
		return open(i18n.Text("Still to be completed or corrected: %s").With(i18n.Join(", ", names...)))
	}
	for _, problem := range problems {
		if problem.Field != "creditorIban" && problem.Field != "amount" {
			return open(problem.Text) // of no field of the payment: why it is amended
		}
	}
	if len(problems) > 0 {
		return open("Missing information")
	}
	return views.Mark{Tone: ui.ToneGood, Text: "No information is missing"}
}

// pastMarks reports similar payments of the last days, and differences from earlier payments to the creditor, in the words that its
// checkers will read.
func (v *Request) pastMarks(p prepared, problems []ui.Problem) (alike, apart views.Mark, err error) {
	alike, apart = open("Similar payments"), open("Earlier payments to the creditor")
	summary, err := payment.SummaryOf(p.built.Document)
	incomplete := slices.ContainsFunc(problems, func(p ui.Problem) bool { return p.Field == "amount" || p.Field == "creditorIban" })
	if err != nil || incomplete {
		return alike, apart, nil //nolint:nilerr // a form without an amount or an account has no like yet
	}
	hits, _, err := v.duplicates(p, summary)
	if err != nil {
		return alike, apart, err
	}
	alike = views.Mark{Tone: ui.ToneGood, Text: "No similar payment in the last 7 days"}
	if len(hits) > 0 {
		alike = views.Mark{Tone: ui.ToneWaiting, URL: hits[0].URL, Text: views.AlikeTitle(len(hits))}
	}
	if summary.CreditorName == "" {
		return alike, apart, nil
	}
	warnings, err := v.differences(p, summary)
	apart = views.Mark{Tone: ui.ToneGood, Text: "Same details as in earlier payments"}
	if len(warnings) > 0 {
		said := make([]i18n.Text, 0, len(warnings))
		for _, w := range warnings {
			said = append(said, i18n.Text("%s: %s").With(w.Title, w.Text))
		}
		apart = views.Mark{Tone: ui.ToneWaiting, Text: i18n.Join(" ", said...)}
	}
	return alike, apart, err
}

// differences returns the differences between a payment and earlier ones to its creditor, without the amended payment. A typed name may
// hold characters that no stored text has; they are removed.
func (v *Request) differences(p prepared, summary payment.Summary) ([]views.Warning, error) {
	summary.CreditorName = Searchable(summary.CreditorName)
	m := payment.Message{Kind: payment.KindInstruction, InternalID: p.draft.Amends, Summary: summary}
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, []payment.Message{m})
	if err != nil {
		return nil, err
	}
	return fromPast(m, news[m.InternalID], v.At), nil
}

// approverMark names the number of approvals, the possible approvers, and the time until expiry. The policy depends on the amount.
func (v *Request) approverMark(p prepared, priced bool) (views.Mark, error) {
	if !priced {
		return open("Checkers"), nil
	}
	needed := p.asked.ApprovalsRequired
	if needed == 0 {
		return views.Mark{Tone: ui.ToneMoving, Text: "Sent immediately, without approval"}, nil
	}
	names, err := v.approvers(p)
	if err != nil {
		return views.Mark{}, err
	}
	if len(names) < needed {
		return views.Mark{Tone: ui.ToneWaiting, Text: "Too few people can approve this payment"}, nil
	}
	return views.Mark{
		Tone: ui.ToneMoving, Text: i18n.Text("%d approvals needed within %s. People who can approve: %s").
			With(needed, Span(p.asked.PendingFor), shortened(names)),
	}, nil
}
