package mutationtest

const (
	station  = "internal/clearing/clearing.go"
	answers  = "internal/payment/answer.go"
	ofBooked = "internal/clearing"
)

// ofDeliveries lose, double or misjudge what goes out.
var ofDeliveries = []mutant{
	{
		name: "no answer at the very limit is not unconfirmed (review 9)", file: answers,
		tests:  ofBooked + ":TestNoAnswerInTimeIsUnconfirmed",
		before: `waited < limit && waited`, after: `waited <= limit && waited`,
	},
	{
		name: "a clock set back stops the limit of time", file: answers, tests: ofBooked + ":TestAClockThatIsSetBack",
		before: `waited < limit && waited > -limit`, after: `waited < limit`,
	},
	{
		name: "a delivery is noted twice", file: answers, tests: "internal/payment:TestADeliveryIsNotedOnce",
		before: `if !m.DeliveredAt.IsZero() {`, after: `if false && !m.DeliveredAt.IsZero() {`,
	},
	{
		name: "sent before it is stored (review 11)", file: station,
		tests:  ofBooked + ":TestADocumentIsStoredBeforeItIsSent|TestWhatTheReleaseBinds",
		before: `err := s.documents.Keep(ctx, made, content, s.cfg.Now())`, after: `err := error(nil)`,
	},
	{
		name: "another content at each try (review 11)", file: station,
		tests:  ofBooked + ":TestADocumentStaysTheSameAfterMidnight",
		before: `verified.Outbound(out.Message.AcceptedAt.In(s.cfg.Zone))`, after: `verified.Outbound(s.cfg.Now().In(s.cfg.Zone))`,
	},
	{
		name: "a delivery that failed is swallowed (review 12)", file: station,
		tests:  ofBooked + ":TestARefusedDelivery|TestWhatClearingDoesNotTake",
		within: `func (w *schemeWork) deliver(`,
		before: "\tif err != nil {\n\t\treturn err\n\t}\n\tnow :=", after: "\tif err != nil {\n\t\treturn nil\n\t}\n\tnow :=",
	},
	{
		name: "a poll never sends again (review 13)", file: "internal/clearing/scheme.go",
		tests:  ofBooked + ":TestWhatClearingDoesNotTake",
		before: `{ return w.Send(ctx, w.scheme, realm, id) }`, after: `{ return nil }`,
	},
	{
		name: "delivered twice on the wire (review 14)", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestAMessageThatNeedsNoApproval|TestAnApprovedMessageIsSentOnce",
		before: `err = c.cfg.Network.Deliver(limited, c.scheme, reference, content)`,
		after: "_ = c.cfg.Network.Deliver(limited, c.scheme, reference, content)\n" +
			"\terr = c.cfg.Network.Deliver(limited, c.scheme, reference, content)",
	},
	{
		name: "sent again though delivered (review 15)", file: station, tests: ofBooked + ":TestAnApprovedMessageIsSentOnce",
		before: `if err != nil || !out.Message.DeliveredAt.IsZero() {`, after: `if err != nil {`,
	},
	{
		name: "pauses between tries of an hour (review: retry pause)", file: "internal/clearing/dispatcher.go",
		tests:  ofBooked + ":TestAnAttemptThatTookLong|TestARefusedDelivery",
		before: `return min(maxBackoff, first<<(max(failed, 1)-1))`, after: `return time.Hour + first`,
	},
	{
		name: "a clearing that takes nothing is tried by all", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestAConnectionIsInterrupted",
		before: `return counts.ConsecutiveFailures >= failuresToInterrupt`,
		after:  `return counts.ConsecutiveFailures >= 1000*failuresToInterrupt`,
	},
	{
		name: "a refused document interrupts the connection", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestRefusedDocumentsInterrupt",
		before: `return err == nil || errors.Is(err, ErrNotAccepted)`, after: `return err == nil`,
	},
	{
		name: "a delivery has no limit of time", file: "internal/clearing/connection.go", tests: ofBooked + ":TestASchemeThatHangs",
		before: `context.WithTimeout(ctx, DeliverWithin)`, after: `context.WithTimeout(ctx, 1000*DeliverWithin)`,
	},
	{
		name: "a missing key ends what it sealed", file: station, tests: ofBooked + ":TestWithoutItsKeyAMessageIsHeld",
		within: `func (s *Service) send(`, before: `if errors.Is(err, payment.ErrForged) {`,
		after: `if errors.Is(err, payment.ErrForged) || errors.Is(err, payment.ErrUnknownKey) {`,
	},
	{
		name: "asked about before clearing has it", file: messageSQL,
		tests:  ofBooked + ":TestWhatClearingMayNotHave",
		within: "const messageListToInquire = `", before: ` AND delivered_at IS NOT NULL`, after: ``,
	},
	{
		name: "asked about without a pause", file: "internal/clearing/inquiry.go",
		tests:  ofBooked + ":TestBetweenTwoQuestions",
		before: `return min(maxInquiryPause, time.Second<<m.Inquiries)`, after: `return 0 * time.Second`,
	},
	{
		name: "a failed delivery is tried again at once", file: "internal/clearing/dispatcher.go",
		tests:  ofBooked + ":TestWhatCannotBeSentIsNotInTheWay|TestAnAttemptThatTookLong",
		before: `return pause <= 0 || pause > maxBackoff`, after: `return pause < 1000*maxBackoff`,
	},
	{
		name: "an answer in the outbox is not held against its seal", file: "internal/store/message_outbox.go",
		tests:  ofBooked + ":TestTheOutboxSendsOnly|TestAChangedAnswer",
		before: `err = s.db.Seal().CheckAnswer(facts, Seal(row.KeyID, row.Mac))`, after: `err = nil`,
	},
	{
		name: "a payment leaves from the outbox", file: "internal/auditlog/seal.go",
		tests:  ofBooked + ":TestTheOutboxSendsOnly",
		before: `if !slices.Contains(allowed, a.Name) {`, after: `if false && !slices.Contains(allowed, a.Name) {`,
	},
	{
		name: "every status of HTTP is a delivery (review: swallowed errors)", file: "internal/clearing/httpclient/transport.go",
		tests:  "internal/clearing/httpclient",
		before: `if response.StatusCode/100 == 2 {`, after: `if response.StatusCode/100 != 5 {`,
	},
	{
		name: "a delivery follows to another address", file: "internal/clearing/httpclient/transport.go", tests: "internal/clearing/httpclient",
		before: `{ return http.ErrUseLastResponse }`, after: `{ return nil }`,
	},
	{
		name: "a delivery waits for the end of what clearing says", file: "internal/clearing/httpclient/transport.go",
		tests:  "internal/clearing/httpclient:TestABodyWithoutEnd",
		before: `time.AfterFunc(readWithin, stop)`, after: `time.AfterFunc(readWithin, func() {})`,
	},
	{
		name: "who asks about a connection and who interrupts it wait for each other", file: "internal/clearing/connection.go",
		tests: ofBooked + ":TestAConnectionThatComesAndGoes",
		before: `	failing := c.breaker.Counts().ConsecutiveFailures > 0
	c.mu.Lock()
	defer c.mu.Unlock()
`, after: `	c.mu.Lock()
	defer c.mu.Unlock()
	failing := c.breaker.Counts().ConsecutiveFailures > 0
`,
	},
	{
		name: "a clearing that comes and goes floods the log", file: "internal/clearing/connection.go",
		tests:  ofBooked + ":TestAConnectionThatComesAndGoes",
		before: `|| 0 <= passed && passed < interruptionLines {`, after: `|| passed < 0 && 0 < interruptionLines {`,
	},
}

// ofArrivals book what clearing sends twice, or where it does not belong.
var ofArrivals = []mutant{
	{
		name: "a document counts twice (review 16)", file: "internal/store/inbox.go",
		tests:  ofBooked + ":TestAnAnswerCountsOnce|TestAnIncomingPaymentIsBooked",
		before: `if settled == 0 {`, after: `if false && settled == 0 {`,
	},
	{
		name: "an answer of one scheme counts for the other", file: "internal/clearing/status.go",
		tests:  ofBooked + ":TestAnAnswerOfAnotherScheme",
		before: `if m.Scheme != in.Scheme {`, after: `if false && m.Scheme != in.Scheme {`,
	},
	{
		name: "an answer about another amount counts", file: "internal/clearing/status.go", tests: ofBooked + ":TestAStatusThatDisagrees",
		before: `err := m.AgreesWith(about, s.cfg.Zone)`, after: `var err error`,
	},
	{
		name: "a payment comes in twice under one transaction ID", file: "internal/store/arrival.go",
		tests:  ofBooked + ":TestAnIncomingPaymentIsBookedOrRefused",
		before: `if added == 0 {`, after: `if false && added == 0 {`,
	},
	{
		name: "a recall is answered twice", file: "internal/clearing/recall.go",
		tests:  ofBooked + ":TestAnotherBankAnswersARecallOnce",
		before: `if err == nil && !moves {`, after: `if false && !moves {`,
	},
	{
		name: "money comes back of another amount", file: "internal/clearing/recall.go",
		tests:  ofBooked + ":TestAReturnMayKeepACharge|TestAReturnThatDisagrees",
		before: `err := returned.Owes(m.Summary.Amount, s.cfg.Rules.RecallCharge(m.Scheme))`, after: `err := error(nil)`,
	},
	{
		name: "a payment that was refused is recalled", file: "internal/clearing/recall.go",
		tests:  ofBooked + ":TestAPaymentThatWasRefusedIsNotRecalled",
		before: `case original.State != payment.StateBooked:`, after: `case false:`,
	},
	{
		name: "what is withheld is answered", file: "internal/clearing/receive.go", tests: ofBooked + ":SomebodyBroke",
		before: `if m.Withheld == "" {`, after: `if true || m.Withheld == "" {`,
	},
	{
		name: "a second recall of a payment is made", file: "internal/payment/eligibility.go",
		tests:  "internal/payment",
		before: `case kind == KindRecall && other.Kind == KindRecall,`, after: `case kind == KindRecall && other.Kind == KindRecall && failed,`,
	},
	{
		name: "an incoming payment is booked on a closed account", file: "internal/payment/incoming.go",
		tests:  ofBooked + ":TestAnIncomingPaymentIsBooked",
		before: `IncomingAccount{Open: a.Open,`, after: `IncomingAccount{Open: true,`,
	},
	{
		name: "what carries a release is sent and not stored with it", file: "internal/store/release.go",
		tests:  ofBooked + ":TestWhatIsReleased",
		before: `	addDocument(&one.values,`, after: `	addDocument(&dbsqlc.MessageMoveParams{EventIds: one.values.EventIds},`,
	},
	{
		name: "what carries a release is made where nothing is delivered", file: "internal/store/release.go",
		tests:  ofBooked + ":TestWhatIsReleased",
		before: `if s.makeOutbound == nil || !s.nudges.Working() {`, after: `if s.makeOutbound == nil {`,
	},
}
