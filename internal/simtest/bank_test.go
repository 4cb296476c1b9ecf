package simtest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// bank is the clearing of both schemes with the banks behind it. It remembers everything, and outlives every gateway. What it does with a
// document follows from the seed, the document's end-to-end id and the number of the try, so that it does not depend on the order in which
// documents come.
type bank struct {
	seed uint64
	now  func() time.Time
	wire *wire

	mu       sync.Mutex
	mood     mood
	talks    bool // it answers what it has kept silent about
	held     map[string]string
	tries    map[string]int
	paid     map[string]*paid     // by transaction ID
	incoming map[string]*arrival  // by transaction ID
	recalls  map[string]*recalled // of payments of ours, by their transaction ID
	sentBack map[string]*sentBack // our answers to recalls, by the transaction ID of the payment
	post     []*letter            // on the way to the gateway
	wrong    []string
	refused  int // deliveries that never came
}

// mood is how much trouble the bank makes.
type mood int

const (
	wild  mood = iota // it refuses, loses its answers, and gateways die around deliveries
	tired             // no gateway dies any more
	calm              // it takes everything
)

// paid is a payment that took effect at clearing.
type paid struct {
	scheme           rulebook.Scheme
	endToEnd         string
	amount           money.Amount
	debtor, creditor string // IBAN
	ending           ending
	document         *iso20022.FIToFICustomerCreditTransfer
}

// ending is what becomes of a payment at clearing.
type ending struct {
	settles bool
	silent  bool // it is answered only when somebody asks
	mute    bool // not even then
}

// arrival is a payment of another bank to an account here.
type arrival struct {
	transfer interbank.Transfer
	document *iso20022.FIToFICustomerCreditTransfer
	answer   string // TxSts of our answer; "" for none yet
	recalled bool   // its bank wants it back
}

// letter is a document on its way to the gateway. It comes again until the gateway has said that it is stored.
type letter struct {
	scheme    rulebook.Scheme
	reference string
	content   []byte
	due       time.Time
}

func newBank(seed uint64, w *wire, now func() time.Time) *bank {
	return &bank{
		seed: seed, wire: w, now: now, held: make(map[string]string), tries: make(map[string]int), paid: make(map[string]*paid),
		incoming: make(map[string]*arrival), recalls: make(map[string]*recalled), sentBack: make(map[string]*sentBack),
	}
}

// chance is a source that depends on nothing but the seed and the words.
func (b *bank) chance(words ...any) *rand.Rand {
	digest := fnv.New64a()
	_, _ = fmt.Fprintln(digest, words...)
	return rand.New(rand.NewPCG(b.seed, digest.Sum64()))
}

// errLost is all the gateway hears of a delivery that went wrong.
var errLost = errors.New("clearing: the connection broke")

// Deliver takes a document, or not, and says so, or not, and now and then the gateway is dead before or after.
func (b *bank) Deliver(_ context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	document, findings := codec.DecodeXML(content)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(findings) > 0 {
		b.accuse("%s is not valid: %s", reference, findings[0].Text)
		return errLost
	}
	b.tries[reference]++
	luck := b.chance("deliver", nameOf(reference, document), b.tries[reference]).IntN(100)
	if b.mood == calm {
		luck = 99
	}
	if luck < 7 && b.mood == wild {
		b.wire.cut(breakage{})
		return errLost
	}
	if luck < 18 {
		b.refused++
		return errLost
	}
	known, again := b.held[string(scheme)+reference]
	if again && known != string(content) {
		b.accuse("%s came again with another content", reference)
	}
	b.held[string(scheme)+reference] = string(content)
	if !again {
		b.take(scheme, document)
	}
	switch {
	case luck < 30:
		return errLost
	case luck < 37 && b.mood == wild:
		b.wire.cut(breakage{})
		return errLost
	}
	return nil
}

// nameOf names a document by what the seed knows of it: Global IDs are made anew each time.
func nameOf(reference string, document iso20022.Document) string {
	transfer, is := document.(*iso20022.FIToFICustomerCreditTransfer)
	if is {
		return transfer.CreditTransferTransactionInformation[0].PaymentID.EndToEndID
	}
	return string(document.MessageName()) + reference[:2] // inquiries and answers
}

func (b *bank) accuse(format string, values ...any) {
	b.wrong = append(b.wrong, fmt.Sprintf(format, values...))
}

// take has the effect of a document that is new.
func (b *bank) take(scheme rulebook.Scheme, document iso20022.Document) {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		b.takePayment(scheme, d)
	case *iso20022.FIToFIPaymentStatusRequest:
		b.takeInquiry(d)
	case *iso20022.FIToFIPaymentStatusReport:
		b.takeReport(d)
	case *iso20022.FIToFIPaymentCancellationRequest:
		b.takeRecall(scheme, d)
	case *iso20022.PaymentReturn:
		b.takeReturn(scheme, d)
	case *iso20022.ResolutionOfInvestigation:
		b.takeResolution(scheme, d)
	case *iso20022.Receipt:
		b.takeReceipt(d)
	default:
		b.accuse("nobody asked for a %s", document.MessageName())
	}
}

func (b *bank) takePayment(scheme rulebook.Scheme, d *iso20022.FIToFICustomerCreditTransfer) {
	transfer, err := interbank.ReadTransfer(d)
	if err != nil {
		b.accuse("a payment cannot be read: %v", err)
		return
	}
	if b.paid[transfer.TransactionID] != nil {
		b.accuse("%s came under two message ids", transfer.TransactionID)
		return
	}
	luck := b.chance("ending", transfer.EndToEndID)
	end := ending{settles: luck.IntN(100) < 75}
	switch kind := luck.IntN(100); {
	case kind < 10:
		end.silent, end.mute = true, true
	case kind < 28:
		end.silent = true
	}
	p := &paid{
		scheme: scheme, endToEnd: transfer.EndToEndID, amount: transfer.Amount, debtor: transfer.Debtor.IBAN,
		creditor: transfer.Creditor.IBAN, ending: end, document: d,
	}
	b.paid[transfer.TransactionID] = p
	if !end.silent {
		wait := time.Duration(luck.IntN(14_000)) * time.Millisecond
		for number := range 1 + luck.IntN(2) {
			b.answer(transfer.TransactionID, p, fmt.Sprintf("A%d-%s", number, transfer.TransactionID), wait)
		}
	}
}

// answer puts a status of a payment into the post.
func (b *bank) answer(transaction string, p *paid, reference string, wait time.Duration) {
	status := iso20022.PaymentTransaction110{OriginalTransactionID: transaction, TransactionStatus: "RJCT"}
	switch {
	case p.ending.settles && p.scheme == rulebook.SchemeSIC:
		status.TransactionStatus = "ACSC"
	case p.ending.settles:
		status.TransactionStatus = "ACCP"
	default:
		status.StatusReasonInformation = []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: "AC04"}}}
	}
	b.mail(p.scheme, reference, wait, &iso20022.FIToFIPaymentStatusReport{
		GroupHeader:                     iso20022.GroupHeader91{MessageID: reference, CreationDateTime: iso20022.DateTimeOf(b.now())},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{status},
	})
}

func (b *bank) mail(scheme rulebook.Scheme, reference string, wait time.Duration, document iso20022.Document) {
	content, err := codec.EncodeXML(document)
	if err != nil {
		b.accuse("write %s: %v", reference, err)
	}
	b.post = append(b.post, &letter{scheme: scheme, reference: reference, content: content, due: b.now().Add(wait)})
}

func (b *bank) takeInquiry(d *iso20022.FIToFIPaymentStatusRequest) {
	asked, err := interbank.ReadStatusRequest(d)
	if err != nil {
		b.accuse("an inquiry cannot be read: %v", err)
		return
	}
	p := b.paid[asked.Original.TransactionID]
	returned := b.sentBack[asked.Original.TransactionID]
	switch {
	case returned != nil:
		returned.answer()
	case p == nil:
		b.accuse("asked about %s, which never came", asked.Original.TransactionID)
	case !p.ending.mute || b.talks:
		b.answer(asked.Original.TransactionID, p, "Q"+asked.MessageID, time.Second)
	}
}

func (b *bank) takeReport(d *iso20022.FIToFIPaymentStatusReport) {
	status, err := interbank.ReadStatus(d)
	if err != nil {
		b.accuse("an answer cannot be read: %v", err)
		return
	}
	a := b.incoming[status.Original.TransactionID]
	returned := b.recalls[status.Original.TransactionID]
	switch {
	case returned != nil && returned.returns:
		returned.told = true
		if status.Status != "ACCP" {
			b.accuse("the money of %s came back and was answered with %s", status.Original.TransactionID, status.Status)
		}
	case a == nil:
		b.accuse("%s was answered, which we never sent", status.Original.TransactionID)
	case a.answer != "" && a.answer != status.Status:
		b.accuse("%s was answered with %s and with %s", status.Original.TransactionID, a.answer, status.Status)
	default:
		a.answer = status.Status
	}
}

// next takes a letter out of the post that is due: the one that a number chooses, so that they overtake each other. It is nil when there is
// none.
func (b *bank) next(number int) *letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	var due []int
	for i, l := range b.post {
		if !l.due.After(b.now()) {
			due = append(due, i)
		}
	}
	if len(due) == 0 {
		return nil
	}
	i := due[number%len(due)]
	l := b.post[i]
	b.post = append(b.post[:i:i], b.post[i+1:]...)
	return l
}

// due is when the next letter is due.
func (b *bank) due() (at time.Time, any bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.post {
		if !any || l.due.Before(at) {
			at, any = l.due, true
		}
	}
	return at, any
}

// back puts a letter back that the gateway did not say it has.
func (b *bank) back(l *letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.post = append(b.post, l)
}

// quiet says whether nothing is on its way and every payment of ours is answered.
func (b *bank) quiet() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.incoming {
		if a.answer == "" {
			return false
		}
	}
	for _, r := range b.recalls {
		if !r.told && r.pending == nil && (r.returns || r.receipted) {
			return false
		}
	}
	return len(b.post) == 0
}

// soothe ends the troubles, or some of them. talks: it answers what it kept silent about, too.
func (b *bank) soothe(to mood, talks bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mood, b.talks = to, talks
	if talks {
		b.speak()
	}
}

// accusations are what the gateway did wrong towards clearing.
func (b *bank) accusations() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.wrong, "; ")
}
