package administration

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Limit is the largest amount in a currency that a person, a client or an account may pay in one payment and on one day. A limit without
// amounts has ended.
type Limit struct {
	ID         string           `field:"limitId"` // "" for one that is not there yet
	Of         rulebook.LimitOf `field:"limitOf"`
	Holder     string           `field:"holder"`      // the id of the person, the id of the client, the IBAN
	HolderName string           `field:"displayName"` // of a person
	Currency   string           `field:"currency"`
	PerPayment *int64           `field:"perPayment"` // minor units; nil for none
	PerDay     *int64           `field:"perDay"`
}

// KindLimitSet makes, changes or clears a limit.
const KindLimitSet Kind = "limit.set"

var limitNoun = Noun{
	Name: "limit", Plural: "limits", Key: "limitId",
	Fields: []Field{
		{Key: "displayName", Label: "Person's name"},
		{Key: "currency", Label: "Currency", Options: []string{"CHF", "EUR"}, None: "Currency of the account"},
		{Key: "limitId", Label: "Limit", Hidden: true},
		{
			Key: "limitOf", Label: "Holder of the limit", Required: true,
			Options: []string{string(rulebook.OfPerson), string(rulebook.OfClient), string(rulebook.OfAccount)},
		},
		{
			Key: "holder", Label: "Name, ID or IBAN", Hint: "A user name, a client ID or an IBAN", Required: true,
			ShownAs: func(limit Values) string { // the person's name says it
				return map[string]string{string(rulebook.OfClient): "holder", string(rulebook.OfAccount): "iban"}[limit["limitOf"]]
			},
		},
		{
			Key: "perPayment", Label: "Limit per payment", Type: TypeAmount, Hint: "For example, 10000.00",
			More: "Limit per payment raised: from %s to %s", Less: "Limit per payment lowered: from %s to %s",
		},
		{
			Key: "perDay", Label: "Limit per day", Type: TypeAmount, Hint: "For example, 50000.00",
			More: "Limit per day raised: from %s to %s", Less: "Limit per day lowered: from %s to %s",
		},
		{Key: "usedToday", Label: "Amount used today", Type: TypeAmount},
	},
	Actions: []Action{{
		Kind: KindLimitSet, Fields: []string{"limitOf", "holder", "currency", "perPayment", "perDay"},
		Clears: []string{"perPayment", "perDay"}, Filled: true, Sets: true,
		Label: "Set limit", Heading: "Set a limit",
		Words: "A payment above the limit is refused when it is entered and when it is approved. A person's limit counts what they enter " +
			"and approve with all their user accounts. A day is a banking day, and every released payment counts, even if it failed. Leave an " +
			"amount empty for no limit. If both amounts are empty, the limit is removed.",
	}},
}

// LimitToday is a limit with the amount used today.
type LimitToday struct {
	Limit

	Used int64 // minor units
}

// Values are the fields of the limit, with usedToday.
func (l LimitToday) Values() Values {
	values := l.Limit.Values()
	if l.PerDay != nil {
		values["usedToday"] = decimals(&l.Used)
	}
	return values
}

// Values are the fields of the limit.
func (l Limit) Values() Values { return ValuesOf(l) }

// LimitHolder is the holder of a limit as the realm stores it: the person of a user account, a client, or an account.
type LimitHolder struct {
	Found    bool
	Key      string // as the limit has it
	Name     string // of a person
	Currency string // of an account; "" for the others
	Person   uuid.UUID
}

// LimitKey names whom a limit is to bind, as its requester does: the holder is the name of a user account, the id of a client, an IBAN.
type LimitKey struct {
	Of       rulebook.LimitOf
	Holder   string
	Currency string
}

// LimitKeyOf reads it from the fields of a request; an IBAN may have spaces.
func LimitKeyOf(values Values) LimitKey {
	k := LimitKey{Of: rulebook.LimitOf(values["limitOf"]), Holder: strings.TrimSpace(values["holder"]), Currency: values["currency"]}
	switch k.Of {
	case rulebook.OfPerson:
		k.Holder = identity.NormaliseName(k.Holder)
	case rulebook.OfAccount:
		iban, err := account.ParseInput(k.Holder)
		if err == nil {
			k.Holder = iban.String()
		}
	case rulebook.OfClient:
	}
	return k
}

// afterLimit sets both amounts of an existing or a new limit. An amount that is left out is removed.
func (r Request) afterLimit(known Facts) (Values, error) {
	if !known.Found {
		holder, _ := known.Own.(LimitHolder)
		after, err := LimitOf(r.Values, valuesPrefix, holder)
		f := &findings{prefix: valuesPrefix}
		f.join(err)
		after.ID = r.ID.String()
		if r.Subject != "" && r.Subject != after.ID {
			f.add("subject", codeUnknown, "Enter the ID of an existing limit as the subject, or leave the subject empty and enter "+
				"the holder of the limit.")
		}
		return after.Values(), f.err()
	}
	f := &findings{prefix: valuesPrefix}
	var after Limit
	Fill(&after, r.Values)
	f.limitAmounts(r.Values, after)
	if r.Subject != "" && r.Subject != known.Before["limitId"] && r.Subject != r.ID.String() {
		f.add("subject", codeUnknown, "Leave the subject empty. It identifies a different limit from the one described by the other values.")
	}
	for _, field := range []string{"limitOf", "holder", "currency"} {
		if r.Values["limitOf"] == "" && r.Values[field] != "" {
			f.add(field, "CH17", "Leave this field empty. The subject already identifies the limit.")
		}
	}
	amounts := after.Values()
	return known.Before.with(Values{"perPayment": amounts["perPayment"], "perDay": amounts["perDay"]}), f.err()
}

// LimitOf reads a new limit from its fields, of a holder as the realm knows it. Error: iso20022.FieldError.
func LimitOf(values Values, prefix string, holder LimitHolder) (Limit, error) {
	f, l := &findings{prefix: prefix}, Limit{}
	Fill(&l, values)
	f.limitHolder(values, holder, &l)
	f.limitAmounts(values, l)
	if l.PerPayment == nil && l.PerDay == nil {
		f.add("perDay", codeMissing, "Enter a limit per payment, a limit per day, or both.")
	}
	return l, f.err()
}

// limitAmounts checks the amounts of a limit.
func (f *findings) limitAmounts(values Values, l Limit) {
	f.check(&limitNoun, values)
	positive := func(field string, amount *int64) {
		if amount != nil && *amount == 0 {
			f.add(field, codeFormat, "Enter %s as an amount above zero, or leave the field empty for no limit.", label(field))
		}
	}
	positive("perPayment", l.PerPayment)
	positive("perDay", l.PerDay)
	if l.PerPayment != nil && l.PerDay != nil && *l.PerPayment > *l.PerDay {
		f.add("perPayment", codeFormat, "Enter a limit per payment that is not higher than the limit per day.")
	}
}

// limitHolder checks whom a new limit is to bind.
func (f *findings) limitHolder(values Values, holder LimitHolder, after *Limit) {
	after.Holder, after.HolderName = holder.Key, holder.Name
	switch {
	case after.Of == "":
		f.add("limitOf", codeMissing, "Choose the holder of the limit: %s.", strings.Join(limitNoun.Field("limitOf").Options, ", "))
	case values["holder"] == "":
		f.add("holder", codeMissing, "Enter the holder of the limit: a user name, a client ID or an IBAN.")
	case !holder.Found:
		f.add("holder", codeUnknown, "Check the holder of the limit. The %s that you entered does not exist in this "+
			"realm.", i18n.Kept(string(after.Of)))
	}
	if after.Currency == "" {
		after.Currency = holder.Currency
	}
	switch {
	case after.Currency == "":
		f.add("currency", codeMissing, "Enter the currency, such as CHF.")
	case holder.Currency != "" && after.Currency != holder.Currency:
		f.add("currency", codeUnknown, "Leave the currency empty. The currency of the account is %s.", holder.Currency)
	}
}

// Words describe the amounts of a limit: "CHF 10'000.00 at a time, CHF 50'000.00 a day".
func (l Limit) Words() i18n.Text {
	var parts []i18n.Text
	for _, part := range []struct {
		minor *int64
		text  i18n.Text
	}{{l.PerPayment, "%s per payment"}, {l.PerDay, "%s per day"}} {
		if part.minor == nil {
			continue
		}
		amount, err := money.FromMinor(money.Currency(l.Currency), *part.minor)
		if err == nil {
			parts = append(parts, part.text.With(amount.Format()))
		}
	}
	if len(parts) == 0 {
		return "no limit (limit removed)"
	}
	return i18n.Join(", ", parts...)
}
