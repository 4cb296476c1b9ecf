package clearing_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
)

// TestAQuestionThatComesUnderAnotherIDIsAnsweredOnceMore: by an answer under an id of its own. Nobody has put anything in the place of the
// first one, which would be an alarm and a reference with a tilde.
func TestAQuestionThatComesUnderAnotherIDIsAnsweredOnceMore(t *testing.T) {
	t.Parallel()
	h := stationtest.New(t)
	defer h.CheckInvariants(t)
	_, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	question, err := interbank.StatusRequest(
		interbank.StatusRequestInput{Scheme: rulebook.SchemeSIC, Original: document, Reference: "Q1", RequestID: "Q1", At: h.Clock.Now()},
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
	must(t, h.DB.Connect(t).QueryRow(ctx, "SELECT count(*) FROM document WHERE reference LIKE '%~%'").Scan(&beside))
	if answers != 3 || beside != 0 {
		t.Errorf("clearing got %d answers, of the payment and of two questions; %d stand beside another document", answers, beside)
	}
}
