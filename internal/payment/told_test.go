package payment_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// contains reports whether a text holds another; only the empty text holds the empty one.
func contains(text, part string) bool {
	return part == "" && text == "" || part != "" && strings.Contains(text, part)
}

// A client is told RJCT for what will never be paid, and for nothing else: on RJCT it pays again.
func TestEachStateIsToldToTheClient(t *testing.T) {
	t.Parallel()
	order := readSample[*iso20022.CustomerCreditTransferInitiation](t, rulebook.SchemeSIC, "01_pain.001.001.09")
	for state, want := range map[payment.State]struct {
		status, code, text string
		ends               bool
	}{
		payment.StateApprovalPending: {status: "PDNG"},
		payment.StateApproved:        {status: "ACSP"},
		payment.StateProcessing:      {status: "ACSP"},
		payment.StateUnconfirmed:     {status: "ACSP"},
		payment.StateSettled:         {status: "ACSC", ends: true},
		payment.StateFailed:          {"RJCT", "AM04", "Not enough money.", true},
		payment.StateRejected:        {"RJCT", "DS02", "Wrong creditor.", true},
		payment.StateWithdrawn:       {"RJCT", "DS02", "Withdrawn by the maker.", true},
		payment.StateExpired:         {"RJCT", "TM01", "Nobody decided in time.", true},
	} {
		m := pending(maker, 1)
		m.State, m.StatusCode, m.StatusText, m.Sequence = state, "AM04", "Not enough money.", 7
		m.Decisions = []payment.Decision{{Reason: "first"}, {Action: payment.ActionReject, Reason: "Wrong creditor."}}
		report := payment.StatusReport(m, order, noon)
		group := report.OriginalGroupInformationAndStatus
		info := report.OriginalPaymentInformationAndStatus[0]
		transaction := info.TransactionInformationAndStatus[0]
		for _, got := range []string{group.GroupStatus, info.PaymentInformationStatus, transaction.TransactionStatus} {
			if got != want.status {
				t.Errorf("%s is told as %q, want %q", state, got, want.status)
			}
		}
		code, text := reasonsIn(group.StatusReasonInformation)
		again, also := reasonsIn(transaction.StatusReasonInformation)
		if code != want.code || text != want.text || again != want.code || also != want.text {
			t.Errorf("%s because of %q %q, %q %q, want %q %q", state, code, text, again, also, want.code, want.text)
		}
		if id := report.GroupHeader.MessageID; id != "RDM00000000000000-7" {
			t.Errorf("%s: the report is called %s", state, id)
		}
		if m.Kind.Final(state) != want.ends {
			t.Errorf("%s ends a payment: %t", state, m.Kind.Final(state))
		}
	}
}

// reasonsIn are the code and the words of at most one reason.
func reasonsIn(reasons []iso20022.StatusReasonInformation12) (code, text string) {
	for _, r := range reasons {
		code, text = code+r.Reason.Code, text+strings.Join(r.AdditionalInformation, "")
	}
	return code, text
}

// The end of an instruction is reported, with its last step; nothing else is.
func TestOnlyTheEndOfAnInstructionIsReported(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	approved, err := m.Approve(by(checker), terms(sealer(t, 'k')))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := approved.Report(); ok {
		t.Error("the first of two approvals is reported")
	}
	rejected, err := m.Reject(by(checker), "Wrong creditor.")
	if err != nil {
		t.Fatal(err)
	}
	out, ok := rejected.Report()
	if !ok || out.Reference() != "RDM00000000000000-2" {
		t.Fatalf("a rejection: %t %s", ok, out.Reference())
	}
	report := out.Document().(*iso20022.CustomerPaymentStatusReport)
	if code, text := reasonsIn(report.OriginalGroupInformationAndStatus.StatusReasonInformation); code != "DS02" || text != "Wrong creditor." {
		t.Errorf("the rejection is told as %s %s", code, text)
	}
	recall := m
	recall.Kind = payment.KindRecall
	withdrawn, err := recall.Withdraw(maker, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := withdrawn.Report(); ok {
		t.Error("the end of a recall is reported as that of an order")
	}
}

func TestEachStateOfARecallAndAReturnIsShownBesideThePayment(t *testing.T) {
	t.Parallel()
	closed := map[payment.State]bool{
		payment.StateNone: true, "": true, payment.StateRejected: true, payment.StateWithdrawn: true, payment.StateExpired: true, payment.StateFailed: true,
	}
	for _, state := range append(payment.States(), payment.StateNone, "") {
		recall, back := payment.RecallInProgress, payment.ReturnInProgress
		switch {
		case closed[state]:
			recall, back = "", ""
		case state == payment.StateAccepted:
			recall = payment.RecallAccepted
		case state == payment.StateRefused:
			recall = payment.RecallRefused
		case state == payment.StateSettled:
			back = payment.ReturnDone
		}
		if got := payment.RecallStatusOf(state); got != recall {
			t.Errorf("a recall that is %s shows as %q", state, got)
		}
		if got := payment.ReturnStatusOf(state); got != back {
			t.Errorf("a return that is %s shows as %q", state, got)
		}
	}
}

func TestReferencesNameTheirMessage(t *testing.T) {
	t.Parallel()
	for kind, prefix := range map[payment.Kind]string{
		payment.KindInstruction: "P8", payment.KindRecall: "C56", payment.KindReturn: "P4", payment.KindResolution: "C29",
	} {
		m := payment.Message{Kind: kind, GlobalID: payment.New("DM", noon, [4]byte{})}
		id, ours := payment.ParseReference(m.Reference())
		if m.Reference() != prefix+string(m.GlobalID) || !ours || id != m.GlobalID {
			t.Errorf("%s: %s, %s %t", kind, m.Reference(), id, ours)
		}
	}
	for _, foreign := range []string{"", "P8", "P8DM0000000000000", "P8DM000000000000000", "X8DM00000000000000", "DM00000000000000", "P8dm00000000000000"} {
		if id, ours := payment.ParseReference(foreign); ours {
			t.Errorf("%q is taken for %s", foreign, id)
		}
	}
}

// The words of a client are used up by the message that they came with.
func TestTheKeysOfARequest(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.ExternalID = "E-1"
	created := payment.Created{Message: m, MessageKey: "M-1", IdempotencyKey: "I-1", Fingerprint: orderedHash}
	want := map[payment.KeyScope]string{payment.KeyMessageID: "M-1", payment.KeyExternalID: "E-1", payment.KeyIdempotency: "I-1"}
	keys := created.RequestKeys()
	for _, k := range keys {
		whole := payment.RequestKey{
			Realm: m.Realm, ClientID: m.ClientID, Scope: k.Scope, Key: want[k.Scope], MessageID: m.InternalID, Fingerprint: orderedHash, CreatedAt: m.CreatedAt,
		}
		if k != whole {
			t.Errorf("%+v, want %+v", k, whole)
		}
	}
	none := payment.Created{Message: payment.Message{InternalID: uuid.New()}}.RequestKeys()
	if len(keys) != 3 || len(none) != 0 {
		t.Errorf("%d keys, and %d of a request without any", len(keys), len(none))
	}
}
