package page

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// fieldLabels are the fields of changes as pages name them.
var fieldLabels = map[string]language.Text{ //nolint:gosec // words for people, no secret
	"duty": "Duty", "name": "User name", "displayName": "Person's name", "personId": "Person", "roles": "Roles", "status": "Status",
	"clientId": "Client's id", "kind": "Kind", "mayDecideOwn": "Whether the client may decide what it created",
	"payeeWaived": "Whether payees of what the client sends are not verified",
	"iban":        "IBAN", "scheme": "Scheme", "currency": "Currency", "holderName": "Holder's name",
	"holderStreet": "Holder's street", "holderBuilding": "Holder's building number", "holderPostcode": "Holder's postcode",
	"holderTown": "Holder's town", "holderCountry": "Holder's country", "agentBic": "BIC of the account's bank",
	"agentIid": "Bank's number (IID)", "receives": "Whether the realm receives payments for it", "rank": "Rank", "channel": "Channel",
	"amountFrom": "Least amount", "amountTo": "Largest amount", "approvals": "Number of approvals",
	"stepUp":              "Whether whoever approves shows a second factor",
	"contentHashRequired": "Whether an approval must name the content", "expiresAfter": "How long a message may wait",
	"policyId": "Policy", "password": "Password", "secret": "Secret",
	"outerIssuer": "Provider of the outer identity", "outerSubject": "Subject at the identity provider", "issuer": "Issuer",
	"providerClient": "Portal's client id at the provider", "providerSecret": "Portal's secret at the provider",
	"portalAddress": "Address of the portal", "passwords": "Who may sign in by password",
	"signInAge": "How long ago people may have signed in at the provider",
	"limitId":   "Limit", "limitOf": "Whom the limit binds", "holder": "Name, id or IBAN",
	"perPayment": "Most at a time", "perDay": "Most a day", "usedToday": "What is used today",
	"internalId": "Message", "globalId": "Global ID", "atClearing": "Clearing",
	"creditorName": "Name", "creditorIban": "IBAN", "street": "Street", "buildingNumber": "Building number",
	"addressLine1": "First address line", "addressLine2": "Second address line", "postcode": "Postcode", "town": "Town",
	"country": "Country", "realm": "Realm", "secondFactorRoles": "Roles that need a second factor",
}

// FieldLabel is a field of a change for people.
func FieldLabel(field string) language.Text {
	label, known := fieldLabels[field]
	if !known {
		return language.Data(administration.Label(field))
	}
	return label
}

// valueWords maps fixed values of change fields to words.
var valueWords = map[string]language.Text{
	administration.Yes: "yes", administration.StatusActive: "active", administration.StatusSuppressed: "suppressed",
	administration.StatusOpen: "open", administration.StatusClosed: "closed", administration.StatusInForce: "in force",
	administration.StatusRetired: "retired", administration.ClientConfidential: "confidential", administration.ClientPublic: "public",
	administration.ClientPortal: "portal", administration.PasswordsEverybody: "everybody",
	administration.PasswordsBreakGlass: "break-glass accounts", string(rulebook.OfPerson): "person", string(rulebook.OfClient): "client",
	string(rulebook.OfAccount): "account", administration.StatusUnverified: "not set up yet", administration.Password(false): "set",
	administration.Password(true): "to be set by link and code", administration.PasswordAnew: "to be set by link and code, anew",
	administration.SecretAnew: "a new one", string(administration.DutyPayments): "payments",
	string(administration.DutyAdministration): "administration", string(identity.ChannelAPI): "API",
	string(payment.KindInstruction): ui.KindLabel(payment.KindInstruction), string(payment.KindRecall): ui.KindLabel(payment.KindRecall),
	string(payment.KindReturn): ui.KindLabel(payment.KindReturn), string(payment.KindResolution): ui.KindLabel(payment.KindResolution),
}

// YesNo is a yes or a no for people.
func YesNo(is bool) language.Text {
	if is {
		return "yes"
	}
	return "no"
}

// FieldValue formats the value of a change field for people; a dash for an empty one.
func FieldValue(field, text string) language.Text {
	switch {
	case text == "":
		return language.Data("–")
	case field == "personId":
		return "somebody who is here already"
	case field == "creditorIban", field == "iban":
		return language.Data(ui.GroupFours(text))
	case field == "country", field == "holderCountry":
		return language.Country(text)
	case field == "roles", field == "secondFactorRoles":
		return RoleWords(administration.WordsOf[identity.Role](text))
	case slices.Contains(amountFields, field):
		return language.Data(grouped(text))
	case field == "expiresAfter", field == "signInAge":
		return spanWords(text)
	}
	words, known := valueWords[text]
	if !known {
		return language.Data(text)
	}
	return words
}

// amountFields are the fields of changes that are amounts of money.
var amountFields = []string{"amountFrom", "amountTo", "perPayment", "perDay", "usedToday"}

// grouped writes a decimal number as people at a Swiss bank read it: 10'000.00.
func grouped(number string) string {
	whole, fraction, decimal := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "'" + whole[at:]
	}
	if !decimal {
		return whole
	}
	return whole + "." + fraction
}

// spanWords formats a duration in a change field for people.
func spanWords(text string) language.Text {
	span, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return language.Data(text)
	case span%time.Hour == 0:
		return language.Text("%d h").With(int(span / time.Hour))
	case span%time.Minute == 0:
		return language.Text("%d min").With(int(span / time.Minute))
	}
	return language.Text("%d s").With(int(span / time.Second))
}

// PolicyWords describes the messages that a policy matches.
func PolicyWords(p administration.Policy) language.Text {
	values := p.Values()
	var parts []language.Text
	for _, field := range administration.MatchFields {
		if values[field] != "" {
			parts = append(parts, language.Text("%s: %s").With(FieldLabel(field), FieldValue(field, values[field])))
		}
	}
	if len(parts) == 0 {
		return "Everything"
	}
	return language.Join(", ", parts...)
}

// RoleWords lists roles as people call them.
func RoleWords(roles []identity.Role) language.Text { return language.Join(", ", roleNames(roles)...) }

// OrDash is a text, or a dash where there is none.
func OrDash(text string) language.Text {
	if strings.TrimSpace(text) == "" {
		return language.Data("–")
	}
	return language.Data(text)
}
