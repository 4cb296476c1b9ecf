package administration

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
)

// Policy says how many approvals a message needs; empty fields match everything. Of the policies that match, the one of the highest rank
// counts, and of equal ranks the younger one.
type Policy struct {
	ID                  string // "" for one that is not there yet
	Rank                int
	ClientID            string
	Channel             string
	Scheme              string
	Kind                string
	AmountFrom          *int64 // minor units, whatever the currency
	AmountTo            *int64
	Approvals           int
	ContentHashRequired bool
	StepUp              bool          // whoever approves shows a second factor
	ExpiresAfter        time.Duration // whole seconds
	Status              string
}

// The bounds of policies.
const (
	maxApprovals = 9
	maxRank      = 1000
	minWait      = time.Minute
	maxWait      = 365 * 24 * time.Hour
)

// DefaultWait is how long a message may wait when the policy does not say.
const DefaultWait = 24 * time.Hour

// narrowRank is the rank of a policy that does not say its own and does not match everything.
const narrowRank = 100

// PolicyKinds are the kinds of messages a policy can be about.
func PolicyKinds() []string {
	return []string{string(payment.KindInstruction), string(payment.KindRecall), string(payment.KindReturn), string(payment.KindResolution)}
}

// Values are the fields of the policy.
func (p Policy) Values() Values {
	return Values{
		"policyId": p.ID, "rank": strconv.Itoa(p.Rank), "clientId": p.ClientID, "channel": p.Channel, "scheme": p.Scheme, "kind": p.Kind,
		"amountFrom": decimals(p.AmountFrom), "amountTo": decimals(p.AmountTo), "approvals": strconv.Itoa(p.Approvals),
		"contentHashRequired": yes(p.ContentHashRequired), "stepUp": yes(p.StepUp), "expiresAfter": Wait(p.ExpiresAfter), "status": p.Status,
	}.Compact()
}

// Wait writes a duration as a policy has it: "24h", "90m".
func Wait(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return strconv.Itoa(int(d/time.Second)) + "s"
}

// MatchesEverything reports whether no message escapes the policy.
func (p Policy) MatchesEverything() bool {
	return p.ClientID == "" && p.Channel == "" && p.Scheme == "" && p.Kind == "" && p.AmountFrom == nil && p.AmountTo == nil
}

// PolicyOf reads a policy from its fields. Error: payment.FieldError.
func PolicyOf(values Values, prefix string) (Policy, error) {
	f := &findings{prefix: prefix}
	p := Policy{
		ClientID: values["clientId"], Channel: values["channel"], Scheme: values["scheme"], Kind: values["kind"], Status: values["status"],
		Approvals:           f.number("approvals", values["approvals"], 0, maxApprovals),
		ContentHashRequired: f.yesNo("contentHashRequired", values["contentHashRequired"]),
		StepUp:              f.yesNo("stepUp", values["stepUp"]),
		AmountFrom:          f.amount("amountFrom", values["amountFrom"]), AmountTo: f.amount("amountTo", values["amountTo"]),
		ExpiresAfter: f.wait(values["expiresAfter"]),
	}
	if values["approvals"] == "" {
		f.add("approvals", codeMissing, "Say how many approvals are needed: 0 to %d.", maxApprovals)
	}
	f.oneOf("channel", p.Channel, string(identity.ChannelAPI), string(identity.ChannelPortal))
	f.oneOf("scheme", p.Scheme, schemes()...)
	f.oneOf("kind", p.Kind, PolicyKinds()...)
	if p.AmountFrom != nil && p.AmountTo != nil && *p.AmountTo < *p.AmountFrom {
		f.add("amountTo", codeFormat, "Enter a largest amount that is not below the least.")
	}
	if p.StepUp && p.Approvals == 0 {
		f.add("stepUp", codeFormat, "Leave the step-up out: without approvals nobody is there to show a second factor.")
	}
	p.Rank = f.number("rank", values["rank"], 0, maxRank)
	if values["rank"] == "" && !p.MatchesEverything() {
		p.Rank = narrowRank
	}
	return p, f.err()
}

// wait reads how long a message may wait: a number of hours, minutes or seconds, such as 24h.
func (f *findings) wait(text string) time.Duration {
	if text == "" {
		return DefaultWait
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < minWait || d > maxWait || d%time.Second != 0 {
		f.add("expiresAfter", codeFormat, "Say how long a message may wait, from 1m to 8760h, such as 24h or 90m.")
		return DefaultWait
	}
	return d
}

// amount reads an amount with at most two decimals; both schemes' currencies have two.
func (f *findings) amount(field, text string) *int64 {
	if text == "" {
		return nil
	}
	amount, err := money.Parse("EUR", text)
	if errors.Is(err, money.ErrZero) {
		zero := int64(0)
		return &zero
	}
	if err != nil {
		f.add(field, codeFormat, "Enter %s as a number with at most two decimals, such as 10000.00.", label(field))
		return nil
	}
	minor := amount.Minor()
	return &minor
}

// decimals writes minor units with two decimals.
func decimals(minor *int64) string {
	if minor == nil {
		return ""
	}
	amount, err := money.FromMinor("EUR", *minor)
	if err != nil {
		return strconv.FormatInt(*minor, 10) // below zero; the schema holds none
	}
	return amount.String()
}

// MatchFields are the fields of a policy that say what it matches, in the order in which it is told.
var MatchFields = []string{"scheme", "kind", "clientId", "channel", "amountFrom", "amountTo"}

// Words are what the policy matches, in words.
func (p Policy) Words() string {
	values := p.Values()
	var parts []string
	for _, field := range MatchFields {
		if values[field] != "" {
			parts = append(parts, strings.ToLower(Label(field))+" "+values[field])
		}
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}
