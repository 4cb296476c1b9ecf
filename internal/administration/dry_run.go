package administration

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// PastMessage holds the fields of an earlier message that a policy matches.
type PastMessage struct {
	Kind, Scheme, Channel, ClientID string
	Amount                          int64 // minor units
	Approvals                       int   // it was entered with

	// GlobalID, Currency and At (its creation) name it to people; a policy does not look at them.
	GlobalID, Currency string
	ID                 uuid.UUID
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
	Taken int // messages that the changed policy applies to, or the retired one did
	// More and Fewer count the messages that need more or fewer approvals than under the policies in force.
	More, Fewer int
	// ByApprovals counts the messages by the approvals they would need.
	ByApprovals map[int]int
	// Changed are the first messages of More and Fewer, at most 20.
	Changed []ChangedMessage
	// Looser and Tighter report whether there can be messages that need less, and more, than without the change: approvals, a second factor,
	// the content hash, or reserved funds.
	Looser, Tighter bool

	now, then []Policy
	id        string // of the policy that Taken counts
}

// tried is the id of the policy that is tried.
const tried = "tried"

// NewDryRun begins a dry run of a policy, which takes the place of the policy in force of its id; of a retired one, nothing takes it.
func NewDryRun(p Policy, inForce []Policy) DryRun {
	then := slices.DeleteFunc(slices.Clone(inForce), func(other Policy) bool { return other.ID == p.ID })
	if p.Status != StatusRetired {
		p.ID, p.Status, p.CreatedAt = tried, StatusInForce, time.Unix(1<<40, 0) // it is the youngest
		then = append(then, p)
	}
	run := DryRun{ByApprovals: map[int]int{}, now: inForce, then: then, id: p.ID}
	run.compare()
	return run
}

// compare sets Looser and Tighter by messages on both sides of each bound of the policies.
func (d *DryRun) compare() {
	clients, amounts := []string{""}, []int64{1}
	for _, p := range append(slices.Clone(d.now), d.then...) {
		clients = append(clients, p.ClientID)
		if p.AmountFrom != nil {
			amounts = append(amounts, *p.AmountFrom-1, *p.AmountFrom)
		}
		if p.AmountTo != nil {
			amounts = append(amounts, *p.AmountTo, *p.AmountTo+1)
		}
	}
	slices.Sort(clients)
	slices.Sort(amounts)
	clients, amounts = slices.Compact(clients), slices.Compact(amounts)
	samples := []PastMessage{{}}
	each := func(n int, set func(m *PastMessage, i int)) {
		var all []PastMessage
		for _, m := range samples {
			for i := range n {
				set(&m, i)
				all = append(all, m)
			}
		}
		samples = all
	}
	kinds, channels := policyNoun.Field("kind").Options, policyNoun.Field("channel").Options
	each(len(kinds), func(m *PastMessage, i int) { m.Kind = kinds[i] })
	each(len(schemes), func(m *PastMessage, i int) { m.Scheme = schemes[i] })
	each(len(channels), func(m *PastMessage, i int) { m.Channel = channels[i] })
	each(len(clients), func(m *PastMessage, i int) { m.ClientID = clients[i] })
	each(len(amounts), func(m *PastMessage, i int) { m.Amount = amounts[i] })
	for _, m := range samples {
		before, after := demands(RuleFor(d.now, m)), demands(RuleFor(d.then, m))
		for i := range before {
			d.Looser = d.Looser || after[i] < before[i]
			d.Tighter = d.Tighter || after[i] > before[i]
		}
	}
}

// demands are the numbers that a policy asks for, the highest of each if there is no policy: such a message is refused.
func demands(p Policy, found bool) (of [4]int) {
	if !found {
		return [4]int{maxApprovals + 1, 1, 1, 2}
	}
	of[0], of[3] = p.Approvals, map[string]int{"": 2, "preferred": 1}[p.Funds]
	if p.StepUp {
		of[1] = 1
	}
	if p.ContentHashRequired {
		of[2] = 1
	}
	return of
}

// Count adds one message. Where no policy matches, the message keeps the approvals it was entered with.
func (d *DryRun) Count(m PastMessage) {
	before, after := m.Approvals, m.Approvals
	if rule, found := RuleFor(d.now, m); found {
		before = rule.Approvals
		if rule.ID == d.id { // it is retired
			d.Taken++
		}
	}
	if rule, found := RuleFor(d.then, m); found {
		after = rule.Approvals
		if rule.ID == d.id {
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

// Unapproved reports whether a policy in force sends messages of a client, of any kind, without any approval. Policies for all clients
// count.
func Unapproved(policies []Policy, client string) bool {
	return slices.ContainsFunc(policies, func(p Policy) bool {
		return p.Status == StatusInForce && p.Approvals == 0 && (p.ClientID == "" || p.ClientID == client)
	})
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
