package administration

// PastMessage holds the fields of an earlier message that a policy matches.
type PastMessage struct {
	Kind, Scheme, Channel, ClientID string
	Amount                          int64 // minor units
	Approvals                       int   // it was entered with
	Rank                            int   // of the policy it was entered under
}

// DryRun counts the approvals a policy would have required.
type DryRun struct {
	Of      int // messages looked at
	Changed int // of them, how many would have needed another number of approvals
	// ByApprovals counts the messages by the approvals they would have needed.
	ByApprovals map[int]int

	policy Policy
}

// NewDryRun begins a dry run of a policy.
func NewDryRun(p Policy) DryRun { return DryRun{ByApprovals: map[int]int{}, policy: p} }

// Count adds one message. The policy counts for it where it matches and no policy of a higher rank did: of equal ranks the younger one
// counts, and a new policy is the youngest.
func (d *DryRun) Count(m PastMessage) {
	approvals := m.Approvals
	if d.policy.matches(m) && d.policy.Rank >= m.Rank {
		approvals = d.policy.Approvals
	}
	d.Of++
	d.ByApprovals[approvals]++
	if approvals != m.Approvals {
		d.Changed++
	}
}

func (p Policy) matches(m PastMessage) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return same(p.Kind, m.Kind) && same(p.Scheme, m.Scheme) && same(p.Channel, m.Channel) && same(p.ClientID, m.ClientID) &&
		(p.AmountFrom == nil || *p.AmountFrom <= m.Amount) && (p.AmountTo == nil || *p.AmountTo >= m.Amount)
}

// RuleFor returns the policy in force that a message would be entered under; found is false where none matches. Younger policies have
// higher ids.
func RuleFor(policies []Policy, m PastMessage) (rule Policy, found bool) {
	for _, p := range policies {
		above := p.Rank > rule.Rank || p.Rank == rule.Rank && p.ID > rule.ID
		if p.Status == StatusInForce && p.matches(m) && (!found || above) {
			rule, found = p, true
		}
	}
	return rule, found
}
