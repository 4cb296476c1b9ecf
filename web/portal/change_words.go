package portal

import (
	"cmp"
	"slices"
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
	administration.PasswordsBreakGlass: "emergency accounts", string(rulebook.OfPerson): "person", string(rulebook.OfClient): "client",
	string(rulebook.OfAccount): "account", administration.StatusUnverified: "not set up yet", administration.Password(false): "set",
	administration.Password(true): "to be set using a link and a code", administration.PasswordAnew: "to be set again using a link and a code",
	administration.SecretAnew: "a new secret", string(administration.DutyPayments): "payments",
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
	if field == "archivedMonth" {
		return i18n.ISODate(text)
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

// effects says in words what a change makes more or less of: "Fewer approvals: from 2 to 1".
func effects(c administration.Change) (list []i18n.Text) {
	switch c.Kind { //nolint:exhaustive // the others change fields
	case administration.KindPolicyCreate:
		return []i18n.Text{i18n.Text("New policy: %s").With(ruleOf(c.After))}
	case administration.KindPolicyRetire:
		return []i18n.Text{i18n.Text("Policy to be retired: %s").With(ruleOf(c.Before))}
	}
	for _, d := range c.Differences() {
		field := c.Kind.Field(d.Field)
		grows, words := field.Grows(d.Before, d.After), field.More
		if grows < 0 {
			words = field.Less
		}
		switch {
		case c.Kind.Noun() == "policy" && slices.Contains(administration.MatchFields, d.Field):
			list = append(list, coverage(d, grows).With(field.Label, valueOrNone(field, d.Before), valueOrNone(field, d.After)))
		case words == "":
		case field.Type == administration.TypeWords:
			list = append(list, comeAndGo(field, d)...)
		case field.Type == administration.TypeYesNo:
			list = append(list, words)
		default:
			list = append(list, words.With(valueOrNone(field, d.Before), valueOrNone(field, d.After)))
		}
	}
	return list
}

// coverage says whether a rule applies to more or fewer payments, with the label, the values before and after.
func coverage(d administration.Difference, grows int) i18n.Text {
	if d.Field == "amountFrom" {
		grows = -grows
	}
	return map[int]i18n.Text{
		-1: "Applies to fewer payments: %s changes from %s to %s", 0: "Applies to different payments: %s changes from %s to %s",
		1: "Applies to more payments: %s changes from %s to %s",
	}[grows]
}

// comeAndGo names the roles that a change adds and removes.
func comeAndGo(field administration.Field, d administration.Difference) (list []i18n.Text) {
	before, after := administration.WordsOf[identity.Role](d.Before), administration.WordsOf[identity.Role](d.After)
	without := func(all, of []identity.Role) []identity.Role {
		return slices.DeleteFunc(slices.Clone(all), func(r identity.Role) bool { return slices.Contains(of, r) })
	}
	if added := without(after, before); len(added) > 0 {
		list = append(list, field.More.With(RoleWords(added)))
	}
	if removed := without(before, after); len(removed) > 0 {
		list = append(list, field.Less.With(RoleWords(removed)))
	}
	return list
}

func valueOrNone(field administration.Field, text string) i18n.Text {
	if text == "" {
		return cmp.Or(field.None, "none")
	}
	return FieldValue(field.Key, text)
}

// PolicyWords describes the messages that a policy matches: "SIC, Payment, CHF/EUR 10'000.00 or more".
func PolicyWords(p administration.Policy) i18n.Text {
	values, sentence := p.Values(), map[string]i18n.Text{"clientId": "client %s", "amountFrom": "%s or more", "amountTo": "up to %s"}
	var parts []i18n.Text
	for _, field := range administration.MatchFields {
		if values[field] != "" {
			part := FieldValue(field, values[field])
			if sentence[field] != "" {
				part = sentence[field].With(part)
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "All payments and requests"
	}
	return i18n.Join(", ", parts...)
}

// RoleWords lists roles as people call them.
func RoleWords(roles []identity.Role) i18n.Text { return i18n.Join(", ", roleNames(roles)...) }

// OrDash returns the text, or a dash for an empty one.
func OrDash(text string) i18n.Text {
	if strings.TrimSpace(text) == "" {
		text = "–"
	}
	return i18n.Data(text)
}
