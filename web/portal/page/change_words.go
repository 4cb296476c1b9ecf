package page

import (
	"strings"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// ChangeHeading names a change. A subject that does not exist yet has no name.
func ChangeHeading(kind administration.Kind, subject string) language.Text {
	words := kind.Action().Heading
	switch {
	case strings.Contains(string(words), "%s"):
		return words.With(subject)
	case subject == "" || !kind.Creates() || kind == administration.KindPolicyCreate:
		return words
	}
	return language.Join(" ", words, language.Data(subject))
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

// FieldValue formats the value of a field for people; a dash for an empty one.
func FieldValue(field, text string) language.Text {
	if text == "" {
		return language.Data("–")
	}
	switch administration.TypeOf(field) { //nolint:exhaustive // the others are texts
	case administration.TypePerson:
		return "somebody who is here already"
	case administration.TypeIBAN:
		return language.Data(ui.GroupFours(text))
	case administration.TypeCountry:
		return language.Country(text)
	case administration.TypeWords:
		return RoleWords(administration.WordsOf[identity.Role](text))
	case administration.TypeAmount:
		return language.Data(grouped(text))
	case administration.TypeDuration:
		return spanWords(text)
	}
	words, known := valueWords[text]
	if !known {
		return language.Data(text)
	}
	return words
}

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
			parts = append(parts, language.Text("%s: %s").With(administration.Label(field), FieldValue(field, values[field])))
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
