package portal

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// ChangeHeading names a change. A subject that does not exist yet has no name.
func ChangeHeading(kind administration.Kind, subject string) i18n.Text {
	words := kind.Action().Heading
	switch {
	case strings.Contains(string(words), "%s"):
		return words.With(subject)
	case subject == "" || !kind.Creates() || kind == administration.KindPolicyCreate:
		return words
	}
	return i18n.Text("%s: %s").With(words, subject)
}

// subjectName returns the name of what changes; "" for an id, which says nothing to people.
func subjectName(subject string) string {
	if uuid.Validate(subject) == nil {
		return ""
	}
	return subject
}

// valueWords maps fixed values of change fields to words.
var valueWords = map[string]i18n.Text{
	administration.Yes: "yes", administration.StatusActive: "active", administration.StatusSuppressed: "suppressed",
	administration.StatusOpen: "open", administration.StatusClosed: "closed", administration.StatusInForce: "in force",
	administration.StatusRetired: "retired", administration.ClientConfidential: "confidential", administration.ClientPublic: "public",
	administration.ClientPortal: "portal", administration.PasswordsEverybody: "everybody",
	administration.PasswordsBreakGlass: "break-glass accounts", string(rulebook.OfPerson): "person", string(rulebook.OfClient): "client",
	string(rulebook.OfAccount): "account", administration.StatusUnverified: "not set up yet", administration.Password(false): "set",
	administration.Password(true): "to be set by link and code", administration.PasswordAnew: "to be set again by link and code",
	administration.SecretAnew: "a new one", string(administration.DutyPayments): "payments",
	string(administration.DutyAdministration): "administration", string(identity.ChannelAPI): "API",
	string(payment.FundsPreferred): "reserved if core banking answers", string(payment.FundsNotAsked): "not reserved",
	string(payment.KindInstruction): ui.KindLabel(payment.KindInstruction), string(payment.KindRecall): ui.KindLabel(payment.KindRecall),
	string(payment.KindReturn): ui.KindLabel(payment.KindReturn), string(payment.KindResolution): ui.KindLabel(payment.KindResolution),
}

// YesNo returns the word for yes or no.
func YesNo(is bool) i18n.Text {
	if is {
		return "yes"
	}
	return "no"
}

// FieldValue formats the value of a field for people; a dash for an empty one.
func FieldValue(field, text string) i18n.Text {
	if text == "" {
		return i18n.Data("–")
	}
	switch administration.TypeOf(field) { //nolint:exhaustive // the others are texts
	case administration.TypePerson:
		return "an existing person"
	case administration.TypeIBAN:
		return i18n.Data(ui.GroupFours(text))
	case administration.TypeCountry:
		return i18n.Country(text)
	case administration.TypeWords:
		return RoleWords(administration.WordsOf[identity.Role](text))
	case administration.TypeAmount:
		if field == "amountFrom" || field == "amountTo" { // of policies, which apply to every currency
			return i18n.Data("CHF/EUR " + grouped(text))
		}
		return i18n.Data(grouped(text))
	case administration.TypeDuration:
		return spanWords(text)
	}
	if field == "scheme" {
		return i18n.Data(ui.SchemeLabel(text))
	}
	words, known := valueWords[text]
	if !known {
		return i18n.Data(text)
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
func spanWords(text string) i18n.Text {
	span, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return i18n.Data(text)
	case span%time.Hour == 0:
		return i18n.Text("%d h").With(int(span / time.Hour))
	case span%time.Minute == 0:
		return i18n.Text("%d min").With(int(span / time.Minute))
	}
	return i18n.Text("%d s").With(int(span / time.Second))
}

// PolicyWords describes the messages that a policy matches.
func PolicyWords(p administration.Policy) i18n.Text {
	values := p.Values()
	var parts []i18n.Text
	for _, field := range administration.MatchFields {
		if values[field] != "" {
			parts = append(parts, i18n.Text("%s: %s").With(administration.Label(field), FieldValue(field, values[field])))
		}
	}
	if len(parts) == 0 {
		return "Everything"
	}
	return i18n.Join(", ", parts...)
}

// RoleWords lists roles as people call them.
func RoleWords(roles []identity.Role) i18n.Text { return i18n.Join(", ", roleNames(roles)...) }

// OrDash returns the text, or a dash for an empty one.
func OrDash(text string) i18n.Text {
	if strings.TrimSpace(text) == "" {
		return i18n.Data("–")
	}
	return i18n.Data(text)
}
