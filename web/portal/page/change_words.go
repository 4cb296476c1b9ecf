package page

import (
	"strings"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/language"
	"countersign/internal/rulebook/spending"
	"countersign/views/ui"
)

// fieldLabels are the fields of changes as pages name them.
var fieldLabels = map[string]language.Text{ //nolint:gosec // words for people, no secret
	"name": "User name", "displayName": "Person's name", "personId": "Person", "roles": "Roles", "status": "Status",
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

// valueWords are what fields of changes say in one word.
var valueWords = map[string]language.Text{
	administration.Yes: "yes", administration.StatusActive: "active", administration.StatusSuppressed: "suppressed",
	administration.StatusOpen: "open", administration.StatusClosed: "closed", administration.StatusInForce: "in force",
	administration.StatusRetired: "retired", administration.ClientConfidential: "confidential", administration.ClientPublic: "public",
	administration.ClientPortal: "portal", administration.PasswordsEverybody: "everybody",
	administration.PasswordsBreakGlass: "break-glass accounts", string(spending.OfPerson): "person", string(spending.OfClient): "client",
	string(spending.OfAccount): "account",
}

// YesNo is a yes or a no for people.
func YesNo(is bool) language.Text {
	if is {
		return "yes"
	}
	return "no"
}

// FieldValue is what a field of a change says, for people; a dash for nothing.
func FieldValue(field, text string) language.Text {
	switch {
	case text == "":
		return language.Data("–")
	case field == "creditorIban", field == "iban":
		return language.Data(ui.GroupFours(text))
	case field == "country", field == "holderCountry":
		return language.Country(text)
	case field == "roles", field == "secondFactorRoles":
		return RoleWords(administration.WordsOf[identity.Role](text))
	}
	words, known := valueWords[text]
	if !known {
		return language.Data(text)
	}
	return words
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
