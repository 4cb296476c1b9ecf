package admin

import (
	"slices"

	"countersign/internal/administration"
	"countersign/internal/payment"
)

// subject is what a form is about, as it is; nothing for what is new. Error: payment.ErrNotFound for a subject that the realm does not
// have; a provider, the realm and a message are looked for when the form comes back.
func (v *visit) subject(kind administration.Kind, subject string) (administration.Values, error) {
	if kind.Creates() || kind == administration.KindLimitSet && subject == "" {
		return administration.Values{}, nil
	}
	switch kind.Noun() {
	case "user":
		users, err := v.station.Users(v.Context(), v.By)
		return valuesOf(users, err, func(u administration.User) bool { return u.Name == subject })
	case "client":
		clients, err := v.station.Clients(v.Context(), v.By)
		return valuesOf(clients, err, func(c administration.Client) bool { return c.ClientID == subject })
	case "account":
		accounts, err := v.station.Accounts(v.Context(), v.By)
		return valuesOf(accounts, err, func(a administration.Account) bool { return a.IBAN == subject })
	case "policy":
		policies, err := v.station.Policies(v.Context(), v.By)
		return valuesOf(policies, err, func(p administration.Policy) bool { return p.ID == subject })
	case "limit":
		limits, err := v.station.Limits(v.Context(), v.By)
		return valuesOf(limits, err, func(l administration.LimitToday) bool { return l.ID == subject })
	}
	return administration.Values{}, nil
}

// valuesOf returns the values of the entry in list for which meant is true. Error: err, or payment.ErrNotFound.
func valuesOf[T interface{ Values() administration.Values }](list []T, err error, meant func(T) bool) (administration.Values, error) {
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, meant)
	if i < 0 {
		return nil, payment.ErrNotFound
	}
	return list[i].Values(), nil
}
