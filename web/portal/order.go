package portal

import (
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// order is everything the document of a form is made of. The same order always makes the same bytes, so a form that is sent twice is a
// repeat and not a second payment.
type order struct {
	draft   uuid.UUID
	scheme  rulebook.Scheme
	values  views.PaymentValues
	account *payment.DebtorAccount // nil when none of the realm's was chosen
	at      time.Time              // when the answers were checked
	today   time.Time              // in the zone of the banking day
}

// made is the document of an order with what could not be read of the answers and what had to be written differently.
type made struct {
	document       *iso20022.CustomerCreditTransferInitiation
	problems       []ui.Problem
	transliterated []views.Change
}

// document makes the payment order. An answer that cannot be read is left out of it and named in problems.
func (o order) document() made {
	var out made
	reference := "P" + hex.EncodeToString(o.draft[:])
	tx := iso20022.CreditTransferTransaction34{
		PaymentID:       iso20022.PaymentIdentification6{InstructionID: reference, EndToEndID: strings.TrimSpace(o.values.EndToEndID)},
		Creditor:        &iso20022.PartyIdentification135{Name: strings.TrimSpace(o.values.CreditorName), PostalAddress: o.address()},
		CreditorAccount: o.creditorAccount(&out),
	}
	amount, readable := o.amount(&out)
	if readable {
		tx.Amount.InstructedAmount = &iso20022.Amount{Currency: string(amount.Currency()), Value: amount.Decimal()}
	}
	tx.RemittanceInformation = o.remittance(&out)
	debtor, agent, iban := o.debtor()
	paymentType := &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	profile, _ := o.scheme.Profile()
	if profile.ServiceLevel != "" {
		paymentType.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: profile.ServiceLevel}}
	}
	out.document = &iso20022.CustomerCreditTransferInitiation{
		GroupHeader: iso20022.GroupHeader85{
			MessageID: reference, CreationDateTime: iso20022.DateTimeOf(o.at.UTC()), NumberOfTransactions: "1",
			InitiatingParty: iso20022.PartyIdentification135{Name: debtor.Name},
		},
		PaymentInformation: []iso20022.PaymentInstruction30{{
			PaymentInformationID: reference, PaymentMethod: "TRF", PaymentTypeInformation: paymentType,
			RequestedExecutionDate: iso20022.DateAndDateTime2Choice{Date: iso20022.DateOf(o.today)},
			Debtor:                 debtor, DebtorAgent: agent, ChargeBearer: "SLEV",
			DebtorAccount:                        iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}},
			CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{tx},
		}},
	}
	out.transliterated = transliterate(o.scheme, out.document)
	return out
}

// debtor is the holder, the bank and the number of the account chosen. An account that is not the realm's keeps its number, so that
// the station refuses it.
func (o order) debtor() (iso20022.PartyIdentification135, iso20022.BranchAndFinancialInstitutionIdentification6, string) {
	var agent iso20022.BranchAndFinancialInstitutionIdentification6
	if o.account == nil {
		agent.FinancialInstitutionID.Other = &iso20022.GenericFinancialIdentification1{ID: "NOTPROVIDED"}
		return iso20022.PartyIdentification135{Name: "NOTPROVIDED"}, agent, strings.TrimSpace(o.values.DebtorAccount)
	}
	agent.FinancialInstitutionID.BICFI = o.account.AgentBIC
	if o.scheme == rulebook.SchemeSIC && o.account.AgentIID != "" {
		agent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{
			ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
				ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: o.account.AgentIID,
			},
		}
	}
	return iso20022.PartyIdentification135{Name: o.account.Holder.Name}, agent, o.account.IBAN
}

func (o order) creditorAccount(out *made) *iso20022.CashAccount38 {
	iban, err := account.ParseInput(o.values.CreditorIBAN)
	if err != nil {
		out.refuse("creditorIban", err)
		return nil
	}
	return &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban.String()}}
}

func (o order) amount(out *made) (money.Amount, bool) {
	profile, _ := o.scheme.Profile()
	if strings.TrimSpace(o.values.Amount) == "" {
		return money.Amount{}, false
	}
	amount, err := money.ParseInput(profile.Currency, o.values.Amount)
	if err != nil {
		out.refuse("amount", err)
	}
	return amount, err == nil
}

// address is the creditor's address, nil when nothing but the country was given: the form always sends one.
func (o order) address() *iso20022.PostalAddress24 {
	v := o.values
	given := &iso20022.PostalAddress24{
		PostCode: strings.TrimSpace(v.Postcode), TownName: strings.TrimSpace(v.Town), Country: strings.TrimSpace(v.Country),
	}
	empty := given.PostCode == "" && given.TownName == ""
	if v.AddressKind == addressHybrid {
		for _, line := range []string{strings.TrimSpace(v.AddressLine1), strings.TrimSpace(v.AddressLine2)} {
			if line != "" {
				given.AddressLine = append(given.AddressLine, line)
			}
		}
		if empty && len(given.AddressLine) == 0 {
			return nil
		}
		return given
	}
	given.StreetName, given.BuildingNumber = strings.TrimSpace(v.Street), strings.TrimSpace(v.BuildingNumber)
	if empty && given.StreetName == "" && given.BuildingNumber == "" {
		return nil
	}
	return given
}

// The kinds of addresses and remittances a form knows, under the values its fields send.
const (
	addressStructured   = "structured"
	addressHybrid       = "hybrid"
	remittanceNone      = "none"
	remittanceQR        = "qr"
	remittanceReference = "scor"
	remittanceText      = "text"
)

func (o order) remittance(out *made) *iso20022.RemittanceInformation16 {
	switch o.values.RemittanceKind {
	case remittanceQR:
		reference, err := account.ParseQRReferenceInput(o.values.QRReference)
		if err != nil {
			out.refuse("qrReference", err)
			return nil
		}
		return structured(iso20022.CreditorReferenceType1Choice{Proprietary: "QRR"}, reference.String())
	case remittanceReference:
		reference, err := account.ParseCreditorReferenceInput(o.values.CreditorReference)
		if err != nil {
			out.refuse("creditorReference", err)
			return nil
		}
		return structured(iso20022.CreditorReferenceType1Choice{Code: "SCOR"}, reference.String())
	case remittanceText:
		text := strings.TrimSpace(o.values.RemittanceText)
		if text == "" {
			out.problems = append(out.problems, ui.Problem{
				Field: "remittanceText", Text: "Write the message to the creditor, or choose “No reference”.", Code: "CH21",
			})
			return nil
		}
		return &iso20022.RemittanceInformation16{Unstructured: []string{text}}
	}
	return nil
}

func structured(kind iso20022.CreditorReferenceType1Choice, reference string) *iso20022.RemittanceInformation16 {
	return &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
		CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
			Type: &iso20022.CreditorReferenceType2{CodeOrProprietary: kind}, Reference: reference,
		},
	}}}
}

// refuse notes an answer that cannot be read, in the words of the package that reads it.
func (m *made) refuse(name string, err error) {
	problem := ui.Problem{Field: name, Text: err.Error()}
	var wrongAccount *account.Error
	var wrongAmount *money.Error
	switch {
	case errors.As(err, &wrongAccount):
		problem.Code = wrongAccount.Code
	case errors.As(err, &wrongAmount):
		problem.Code = wrongAmount.Code
	}
	m.problems = append(m.problems, problem)
}
