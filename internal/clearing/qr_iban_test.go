package clearing_test

import (
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

const (
	qrIBAN      = "CH4431999123000889012"
	qrReference = "210000000003139471430009017"
)

// alias makes the QR-IBAN one of the demo's Swiss account.
func alias(t *testing.T, h *servicetest.Env) {
	t.Helper()
	_, err := h.DB.Owner(t).Exec(ctx, `INSERT INTO incoming_account (iban, realm, account)
		SELECT $1, realm, iban FROM incoming_account WHERE iban = $2`, qrIBAN, receiving[rulebook.SchemeSIC])
	must(t, err)
	h.DB.SealMasterData(t)
}

// toQRIBAN is a payment to the QR-IBAN with a reference of a kind; "" for none.
func toQRIBAN(t *testing.T, h *servicetest.Env, id, kind, reference string) *iso20022.FIToFICustomerCreditTransfer {
	t.Helper()
	document := transfer(t, h, rulebook.SchemeSIC, id, receiving[rulebook.SchemeSIC])
	tx := &document.CreditTransferTransactionInformation[0]
	tx.CreditorAccount.ID.IBAN = qrIBAN
	tx.CreditorAgent.FinancialInstitutionID.ClearingSystemMemberID.MemberID = "31999"
	tx.RemittanceInformation = nil
	if kind != "" {
		tx.RemittanceInformation = &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
			CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
				Type: &iso20022.CreditorReferenceType2{
					CodeOrProprietary: iso20022.CreditorReferenceType1Choice{Proprietary: kind},
				}, Reference: reference,
			},
		}}}
	}
	if kind == "SCOR" {
		tx.RemittanceInformation.Structured[0].CreditorReferenceInformation.Type.CodeOrProprietary = iso20022.CreditorReferenceType1Choice{Code: kind}
	}
	return document
}

// A payment to a QR-IBAN comes in for the account that has it, with a right QR reference only. It is recalled, sent back and asked about as
// any other.
func TestAQRIBANStandsForItsAccount(t *testing.T) {
	t.Parallel()
	scheme := rulebook.SchemeSIC
	h := servicetest.New(t)
	receive(t, h, inbound(t, scheme, "IN-NOBODY", toQRIBAN(t, h, "NOBODY", "QRR", qrReference), nil))
	if said := answers(t, h, "NOBODY"); len(said) != 1 || said[0] != "IN-NOBODY RJCT AC01" {
		t.Errorf("to a QR-IBAN of nobody: %q", said)
	}
	alias(t, h)
	for id, c := range map[string]struct{ kind, reference, answer string }{
		"RIGHT": {"QRR", qrReference, "ACCP"}, "DIGIT": {"QRR", "210000000003139471430009018", "RJCT CH16"},
		"SHORT": {"QRR", "1234", "RJCT CH16"}, "SCOR": {"SCOR", "RF18539007547034", "RJCT CH21"},
		"NONE": {"", "", "RJCT CH21"}, "IPI": {"IPI", qrReference, "RJCT CH21"}, "EMPTY": {"QRR", "", "RJCT CH21"},
	} {
		document := toQRIBAN(t, h, id, c.kind, c.reference)
		receive(t, h, inbound(t, scheme, "IN-"+id, document, nil))
		if said := answers(t, h, id); len(said) != 1 || said[0] != "IN-"+id+" "+c.answer {
			t.Errorf("%s: %q, want %s", id, said, c.answer)
		}
	}
	m := incoming(t, h, scheme, "RIGHT")
	if m.State != payment.StateBooked || m.Summary.CreditorAccount != qrIBAN || m.Summary.Remittance != qrReference {
		t.Errorf("the payment is %s to %s with %s", m.State, m.Summary.CreditorAccount, m.Summary.Remittance)
	}
	document := toQRIBAN(t, h, "RIGHT", "QRR", qrReference)
	receive(t, h, inbound(t, scheme, "Q1", askingAbout(t, h, scheme, document), nil))
	if said := answers(t, h, "RIGHT"); len(said) != 2 {
		t.Errorf("a question about it: %q", said)
	}
	_, err := h.DB.Owner(t).Exec(ctx, `INSERT INTO spending_limit (realm, limit_id, limit_of, holder, currency, per_payment, set_at)
		VALUES ('demo', gen_random_uuid(), 'account', $1, 'CHF', 1, now())`, receiving[scheme])
	must(t, err)
	h.DB.SealMasterData(t)
	_, err = h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), payment.RTransaction{
		Request: rulebook.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: m.InternalID,
	})
	if err == nil {
		t.Error("the limit of the account does not bind the return of a payment to its QR-IBAN")
	}
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE spending_limit SET per_payment = NULL")
	must(t, err)
	h.DB.SealMasterData(t)
	back := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: m.InternalID,
	})
	send(t, h, back)
	lastSent(t, h, "pacs.004")
	h.Clock.Add(time.Second)
	h.CheckInvariants(t)
}
