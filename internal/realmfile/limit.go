package realmfile

import (
	"countersign/internal/administration"
	"countersign/internal/rulebook"
	"countersign/internal/store/admin"
)

// SpendingLimit is how much a person (named by a user account), a client or an account may pay.
type SpendingLimit struct {
	LimitOf    string `yaml:"limitOf"`
	Holder     string `yaml:"holder"`
	Currency   string `yaml:"currency"`
	PerPayment string `yaml:"perPayment,omitempty"`
	PerDay     string `yaml:"perDay,omitempty"`
}

// key names the limit among the differences.
func (l SpendingLimit) key() string {
	return "limit of " + l.LimitOf + " " + l.Holder + " in " + l.Currency
}

func limitForm(d admin.LimitDefinition) SpendingLimit {
	values := administration.LimitValues(d.PerPayment, d.PerDay)
	return SpendingLimit{
		LimitOf: string(d.Of), Holder: d.Holder, Currency: d.Currency, PerPayment: values["perPayment"], PerDay: values["perDay"],
	}
}

// limit reads a limit. Whom it binds has to stand in the file as well.
func (d *definer) limit(at string, l SpendingLimit, wanted admin.RealmDefinition) admin.LimitDefinition {
	values := administration.Values{
		"limitOf": l.LimitOf, "holder": l.Holder, "currency": l.Currency, "perPayment": l.PerPayment, "perDay": l.PerDay,
	}
	key := administration.LimitKeyOf(values)
	limit, err := administration.LimitOf(values, at, holderIn(key, wanted))
	d.note(err)
	read := admin.LimitDefinition{Of: limit.Of, Holder: key.Holder, Currency: limit.Currency}
	if limit.PerPayment != nil {
		read.PerPayment = *limit.PerPayment
	}
	if limit.PerDay != nil {
		read.PerDay = *limit.PerDay
	}
	return read
}

// holderIn looks for whom a limit names in the realm that the file describes.
func holderIn(key administration.LimitKey, wanted admin.RealmDefinition) administration.LimitHolder {
	holder := administration.LimitHolder{Key: key.Holder}
	switch key.Of {
	case rulebook.OfPerson:
		for _, person := range wanted.People {
			for _, account := range person.Accounts {
				holder.Found = holder.Found || account.Name == key.Holder
			}
		}
	case rulebook.OfClient:
		for _, client := range wanted.Clients {
			holder.Found = holder.Found || client.ClientID == key.Holder
		}
	case rulebook.OfAccount:
		for _, account := range wanted.DebtorAccounts {
			if account.IBAN == key.Holder {
				holder.Found, holder.Currency = true, account.Currency
			}
		}
	}
	return holder
}
