package payment_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

const (
	paidSample   = "03_pacs.008.001.08"
	recallSample = "06_camt.056.001.08_DUPL"
)

func sampleBytes(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../iso20022/testdata/sic-inst_" + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// cameIn are an incoming payment and its recall, as they are stored.
func cameIn(t *testing.T) (booked, recall payment.Message) {
	t.Helper()
	transfer, err := interbank.ReadTransfer(readSample[*iso20022.FIToFICustomerCreditTransfer](t, rulebook.SchemeSIC, paidSample))
	if err != nil {
		t.Fatal(err)
	}
	arrival := payment.ArrivalInput{
		Realm: "demo", Scheme: rulebook.SchemeSIC, Content: sampleBytes(t, paidSample), InternalID: uuid.New(), GlobalID: "DM00000000000002", At: noon,
	}
	booked = payment.NewIncoming(arrival, transfer, payment.IncomingRefusal{}, false).Message
	asked, err := interbank.ReadCancellation(readSample[*iso20022.FIToFIPaymentCancellationRequest](t, rulebook.SchemeSIC, recallSample))
	if err != nil {
		t.Fatal(err)
	}
	arrival.Content, arrival.InternalID, arrival.GlobalID = sampleBytes(t, recallSample), uuid.New(), "DM00000000000003"
	return booked, payment.NewReceivedRecall(arrival, asked, booked, noon.AddDate(0, 0, 15)).Message
}

// request is a good one of the kind.
func request(t *testing.T, kind payment.Kind) payment.RTransactionInput {
	t.Helper()
	in := payment.RTransactionInput{
		RTransaction: payment.RTransaction{Kind: kind, Scheme: rulebook.SchemeSIC}, By: maker, At: noon, Zone: time.UTC,
		GlobalID: "DM00000000000004", InternalID: uuid.New(), DocumentID: uuid.New(), Seal: sealer(t, 'k'),
	}
	in.About.Policy = payment.Policy{ID: uuid.New(), ApprovalsRequired: 1, PendingFor: time.Hour}
	in.About.Account = &payment.DebtorAccount{AgentBIC: "BBBBCHZZXXX"}
	switch kind {
	case payment.KindRecall:
		in.About.Original = pending(maker, 1)
		in.About.Original.State, in.About.Original.AcceptedAt = payment.StateSettled, noon
		in.About.Sent, in.Reason = sampleBytes(t, paidSample), "DUPL"
	case payment.KindReturn:
		in.About.Original, _ = cameIn(t)
		in.Reason = "AC04"
	case payment.KindResolution:
		in.About.Original, in.About.Recall = cameIn(t)
		in.Reason = "NOAS"
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
		t.Fatalf("a %s is not asked for", kind)
	}
	return in
}

var asked = []payment.Kind{payment.KindRecall, payment.KindReturn, payment.KindResolution}

// Each kind is made of a payment in one state, and of nothing else.
func TestWhatAnRTransactionIsMadeOf(t *testing.T) {
	t.Parallel()
	for _, kind := range asked {
		good := request(t, kind)
		if err := good.About.Eligible(kind, good.Rules); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for _, state := range payment.States() {
			about := good.About
			if kind == payment.KindResolution {
				about.Recall.State = state
			} else {
				about.Original.State = state
			}
			want := map[payment.Kind]payment.State{
				payment.KindRecall: payment.StateSettled, payment.KindReturn: payment.StateBooked, payment.KindResolution: payment.StateAwaitingDecision,
			}[kind] == state
			if err := about.Eligible(kind, good.Rules); want != (err == nil) || !want && !refusedWith(err, "NARR") {
				t.Errorf("%s of what is %s: %v", kind, state, err)
			}
		}
		for _, of := range payment.Kinds() {
			about := good.About
			about.Original.Kind = of
			want := of == good.About.Original.Kind
			if err := about.Eligible(kind, good.Rules); want != (err == nil) || !want && !refusedWith(err, "NARR") {
				t.Errorf("%s of a %s: %v", kind, of, err)
			}
		}
	}
	resolution := request(t, payment.KindResolution).About
	resolution.Recall.Kind = payment.KindRecall
	if err := resolution.Eligible(payment.KindResolution, rulebook.Settings{}); !refusedWith(err, "NARR") {
		t.Errorf("the refusal of our own recall: %v", err)
	}
	if err := resolution.Eligible(payment.KindInstruction, rulebook.Settings{}); !refusedWith(err, "NARR") {
		t.Errorf("an instruction about a payment: %v", err)
	}
	sepa := request(t, payment.KindReturn).About
	sepa.Original.Scheme = rulebook.SchemeSCT
	if err := sepa.Eligible(payment.KindReturn, rulebook.Settings{}); err == nil {
		t.Error("in SEPA a return needs no recall")
	}
}

func refusedWith(err error, code string) bool {
	var refused *payment.RefusalError
	return errors.As(err, &refused) && refused.Findings[0].Code == code
}

// What there is already excludes a second of its kind, and answers exclude each other.
func TestWhatExcludesAnother(t *testing.T) {
	t.Parallel()
	booked, recall := cameIn(t)
	ended := map[payment.State]bool{payment.StateRejected: true, payment.StateWithdrawn: true, payment.StateExpired: true}
	for _, state := range payment.States() {
		failed := ended[state] || state == payment.StateFailed
		for name, c := range map[string]struct {
			kind  payment.Kind
			other payment.Message
			may   bool
		}{
			"a return after a return": {payment.KindReturn, payment.Message{Kind: payment.KindReturn}, failed},
			"a return after a " +
				"resolution": {payment.KindReturn, payment.Message{Kind: payment.KindResolution, AnswersID: recall.InternalID}, failed},
			"a resolution after a " +
				"return": {payment.KindResolution, payment.Message{Kind: payment.KindReturn, AnswersID: recall.InternalID}, failed},
			"a resolution after a " +
				"resolution": {payment.KindResolution, payment.Message{Kind: payment.KindResolution, AnswersID: recall.InternalID}, failed},
			"a resolution after another " +
				"recall's": {payment.KindResolution, payment.Message{Kind: payment.KindResolution, AnswersID: uuid.New()}, true},
		} {
			c.other.State = state
			about := payment.RTransactionSubject{Original: booked, Recall: recall, Others: []payment.Message{c.other}}
			if err := about.Eligible(c.kind, rulebook.Settings{}); c.may != (err == nil) || !c.may && !refusedWith(err, "AM05") {
				t.Errorf("%s that is %s: %v", name, state, err)
			}
		}
	}
}

// Each part of a request is held, and the first that is wrong is told.
func TestWhatIsRefusedOfARequest(t *testing.T) {
	t.Parallel()
	forbidden := func(err error) bool { var e *payment.ForbiddenError; return errors.As(err, &e) }
	withheld := func(err error) bool { var e *payment.WithheldError; return errors.As(err, &e) }
	code := func(want string) func(error) bool { return func(err error) bool { return refusedWith(err, want) } }
	refused := func(err error) bool { var e *payment.RefusalError; return errors.As(err, &e) }
	tight := []rulebook.SpendingLimit{{Of: rulebook.OfAccount, PerPayment: 1, Currency: "CHF"}}
	for _, kind := range asked {
		for name, c := range map[string]struct {
			change func(*payment.RTransactionInput)
			want   func(error) bool
		}{
			"good":              {func(*payment.RTransactionInput) {}, func(err error) bool { return err == nil }},
			"no maker":          {func(in *payment.RTransactionInput) { in.By = checker }, forbidden},
			"another scheme":    {func(in *payment.RTransactionInput) { in.Scheme = rulebook.SchemeSCT }, code("NARR")},
			"withheld":          {func(in *payment.RTransactionInput) { in.About.Original.Withheld = "Forged." }, withheld},
			"another creditor":  {func(in *payment.RTransactionInput) { in.About.Original.Summary.CreditorName = "Mallory" }, withheld},
			"exchanged content": {func(in *payment.RTransactionInput) { in.About.Original.Content = []byte("<x/>") }, withheld},
			"forged recall": {func(in *payment.RTransactionInput) {
				in.About.Recall.InternalID, in.About.Recall.OriginalID = uuid.New(), in.About.Original.InternalID
				in.About.Recall.Withheld = "Forged."
			}, withheld},
			"unknown reason": {func(in *payment.RTransactionInput) { in.Reason = "XXXX" }, refused},
			"limit": {func(in *payment.RTransactionInput) { in.About.Limits = tight }, func(err error) bool {
				return refusedWith(err, "AM14") == kind.Limited() && kind.Limited() == (err != nil)
			}},
			"another one": {func(in *payment.RTransactionInput) {
				in.About.Others = []payment.Message{{Kind: kind, State: payment.StateProcessing, AnswersID: in.About.Recall.InternalID}}
			}, code("AM05")},
		} {
			in := request(t, kind)
			c.change(&in)
			if _, err := payment.NewRTransaction(in); !c.want(err) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}

// An R-transaction carries the payment, what it answers and its last day, waits under its policy, and is decided like a payment.
func TestWhatAnRTransactionBecomes(t *testing.T) {
	t.Parallel()
	for _, kind := range asked {
		in := request(t, kind)
		in.Rules.SICRecallDays, in.Rules.SICReturnDays = 5, 5
		created, err := payment.NewRTransaction(in)
		if err != nil {
			t.Fatal(err)
		}
		m := created.Message
		m.Seal = in.Seal.SealVersion(m)
		if m.Kind != kind || m.OriginalID != in.About.Original.InternalID || m.Reason != in.Reason || m.State != payment.StateApprovalPending ||
			m.Trusted() != nil || m.AnswersID != in.About.Recall.InternalID || m.ContentHash != payment.Digest(sha256.Sum256(m.Content)) ||
			m.ExpiresAt != noon.Add(time.Hour) || m.Deadline.IsZero() != (kind == payment.KindResolution) || created.Release != nil ||
			created.Origin.Reference != m.Reference() || m.Direction != payment.DirectionOut || m.Makers[0] != maker.PersonID {
			t.Errorf("%s: %+v", kind, m)
		}
		bound := terms(in.Seal)
		bound.Limits = []rulebook.SpendingLimit{{PerDay: 1 << 40, Currency: "CHF"}}
		approved, err := m.Approve(by(checker), bound)
		if (len(approved.LimitUses()) > 0) != kind.Limited() {
			t.Errorf("the release of a %s takes %+v of limits", kind, approved.LimitUses())
		}
		if err != nil || approved.Move().To != payment.StateApproved || approved.Release().Account != (payment.Digest{}) {
			t.Fatalf("%s: %v", kind, err)
		}
		verified, err := in.Seal.Verify(*approved.Release(), approved.After())
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		out, err := verified.Outbound(noon)
		if err != nil || out.Reference() != m.Reference() || len(codec.Validate(out.Document())) > 0 {
			t.Errorf("%s: %s %v", kind, out.Reference(), err)
		}
		for day, late := range map[int]bool{0: false, 1: true} {
			on := terms(in.Seal)
			on.Today = m.Deadline.AddDate(0, 0, day)
			if _, err := m.Approve(by(checker), on); !m.Deadline.IsZero() && refusedWith(err, "TM01") != late {
				t.Errorf("%s approved %d days after its last day: %v", kind, day, err)
			}
		}
		in.About.Policy.ApprovalsRequired, in.About.Limits = 0, []rulebook.SpendingLimit{{PerDay: 1 << 40, Currency: "CHF"}}
		created, err = payment.NewRTransaction(in)
		if err != nil || created.Release == nil || created.Message.State != payment.StateProcessing || !created.Message.ExpiresAt.IsZero() ||
			created.Message.AcceptedAt != noon || (len(created.Uses) > 0) != kind.Limited() {
			t.Errorf("%s without approvals: %+v %v", kind, created, err)
		}
	}
	charged := request(t, payment.KindReturn)
	charged.About.Original, charged.About.Recall = cameIn(t)
	charged.Reason = rulebook.ReturnAfterRecall
	charged.Charge, _ = money.Parse("CHF", "5.00")
	created, err := payment.NewRTransaction(charged)
	if err != nil || created.Message.Summary.Amount.Minor() != 19495 || created.Message.AnswersID != charged.About.Recall.InternalID {
		t.Errorf("a return less a charge: %+v %v", created.Message.Summary.Amount, err)
	}
}

// Each column that people see is held against the document.
func TestEachColumnIsHeldAgainstTheDocument(t *testing.T) {
	t.Parallel()
	order := pending(maker, 1)
	booked, received := cameIn(t)
	other, _ := money.Parse("CHF", "199.96")
	changes := map[string]func(*payment.Message){
		"amount": func(m *payment.Message) { m.Summary.Amount = other }, "creditor's name": func(m *payment.Message) { m.Summary.CreditorName = "x" },
		"creditor's account": func(m *payment.Message) { m.Summary.CreditorAccount = "x" },
		"creditor's bank":    func(m *payment.Message) { m.Summary.CreditorAgent = "x" }, "debtor's name": func(m *payment.Message) { m.Summary.DebtorName = "x" },
		"debtor's account": func(m *payment.Message) { m.Summary.DebtorAccount = "x" }, "debtor's bank": func(m *payment.Message) { m.Summary.DebtorAgent = "x" },
		"remittance": func(m *payment.Message) { m.Summary.Remittance = "x" }, "instruction ID": func(m *payment.Message) { m.Summary.InstructionID = "x" },
		"end-to-end ID": func(m *payment.Message) { m.Summary.EndToEndID = "x" }, "transaction ID": func(m *payment.Message) { m.Summary.TransactionID = "x" },
		"UETR": func(m *payment.Message) { m.Summary.UETR = "x" }, "kind": func(m *payment.Message) { m.Kind = "another" },
		"fingerprint":    func(m *payment.Message) { m.ContentHash[0] ^= 1 },
		"execution date": func(m *payment.Message) { m.ExecutionDay = m.ExecutionDay.AddDate(0, 0, 1) }, "reason": func(m *payment.Message) { m.Reason = "FRAD" },
	}
	back := func(kind payment.Kind) payment.Message {
		created, err := payment.NewRTransaction(request(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		return created.Message
	}
	const some = "amount, creditor's account, debtor's account, end-to-end ID, kind, fingerprint, reason, transaction ID"
	const payments = some + ", creditor's name, creditor's bank, debtor's name, debtor's bank, remittance, instruction ID, UETR"
	for name, c := range map[string]struct {
		message payment.Message
		held    string
	}{
		"order": {order, strings.Replace(payments, ", reason", ", execution date", 1)}, "incoming payment": {booked, strings.Replace(payments, ", reason", "", 1)},
		"received recall": {received, some}, "recall": {back(payment.KindRecall), some},
		"return": {back(payment.KindReturn), some}, "resolution": {back(payment.KindResolution), some},
	} {
		if c.message.Difference() != "" {
			t.Errorf("%s: %s", name, c.message.Difference())
		}
		for column, change := range changes {
			m := c.message
			change(&m)
			held := strings.Contains(", "+c.held+",", ", "+column+",")
			if strings.Contains(m.Difference().String(), " in this part: "+column+".") != held {
				t.Errorf("%s: another %s: %q", name, column, m.Difference())
			}
		}
	}
}

// A payment that came in is booked, or failed for the reason it is refused with; what else comes in is about the payment it names.
func TestWhatComesIn(t *testing.T) {
	t.Parallel()
	booked, recall := cameIn(t)
	if booked.State != payment.StateBooked || booked.SettledAt != noon || booked.Direction != payment.DirectionIn || booked.Kind != payment.KindPayment ||
		recall.State != payment.StateAwaitingDecision || recall.OriginalID != booked.InternalID || recall.Reason != "DUPL" ||
		!recall.AnswerBy.Equal(midnight(noon).AddDate(0, 0, 15)) {
		t.Errorf("%+v\n%+v", booked, recall)
	}
	in := payment.ArrivalInput{Realm: "demo", Scheme: rulebook.SchemeSIC, Content: booked.Content, At: noon, Reference: "R"}
	failed := payment.NewIncoming(in, interbank.Transfer{Reference: "RF", Remittance: "words"}, payment.IncomingRefusal{Code: "AC04", Text: "closed"}, true)
	if m := failed.Message; m.State != payment.StateFailed || m.StatusCode != "AC04" || m.StatusText != "closed" || !m.SettledAt.IsZero() ||
		failed.Action != payment.ActionRejectByClearing || m.Summary.Remittance != "RF" {
		t.Errorf("%+v", failed)
	}
	ours := pending(maker, 1)
	ours.OriginalID = uuid.New()
	less, _ := money.Parse("CHF", "190.00")
	back := payment.NewReceivedReturn(in, interbank.Returned{Amount: less, Reason: interbank.Reason{Code: "FOCR"}}, ours).Message
	long := interbank.Reason{Code: "LONGER", Text: strings.Repeat("é", payment.MaxReason+1)}
	refusal := payment.NewReceivedResolution(in, interbank.NegativeResolution{Reason: long}, ours).Message
	if back.State != payment.StateSettled || back.SettledAt != noon || back.Summary.Amount != less || back.Reason != "FOCR" ||
		back.OriginalID != ours.OriginalID || back.AnswersID != ours.InternalID ||
		refusal.State != payment.StateCommunicated || refusal.Reason != "NARR" || !strings.HasPrefix(refusal.StatusText, "LONGER é") ||
		len([]rune(refusal.StatusText)) != payment.MaxReason || refusal.AnswersID != ours.InternalID {
		t.Errorf("%+v\n%+v", back, refusal)
	}
	transfer := readSample[*iso20022.FIToFICustomerCreditTransfer](t, rulebook.SchemeSIC, paidSample)
	at := time.Date(2026, time.March, 2, 9, 0, 2, 0, time.UTC)
	account := payment.DebtorAccount{Scheme: rulebook.SchemeSIC, Currency: "CHF", Open: true, AgentIID: "21966"}
	for want, change := range map[string]func(*rulebook.Incoming){
		"": func(*rulebook.Incoming) {}, "AC01": func(i *rulebook.Incoming) { i.Account = nil },
		"AC04": func(i *rulebook.Incoming) { i.Account.Open = false }, "AM03": func(i *rulebook.Incoming) { i.Account.Currency = "EUR" },
		"AGNT": func(i *rulebook.Incoming) { i.Account.IID = "80005" }, "AB05": func(i *rulebook.Incoming) { i.At = at.Add(time.Minute) },
	} {
		input := rulebook.Incoming{Scheme: rulebook.SchemeSIC, Document: transfer, Account: account.Incoming(), At: at}
		change(&input)
		if got := payment.CheckIncoming(input); got.Code != want {
			t.Errorf("refused with %+v, want %q", got, want)
		}
	}
}

// What clearing says of a message of ours is held against it.
func TestAnAnswerIsAboutItsMessage(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.State, m.AcceptedAt = payment.StateProcessing, noon
	good := interbank.Original{
		MessageID: "P8DM00000000000000", MessageName: "pacs.008.001.08", InstructionID: "DM00000000000000", TransactionID: "DM00000000000000",
		EndToEndID: m.Summary.EndToEndID, UETR: m.Summary.UETR, Amount: m.Summary.Amount, Day: midnight(noon),
		Copy: interbank.OriginalCopy{DebtorAccount: m.Summary.DebtorAccount, CreditorAccount: m.Summary.CreditorAccount},
	}
	other, _ := money.Parse("CHF", "199.96")
	for element, change := range map[string]func(*interbank.Original){
		"": func(*interbank.Original) {}, "OrgnlMsgId": func(o *interbank.Original) { o.MessageID = "P4DM00000000000000" },
		"OrgnlMsgNmId": func(o *interbank.Original) { o.MessageName = "pacs.004" }, "OrgnlTxId": func(o *interbank.Original) { o.TransactionID = "x" },
		"OrgnlInstrId": func(o *interbank.Original) { o.InstructionID = "x" }, "OrgnlEndToEndId": func(o *interbank.Original) { o.EndToEndID = "x" },
		"OrgnlUETR": func(o *interbank.Original) { o.UETR = "x" }, "OrgnlIntrBkSttlmAmt": func(o *interbank.Original) { o.Amount = other },
		"OrgnlIntrBkSttlmDt":  func(o *interbank.Original) { o.Day = noon.AddDate(0, 0, 1) },
		"OrgnlTxRef/DbtrAcct": func(o *interbank.Original) { o.Copy.DebtorAccount = "x" }, "OrgnlTxRef/CdtrAcct": func(o *interbank.Original) { o.Copy.CreditorAccount = "x" },
	} {
		said := good
		change(&said)
		err := m.AgreesWith(said, time.UTC)
		var mismatch *interbank.MismatchError
		if errors.As(err, &mismatch) != (element != "") || mismatch != nil && mismatch.Element != element || element == "" && err != nil {
			t.Errorf("another %q: %v", element, err)
		}
	}
	for _, kind := range asked {
		created, err := payment.NewRTransaction(request(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		of := created.Message
		receipt := interbank.Confirmation{OriginalID: of.Reference(), OriginalName: "camt.056"}
		if err := of.AgreesWithReceipt(receipt); (err == nil) != (kind == payment.KindRecall) {
			t.Errorf("the receipt of a recall for a %s: %v", kind, err)
		}
		receipt.OriginalName, receipt.OriginalID = "", "other"
		if of.AgreesWithReceipt(receipt) == nil {
			t.Errorf("the receipt of another message is taken for a %s", kind)
		}
		own := interbank.Original{TransactionID: string(of.GlobalID)}
		if err := of.AgreesWith(own, time.UTC); (err == nil) != (kind == payment.KindReturn) && kind != payment.KindResolution {
			t.Errorf("a status that names a %s by its own id: %v", kind, err)
		}
	}
	_, recall := cameIn(t)
	question := interbank.Original{
		MessageID: "SCAMT56-20260303-0001", MessageName: "camt.056", InstructionID: "SCXL-0001", TransactionID: "STX20260302000001",
	}
	rest, err := recall.AskedAbout(question)
	if err != nil || (rest != interbank.Original{TransactionID: "STX20260302000001"}) {
		t.Errorf("of a question about a recall is left %+v: %v", rest, err)
	}
	question.InstructionID = "STX20260302000001"
	if rest, err = recall.AskedAbout(question); err != nil || rest.InstructionID != question.InstructionID {
		t.Errorf("of one that names the payment is left %+v: %v", rest, err)
	}
	question.MessageID = "other"
	if _, err = recall.AskedAbout(question); err == nil {
		t.Error("a question about another recall is answered")
	}
}

// The account that is debited is the realm's, open, of the scheme, and kept by the bank that the order names.
func TestWhichAccountMayBeDebited(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*payment.InstructionInput){
		"":             func(*payment.InstructionInput) {},
		"AC01 not":     func(in *payment.InstructionInput) { in.Account = nil },
		"AC04 closed":  func(in *payment.InstructionInput) { in.Account.Open = false },
		"AC01 for sct": func(in *payment.InstructionInput) { in.Account.Scheme = rulebook.SchemeSCT },
		"AGNT bank":    func(in *payment.InstructionInput) { in.Account.AgentBIC, in.Account.AgentIID = "BBBBCHZZXXX", "21966" },
		"AM14 at most": func(in *payment.InstructionInput) {
			in.Limits = []rulebook.SpendingLimit{{PerPayment: 1, Currency: "CHF"}}
		},
		"role no maker": func(in *payment.InstructionInput) { in.By = checker },
	} {
		in := benchmarkInput(rulebook.SchemeSIC, benchmarkOrder(t, rulebook.SchemeSIC))
		in.Account.AgentBIC, in.Policy = "AAAACHBBXXX", payment.Policy{ApprovalsRequired: 1, PendingFor: time.Hour}
		change(&in)
		_, err := payment.NewInstruction(in)
		code, _, _ := strings.Cut(want, " ")
		var forbidden *payment.ForbiddenError
		if code == "" && err != nil || code == "role" && !errors.As(err, &forbidden) || len(code) == 4 && code != "role" && !refusedWith(err, code) {
			t.Errorf("%q: %v", want, err)
		}
	}
	for want, change := range map[string]func(*payment.DebtorAccount){
		"AC04": func(a *payment.DebtorAccount) { a.Open = false }, "AC01": func(a *payment.DebtorAccount) { a.Holder.Name = "Mallory" },
	} {
		m := pending(maker, 1)
		change(m.Account)
		if _, err := m.Approve(by(checker), terms(sealer(t, 'k'))); !refusedWith(err, want) {
			t.Errorf("approve with an account that changed: %v, want %s", err, want)
		}
	}
	if _, err := payment.ParseDigest(strings.Repeat("0", 64)); err == nil {
		t.Error("the digest of nothing is one")
	}
}

// A message without approvals is released when it is made.
func TestWhatAnInstructionBecomes(t *testing.T) {
	t.Parallel()
	for approvals, state := range map[int]payment.State{0: payment.StateProcessing, 1: payment.StateApprovalPending} {
		in := benchmarkInput(rulebook.SchemeSIC, benchmarkOrder(t, rulebook.SchemeSIC))
		in.Policy, in.Seal = payment.Policy{ID: uuid.New(), ApprovalsRequired: approvals, PendingFor: time.Hour}, sealer(t, 'k')
		in.By.Grants = []identity.Grant{{ID: uuid.New(), Role: identity.RoleMaker}}
		in.Limits = []rulebook.SpendingLimit{{PerDay: 1 << 40, Currency: "CHF"}}
		created, err := payment.NewInstruction(in)
		m, none := created.Message, approvals == 0
		if err != nil || m.State != state || (created.Release != nil) != none || (len(created.Uses) == 1) != none || m.ExpiresAt.IsZero() != none ||
			m.AcceptedAt.IsZero() == none || m.PolicyID != in.Policy.ID || m.ApprovalsRequired != approvals || created.Grant != in.By.Grants[0] ||
			m.Clients[0] != "portal" || m.MakerUser != maker.UserID || m.Trusted() != nil {
			t.Errorf("%d approvals: %+v %v", approvals, created, err)
		}
	}
}

// Money that is here again is not recalled.
func TestWhatCameBackIsNotRecalled(t *testing.T) {
	t.Parallel()
	about := request(t, payment.KindRecall).About
	for state, refused := range map[payment.State]bool{"": false, payment.StateFailed: false, payment.StateSettled: true} {
		about.Original.ReturnState = state
		if err := about.Eligible(payment.KindRecall, rulebook.Settings{}); refusedWith(err, "NARR") != refused || !refused && err != nil {
			t.Errorf("a payment whose return is %q: %v", state, err)
		}
	}
}

// A document about a payment comes from a bank of its other side.
func TestADocumentComesFromABankOfThePayment(t *testing.T) {
	t.Parallel()
	booked, recall := cameIn(t)
	sent := pending(maker, 1)
	sent.Summary.CreditorAgent = "BBBBCHZZ123"
	for _, c := range []struct {
		about  payment.Message
		sender string
		taken  bool
	}{
		{booked, "RAIFCH22005", true},
		{booked, "AAAACHBBXXX", false},
		{booked, "", false},
		{sent, "BBBBCHZZXXX", true},
		{sent, "BBBBCHZZ123", true},
		{sent, "BBBBCHZZ456", false},
		{sent, "AAAACHBBXXX", false},
	} {
		err := c.about.ComesFrom(c.sender)
		var stranger *payment.StrangerError
		if (err == nil) != c.taken || !c.taken && (!errors.As(err, &stranger) || stranger.Sender != c.sender) {
			t.Errorf("from %q about a %s: %v", c.sender, c.about.Kind, err)
		}
	}
	if recall.WithContent([]byte("<broken")).ComesFrom("RAIFCH22005") == nil {
		t.Error("a document about what cannot be read is taken")
	}
}

// Only the parties of a payment know when it was accepted, its UETR, or its amount with both accounts.
func TestWhoKnowsThePayment(t *testing.T) {
	t.Parallel()
	booked, _ := cameIn(t)
	accepted := time.Date(2026, time.March, 2, 9, 0, 1, 49_000_000, time.UTC)
	accounts := interbank.OriginalCopy{DebtorAccount: "CH7280005000088877766", CreditorAccount: "CH4821966000009613388"}
	for name, c := range map[string]struct {
		said  interbank.Original
		knows bool
	}{
		"nothing":            {interbank.Original{TransactionID: "STX20260302000001"}, false},
		"its time":           {interbank.Original{AcceptedAt: accepted}, true},
		"another time":       {interbank.Original{AcceptedAt: accepted.Add(time.Millisecond)}, false},
		"its UETR":           {interbank.Original{UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"}, true},
		"its amount alone":   {interbank.Original{Amount: orderedSummary.Amount}, false},
		"its accounts alone": {interbank.Original{Copy: accounts}, false},
		"both":               {interbank.Original{Amount: orderedSummary.Amount, Copy: accounts}, true},
	} {
		if got := booked.KnownTo(c.said); got != c.knows {
			t.Errorf("%s: %v", name, got)
		}
	}
}
