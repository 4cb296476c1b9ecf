package administration

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Limit is how much a person, a client or an account may pay in a currency, at a time and on one day. One without amounts was taken away.
type Limit struct {
	ID         string // "" for one that is not there yet
	Of         rulebook.LimitOf
	Holder     string // the id of the person, the id of the client, the IBAN
	HolderName string // of a person
	Currency   string
	PerPayment *int64 // minor units; nil for none
	PerDay     *int64
}

// LimitToday is a limit with what is used of its daily amount today.
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
func (l Limit) Values() Values {
	return Values{
		"limitId": l.ID, "limitOf": string(l.Of), "holder": l.Holder, "displayName": l.HolderName, "currency": l.Currency,
		"perPayment": decimals(l.PerPayment), "perDay": decimals(l.PerDay),
	}.Compact()
}

// LimitsOf are the kinds of holders, as a field has them.
func LimitsOf() []string {
	return []string{string(rulebook.OfPerson), string(rulebook.OfClient), string(rulebook.OfAccount)}
}

// LimitHolder is what a realm knows of whom a limit is to bind: the person of a user account, a client, an account.
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

// limitKeyFields name whom a limit binds; they are fixed once it is there.
var limitKeyFields = []string{"limitOf", "holder", "currency"}

// afterLimit sets the amounts of a limit, of one that is there or of a new one. Both amounts are said each time: what is left out is taken
// away.
func (r Request) afterLimit(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	after := f.limitAmounts(r.Values)
	if known.Found {
		if r.Subject != "" && r.Subject != known.Before["limitId"] && r.Subject != r.ID.String() {
			f.add("subject", codeUnknown, "Leave the subject out: it is another limit than the one of whom the values name.")
		}
		for _, field := range limitKeyFields {
			if r.Values["limitOf"] == "" && r.Values[field] != "" {
				f.add(field, "CH17", "Leave this out: the subject names the limit.")
			}
		}
		amounts := after.Values()
		return known.Before.with(Values{"perPayment": amounts["perPayment"], "perDay": amounts["perDay"]}), f.err()
	}
	after, err := LimitOf(r.Values, valuesPrefix, known.LimitHolder)
	after.ID = r.ID.String()
	f.list = nil // told by LimitOf as well
	f.join(err)
	if r.Subject != "" && r.Subject != r.ID.String() {
		f.add("subject", codeUnknown, "Name a limit by its id, or leave the subject out and say whom the limit binds.")
	}
	return after.Values(), f.err()
}

// LimitOf reads a new limit from its fields, of a holder as the realm knows it. Error: payment.FieldError.
func LimitOf(values Values, prefix string, holder LimitHolder) (Limit, error) {
	f := &findings{prefix: prefix}
	l := f.limitAmounts(values)
	l.Currency = values["currency"]
	f.limitHolder(values, holder, &l)
	if l.PerPayment == nil && l.PerDay == nil {
		f.add("perDay", codeMissing, "Enter an amount at a time, one a day, or both.")
	}
	return l, f.err()
}

// limitAmounts reads the amounts of a limit.
func (f *findings) limitAmounts(values Values) Limit {
	l := Limit{PerPayment: f.amount("perPayment", values["perPayment"]), PerDay: f.amount("perDay", values["perDay"])}
	for _, one := range []struct {
		field  string
		amount *int64
	}{{"perPayment", l.PerPayment}, {"perDay", l.PerDay}} {
		if one.amount != nil && *one.amount == 0 {
			f.add(one.field, codeFormat, "Enter %s above zero, or leave it out for none.", label(one.field))
		}
	}
	if l.PerPayment != nil && l.PerDay != nil && *l.PerPayment > *l.PerDay {
		f.add("perPayment", codeFormat, "Enter an amount at a time that is not above that of a day.")
	}
	return l
}

// LimitValues are the amounts of a limit as fields; 0 for none.
func LimitValues(perPayment, perDay int64) Values {
	l := Limit{}
	if perPayment > 0 {
		l.PerPayment = &perPayment
	}
	if perDay > 0 {
		l.PerDay = &perDay
	}
	return l.Values()
}

// limitHolder checks whom a new limit is to bind.
func (f *findings) limitHolder(values Values, holder LimitHolder, after *Limit) {
	after.Of, after.Holder, after.HolderName = rulebook.LimitOf(values["limitOf"]), holder.Key, holder.Name
	switch {
	case after.Of == "":
		f.add("limitOf", codeMissing, "Choose whom the limit binds: %s.", strings.Join(LimitsOf(), ", "))
	case values["holder"] == "":
		f.add("holder", codeMissing, "Name whom the limit binds: a user name, a client's id, or an IBAN.")
	case !holder.Found:
		f.add("holder", codeUnknown, "Name somebody or something of this realm: there is no such %s.", after.Of)
	}
	f.oneOf("limitOf", string(after.Of), LimitsOf()...)
	if after.Currency == "" {
		after.Currency = holder.Currency
	}
	switch {
	case after.Currency == "":
		f.add("currency", codeMissing, "Enter the currency, such as CHF.")
	case holder.Currency != "" && after.Currency != holder.Currency:
		f.add("currency", codeUnknown, "Leave the currency out: the account is held in %s.", holder.Currency)
	}
	f.oneOf("currency", after.Currency, "CHF", "EUR")
}

// LimitAmounts reads the amounts of a limit from its fields. Error: payment.FieldError.
func LimitAmounts(values Values) (perPayment, perDay *int64, err error) {
	f := &findings{}
	perPayment, perDay = f.amount("perPayment", values["perPayment"]), f.amount("perDay", values["perDay"])
	return perPayment, perDay, f.err()
}

// Words say what the limit lets through: "CHF 10'000.00 at a time, CHF 50'000.00 a day".
func (l Limit) Words() string {
	var parts []string
	for _, part := range []struct {
		minor *int64
		words string
	}{{l.PerPayment, "at a time"}, {l.PerDay, "a day"}} {
		if part.minor == nil {
			continue
		}
		amount, err := money.FromMinor(money.Currency(l.Currency), *part.minor)
		if err == nil {
			parts = append(parts, amount.Format()+" "+part.words)
		}
	}
	if len(parts) == 0 {
		return "none: it was taken away"
	}
	return strings.Join(parts, ", ")
}
