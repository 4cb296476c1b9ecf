package payment

import (
	"fmt"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// ToClearing makes the document to clearing of a message made here, loaded with its content and account, as an approval would send it. Ids
// and times of the approval are missing: it is for display (interbank.ContentOf), never to be sent.
func (m Message) ToClearing() (iso20022.Document, error) {
	if m.Kind != KindInstruction {
		document, findings := m.Document()
		if document == nil || len(findings) > 0 {
			return nil, fmt.Errorf("the stored content of %s cannot be read", m.InternalID)
		}
		return document, nil
	}
	order, err := DocumentOf(m)
	if err != nil {
		return nil, err
	}
	from := DebtorAccount{IBAN: m.Summary.DebtorAccount, Holder: interbank.Holder{Name: m.Summary.DebtorName}, AgentBIC: m.Summary.DebtorAgent}
	if m.Account != nil {
		from = *m.Account
	}
	return orderToClearing(transferInput(m.Scheme, order, from, m.routedTo()))
}

// transferInput is the input of a pacs.008 before its release.
func transferInput(
	scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, from DebtorAccount, routed string,
) interbank.CreditTransferInput {
	return interbank.CreditTransferInput{
		Scheme: scheme, Order: order, CreditorAgent: routed,
		From: interbank.Account{IBAN: from.IBAN, Holder: from.Holder, AgentBIC: from.AgentBIC, AgentIID: from.AgentIID},
	}
}

// unreleased replaces the UETR that the gateway makes of a Global ID for an order without one.
const unreleased = "00000000-0000-4000-8000-000000000000"

func orderToClearing(in interbank.CreditTransferInput) (iso20022.Document, error) {
	in.UETR = unreleased
	made, err := interbank.CreditTransfer(in)
	if err != nil {
		return nil, err
	}
	if id := &made.CreditTransferTransactionInformation[0].PaymentID; id.UETR == unreleased {
		id.UETR = ""
	}
	return made, nil
}
