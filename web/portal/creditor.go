package portal

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// YoungBeneficiary is the age below which a beneficiary or its account counts as new.
const YoungBeneficiary = 7 * 24 * time.Hour

// BeneficiaryWarnings returns the warnings about a new beneficiary for the page of a waiting payment.
func BeneficiaryWarnings(m payment.Message, news store.CreditorNews, now time.Time) []views.Warning {
	var warnings []views.Warning
	if young(news.AccountChangedAt, now) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Changed bank"},
			Title: "The beneficiary changed its bank",
			Text: i18n.Text("The account was changed at %s; it was %s before. Two people approved the change.").
				With(ui.DateTime(news.AccountChangedAt), ui.GroupFours(news.EarlierIBAN)),
		})
	}
	if young(news.AddedAt, now) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"New beneficiary"},
			Title: "New beneficiary",
			Text: i18n.Text("%s has been in the list since %s. Two people approved it.").
				With(news.ListedName, ui.DateTime(news.AddedAt)),
		})
	}
	if news.FormerName != "" {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Former beneficiary"},
			Title: "No longer an account of a beneficiary",
			Text: i18n.Text("Two people removed %s or gave it another account. Check with the creditor through a contact you already know.").
				With(news.FormerName),
		})
	}
	if namedOtherwise(m, news) {
		warnings = append(warnings, views.Warning{
			Flags: []i18n.Text{"Other name than listed"},
			Title: "Other name than listed",
			Text: i18n.Text("In the list of beneficiaries, this account has the name %s. Two people approved that name, not this one.").
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
