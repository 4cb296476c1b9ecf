package portal

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// unusual is the factor above the largest earlier payment from which an amount is marked.
const unusual = 3

// contentVersion is one version of a message.
type contentVersion struct {
	id     uuid.UUID
	number int
}

func versionOf(m payment.Message) contentVersion { return contentVersion{m.InternalID, m.Version} }

// fromPast compares a payment with the earlier ones to its creditor.
func fromPast(m payment.Message, news store.CreditorNews, now time.Time) []views.Warning {
	past := news.Past
	warnings := BeneficiaryWarnings(m, news, now)
	if m.Summary.DebtorAccount == m.Summary.CreditorAccount {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Same account"},
			Title: "The debtor and creditor accounts are the same", Text: "The payment would debit and credit the same account.",
		})
	}
	if past.Payments == 0 {
		return append(warnings, newAccount(m, past))
	}
	if m.Payee.Result != payee.Match && !namedOtherwise(m, news) && !strings.EqualFold(past.Name, m.Summary.CreditorName) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"New name"},
			Title: "New name for this account", Text: i18n.Text("The last payment to this account was in the name of %s.").With(past.Name),
		})
	}
	if m.Summary.Amount.Minor() > unusual*past.Most.Minor() {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Unusual amount"},
			Title: "Far above the usual amount",
			Text:  i18n.Text("None of the last %d payments to this account was more than %s.").With(past.Payments, past.Most.Format()),
		})
	}
	return warnings
}

// Warnings returns what to look at before a decision about each of several pending messages, by their ids: the verification of the payee,
// similar payments, and differences from earlier ones. All are read together, each version once. A message of another kind than a payment
// order has none. Limits of a later day are not among them: see cautions.
func Warnings(v *Request, of []payment.Message) (map[uuid.UUID][]views.Warning, error) {
	warnings := make(map[uuid.UUID][]views.Warning, len(of))
	var paid []payment.Message
	for _, m := range of {
		list, known := v.listed[versionOf(m)]
		warnings[m.InternalID] = list
		if !known && m.Kind == payment.KindInstruction && m.State.Pending() && m.Withheld == "" {
			paid = append(paid, m)
		}
	}
	news, err := v.Config.Reader.CreditorNews(v.Context(), v.By.Realm, paid)
	if err != nil {
		return nil, err
	}
	rejected, err := v.rejections(paid...)
	if err != nil {
		return nil, err
	}
	if v.listed == nil {
		v.listed = map[contentVersion][]views.Warning{}
	}
	for _, m := range paid {
		list := append(rejected[m.InternalID], views.PayeeWarning(m.Payee)...)
		if alike := news[m.InternalID].Alike; alike > 0 {
			list = append(list, views.AlikeWarning(alike))
		}
		list = append(list, fromPast(m, news[m.InternalID], v.At)...)
		list = slices.Clip(list) // callers append to it
		warnings[m.InternalID], v.listed[versionOf(m)] = list, list
	}
	return warnings, nil
}

// cautions returns the warnings that a checker confirms to approve each of several messages, by their ids: Warnings, and the limits that
// other payments of its later day use up.
func (v *Request) cautions(of []payment.Message) (map[uuid.UUID][]views.Warning, error) {
	warnings, err := Warnings(v, of)
	if err != nil {
		return nil, err
	}
	later := slices.DeleteFunc(slices.Clone(of), func(m payment.Message) bool { return !m.IsForLaterThan(v.At) || m.MayDecide(v.By) != nil })
	contexts, err := v.Config.Approval.Contexts(v.Context(), v.By, later)
	for i, m := range later {
		for _, l := range contexts[i].Limits {
			warnings[m.InternalID] = append(warnings[m.InternalID], overbooked(l.Overbooked(m.Summary.Amount))...)
		}
	}
	return warnings, err
}

// rejections warns of payments that correct a rejected one, by their ids, with the reason of the rejection.
func (v *Request) rejections(list ...payment.Message) (map[uuid.UUID][]views.Warning, error) {
	warnings := map[uuid.UUID][]views.Warning{}
	before, err := v.corrects(list...)
	if err != nil || len(before) == 0 {
		return warnings, err
	}
	var ids []uuid.UUID
	for _, rejected := range before {
		ids = append(ids, rejected[0].InternalID)
	}
	found, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, ids)
	for id, rejected := range before {
		at := slices.IndexFunc(found, func(m payment.Message) bool { return m.InternalID == rejected[0].InternalID })
		if at >= 0 {
			warnings[id] = []views.Warning{{
				Flags: []i18n.Text{"Correction"},
				Title: i18n.Text("Correction of payment %s (%s)").With(string(found[at].GlobalID), ui.StateLabel(found[at].State)),
				Text:  views.StatusReason(found[at]),
			}}
		}
	}
	return warnings, err
}

// newAccount warns about an account that was not paid before, and says whether its owner was.
func newAccount(m payment.Message, past store.CreditorPast) views.Warning {
	if past.Elsewhere == 0 {
		return views.Warning{
			Flags: []i18n.Text{"First payment"}, Title: "First payment to this account", Text: "Nothing has been paid to this account before.",
		}
	}
	return views.Warning{
		Flags: []i18n.Text{"Bank changed", "First payment"},
		Title: "First payment to a new account of this creditor",
		Text: i18n.Text("%s received %d payments to the account %s (at most %s each). Confirm the account with the creditor, using contact "+
			"details you already have and not those on the invoice.").
			With(m.Summary.CreditorName, past.Elsewhere, ui.GroupFours(past.OtherAccount), past.MaxElsewhere.Format()),
	}
}
