package administrator

import (
	"slices"

	"countersign/internal/administration"
	"countersign/internal/payment"
)

// isThere tells whether the realm has what a form is about. Error: payment.ErrNotFound for a subject that it does not have; a provider, the
// realm and a message are looked for when the form comes back.
func (v *visit) isThere(kind administration.Kind, subject string) error {
	if kind.Creates() || kind == administration.KindLimitSet && subject == "" {
		return nil
	}
	var names []string
	var err error
	switch kind.Noun() {
	case "user":
		var users []administration.User
		users, err = v.station.Users(v.Context(), v.By)
		names = namesOf(users, func(u administration.User) string { return u.Name })
	case "client":
		var clients []administration.Client
		clients, err = v.station.Clients(v.Context(), v.By)
		names = namesOf(clients, func(c administration.Client) string { return c.ClientID })
	case "account":
		var accounts []administration.Account
		accounts, err = v.station.Accounts(v.Context(), v.By)
		names = namesOf(accounts, func(a administration.Account) string { return a.IBAN })
	case "policy":
		var policies []administration.Policy
		policies, err = v.station.Policies(v.Context(), v.By)
		names = namesOf(policies, func(p administration.Policy) string { return p.ID })
	case "limit":
		var limits []administration.LimitToday
		limits, err = v.station.Limits(v.Context(), v.By)
		names = namesOf(limits, func(l administration.LimitToday) string { return l.ID })
	default:
		return nil
	}
	if err == nil && !slices.Contains(names, subject) {
		err = payment.ErrNotFound
	}
	return err
}

// namesOf are what the subjects of a list are called in addresses.
func namesOf[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = name(one)
	}
	return names
}
