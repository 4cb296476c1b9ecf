package clearing_test

import (
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// confirming is a house whose profiles say that clearing confirms the settlement of incoming payments.
func confirming(t *testing.T) *servicetest.Env {
	t.Helper()
	profiles, err := profile.NewRegistry(nil)
	must(t, err)
	for scheme, name := range map[rulebook.Scheme]string{rulebook.SchemeSIC: "sic-iso", rulebook.SchemeSCT: "sct-epc"} {
		profiles, err = profiles.Choose(string(scheme), name, profile.Ends{})
		must(t, err)
	}
	return servicetest.With(t, servicetest.Options{Profiles: profiles})
}

// reported is a pacs.002 of clearing about an incoming payment.
func reported(
	t *testing.T, about *iso20022.FIToFICustomerCreditTransfer, reference, status, reason string,
) *iso20022.FIToFIPaymentStatusReport {
	t.Helper()
	ids := about.CreditTransferTransactionInformation[0].PaymentID
	line := iso20022.PaymentTransaction110{
		StatusID: reference, OriginalEndToEndID: ids.EndToEndID, OriginalTransactionID: ids.TransactionID, TransactionStatus: status,
	}
	if reason != "" {
		line.StatusReasonInformation = []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: reason}}}
	}
	return &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: reference, CreationDateTime: "2026-03-02T11:00:01Z"},
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{
			{OriginalMessageID: about.GroupHeader.MessageID, OriginalMessageNameID: string(iso20022.Pacs008V08)},
		},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{line},
	}
}

// An incoming payment is booked when clearing confirms its settlement, and not before.
func TestAnIncomingPaymentIsBookedWhenItSettled(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := confirming(t)
		log := &testutil.Log{}
		h.Log = log
		cases := []struct {
			id, status, reason string
			state              payment.State
			code               string
		}{
			{"S-ACSC", "ACSC", "", payment.StateBooked, ""},
			{"S-ACCC", "ACCC", "", payment.StateBooked, ""},
			{"S-ACCP", "ACCP", "", payment.StateBooked, ""},
			{"S-ACSP", "ACSP", "", payment.StateAccepted, "ACSP"},
			{"S-PDNG", "PDNG", "", payment.StateAccepted, "PDNG"},
			{"S-BLCK", "BLCK", "", payment.StateAccepted, "BLCK"},
			{"S-RJCT", "RJCT", "AB06", payment.StateFailed, "AB06"},
			{"S-CANC", "CANC", "", payment.StateFailed, "MS03"},
		}
		for _, c := range cases {
			m, document := booked(t, h, scheme, c.id)
			if m.State != payment.StateAccepted || !m.SettledAt.IsZero() {
				t.Errorf("%s, %s: before any word of clearing it is %s, settled %s", scheme, c.id, m.State, m.SettledAt)
			}
			receive(t, h, inbound(t, scheme, "ST-"+c.id, reported(t, document, "ST-"+c.id, c.status, c.reason), nil))
			m = current(t, h, m)
			if m.State != c.state || m.StatusCode != c.code || m.SettledAt.IsZero() != (c.state != payment.StateBooked) {
				t.Errorf("%s, %s: %s with %q, settled %s", scheme, c.status, m.State, m.StatusCode, m.SettledAt)
			}
			if c.state == payment.StateAccepted { // the end counts all the same
				receive(t, h, inbound(t, scheme, "END-"+c.id, reported(t, document, "END-"+c.id, "ACSC", ""), nil))
				if m = current(t, h, m); m.State != payment.StateBooked || m.StatusCode != "" || m.SettledAt.IsZero() {
					t.Errorf("%s, %s and ACSC: %s with %q, settled %s", scheme, c.status, m.State, m.StatusCode, m.SettledAt)
				}
			}
		}
		if alarms(log) != 1 {
			t.Errorf("%s: %d alarms for a blocked payment", scheme, alarms(log))
		}
		h.CheckInvariants(t)
	}
}

// A rejection after the booking takes the time of settlement away.
func TestARejectionAfterTheBookingTakesTheSettlementBack(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		m, document := booked(t, h, scheme, "LATER")
		receive(t, h, inbound(t, scheme, "ST", reported(t, document, "ST", "RJCT", "AB05"), nil))
		if now := current(t, h, m); m.SettledAt.IsZero() || now.State != payment.StateFailed || !now.SettledAt.IsZero() {
			t.Errorf("%s: booked at %s, then %s, settled %s", scheme, m.SettledAt, now.State, now.SettledAt)
		}
		h.CheckInvariants(t)
	}
}

// A confirmation that stays out raises one alarm, and a recall that comes meanwhile waits for the booking.
func TestAConfirmationThatStaysOutRaisesAnAlarm(t *testing.T) {
	t.Parallel()
	scheme := rulebook.SchemeSIC
	h := confirming(t)
	log := &testutil.Log{}
	h.Log = log
	m, document := booked(t, h, scheme, "SILENT")
	receive(t, h, inbound(t, scheme, "RE1", recalling(t, h, document, byCustomer(scheme)), nil))
	h.Clock.Add(20 * time.Second)
	h.Clearing.RunOnce(ctx)
	if n := alarms(log); n != 0 {
		t.Errorf("%d alarms in time", n)
	}
	h.Clock.Add(20 * time.Second)
	h.Clearing.RunOnce(ctx)
	h.Clearing.RunOnce(ctx)
	if n := alarms(log); n != 1 {
		t.Errorf("%d alarms for one payment", n)
	}
	receive(t, h, inbound(t, scheme, "ST", reported(t, document, "ST", "ACSC", ""), nil))
	if now := current(t, h, m); now.State != payment.StateBooked {
		t.Errorf("after the confirmation it is %s", now.State)
	}
	if _, err := h.Messages.ReceivedRecallOf(ctx, m.Realm, m.InternalID); err != nil {
		t.Errorf("the recall that waited for the booking: %v", err)
	}
	h.CheckInvariants(t)
}

// A status that ends nothing leaves a payment of ours open: its money may still come back.
func TestAStatusThatEndsNothingLeavesAPaymentOpen(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		for _, status := range []string{"ACSP", "PDNG", "BLCK"} {
			m := approved(t, h, scheme)
			send(t, h, m)
			receive(t, h, answer(t, m, "FIRST-"+status+string(m.GlobalID), status, ""))
			if now := current(t, h, m); now.State != payment.StateProcessing || now.StatusCode != status || !now.SettledAt.IsZero() {
				t.Errorf("%s, %s: it is %s with %q", scheme, status, now.State, now.StatusCode)
			}
			receive(t, h, answer(t, m, "LAST-"+status+string(m.GlobalID), "RJCT", "AM04"))
			want{state: payment.StateFailed, code: "AM04"}.check(t, h, m)
		}
		m := approved(t, h, scheme)
		send(t, h, m)
		receive(t, h, answer(t, m, "CANC"+string(m.GlobalID), "CANC", ""))
		want{state: payment.StateFailed, code: "MS03"}.check(t, h, m)
		h.CheckInvariants(t)
	}
}
