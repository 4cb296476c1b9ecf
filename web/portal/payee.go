package portal

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// payeeOf returns the payee verification of a draft.
func (v *Request) payeeOf(p prepared) (payee.Verification, error) {
	return v.Config.Submission.Payee(v.Context(), v.By, p.draft.Amends, p.input())
}

// payeeView returns the view of a verification. A form can take over the name of the account; a file must be corrected at its source.
func payeeView(p prepared, found payee.Verification) *views.Payee {
	view := views.PayeeView(found)
	if view != nil && len(p.draft.File) == 0 {
		view.UseURL = "/payments/" + p.draft.ID.String() + "/payee"
	}
	return view
}

// usePayee copies the name that the payee's bank answered into the form, and shows the check page again.
func usePayee(v *Request, draft store.Draft) error {
	other, err := FormOf(draft)
	if err != nil {
		return err
	}
	if other != "" || len(draft.File) > 0 || draft.MessageID != uuid.Nil {
		return payment.ErrNotFound
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseDraft(p)
	}
	found, err := v.payeeOf(p)
	if err != nil {
		return err
	}
	if found.Result == payee.CloseMatch {
		p.values.CreditorName = found.MatchedName
		err = v.saveAnswers(draft.ID, p)
	}
	if err != nil {
		return err
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", "")
}

// saveAnswers stores changed answers of a draft. The check page shows the problems, as for any draft.
func (v *Request) saveAnswers(id uuid.UUID, p prepared) error {
	changed, err := v.newDraft(p.draft.Scheme, p.values)
	if err != nil {
		return err
	}
	changed.ID, changed.Amends, changed.AmendsVersion = id, p.draft.Amends, p.draft.AmendsVersion
	return v.Config.Drafts.Save(v.Context(), v.By, changed)
}

// stopAtPayee renders the check page again when the payee verification differs from the one that the maker saw. The next submission passes.
func (v *Request) stopAtPayee(p prepared, form url.Values) (stopped bool, err error) {
	found, err := v.payeeOf(p)
	if err != nil || !found.Warns() || form.Get(views.FieldPayee) == string(found.Result) {
		return false, err
	}
	return true, v.GoTo("/payments/"+p.draft.ID.String()+"/check", "")
}

// YoungBeneficiary is the age below which a beneficiary or its account counts as new.
const YoungBeneficiary = 7 * 24 * time.Hour

// BeneficiaryWarnings returns the warnings about a new beneficiary for the page of a waiting payment.
func BeneficiaryWarnings(m payment.Message, news store.CreditorNews, now time.Time) []views.Warning {
	var warnings []views.Warning
	if young(news.AccountChangedAt, now) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Bank changed"},
			Title: "The beneficiary has changed banks",
			Text: i18n.Text("The account was changed on %s. The previous account was %s. Two people approved the change.").
				With(ui.DateTime(news.AccountChangedAt), ui.GroupFours(news.EarlierIBAN)),
		})
	}
	if young(news.AddedAt, now) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"New beneficiary"},
			Title: "New beneficiary",
			Text: i18n.Text("%s has been on the list of beneficiaries since %s. Two people approved the entry.").
				With(news.ListedName, ui.DateTime(news.AddedAt)),
		})
	}
	if news.FormerName != "" {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Former beneficiary"},
			Title: "This account is no longer on the list of beneficiaries",
			Text: i18n.Text("Two people removed %s from the list of beneficiaries or changed the account in the list. Confirm the account " +
				"with the creditor, using contact details you already have.").
				With(news.FormerName),
		})
	}
	if namedOtherwise(m, news) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Name differs from beneficiary list"},
			Title: "Name differs from beneficiary list",
			Text: i18n.Text("In the list of beneficiaries, this account is in the name of %s. Two people approved that name, not the name in " +
				"this payment.").
				With(news.ListedName),
		})
	}
	return warnings
}

// namedOtherwise reports whether a payment names the owner of a listed account differently from the list: two people agreed on account and
// name together.
func namedOtherwise(m payment.Message, news store.CreditorNews) bool {
	return news.ListedName != "" && !identity.SameName(news.ListedName, m.Summary.CreditorName)
}

func young(since, now time.Time) bool { return !since.IsZero() && now.Sub(since) < YoungBeneficiary }
