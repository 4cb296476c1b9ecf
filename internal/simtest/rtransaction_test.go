package simtest

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// request is a recall, a return or a resolution as the people who want it know it.
type request struct {
	payment.RTransaction

	name        string
	transaction string // of the payment it is about
	id          uuid.UUID
	approvals   int  // acknowledged
	approved    bool // it needs no more
	void        bool // it was refused, because its payment is not there yet or somebody was first
}

// ask has a maker want one of our payments back, or answer the recall of another bank.
func (g *game) ask() {
	if g.chance.IntN(2) == 0 {
		g.askBack()
	} else {
		g.answerRecall()
	}
}

// askBack wants a payment of ours back that has settled, as far as clearing knows.
func (g *game) askBack() {
	o := g.some()
	if !o.released() || o.id == uuid.Nil || g.asked["recall "+o.name] {
		return
	}
	transaction, p := g.bank.payment(o.name)
	if p == nil || !p.ending.settles {
		return
	}
	g.request(&request{name: "recall " + o.name, transaction: transaction, RTransaction: payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: o.Scheme, OriginalID: o.id,
	}})
}

// answerRecall sends a payment back that another bank recalled, or says no.
func (g *game) answerRecall() {
	for transaction, a := range g.bank.arrivals() {
		realm, original, received := g.recallOf(a, transaction)
		if received == uuid.Nil || realm == "" || g.asked["answer "+transaction] {
			continue
		}
		r := &request{name: "answer " + transaction, transaction: transaction, RTransaction: payment.RTransaction{
			Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindResolution, Scheme: schemeOf(a), OriginalID: original,
			RecallID: received,
		}}
		if g.bank.chance("answer", transaction).IntN(2) == 0 {
			r.Kind, r.Reason, r.RecallID = payment.KindReturn, rulebook.ReturnAfterRecall, uuid.Nil
		}
		g.request(r)
		return
	}
}

// recallOf is the recall of an incoming payment, if it is there.
func (g *game) recallOf(a *arrival, transaction string) (realm string, original, received uuid.UUID) {
	if !a.recalled {
		return "", uuid.Nil, uuid.Nil
	}
	err := g.conn.QueryRow(ctx, `SELECT i.realm, i.message_id, r.message_id FROM incoming_payment i
		JOIN message r ON r.realm = i.realm AND r.original_id = i.message_id AND r.kind = 'received recall'
		WHERE i.transaction_id = $1`, transaction).Scan(&realm, &original, &received)
	if err != nil {
		return "", uuid.Nil, uuid.Nil
	}
	return realm, original, received
}

func (g *game) request(r *request) {
	g.asked[r.name] = true
	r.ExternalID = r.name
	g.requests = append(g.requests, r)
	g.submitRequest(r)
}

// submitRequest enters a request, or enters it again. Clearing may have settled what we have no answer to yet: then it is refused.
func (g *game) submitRequest(r *request) {
	var refused *payment.RefusalError
	err := g.call("submit "+r.name+" by "+string(r.Kind), func(h *servicetest.Env) error {
		made, err := h.Submission.CreateRTransaction(ctx, g.people["maker1"], r.RTransaction)
		if errors.As(err, &refused) && r.id == uuid.Nil {
			return nil
		}
		if err != nil {
			return err
		}
		if r.id != uuid.Nil && r.id != made.Message.InternalID {
			g.blame("%s is two messages: %s and %s", r.name, r.id, made.Message.InternalID)
		}
		r.id = made.Message.InternalID
		return nil
	})
	unknown := errors.Is(err, store.ErrUnknown)
	if refused != nil {
		r.void, g.asked[r.name] = true, false
	}
	if r.id == uuid.Nil && (err != nil || refused != nil) && !unknown && !g.tried[r.name] {
		g.undone(errors.Join(err, refusal(refused)), "SELECT count(*) FROM message WHERE external_id = $1", r.ExternalID)
	}
	g.tried[r.name] = g.tried[r.name] || unknown
}

// refusal is the error, or none.
func refusal(refused *payment.RefusalError) error {
	if refused == nil {
		return nil
	}
	return refused
}

// advanceRequest takes the next step of a request. It says whether there is none.
func (g *game) advanceRequest(r *request) bool {
	switch {
	case r.void || r.approved:
		return true
	case r.id == uuid.Nil:
		g.submitRequest(r)
	default:
		g.approveRequest(r)
	}
	return r.void || r.approved
}

// approveRequest has the next checker approve. How many it needs the policy says, by the amount of the payment.
func (g *game) approveRequest(r *request) {
	checker := fmt.Sprint("checker", 1+r.approvals)
	err := g.call("approve "+r.name+" by "+checker, func(h *servicetest.Env) error {
		m, err := h.Approval.Approve(ctx, g.people[checker], service.Input{InternalID: r.id})
		var repeat *payment.RepeatError
		if errors.As(err, &repeat) {
			m, err = h.Messages.Message(ctx, demo.Realm, r.id)
		}
		if err != nil {
			return err
		}
		r.approvals++
		r.approved = m.State != payment.StateApprovalPending
		return nil
	})
	tried := "approve " + r.name + checker
	if err != nil && !errors.Is(err, store.ErrUnknown) && !g.tried[tried] {
		g.undone(err, `SELECT count(*) FROM decision d JOIN user_account u ON u.realm = d.realm AND u.user_id = d.checker_user
			WHERE u.name = $1 AND d.message_id = $2`, checker, r.id)
	}
	g.tried[tried] = g.tried[tried] || errors.Is(err, store.ErrUnknown)
}

// pursue takes the next step of a request of chance.
func (g *game) pursue() {
	if n := len(g.requests); n > 0 {
		g.advanceRequest(g.requests[g.chance.IntN(n)])
	}
}

// wantBack has another bank recall a payment that it was told is booked.
func (g *game) wantBack() {
	for transaction := range g.bank.arrivals() {
		if g.bank.recall(transaction) {
			g.note("another bank recalls %s", transaction)
			return
		}
	}
}

// endOf is the state a request comes to.
func (g *game) endOf(r *request, talks bool) payment.State {
	g.bank.mu.Lock()
	defer g.bank.mu.Unlock()
	back, recalled := g.bank.sentBack[r.transaction], g.bank.recalls[r.transaction]
	switch {
	case r.Kind == payment.KindRecall && recalled == nil, r.Kind != payment.KindRecall && back == nil:
		return payment.StateProcessing // not there yet
	case r.Kind == payment.KindReturn:
		return payment.StateSettled
	case r.Kind == payment.KindResolution:
		return payment.StateCommunicated
	case recalled.silent && !talks && recalled.receipted:
		return payment.StateAcknowledged
	case recalled.silent && !talks:
		return payment.StateProcessing
	case recalled.returns:
		return payment.StateAccepted
	}
	return payment.StateRefused
}

// judgeRequests holds what people asked for against what took effect at clearing: each once, and with the amount of the payment.
func (g *game) judgeRequests() {
	recalls, back := map[string]bool{}, map[string]bool{}
	for _, r := range g.requests {
		if r.void {
			continue
		}
		m, err := g.read(demo.Realm, r.id)
		if err != nil || m.Kind != r.Kind || m.Withheld != "" {
			g.blame("%s was acknowledged and is lost: it is a %q, withheld %q: %v", r.name, m.Kind, m.Withheld, err)
		}
		if r.Kind == payment.KindRecall {
			recalls[r.transaction] = true
		} else {
			back[r.transaction] = true
			g.judgeBack(r)
		}
		g.count.requests++
	}
	for transaction := range g.bank.recalls {
		if !recalls[transaction] {
			g.blame("%s was recalled, and nobody wanted that", transaction)
		}
	}
	for transaction := range g.bank.sentBack {
		if !back[transaction] {
			g.blame("the recall of %s was answered, and nobody wanted that", transaction)
		}
	}
	if len(g.bank.recalls) != len(recalls) || len(g.bank.sentBack) != len(back) {
		g.blame("%d recalls and %d answers were wanted, and %d and %d came", len(recalls), len(back), len(g.bank.recalls), len(g.bank.sentBack))
	}
}

// judgeBack holds an answer to a recall against what came of it, and the recall against its answer.
func (g *game) judgeBack(r *request) {
	a, s := g.bank.incoming[r.transaction], g.bank.sentBack[r.transaction]
	if s == nil {
		return // told of elsewhere
	}
	if isReturn := r.Kind == payment.KindReturn; isReturn != (s.returned.Currency() != "") || isReturn && s.returned != a.transfer.Amount {
		g.blame("%s by %s of %s came as %s", r.name, r.Kind, a.transfer.Amount, s.returned)
	}
}

// judgeAnswered holds that every recall of another bank is with the people, or answered by them.
func (g *game) judgeAnswered() {
	for transaction, a := range g.bank.incoming {
		if !a.recalled {
			continue
		}
		realm, _, received := g.recallOf(a, transaction)
		m, err := g.read(realm, received)
		want := payment.StateAwaitingDecision
		if g.bank.sentBack[transaction] != nil {
			want = payment.StateAnswered
		}
		if err != nil || m.State != want {
			g.blame("the recall of %s is %q and not %s: %v", transaction, m.State, want, err)
		}
	}
	for transaction, r := range g.bank.recalls {
		var back int64
		must(g.t, g.conn.QueryRow(ctx, `SELECT count(*) FROM message m JOIN message recall ON recall.message_id = m.answers_id
			JOIN message paid ON paid.message_id = recall.original_id WHERE paid.global_id = $1`,
			transaction).Scan(&back))
		if want := int64(1); back != want && r.pending == nil {
			g.blame("the recall of %s has %d answers", transaction, back)
		}
	}
}
