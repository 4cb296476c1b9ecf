package realmfile

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"countersign/internal/store"
)

// Differences lists the changes of Apply to a realm, one a line: "+" for a new row, "~" for a changed one, "-" for a retired policy.
// Omitted rows stay, except policies.
func Differences(now, wanted store.RealmDefinition) ([]string, error) {
	from, to := Of(now), Of(wanted)
	d := &difference{before: map[string]string{}}
	each(from, d.remember, func() {})
	each(to, d.compare, func() { d.policies(from.Policies, to.Policies) })
	return d.lines, d.err
}

// each calls look for the realm itself and for its entries in the order of its file, each with its key, and atPolicies at the policies.
func each(f Form, look func(key string, value any), atPolicies func()) {
	look("realm "+f.Realm, head(f))
	if f.IdentityProvider != nil {
		look("identity provider", f.IdentityProvider)
	}
	for _, section := range f.sections() {
		if section.name == policies {
			atPolicies()
		}
		for _, entry := range section.entries {
			entry.each(look)
		}
	}
}

// head returns the realm's own fields.
func head(f Form) Form {
	return Form{Realm: f.Realm, Name: f.Name, Mark: f.Mark, Tokens: f.Tokens, SecondFactor: f.SecondFactor, NoticeDetails: f.NoticeDetails}
}

type difference struct {
	before map[string]string
	lines  []string
	err    error
}

func (d *difference) text(value any) string {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	err := encoder.Encode(value)
	if err != nil {
		d.err = fmt.Errorf("compare: %w", err)
	}
	return text.String()
}

func (d *difference) remember(key string, value any) { d.before[key] = d.text(value) }

func (d *difference) compare(key string, value any) {
	before, known := d.before[key]
	client, _ := value.(Client)
	switch {
	case !known:
		d.lines = append(d.lines, "+ "+key+clientWords(client))
	case before != d.text(value):
		d.lines = append(d.lines, "~ "+key+clientWords(client))
	}
}

// clientWords describes the rights of a client in the file that affect four-eyes.
func clientWords(c Client) string {
	words := ""
	if c.MayDecideOwn {
		words += ", may approve what it created (mayDecideOwn)"
	}
	if c.PayeeWaived {
		words += ", payees are not verified (payeeWaived)"
	}
	if len(c.Roles) > 0 {
		words += ", reads without a person (roles)"
	}
	return words
}

// policies never change: one that differs is retired, and another takes its place.
func (d *difference) policies(from, to []Policy) {
	texts := func(list []Policy) []string {
		all := make([]string, len(list))
		for i, policy := range list {
			all[i] = d.text(policy)
		}
		return all
	}
	before, after := texts(from), texts(to)
	for i, text := range before {
		if !slices.Contains(after, text) {
			d.lines = append(d.lines, "- policy "+policyWords(from[i]))
		}
	}
	for i, text := range after {
		if !slices.Contains(before, text) {
			d.lines = append(d.lines, "+ policy "+policyWords(to[i]))
		}
	}
}

// policyWords names a policy on one line.
func policyWords(p Policy) string {
	words := fmt.Sprintf("of rank %d: %d approvals", *p.Rank, *p.Approvals)
	for _, part := range []struct{ name, value string }{
		{"client", p.Client},
		{"channel", p.Channel},
		{"scheme", p.Scheme},
		{"kind", p.Kind},
		{"from", p.AmountFrom},
		{"to", p.AmountTo},
		{"funds", p.Funds},
	} {
		if part.value != "" {
			words += ", " + part.name + " " + part.value
		}
	}
	if p.StepUp {
		words += ", with a second factor"
	}
	if p.ContentHashRequired {
		words += ", each naming its content"
	}
	if p.ExpiresAfter != "" {
		words += ", within " + p.ExpiresAfter
	}
	return words
}
