package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// claim is the recall of a payment as the office knows it. Only its worker writes to it.
type claim struct {
	of                *paper
	key, id           string
	created, approved bool // acknowledged
	void              bool // refused: the payment had not settled yet
}

// ends is the state the recall comes to, by what the other bank does with the cents of the payment: the money comes back, or not.
func (c *claim) ends() string {
	if c.of.cents < "50" {
		return "Accepted"
	}
	return "Refused"
}

// claims are all recalls so far that were not refused.
func (o *office) claims() []*claim {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.recalls), func(c *claim) bool { return c.void })
}

// claimable says whether a payment settles and its recall is answered.
func (p *paper) claimable() bool { return p.approved && p.cents <= "50" }

// recall asks for a payment back, and has it approved.
func (o *office) recall(p *paper) (reply, error) {
	c := &claim{of: p, key: strings.ReplaceAll(uuid.NewString(), "-", "")}
	o.mu.Lock()
	o.recalls = append(o.recalls, c)
	o.mu.Unlock()
	r, err := o.createRecall(c)
	if err != nil || c.void || !c.created {
		return r, err
	}
	return o.approveRecall(c)
}

func (o *office) createRecall(c *claim) (reply, error) {
	body := fmt.Sprintf(`{"identifiers":{"internalId":%q,"externalId":%q},"RecallDetails":{"reason":"CUST"}}`, c.of.id, c.key)
	r, err := o.askAs("maker1", http.MethodPost, "/api/sic-inst/v1/recall/create", body)
	switch {
	case err != nil:
	case r.status == http.StatusOK:
		c.id, c.created = r.Identifiers.InternalID, true
		o.acknowledged.Add(1)
	case r.status == http.StatusBadRequest && !strings.Contains(r.text, "AM05"):
		c.void, r.status = true, http.StatusOK
	}
	return r, err
}

func (o *office) approveRecall(c *claim) (reply, error) {
	body := fmt.Sprintf(`{"identifiers":{"internalId":%q},"ApprovalDetails":{"action":"approve"}}`, c.id)
	r, err := o.askAs("checker1", http.MethodPost, "/api/sic-inst/v1/recall/approval", body)
	if err == nil && r.status == http.StatusOK {
		c.approved = true
		o.acknowledged.Add(1)
	}
	return r, err
}

// holdsItsRecalls: what was created is there, what was approved is on its way or at its end.
func (o *office) holdsItsRecalls(t *testing.T) {
	t.Helper()
	onItsWay := []string{"Approved", "Processing", "Acknowledged", "Accepted", "Refused"}
	for _, c := range o.claims() {
		if !c.created {
			continue
		}
		state, err := o.stateOf(c.id)
		must(t, err)
		if !slices.Contains(onItsWay, state) && (state != "Approval Pending" || c.approved) {
			t.Errorf("the recall %s (approval acknowledged: %t) is %q", c.id, c.approved, state)
		}
	}
}

// finishRecalls repeats what had no answer.
func (o *office) finishRecalls(t *testing.T) {
	t.Helper()
	for _, c := range o.claims() {
		if !c.created {
			again(t, func() (reply, error) { return o.createRecall(c) })
		}
		if !c.approved && !c.void {
			again(t, func() (reply, error) { return o.approveRecall(c) })
		}
	}
}

// settleRecalls waits until every recall has come to its end. others are the states it may be left in.
func (o *office) settleRecalls(t *testing.T, others ...string) {
	t.Helper()
	until := time.Now().Add(patience)
	for _, c := range o.claims() {
		state, err := o.stateOf(c.id)
		for err == nil && state != c.ends() && !slices.Contains(others, state) && time.Now().Before(until) {
			time.Sleep(50 * time.Millisecond)
			state, err = o.stateOf(c.id)
		}
		must(t, err)
		if state != c.ends() && !slices.Contains(others, state) {
			t.Errorf("the recall %s (cents %s) is %q, not %q", c.id, c.of.cents, state, c.ends())
		}
	}
}

// compareRecalls holds the log of a simulator that was there all the time against the office's recalls: each took effect once, under one
// message id, and nothing else was recalled; its money came back once, or was refused once.
func (o *office) compareRecalls(t *testing.T, log []logEntry) {
	t.Helper()
	took, back, refused, ids := map[string]int{}, map[string]int{}, map[string]int{}, map[string]string{}
	for _, e := range log {
		switch {
		case e.Direction == "in" && strings.HasPrefix(e.Name, "camt.056"):
			if first, known := ids[e.TransactionID]; known && first != e.MessageID {
				t.Errorf("the recall of %s came as %s and as %s", e.TransactionID, first, e.MessageID)
			}
			ids[e.TransactionID] = e.MessageID
			if e.Effective {
				took[e.TransactionID]++
			}
		case e.Direction == "out" && strings.HasPrefix(e.Name, "pacs.004"):
			back[e.TransactionID] = 1
		case e.Direction == "out" && strings.HasPrefix(e.Name, "camt.029"):
			refused[e.TransactionID] = 1
		}
	}
	for _, c := range o.claims() {
		transaction := c.of.global
		wanted := map[string]int{"Accepted": 1}[c.ends()]
		if took[transaction] != 1 || back[transaction] != wanted || refused[transaction] != 1-wanted {
			t.Errorf("the recall of %s took effect %d times, %d returns and %d refusals came", transaction, took[transaction], back[transaction],
				refused[transaction])
		}
		delete(took, transaction)
	}
	for transaction := range took {
		t.Errorf("%s was recalled, and nobody asked for it", transaction)
	}
}
