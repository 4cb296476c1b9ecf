package profile

import "countersign/internal/iso20022"

// render puts a document that may be changed into the form of the profile.
func (p *Profile) render(document iso20022.Document) {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		p.renderTransfer(d)
	case *iso20022.PaymentReturn:
		p.renderReturn(d)
	}
	if p.NoInstructionID {
		instructionPlaces.each(document, func(found iso20022.Found) { found.Value.SetString("") })
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

// nameOriginals names the messages a document is about in the way of the profile. A receipt keeps the full name, which a camt.025 requires,
// unless the profile has the names that messages are sent under.
func (p *Profile) nameOriginals(document iso20022.Document) {
	if _, receipt := document.(*iso20022.Receipt); receipt && p.OriginalNames != NamesSent {
		return
	}
	namePlaces.each(document, func(found iso20022.Found) {
		found.Value.SetString(p.originalName(found.Value.String()))
	})
}

// originalName is a name of a message in the way of the profile; one of a message that this program does not have stays.
func (p *Profile) originalName(said string) string {
	name := currentName(said)
	switch {
	case name == "":
		return said
	case p.OriginalNames == NamesShort:
		return Family(said)
	case p.OriginalNames == NamesSent:
		return p.sentName(name)
	}
	return string(name)
}

// own returns a pointer to a copy of the value; nil stays nil.
func own[T any](of *T) *T {
	if of == nil {
		return nil
	}
	mine := *of
	return &mine
}
