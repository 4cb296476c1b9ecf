package administration

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// PastMessage holds the fields of an earlier message that a policy matches.
type PastMessage struct {
	Kind, Scheme, Channel, ClientID string
	Amount                          int64 // minor units
	Approvals                       int   // it was entered with

	// GlobalID, Currency and At (its creation) name it to people; a policy does not look at them.
	GlobalID, Currency string
	At                 time.Time
}

// ChangedMessage is a message that would need another number of approvals.
type ChangedMessage struct {
	PastMessage

	Before, After int
}

// maxChanged limits the messages that a dry run names.
const maxChanged = 20

// DryRun counts the approvals that past messages would need under the policies in force after a change.
type DryRun struct {
	Of    int // messages looked at
	Taken int // messages that the changed policy applies to
	// More and Fewer count the messages that need more or fewer approvals than under the policies in force.
	More, Fewer int
	// ByApprovals counts the messages by the approvals they would need.
	ByApprovals map[int]int
	// Changed are the first messages of More and Fewer, at most 20.
	Changed []ChangedMessage

	now, then []Policy
}

// tried is the id of the policy that is tried.
const tried = "tried"

// NewDryRun begins a dry run of a policy, which takes the place of the policy in force of its id.
func NewDryRun(p Policy, inForce []Policy) DryRun {
	then := slices.DeleteFunc(slices.Clone(inForce), func(other Policy) bool { return other.ID == p.ID })
	p.ID, p.Status, p.CreatedAt = tried, StatusInForce, time.Unix(1<<40, 0) // it is the youngest
	return DryRun{ByApprovals: map[int]int{}, now: inForce, then: append(then, p)}
}

// Count adds one message. Where no policy matches, the message keeps the approvals it was entered with.
func (d *DryRun) Count(m PastMessage) {
	before, after := m.Approvals, m.Approvals
	if rule, found := RuleFor(d.now, m); found {
		before = rule.Approvals
	}
	if rule, found := RuleFor(d.then, m); found {
		after = rule.Approvals
		if rule.ID == tried {
			d.Taken++
		}
	}
	d.Of++
	d.ByApprovals[after]++
	if after > before {
		d.More++
	}
	if after < before {
		d.Fewer++
	}
	if after != before && len(d.Changed) < maxChanged {
		d.Changed = append(d.Changed, ChangedMessage{PastMessage: m, Before: before, After: after})
	}
}

// Matches reports whether the policy is for messages like this one.
func (p Policy) Matches(m PastMessage) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return same(p.Kind, m.Kind) && same(p.Scheme, m.Scheme) && same(p.Channel, m.Channel) && same(p.ClientID, m.ClientID) &&
		(p.AmountFrom == nil || *p.AmountFrom <= m.Amount) && (p.AmountTo == nil || *p.AmountTo >= m.Amount)
}

// RuleFor returns the policy in force that a message is entered under; found is false where none matches. Of the matching policies the
// highest rank applies, of equal ranks the youngest, as in SubmissionContext.
func RuleFor(policies []Policy, m PastMessage) (rule Policy, found bool) {
	for _, p := range policies {
		above := cmp.Or(cmp.Compare(p.Rank, rule.Rank), p.CreatedAt.Compare(rule.CreatedAt), strings.Compare(p.ID, rule.ID)) > 0
		if p.Status == StatusInForce && p.Matches(m) && (!found || above) {
			rule, found = p, true
		}
	}
	return rule, found
}
