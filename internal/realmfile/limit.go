package realmfile

import (
	"countersign/internal/administration"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// SpendingLimit limits the payments of a person (named by a user account), a client or an account.
type SpendingLimit struct {
	LimitOf    string `yaml:"limitOf" field:"limitOf"`
	Holder     string `yaml:"holder" field:"holder"`
	Currency   string `yaml:"currency" field:"currency"`
	PerPayment string `yaml:"perPayment,omitempty" field:"perPayment"`
	PerDay     string `yaml:"perDay,omitempty" field:"perDay"`
}

// key names the limit among the differences.
func (l SpendingLimit) key() string {
	return "limit of " + l.LimitOf + " " + l.Holder + " in " + l.Currency
}

// limit reads a limit. Its holder has to stand in the file as well.
func (d *definer) limit(at string, l SpendingLimit, wanted store.RealmDefinition) administration.Limit {
	values := administration.ValuesOf(l)
	read, err := administration.LimitOf(values, at, holderIn(administration.LimitKeyOf(values), wanted))
	d.note(err)
	return read
}

// holderIn finds the holder of a limit in the realm that the file describes.
func holderIn(key administration.LimitKey, wanted store.RealmDefinition) administration.LimitHolder {
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
