package portal

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// problemsOf places the unreadable answers and the findings of the services beside the fields of the form, in the order of the form. A
// field that could not be read gets one problem; when a rule and the schema find the same mistake, the rule's sentence is shown, because it
// speaks of payments rather than elements.
func problemsOf(unreadable []orderform.Problem, findings []payment.Finding, values orderform.Values) []ui.Problem {
	problems := make([]ui.Problem, 0, len(unreadable)+len(findings))
	for _, p := range unreadable {
		problems = append(problems, ui.Problem{Field: p.Field, Text: p.Text, Code: p.Code})
	}
	rulesFirst := slices.Clone(findings)
	slices.SortStableFunc(rulesFirst, func(a, b payment.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	for _, f := range rulesFirst {
		name := orderform.FieldOf(f.Pointer, values)
		known := slices.ContainsFunc(problems, func(p ui.Problem) bool {
			unreadable := name == "remittanceKind" && strings.HasSuffix(p.Field, "Reference") // so the order is without it
			return p.Field == name && (name != "" || p.Text == f.Text) || unreadable
		})
		if !known {
			problems = append(problems, ui.Problem{Field: name, Text: sentenceBeside(name, f), Code: f.Code})
		}
	}
	order := values.Fields()
	position := func(p ui.Problem) int {
		at := slices.IndexFunc(order, func(f orderform.Field) bool { return f.Name == p.Field })
		if at < 0 {
			return len(order)
		}
		return at
	}
	slices.SortStableFunc(problems, func(a, b ui.Problem) int { return position(a) - position(b) })
	return problems
}

// sentenceBeside returns the sentence of a finding in the form: beside a field, a finding of the schema loses the name of the element.
func sentenceBeside(field string, f payment.Finding) i18n.Text {
	if field == "" || f.Rule != "" {
		return f.Text
	}
	return i18n.Advice(f.Text)
}

// rank orders the findings of one field, of which the form shows the first. An unknown account of one's own comes before its check digits,
// because it is chosen from a list. Findings of rules come before those of the schema.
func rank(f payment.Finding) int {
	switch f.Rule {
	case rulebook.RuleDebtorAccountOfRealm:
		return 0
	case "":
		return 2
	}
	return 1
}
