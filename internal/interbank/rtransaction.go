package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// RTransactionInput is the input of a recall (camt.056), a return (pacs.004) or a resolution (camt.029). Package
// rtransactionrule must have accepted the request.
type RTransactionInput struct {
	rulebook.Request

	Scheme rulebook.Scheme
	// Original is the pacs.008 that is recalled, which we sent, or sent back, which came in. A resolution needs none.
	Original *iso20022.FIToFICustomerCreditTransfer
	// Recall is the received camt.056 that a resolution refuses or a return grants; nil for a return without a
	// recall.
	Recall *iso20022.FIToFIPaymentCancellationRequest
	// Bank is our BIC; "" takes that of our bank in the document, or from the bank list.
	Bank string
	// Automatic says that nobody entered the request: a refusal then names no originator where our BIC is not known.
	Automatic bool
	// MessageID is the id of the message, ID that of the R-transaction, which travels to the other bank.
	MessageID, ID string
	At            time.Time
	// Day is the settlement day of a return, as it reads in its own location.
	Day time.Time
}

// original reads the payment it is about, with the convention of its scheme. It fails with ErrScheme, ErrTransactions or ErrIncomplete.
func (in RTransactionInput) original() (convention, original, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return convention{}, original{}, err
	}
	about, err := originalOf(in.Original)
	return c, about, err
}

// originator names who wants or refuses something: a bank by its BIC alone, a customer by its name alone (EPC AT-48).
func (c convention) originator(reason rulebook.Reason, bank string, customer *party) (*party, error) {
	if reason.Originator == rulebook.OriginatorCustomer && customer != nil && customer.Name != "" {
		return &party{Name: c.text(customer.Name, c.NameLength)}, nil
	}
	if bank == "" {
		return nil, fmt.Errorf("BIC of the bank that originates %s: %w", reason.Code, ErrIncomplete)
	}
	return &party{ID: &iso20022.Party38Choice{OrganisationID: &iso20022.OrganisationIdentification29{AnyBIC: bank}}}, nil
}

// information writes the lines a person entered: in the scheme's characters, each behind the prefix of its kind.
func (c convention) information(limits rulebook.Information, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	written := make([]string, len(lines))
	for i, line := range lines {
		written[i] = limits.Prefix + c.text(line, rulebook.InformationLength-len(limits.Prefix))
	}
	return written
}

// reasonFrom finds a reason in a scheme's list, else in that of ISO: the terms of a clearing may take more than the scheme has. It fails
// with ErrReason.
func reasonFrom(list []rulebook.Reason, further code.Set, id string) (rulebook.Reason, error) {
	reason, known := rulebook.FindReason(list, id)
	if !known {
		reason, known = rulebook.Further(further, id)
	}
	if !known {
		return rulebook.Reason{}, fmt.Errorf("reason %q: %w", id, ErrReason)
	}
	return reason, nil
}
