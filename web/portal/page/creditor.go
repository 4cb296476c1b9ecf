package page

import (
	"time"

	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
)

// YoungBeneficiary is how long a beneficiary, or its account, counts as new.
const YoungBeneficiary = 7 * 24 * time.Hour

// CreditorFlags are the marks of a payment in lists that say what is new about its creditor.
func CreditorFlags(news lookup.CreditorNews, now time.Time) []views.QueueFlag {
	var flags []views.QueueFlag
	switch {
	case young(news.AccountChangedAt, now):
		flags = append(flags, views.QueueFlag{
			Text: "Changed bank", Title: "The beneficiary has this account since " + ui.DateTime(news.AccountChangedAt),
		})
	case news.OtherAccount:
		flags = append(flags, views.QueueFlag{Text: "Changed bank", Title: "The creditor was paid at another account before"})
	}
	if young(news.AddedAt, now) {
		flags = append(flags, views.QueueFlag{Text: "New beneficiary", Title: "Taken into the list at " + ui.DateTime(news.AddedAt)})
	}
	if news.First {
		flags = append(flags, views.QueueFlag{Text: "First payment", Title: "Nothing was paid to this account before"})
	}
	return flags
}

// BeneficiaryWarnings say on the page of a waiting payment what is new about its beneficiary.
func BeneficiaryWarnings(m payment.Message, news lookup.CreditorNews, now time.Time) []views.Warning {
	var warnings []views.Warning
	if young(news.AccountChangedAt, now) {
		warnings = append(warnings, views.Warning{
			Title: "The beneficiary changed its bank",
			Text: "The account became this one at " + ui.DateTime(news.AccountChangedAt) + "; it was " + ui.GroupFours(news.EarlierIBAN) +
				" before. Two people agreed on it.",
		})
	}
	if young(news.AddedAt, now) {
		warnings = append(warnings, views.Warning{
			Title: "New beneficiary",
			Text:  m.Summary.CreditorName + " is in the list since " + ui.DateTime(news.AddedAt) + ". Two people agreed on it.",
		})
	}
	return warnings
}

func young(since, now time.Time) bool { return !since.IsZero() && now.Sub(since) < YoungBeneficiary }
