package orderform

import (
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Order is everything the document of a form is made of. The same order always makes the same bytes, so a form that is sent twice is a
// repeat and not a second payment.
type Order struct {
	Draft   uuid.UUID
	Scheme  rulebook.Scheme
	Values  Values
	Account *payment.DebtorAccount // nil when none of the realm's was chosen
	At      time.Time              // when the answers were checked
	Today   time.Time              // in the zone of the banking day
}

// BuiltOrder is the document of an order, with the unreadable answers and the transliterated ones.
type BuiltOrder struct {
	Document       *iso20022.CustomerCreditTransferInitiation
	Problems       []Problem
	Transliterated []Change
}

// Build makes the document. An answer that cannot be read is left out of it and named in Problems.
func (o Order) Build() BuiltOrder {
	var out BuiltOrder
	reference := "P" + hex.EncodeToString(o.Draft[:])
	tx := iso20022.CreditTransferTransaction34{
		PaymentID:       iso20022.PaymentIdentification6{InstructionID: reference, EndToEndID: strings.TrimSpace(o.Values.EndToEndID)},
		Creditor:        &iso20022.PartyIdentification135{Name: strings.TrimSpace(o.Values.CreditorName), PostalAddress: o.address()},
		CreditorAccount: o.creditorAccount(&out),
	}
	amount, readable := o.amount(&out)
	if readable {
		tx.Amount.InstructedAmount = &iso20022.Amount{Currency: string(amount.Currency()), Value: amount.Decimal()}
	}
	tx.RemittanceInformation = o.remittance(&out)
	if tx.Creditor.Name == "" { // beside an empty address the schema would ask for any of both
		out.Problems = append(out.Problems, Problem{Field: "creditorName", Text: "Enter the name of the creditor.", Code: "CH21"})
	}
	debtor, agent, iban := o.debtor()
	if iban == "" {
		out.Problems = append(out.Problems, Problem{Field: "debtorAccount", Text: "Choose one of your own accounts to debit.", Code: "CH21"})
	}
	paymentType := &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	profile, _ := o.Scheme.Profile()
	if profile.ServiceLevel != "" {
		paymentType.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: profile.ServiceLevel}}
	}
	out.Document = &iso20022.CustomerCreditTransferInitiation{
		GroupHeader: iso20022.GroupHeader85{
			MessageID: reference, CreationDateTime: iso20022.DateTimeOf(o.At.UTC()), NumberOfTransactions: "1",
			InitiatingParty: iso20022.PartyIdentification135{Name: debtor.Name},
		},
		PaymentInformation: []iso20022.PaymentInstruction30{{
			PaymentInformationID: reference, PaymentMethod: "TRF", PaymentTypeInformation: paymentType,
			RequestedExecutionDate: o.executionDate(&out),
			Debtor:                 debtor, DebtorAgent: agent, ChargeBearer: "SLEV",
			DebtorAccount:                        iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}},
			CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{tx},
		}},
	}
	out.Transliterated = transliterate(o.Scheme, out.Document)
	return out
}

// executionDate is the day that was typed, else today.
func (o Order) executionDate(out *BuiltOrder) iso20022.DateAndDateTime2Choice {
	typed, day := strings.TrimSpace(o.Values.ExecutionDate), o.Today
	if typed != "" {
		var err error
		for _, layout := range []string{time.DateOnly, "2.1.2006"} {
			day, err = calendar.ParseDay(layout, typed, time.UTC)
			if err == nil {
				break
			}
		}
		if err != nil {
			day = o.Today
			out.Problems = append(out.Problems, Problem{Field: "executionDate", Text: "Enter a date, such as 24.12.2026.", Code: "DT01"})
		}
	}
	return iso20022.DateAndDateTime2Choice{Date: iso20022.DateOf(day)}
}

// debtor is the holder, the bank and the number of the account chosen. An account that is not the realm's keeps its number, so that
// the service refuses it.
func (o Order) debtor() (iso20022.PartyIdentification135, iso20022.BranchAndFinancialInstitutionIdentification6, string) {
	var agent iso20022.BranchAndFinancialInstitutionIdentification6
	if o.Account == nil {
		agent.FinancialInstitutionID.Other = &iso20022.GenericFinancialIdentification1{ID: iso20022.NotProvided}
		typed := strings.TrimSpace(o.Values.DebtorAccount)
		if _, forbidden := iso20022.ForbiddenCharacter(typed); forbidden {
			typed = "" // no list of accounts offers it, and the database could not be asked for it
		}
		return iso20022.PartyIdentification135{Name: iso20022.NotProvided}, agent, typed
	}
	agent.FinancialInstitutionID.BICFI = o.Account.AgentBIC
	if o.Scheme == rulebook.SchemeSIC && o.Account.AgentIID != "" {
		agent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{
			ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
				ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: o.Account.AgentIID,
			},
		}
	}
	return iso20022.PartyIdentification135{Name: o.Account.Holder.Name}, agent, o.Account.IBAN
}

func (o Order) creditorAccount(out *BuiltOrder) *iso20022.CashAccount38 {
	iban, err := account.ParseInput(o.Values.CreditorIBAN)
	if err != nil {
		out.refuse("creditorIban", err)
		return nil
	}
	return &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban.String()}}
}

// otherCurrency is said of an amount in a currency that its scheme does not pay in.
const otherCurrency = "Enter CHF for SIC instant payments, or EUR for SEPA instant payments."

func (o Order) amount(out *BuiltOrder) (money.Amount, bool) {
	profile, _ := o.Scheme.Profile()
	if strings.TrimSpace(o.Values.Amount) == "" { // the schema would ask for one of its elements
		out.Problems = append(out.Problems, Problem{Field: "amount", Text: "Enter the amount.", Code: "CH21"})
		return money.Amount{}, false
	}
	if money.NamesOther(profile.Currency, o.Values.Amount) {
		out.Problems = append(out.Problems, Problem{Field: "amount", Text: otherCurrency, Code: "AM03"})
		return money.Amount{}, false
	}
	amount, err := money.ParseInput(profile.Currency, o.Values.Amount)
	if err != nil {
		out.refuse("amount", err)
	}
	return amount, err == nil
}

// address is the creditor's address, nil when nothing but the country was given: the form always sends one.
func (o Order) address() *iso20022.PostalAddress24 {
	v := o.Values
	given := &iso20022.PostalAddress24{
		PostCode: strings.TrimSpace(v.Postcode), TownName: strings.TrimSpace(v.Town), Country: strings.TrimSpace(v.Country),
	}
	empty := given.PostCode == "" && given.TownName == ""
	if v.AddressKind == AddressHybrid {
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
	AddressStructured   = "structured"
	AddressHybrid       = "hybrid"
	RemittanceNone      = "none"
	RemittanceQR        = "qr"
	RemittanceReference = "scor"
	RemittanceText      = "text"
)

func (o Order) remittance(out *BuiltOrder) *iso20022.RemittanceInformation16 {
	switch o.Values.RemittanceKind {
	case RemittanceQR:
		reference, err := account.ParseQRReferenceInput(o.Values.QRReference)
		if err != nil {
			out.refuse("qrReference", err)
			return nil
		}
		return o.structured(out, iso20022.CreditorReferenceType1Choice{Proprietary: "QRR"}, reference.String())
	case RemittanceReference:
		reference, err := account.ParseCreditorReferenceInput(o.Values.CreditorReference)
		if err != nil {
			out.refuse("creditorReference", err)
			return nil
		}
		return o.structured(out, iso20022.CreditorReferenceType1Choice{Code: "SCOR"}, reference.String())
	case RemittanceText:
		text := strings.TrimSpace(o.Values.RemittanceText)
		if text == "" {
			out.Problems = append(out.Problems, Problem{
				Field: "remittanceText", Text: "Enter the message to the creditor, or choose “No reference”.", Code: "CH21",
			})
			return nil
		}
		return &iso20022.RemittanceInformation16{Unstructured: []string{text}}
	}
	return nil
}

// structured is a reference with the message beside it, which sic-inst carries and sct-inst does not.
func (o Order) structured(out *BuiltOrder, kind iso20022.CreditorReferenceType1Choice, reference string) *iso20022.RemittanceInformation16 {
	entry := iso20022.StructuredRemittanceInformation16{
		CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
			Type: &iso20022.CreditorReferenceType2{CodeOrProprietary: kind}, Reference: reference,
		},
	}
	message := strings.TrimSpace(o.Values.RemittanceText)
	switch {
	case message != "" && o.Scheme == rulebook.SchemeSIC:
		entry.AdditionalRemittanceInformation = []string{message}
	case message != "":
		out.Problems = append(out.Problems, Problem{
			Field: "remittanceText", Text: "Remove the message or the reference. A SEPA instant payment can contain only one of the " +
				"two.", Code: "CH17",
		})
	}
	return &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{entry}}
}

// refuse notes an answer that cannot be read.
func (b *BuiltOrder) refuse(name string, err error) {
	b.Problems = append(b.Problems, ProblemOf(name, err))
}

// ProblemOf turns the error of an unreadable answer into a Problem, with the code and text of the package that reads it.
func ProblemOf(name string, err error) Problem {
	problem := Problem{Field: name, Text: i18n.OfError(err)}
	var wrongAccount *account.Error
	var wrongAmount *money.Error
	switch {
	case errors.As(err, &wrongAccount):
		problem.Code = wrongAccount.Code
	case errors.As(err, &wrongAmount):
		problem.Code = wrongAmount.Code
	}
	return problem
}
