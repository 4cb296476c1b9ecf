package administration

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
)

// Policy sets the number of approvals a message needs; empty fields match everything. Of the matching policies, the one of the highest rank
// counts, and of equal ranks the younger one.
type Policy struct {
	ID                  string        `field:"policyId"` // "" for one that is not there yet
	Rank                int           `field:"rank"`
	ClientID            string        `field:"clientId"`
	Channel             string        `field:"channel"`
	Scheme              string        `field:"scheme"`
	Kind                string        `field:"kind"`
	AmountFrom          *int64        `field:"amountFrom"` // minor units of any currency
	AmountTo            *int64        `field:"amountTo"`
	Approvals           int           `field:"approvals"`
	ContentHashRequired bool          `field:"contentHashRequired"`
	StepUp              bool          `field:"stepUp"`       // an approval needs a second factor
	Funds               string        `field:"funds"`        // the name of a payment.Funds
	ExpiresAfter        time.Duration `field:"expiresAfter"` // whole seconds
	Status              string        `field:"status"`
	CreatedAt           time.Time     // zero for one that is not there yet
}

// The kinds of changes of policies.
const (
	KindPolicyCreate Kind = "policy.create"
	KindPolicyUpdate Kind = "policy.update"
	KindPolicyRetire Kind = "policy.retire"
)

var policyFields = []string{
	"approvals", "rank", "scheme", "kind", "clientId", "channel", "amountFrom", "amountTo", "stepUp", "contentHashRequired", "funds",
	"expiresAfter",
}

var policyNoun = Noun{
	Name: "policy", Plural: "policies", Key: "policyId",
	Fields: []Field{
		{Key: "clientId", Label: "Client ID"},
		{Key: "kind", Label: "Kind", None: "All", Options: []string{"instruction", "recall", "return", "resolution"}},
		{Key: "scheme", Label: "Scheme", None: "All", Options: schemes},
		{Key: "policyId", Label: "Policy", Hidden: true},
		{
			Key: "approvals", Label: "Number of approvals", Type: TypeNumber, Max: maxApprovals,
			Hint: "From 0 to 9. With 0, payments are sent without approval", Required: true,
			More: "Number of approvals raised: from %s to %s", Less: "Number of approvals lowered: from %s to %s",
		},
		{
			Key: "rank", Label: "Priority", Type: TypeNumber, Max: 1000, Hint: "From 0 to 1000. The policy with the highest priority applies",
			More: "Priority raised: from %s to %s", Less: "Priority lowered: from %s to %s",
		},
		{Key: "channel", Label: "Channel", None: "All", Options: []string{string(identity.ChannelAPI), string(identity.ChannelPortal)}},
		{Key: "amountFrom", Label: "Smallest amount", Type: TypeAmount, Hint: "For example, 10000.00"},
		{Key: "amountTo", Label: "Largest amount", Type: TypeAmount},
		{
			Key: "stepUp", Label: "Second factor for checkers", Type: TypeYesNo,
			More: "Checkers need a second factor", Less: "Checkers no longer need a second factor",
		},
		{
			Key: "funds", Label: "Funds in core banking", None: "must be reserved", Options: []string{"preferred", "none"},
			More: "Less strict rule for reserving funds: from “%s” to “%s”", Less: "Stricter rule for reserving funds: from “%s” to “%s”",
		},
		{
			Key: "contentHashRequired", Label: "Content hash in each approval", Type: TypeYesNo,
			More: "Approvals must include the content hash", Less: "Approvals no longer have to include the content hash",
		},
		{
			Key: "expiresAfter", Label: "Time limit for approval", Type: TypeDuration, Hint: "For example, 24h or 90m",
			More: "More time for approval: from %s to %s", Less: "Less time for approval: from %s to %s",
		},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindPolicyCreate, Fields: policyFields,
			Label: "New policy", Heading: "Create a policy",
			Words: "If several policies match, the policy with the highest priority applies. If priorities are equal, the newest policy " +
				"applies. Leave a field empty to match everything. The policy applies to payments entered from now on.",
		},
		{
			Kind: KindPolicyUpdate, Fields: policyFields, Clears: append([]string{"funds"}, MatchFields...), Filled: true,
			Label: "Change", Heading: "Change a policy",
			Words: "A new policy replaces the current policy. Payments that are already waiting still need the number of approvals that " +
				"applied when they were entered.",
		},
		{
			Kind: KindPolicyRetire, Status: StatusRetired,
			Label: "Retire", Heading: "Retire a policy", Words: "Once retired, the policy no longer applies to new payments.",
		},
	},
}

// The bounds of policies.
const (
	maxApprovals = 9
	minWait      = time.Minute
	maxWait      = 365 * 24 * time.Hour
)

// DefaultWait limits the wait of a message when the policy sets no limit.
const DefaultWait = 24 * time.Hour

// narrowRank is the default rank of a policy that does not match everything.
const narrowRank = 100

// Values are the fields of the policy.
func (p Policy) Values() Values { return ValuesOf(p) }

// span writes a duration as a field has it; none is "0s".
func span(d time.Duration) string { return cmp.Or(Wait(d), "0s") }

// Wait writes a duration: "24h", "90m"; "" for none.
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

// PolicyOf reads a policy from its fields. Error: iso20022.FieldError.
func PolicyOf(values Values, prefix string) (Policy, error) {
	f, p := &findings{prefix: prefix}, Policy{}
	Fill(&p, values)
	f.check(&policyNoun, values)
	p.ExpiresAfter = f.duration("expiresAfter", values["expiresAfter"], durations{
		least: minWait, most: maxWait, preset: DefaultWait, refusal: "Enter a time limit for approval from 1m to 8760h, such as 24h or 90m.",
	})
	if values["approvals"] == "" {
		f.add("approvals", codeMissing, "Enter the number of approvals, from 0 to %d.", maxApprovals)
	}
	if p.AmountFrom != nil && p.AmountTo != nil && *p.AmountTo < *p.AmountFrom {
		f.add("amountTo", codeFormat, "In “Largest amount”, enter an amount that is not lower than the smallest amount.")
	}
	if p.StepUp && p.Approvals == 0 {
		f.add("stepUp", codeFormat, "Do not require a second factor if the number of approvals is 0.")
	}
	if values["rank"] == "" && !p.MatchesEverything() {
		p.Rank = narrowRank
	}
	return p, f.err()
}

// durations are the bounds of a duration, its value when none is given, and the text of the finding.
type durations struct {
	least, most, preset time.Duration
	refusal             i18n.Text
}

// duration reads whole seconds, such as 24h.
func (f *findings) duration(field, text string, in durations) time.Duration {
	if text == "" {
		return in.preset
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < in.least || d > in.most || d%time.Second != 0 {
		f.add(field, codeFormat, in.refusal)
		return in.preset
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
		f.add(field, codeFormat, "Enter %s as a number with up to two decimal places, such as 10000.00.", label(field))
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

// MatchFields are the fields of a policy that match messages, in the order in which they are shown.
var MatchFields = []string{"scheme", "kind", "clientId", "channel", "amountFrom", "amountTo"}

// Words describes the messages that the policy matches.
func (p Policy) Words() string {
	values := p.Values()
	var parts []string
	for _, field := range MatchFields {
		if values[field] != "" {
			parts = append(parts, strings.ToLower(Label(field).String())+" "+values[field])
		}
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}

func (r Request) afterPolicy(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	values, id := r.Values, r.ID.String()
	if r.Kind == KindPolicyUpdate {
		if known.Before["status"] == StatusRetired {
			return nil, refuse("/subject", codeFormat, "Choose a policy that is in force. The policy you chose is retired.")
		}
		values, id = known.Before.with(r.Values), r.Subject
	}
	p, err := PolicyOf(values, valuesPrefix)
	f.join(err)
	if p.ClientID != "" && p.ClientID != known.Before["clientId"] && !known.ClientKnown {
		f.add("clientId", codeUnknown, "Enter a client in this realm, or leave the field empty for all clients.")
	}
	p.Status = StatusInForce
	return p.Values().with(Values{"policyId": id}), f.err()
}
