package records

import (
	"strings"

	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// unusual is how many times the largest payment of before an amount is pointed out from.
const unusual = 3

// differences are what sets a payment apart from what its creditor was paid before, in words: who approves compares with their own eyes
// what is new about it.
func (v *visit) differences(m payment.Message) ([]views.Warning, error) {
	past, err := v.Config.Reader.CreditorPast(v.Context(), v.By.Realm, m.Summary, m.InternalID)
	if err != nil {
		return nil, err
	}
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, []payment.Message{m})
	if err != nil {
		return nil, err
	}
	warnings := page.BeneficiaryWarnings(m, news[m.InternalID], v.At)
	if past.Payments == 0 {
		return append(warnings, newAccount(m, past)), nil
	}
	if !strings.EqualFold(past.Name, m.Summary.CreditorName) {
		warnings = append(warnings, views.Warning{
			Title: "Another name than before", Text: language.Text("The last payment to this account was made out to %s.").With(past.Name),
		})
	}
	if m.Summary.Amount.Minor() > unusual*past.Most.Minor() {
		warnings = append(warnings, views.Warning{
			Title: "Far above the usual amount",
			Text:  language.Text("The last %d payments to this account: at most %s.").With(past.Payments, past.Most.Format()),
		})
	}
	return warnings, nil
}

// Cautions are what the page of a waiting payment warns of, in a few words each: payments like it, and what sets it apart from those of
// before.
func Cautions(v *page.Visit, m payment.Message) ([]language.Text, error) {
	if m.Kind != payment.KindInstruction {
		return nil, nil
	}
	alike, err := (&visit{v}).warnings(m)
	if err != nil {
		return nil, err
	}
	apart, err := (&visit{v}).differences(m)
	cautions := make([]language.Text, 0, len(alike)+len(apart))
	for _, warning := range append(alike, apart...) {
		cautions = append(cautions, warning.Title)
	}
	return cautions, err
}

// newAccount says of an account that was not paid before whether its owner was.
func newAccount(m payment.Message, past lookup.CreditorPast) views.Warning {
	if past.Elsewhere == 0 {
		return views.Warning{Title: "First payment to this account", Text: "Nothing was paid to it before."}
	}
	return views.Warning{
		Title: "First payment to this account: the creditor had another one",
		Text: language.Text("%s was paid %d times at %s, at most %s. Ask the creditor on a way you know, not by the invoice.").
			With(m.Summary.CreditorName, past.Elsewhere, ui.GroupFours(past.OtherAccount), past.MaxElsewhere.Format()),
	}
}
