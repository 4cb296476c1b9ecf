package clearing_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestAQuestionThatComesUnderAnotherIDIsAnsweredOnceMore: by an answer under an id of its own. Nobody has put anything in the place of the
// first one, which would be an alarm and a reference with a tilde.
func TestAQuestionThatComesUnderAnotherIDIsAnsweredOnceMore(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	_, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	question, err := interbank.StatusRequest(
		interbank.StatusRequestInput{Scheme: rulebook.SchemeSIC, About: document, Reference: "Q1", RequestID: "Q1", At: h.Clock.Now()},
	)
	for _, reference := range []string{"FIRST", "SECOND"} {
		receive(t, h, inbound(t, rulebook.SchemeSIC, reference, question, err))
		h.Clock.Add(3 * time.Second)
		look(h)
	}
	answers := 0
	for _, d := range h.Network.Delivered() {
		if strings.Contains(d.Content, "xsd:pacs.002") {
			answers++
		}
	}
	var beside int
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM document WHERE reference LIKE '%~%'").Scan(&beside))
	if answers != 3 || beside != 0 {
		t.Errorf("clearing got %d answers, of the payment and of two questions; %d stand beside another document", answers, beside)
	}
}

// TestAQuestionAboutAPaymentThatClearingRefusedIsAnsweredWithItsReason: also with one that no list has.
func TestAQuestionAboutAPaymentThatClearingRefusedIsAnsweredWithItsReason(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	h.Clock.Add(3 * time.Second)
	look(h)
	refused := answer(t, m, "LATE", "RJCT", "AC04")
	refused.Content = []byte(strings.NewReplacer(
		"<Cd>AC04</Cd>", "<Prtry>ACCOUNT-GONE</Prtry>", string(m.GlobalID), "TX9",
	).Replace(string(refused.Content)))
	receive(t, h, refused)
	want{state: payment.StateFailed, code: "ACCOUNT-GONE"}.check(t, h, m)
	question, err := interbank.StatusRequest(
		interbank.StatusRequestInput{Scheme: rulebook.SchemeSIC, About: document, Reference: "Q1", RequestID: "Q1", At: h.Clock.Now()},
	)
	receive(t, h, inbound(t, rulebook.SchemeSIC, "Q1", question, err))
	h.Clock.Add(3 * time.Second)
	look(h)
	said, err := interbank.ReadStatus(lastSent(t, h, "pacs.002").(*iso20022.FIToFIPaymentStatusReport))
	if err != nil || said.Reason.Code != "ACCOUNT-GONE" {
		t.Errorf("the question is answered with %+v, %v", said, err)
	}
}
