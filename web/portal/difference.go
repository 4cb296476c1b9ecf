package portal

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// unusual: an amount of more than so many times the largest payment of before is pointed out.
const unusual = 3

// Differences lists the differences between a payment and earlier ones to its creditor, in words: for the checker to compare, and for the
// maker to see before. A payment still being entered has only its kind, its summary and the id of the amended payment.
func Differences(v *Request, m payment.Message) ([]views.Warning, error) {
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, []payment.Message{m})
	if err != nil {
		return nil, err
	}
	return apart(v, m, news[m.InternalID])
}

// apart are the differences of a payment to whose creditor so much is new.
func apart(v *Request, m payment.Message, news store.CreditorNews) ([]views.Warning, error) {
	past, err := v.Config.Reader.CreditorPast(v.Context(), v.By.Realm, m.Summary, m.InternalID)
	if err != nil {
		return nil, err
	}
	return fromPast(m, news, past, v.At), nil
}

// fromPast compares a payment with the earlier ones to its creditor.
func fromPast(m payment.Message, news store.CreditorNews, past store.CreditorPast, now time.Time) []views.Warning {
	warnings := BeneficiaryWarnings(m, news, now)
	if m.Summary.DebtorAccount == m.Summary.CreditorAccount {
		warnings = append(warnings, views.Warning{
			Title: "Debtor and creditor account are the same", Text: "It would be paid to the account that it is paid from.",
		})
	}
	if past.Payments == 0 {
		return append(warnings, newAccount(m, past))
	}
	if !strings.EqualFold(past.Name, m.Summary.CreditorName) {
		warnings = append(warnings, views.Warning{
			Title: "Another name than before", Text: i18n.Text("The last payment to this account was made out to %s.").With(past.Name),
		})
	}
	if m.Summary.Amount.Minor() > unusual*past.Most.Minor() {
		warnings = append(warnings, views.Warning{
			Title: "Far above the usual amount",
			Text:  i18n.Text("The last %d payments to this account: at most %s.").With(past.Payments, past.Most.Format()),
		})
	}
	return warnings
}

// Cautions returns short warnings for pending payments, by their ids: similar payments, and differences from earlier ones. All are read
// together.
func Cautions(v *Request, of []payment.Message) (map[uuid.UUID][]i18n.Text, error) {
	var paid []payment.Message
	var like []store.Likeness
	for _, m := range of {
		if m.Kind == payment.KindInstruction {
			paid = append(paid, m)
			like = append(like, store.Likeness{Summary: m.Summary, Since: m.CreatedAt.Add(-DuplicateWindow), Except: m.InternalID})
		}
	}
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, paid)
	if err != nil {
		return nil, err
	}
	alike, err := v.Config.Reader.Alike(v.Context(), v.By.Realm, like)
	if err != nil {
		return nil, err
	}
	pasts, err := v.Config.Reader.CreditorPasts(v.Context(), v.By.Realm, paid)
	if err != nil {
		return nil, err
	}
	cautions := map[uuid.UUID][]i18n.Text{}
	for i, m := range paid {
		past, found := pasts[i], news[m.InternalID]
		if found.OtherAccount {
			past.Elsewhere = 1
		}
		if alike[i] > 0 {
			cautions[m.InternalID] = append(cautions[m.InternalID], views.AlikeTitle(alike[i]))
		}
		for _, warning := range fromPast(m, found, past, v.At) {
			cautions[m.InternalID] = append(cautions[m.InternalID], warning.Title)
		}
	}
	return cautions, nil
}

// newAccount says of an account that was not paid before whether its owner was.
func newAccount(m payment.Message, past store.CreditorPast) views.Warning {
	if past.Elsewhere == 0 {
		return views.Warning{Title: "First payment to this account", Text: "Nothing was paid to it before."}
	}
	return views.Warning{
		Title: "First payment to this account: the creditor had another one",
		Text: i18n.Text("%s was paid %d times at %s, at most %s. Ask the creditor on a way you know, not by the invoice.").
			With(m.Summary.CreditorName, past.Elsewhere, ui.GroupFours(past.OtherAccount), past.MaxElsewhere.Format()),
	}
}
