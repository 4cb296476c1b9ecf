package payment_test

import (
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// TestAContentIsDecodedOnceForAllCopies holds the work of an approval to one reading of its content, from the load to the answer, and
// never lets one content be read as another.
func TestAContentIsDecodedOnceForAllCopies(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	in := benchmarkInput(rulebook.SchemeSIC, benchmarkOrder(t, rulebook.SchemeSIC))
	in.Policy, in.Seal = payment.Policy{ApprovalsRequired: 1, PendingFor: 1 << 40}, seal
	created, err := payment.NewInstruction(in)
	if err != nil {
		t.Fatal(err)
	}
	loaded := created.Message.WithContent(created.Message.Content)
	first, err := payment.DocumentOf(loaded)
	if err != nil {
		t.Fatal(err)
	}
	approved, err := loaded.Approve(by(checker), payment.ApprovalContext{Today: noon, Seal: seal})
	if err != nil {
		t.Fatal(err)
	}
	again, err := payment.DocumentOf(approved.After())
	if err != nil || again != first {
		t.Errorf("the approved message was read again (%v)", err)
	}

	other := loaded
	other.Content = append([]byte(nil), loaded.Content...)
	fresh, err := payment.DocumentOf(other)
	if err != nil || fresh == first {
		t.Errorf("other bytes were taken as read (%v)", err)
	}
	other.Content = []byte("<Document/>")
	_, err = payment.DocumentOf(other)
	if err == nil || other.Trusted() == nil {
		t.Error("a content that was exchanged passes as the one before it")
	}
}
