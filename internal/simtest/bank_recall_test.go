package simtest

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// recalled is a payment of ours that we want back, as clearing knows it.
type recalled struct {
	returns   bool // the money comes back; else the recall is refused
	silent    bool // not before the bank talks
	pending   func()
	told      bool // we confirmed the answer
	receipted bool // a refusal is confirmed too: in SIC
}

// sentBack is what we made of a payment that another bank wants back.
type sentBack struct {
	returned money.Amount // the zero value for a refusal
	answer   func()       // the answer of clearing, once more
}

// takeRecall takes a recall of ours. There is one of a payment, and the payment settled.
func (b *bank) takeRecall(scheme rulebook.Scheme, d *iso20022.FIToFIPaymentCancellationRequest) {
	asked, err := interbank.ReadCancellation(d)
	if err != nil {
		b.accuse("a recall cannot be read: %v", err)
		return
	}
	transaction := asked.Original.TransactionID
	p := b.paid[transaction]
	switch {
	case p == nil || !p.ending.settles:
		b.accuse("%s is recalled, which never settled", transaction)
		return
	case b.recalls[transaction] != nil:
		b.accuse("%s is recalled twice", transaction)
		return
	}
	luck := b.chance("recall", p.endToEnd)
	r := &recalled{returns: luck.IntN(2) == 0, silent: luck.IntN(4) == 0, receipted: scheme == rulebook.SchemeSIC}
	b.recalls[transaction] = r
	wait := time.Duration(luck.IntN(14_000)) * time.Millisecond
	if scheme == rulebook.SchemeSIC {
		b.receipt(scheme, d, "RC-"+transaction, wait/2)
	}
	r.pending = func() { b.answerRecall(p, d, r, wait) }
	if !r.silent || b.talks {
		r.pending()
		r.pending = nil
	}
}

// receipt says that clearing has what we sent.
func (b *bank) receipt(scheme rulebook.Scheme, about iso20022.Document, reference string, wait time.Duration) {
	document, err := interbank.Receipt(interbank.ReceiptInput{Scheme: scheme, About: about, Reference: reference, At: b.now()})
	if err != nil {
		b.accuse("write a receipt: %v", err)
		return
	}
	b.mail(scheme, reference, wait, document)
}

// answerRecall sends the money back, or says that it does not.
func (b *bank) answerRecall(p *paid, d *iso20022.FIToFIPaymentCancellationRequest, r *recalled, wait time.Duration) {
	in := interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: p.scheme, Recall: d, Original: p.document, Bank: "BBBBFRPPXXX",
		At: b.now(), Day: b.now(),
	}
	transaction := p.document.CreditTransferTransactionInformation[0].PaymentID.TransactionID
	var document iso20022.Document
	var err error
	if r.returns {
		in.Reason, in.MessageID, in.ID = rulebook.ReturnAfterRecall, "BK-"+transaction, "BK-"+transaction
		document, err = interbank.Return(in)
	} else {
		in.MessageID, in.ID = "NO-"+transaction, "NO-"+transaction
		document, err = interbank.Resolution(in)
	}
	if err != nil {
		b.accuse("answer the recall of %s: %v", transaction, err)
		return
	}
	b.mail(p.scheme, in.MessageID, wait, document)
}

// speak sends the answers to recalls that were kept back.
func (b *bank) speak() {
	for _, transaction := range slices.Sorted(maps.Keys(b.recalls)) {
		r := b.recalls[transaction]
		if r.pending != nil {
			r.pending()
			r.pending = nil
		}
	}
}

// recall wants a payment back that we were told is booked. It says whether that can be asked now.
func (b *bank) recall(transaction string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.incoming[transaction]
	if a == nil || a.answer != "ACCP" || a.recalled {
		return false
	}
	document, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: schemeOf(a), Original: a.document, MessageID: "RE-" + transaction,
		ID: "RE-" + transaction, At: b.now(),
	})
	if err != nil {
		b.accuse("recall %s: %v", transaction, err)
		return false
	}
	a.recalled = true
	b.mail(schemeOf(a), "RE-"+transaction, 0, document)
	return true
}

// takeReturn takes money of ours back, and says so: at once, later, twice, or only when it is asked.
func (b *bank) takeReturn(scheme rulebook.Scheme, d *iso20022.PaymentReturn) {
	returned, err := interbank.ReadReturn(d)
	if err != nil {
		b.accuse("a return cannot be read: %v", err)
		return
	}
	transaction := returned.Original.TransactionID
	luck, number := b.chance("return", transaction), 0
	back := b.answered(transaction, &sentBack{returned: returned.Amount, answer: func() {
		number++
		reference := fmt.Sprintf("S%d-%s", number, transaction)
		report, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: scheme, About: d, Reference: reference, StatusID: reference, At: b.now(),
		})
		if err != nil {
			b.accuse("answer the return of %s: %v", transaction, err)
			return
		}
		b.mail(scheme, reference, time.Duration(luck.IntN(14_000))*time.Millisecond, report)
	}})
	if back != nil && luck.IntN(4) > 0 {
		for range 1 + luck.IntN(2) {
			back.answer()
		}
	}
}

// takeResolution takes our refusal of a recall.
func (b *bank) takeResolution(scheme rulebook.Scheme, d *iso20022.ResolutionOfInvestigation) {
	refusal, err := interbank.ReadResolution(d)
	if err != nil {
		b.accuse("a resolution cannot be read: %v", err)
		return
	}
	transaction := refusal.Original.TransactionID
	back := b.answered(transaction, &sentBack{answer: func() {}})
	if back != nil && scheme == rulebook.SchemeSIC {
		b.receipt(scheme, d, "RR-"+transaction, time.Second)
	}
}

// answered notes our answer to a recall. There is one, and nobody gives it who was not asked.
func (b *bank) answered(transaction string, s *sentBack) *sentBack {
	a := b.incoming[transaction]
	switch {
	case a == nil || !a.recalled:
		b.accuse("%s is answered, which nobody recalled", transaction)
	case b.sentBack[transaction] != nil:
		b.accuse("the recall of %s is answered twice", transaction)
	default:
		b.sentBack[transaction] = s
		return s
	}
	return nil
}

// takeReceipt takes our receipt for a refusal of our recall, or for a recall of another bank.
func (b *bank) takeReceipt(d *iso20022.Receipt) {
	confirmed, err := interbank.ReadReceipt(d)
	if err != nil {
		b.accuse("a receipt cannot be read: %v", err)
		return
	}
	refused, ours := strings.CutPrefix(confirmed.OriginalID, "NO-")
	asked, theirs := strings.CutPrefix(confirmed.OriginalID, "RE-")
	switch {
	case ours && b.recalls[refused] != nil:
		b.recalls[refused].told = true
	case theirs && b.incoming[asked] != nil:
	default:
		b.accuse("a receipt is about %s, which we never sent", confirmed.OriginalID)
	}
}

// payment is the payment of ours with an end-to-end id, if it took effect.
func (b *bank) payment(endToEnd string) (transaction string, p *paid) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for transaction, p := range b.paid {
		if p.endToEnd == endToEnd {
			return transaction, p
		}
	}
	return "", nil
}

// arrivals are the payments of other banks, in the order of their transaction IDs.
func (b *bank) arrivals() iter.Seq2[string, *arrival] {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := maps.Clone(b.incoming)
	return func(yield func(string, *arrival) bool) {
		for _, transaction := range slices.Sorted(maps.Keys(all)) {
			if !yield(transaction, all[transaction]) {
				return
			}
		}
	}
}
