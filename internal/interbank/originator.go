package interbank

import (
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

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

// reasonFrom finds a reason in a scheme's list, or fails with ErrReason.
func reasonFrom(list []rulebook.Reason, code string) (rulebook.Reason, error) {
	reason, known := rulebook.FindReason(list, code)
	if !known {
		return rulebook.Reason{}, fmt.Errorf("reason %q: %w", code, ErrReason)
	}
	return reason, nil
}
