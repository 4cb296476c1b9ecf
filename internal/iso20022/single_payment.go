package iso20022

// SinglePayment returns the one payment of the order with its PmtInf; ok is false when the order holds none or several. An instant payment
// travels alone (rule one-payment of package rulebook).
func (m *CustomerCreditTransferInitiation) SinglePayment() (information *PaymentInstruction30,
	transaction *CreditTransferTransaction34, ok bool,
) {
	if m == nil || len(m.PaymentInformation) != 1 || len(m.PaymentInformation[0].CreditTransferTransactionInformation) != 1 {
		return nil, nil, false
	}
	information = &m.PaymentInformation[0]
	return information, &information.CreditTransferTransactionInformation[0], true
}

// SinglePayment is the one payment of the interbank document; ok is false when it holds none or several.
func (m *FIToFICustomerCreditTransfer) SinglePayment() (transaction *CreditTransferTransaction39, ok bool) {
	if m == nil || len(m.CreditTransferTransactionInformation) != 1 {
		return nil, false
	}
	return &m.CreditTransferTransactionInformation[0], true
}

// Code returns the BIC of a bank, or else its code in a national clearing; "" when the document has neither, or the bank is missing.
func (a *BranchAndFinancialInstitutionIdentification6) Code() string {
	switch {
	case a == nil:
		return ""
	case a.FinancialInstitutionID.BICFI != "":
		return a.FinancialInstitutionID.BICFI
	case a.FinancialInstitutionID.ClearingSystemMemberID != nil:
		return a.FinancialInstitutionID.ClearingSystemMemberID.MemberID
	}
	return ""
}

// CreditorReference is the first structured reference of the creditor (QRR or SCOR); nil when there is none.
func (r *RemittanceInformation16) CreditorReference() *CreditorReferenceInformation2 {
	if r == nil {
		return nil
	}
	for i := range r.Structured {
		reference := r.Structured[i].CreditorReferenceInformation
		if reference != nil && reference.Reference != "" {
			return reference
		}
	}
	return nil
}

// Subject returns the purpose of a payment in one line: the creditor's reference, or else the first line of free text; "" when there is
// neither.
func (r *RemittanceInformation16) Subject() string {
	reference := r.CreditorReference()
	switch {
	case reference != nil:
		return reference.Reference
	case r != nil && len(r.Unstructured) > 0:
		return r.Unstructured[0]
	}
	return ""
}

// NotProvided stands where the schema asks for a text and there is none: an order that names no bank, a report about a message without an
// id (ISO placeholder).
const NotProvided = "NOTPROVIDED"
