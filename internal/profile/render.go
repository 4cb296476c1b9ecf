package profile

import (
	"slices"

	"countersign/internal/iso20022"
)

// render puts a document that may be changed into the form of the profile.
func (p *Profile) render(document iso20022.Document) {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		p.renderTransfer(d)
	case *iso20022.PaymentReturn:
		p.renderReturn(d)
	}
	if p.NoInstructionID {
		forgetInstruction(document)
	}
	if p.Banks != "" {
		renaming(p.bankName).every(document)
	}
	if p.OriginalNames != "" {
		p.nameOriginals(document)
	}
}

// renderTransfer puts the header and the one transaction of a payment into the form of the profile.
func (p *Profile) renderTransfer(d *iso20022.FIToFICustomerCreditTransfer) {
	header := &d.GroupHeader
	p.renderSettlement(&header.SettlementInformation)
	for i := range d.CreditTransferTransactionInformation {
		t := &d.CreditTransferTransactionInformation[i]
		move(p.SettlementDay, &header.InterbankSettlementDate, &t.InterbankSettlementDate)
		movePointer(p.PaymentType, &header.PaymentTypeInformation, &t.PaymentTypeInformation)
		movePointer(p.InstructingBank, &header.InstructingAgent, &t.InstructingAgent)
		p.instruct(&header.InstructedAgent, &t.InstructedAgent, &t.CreditorAgent)
		if p.NoInstructionID {
			t.PaymentID.InstructionID = ""
		}
		if p.ChargeBearer != "" {
			t.ChargeBearer = p.ChargeBearer
		}
		t.PaymentTypeInformation = p.instrument(t.PaymentTypeInformation)
	}
	header.PaymentTypeInformation = p.instrument(header.PaymentTypeInformation)
}

// renderReturn does the same for a return; its copy of the payment stays that of the payment.
func (p *Profile) renderReturn(d *iso20022.PaymentReturn) {
	header := &d.GroupHeader
	p.renderSettlement(&header.SettlementInformation)
	for i := range d.TransactionInformation {
		t := &d.TransactionInformation[i]
		move(p.SettlementDay, &header.InterbankSettlementDate, &t.InterbankSettlementDate)
		if p.ChargeBearer != "" {
			t.ChargeBearer = p.ChargeBearer
		}
		original := t.OriginalTransactionReference
		if original == nil {
			continue
		}
		if p.InstructingBank == PlaceTransaction && header.InstructingAgent == nil && t.InstructingAgent == nil {
			t.InstructingAgent = own(original.CreditorAgent)
		}
		movePointer(p.InstructingBank, &header.InstructingAgent, &t.InstructingAgent)
		if original.DebtorAgent != nil {
			p.instruct(&header.InstructedAgent, &t.InstructedAgent, original.DebtorAgent)
		}
		if p.ReturnChain && t.ReturnChain == nil && original.Debtor != nil && original.Creditor != nil {
			t.ReturnChain = &iso20022.TransactionParties7{
				UltimateDebtor: original.UltimateCreditor, Debtor: *original.Creditor, DebtorAgent: own(original.CreditorAgent),
				CreditorAgent: own(original.DebtorAgent), Creditor: *original.Debtor, UltimateCreditor: original.UltimateDebtor,
			}
		}
	}
}

func (p *Profile) renderSettlement(settlement *iso20022.SettlementInstruction7) {
	if p.ClearingSystem != "" {
		settlement.ClearingSystem = &iso20022.ClearingSystemIdentification3Choice{Code: p.ClearingSystem}
	}
}

// instrument is a payment type with the local instrument of the profile.
func (p *Profile) instrument(kind *iso20022.PaymentTypeInformation28) *iso20022.PaymentTypeInformation28 {
	if kind == nil || p.LocalInstrument == (Choice{}) {
		return kind
	}
	said := *kind
	said.LocalInstrument = &iso20022.LocalInstrument2Choice{Code: p.LocalInstrument.Code, Proprietary: p.LocalInstrument.Proprietary}
	return &said
}

// instruct names the bank that is instructed, where the profile wants it.
func (p *Profile) instruct(header, transaction **bank, instructed *bank) {
	switch p.InstructedBank {
	case PlaceHeader:
		*header, *transaction = own(instructed), nil
	case PlaceTransaction:
		*header, *transaction = nil, own(instructed)
	case PlaceNone:
		*header, *transaction = nil, nil
	}
}

// move puts a text to the place where it belongs, whichever of the two has it.
func move[T ~string](place Place, header, transaction *T) {
	given := *header
	if given == "" {
		given = *transaction
	}
	switch place {
	case PlaceHeader:
		*header, *transaction = given, ""
	case PlaceTransaction:
		*header, *transaction = "", given
	case PlaceNone: // no place for what is moved
	}
}

// movePointer does the same for a group.
func movePointer[T any](place Place, header, transaction **T) {
	given := *header
	if given == nil {
		given = *transaction
	}
	switch place {
	case PlaceHeader:
		*header, *transaction = given, nil
	case PlaceTransaction:
		*header, *transaction = nil, given
	case PlaceNone: // no place for what is moved
	}
}

// forgetInstruction removes the InstrId of the payment a document is about, because the payment was sent without one. A pacs.028 keeps its
// OrgnlInstrId, which may be the id of a recall.
func forgetInstruction(document iso20022.Document) {
	switch d := document.(type) {
	case *iso20022.PaymentReturn:
		for i := range d.TransactionInformation {
			d.TransactionInformation[i].OriginalInstructionID = ""
		}
	case *iso20022.FIToFIPaymentStatusReport:
		for i := range d.TransactionInformationAndStatus {
			d.TransactionInformationAndStatus[i].OriginalInstructionID = ""
		}
	case *iso20022.FIToFIPaymentCancellationRequest:
		for i := range d.Underlying {
			for k := range d.Underlying[i].TransactionInformation {
				d.Underlying[i].TransactionInformation[k].OriginalInstructionID = ""
			}
		}
	case *iso20022.ResolutionOfInvestigation:
		for i := range d.CancellationDetails {
			for k := range d.CancellationDetails[i].TransactionInformationAndStatus {
				d.CancellationDetails[i].TransactionInformationAndStatus[k].OriginalInstructionID = ""
			}
		}
	}
}

// nameOriginals names the messages a document is about in the way of the profile.
func (p *Profile) nameOriginals(document iso20022.Document) {
	group := func(of *iso20022.OriginalGroupInformation29) {
		if of != nil {
			of.OriginalMessageNameID = p.originalName(of.OriginalMessageNameID)
		}
	}
	switch d := document.(type) {
	case *iso20022.PaymentReturn:
		for i := range d.TransactionInformation {
			group(d.TransactionInformation[i].OriginalGroupInformation)
		}
	case *iso20022.FIToFIPaymentStatusReport:
		for i := range d.OriginalGroupInformationAndStatus {
			said := &d.OriginalGroupInformationAndStatus[i].OriginalMessageNameID
			*said = p.originalName(*said)
		}
		for i := range d.TransactionInformationAndStatus {
			group(d.TransactionInformationAndStatus[i].OriginalGroupInformation)
		}
	case *iso20022.FIToFIPaymentCancellationRequest:
		for i := range d.Underlying {
			for k := range d.Underlying[i].TransactionInformation {
				group(d.Underlying[i].TransactionInformation[k].OriginalGroupInformation)
			}
		}
	case *iso20022.ResolutionOfInvestigation:
		for i := range d.CancellationDetails {
			for k := range d.CancellationDetails[i].TransactionInformationAndStatus {
				group(d.CancellationDetails[i].TransactionInformationAndStatus[k].OriginalGroupInformation)
			}
		}
	case *iso20022.FIToFIPaymentStatusRequest:
		for i := range d.OriginalGroupInformation {
			said := &d.OriginalGroupInformation[i].OriginalMessageNameID
			*said = p.originalName(*said)
		}
		for i := range d.TransactionInformation {
			group(d.TransactionInformation[i].OriginalGroupInformation)
		}
	case *iso20022.Receipt:
		p.nameReceived(d)
	}
}

// nameReceived sets the name of the message that a receipt confirms: its full name, which a camt.025 requires, or the name it was sent
// under.
func (p *Profile) nameReceived(d *iso20022.Receipt) {
	if p.OriginalNames != NamesSent {
		return
	}
	for i := range d.ReceiptDetails {
		said := &d.ReceiptDetails[i].OriginalMessageID.MessageNameID
		*said = p.originalName(*said)
	}
}

// originalName is a name of a message in the way of the profile; one of a message that this program does not have stays.
func (p *Profile) originalName(said string) string {
	for i := range iso20022.Definitions() {
		name := iso20022.Definitions()[i].Name
		if Family(said) != Family(string(name)) {
			continue
		}
		switch p.OriginalNames {
		case NamesShort:
			return Family(said)
		case NamesSent:
			return p.sentName(name)
		default:
			return string(name)
		}
	}
	return said
}

// clone returns a copy of a document in which profiles may change headers, transactions, the names of originals and the copies of
// payments. The rest is shared and must not be changed.
func clone(document iso20022.Document) iso20022.Document {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		of := *d
		of.CreditTransferTransactionInformation = slices.Clone(d.CreditTransferTransactionInformation)
		return &of
	case *iso20022.PaymentReturn:
		of := *d
		of.TransactionInformation = slices.Clone(d.TransactionInformation)
		for i := range of.TransactionInformation {
			t := &of.TransactionInformation[i]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
			t.ChargesInformation, t.ReturnChain = slices.Clone(t.ChargesInformation), own(t.ReturnChain)
		}
		return &of
	case *iso20022.FIToFIPaymentStatusReport:
		of := *d
		of.OriginalGroupInformationAndStatus = slices.Clone(d.OriginalGroupInformationAndStatus)
		of.TransactionInformationAndStatus = slices.Clone(d.TransactionInformationAndStatus)
		for i := range of.TransactionInformationAndStatus {
			t := &of.TransactionInformationAndStatus[i]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
		return &of
	case *iso20022.FIToFIPaymentCancellationRequest:
		return cloneRecall(d)
	case *iso20022.ResolutionOfInvestigation:
		return cloneResolution(d)
	case *iso20022.FIToFIPaymentStatusRequest:
		of := *d
		of.OriginalGroupInformation = slices.Clone(d.OriginalGroupInformation)
		of.TransactionInformation = slices.Clone(d.TransactionInformation)
		for i := range of.TransactionInformation {
			of.TransactionInformation[i].OriginalGroupInformation = own(of.TransactionInformation[i].OriginalGroupInformation)
		}
		return &of
	case *iso20022.Receipt:
		of := *d
		of.ReceiptDetails = slices.Clone(d.ReceiptDetails)
		return &of
	}
	return document
}

func cloneRecall(d *iso20022.FIToFIPaymentCancellationRequest) *iso20022.FIToFIPaymentCancellationRequest {
	of := *d
	of.Underlying = slices.Clone(d.Underlying)
	for i := range of.Underlying {
		of.Underlying[i].TransactionInformation = slices.Clone(of.Underlying[i].TransactionInformation)
		for k := range of.Underlying[i].TransactionInformation {
			t := &of.Underlying[i].TransactionInformation[k]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
	}
	return &of
}

func cloneResolution(d *iso20022.ResolutionOfInvestigation) *iso20022.ResolutionOfInvestigation {
	of := *d
	of.CancellationDetails = slices.Clone(d.CancellationDetails)
	for i := range of.CancellationDetails {
		details := &of.CancellationDetails[i]
		details.TransactionInformationAndStatus = slices.Clone(details.TransactionInformationAndStatus)
		for k := range details.TransactionInformationAndStatus {
			t := &details.TransactionInformationAndStatus[k]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
	}
	return &of
}

// own returns a pointer to a copy of the value; nil stays nil.
func own[T any](of *T) *T {
	if of == nil {
		return nil
	}
	mine := *of
	return &mine
}
