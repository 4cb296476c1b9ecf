package interbank

import (
	"reflect"

	"countersign/internal/account"
	"countersign/internal/iso20022"
)

// text writes a text of at most limit characters in the character set of the scheme. Only a text of our own master data can be too
// long: those of an order are checked, and transliteration within a limit never makes a text longer.
func (c convention) text(text string, limit int) string {
	written, _ := c.Interbank.TransliterateWithin(text, limit)
	if len(written) <= limit {
		return written
	}
	characters := []rune(written)
	return string(characters[:min(limit, len(characters))])
}

// The lengths of the elements texts go to (ISO).
const (
	streetLength       = 70
	buildingLength     = 16
	postCodeLength     = 16
	townLength         = 35
	lineLength         = 70
	unstructuredLength = 140
)

// debtor is the holder as the bank knows it, with the identification the client gave.
func (c convention) debtor(holder Holder, given *iso20022.Party38Choice) party {
	return party{
		Name: c.text(holder.Name, c.NameLength), PostalAddress: c.holderAddress(holder), ID: c.identification(given),
	}
}

func (c convention) holderAddress(h Holder) *address {
	if h == (Holder{Name: h.Name}) {
		return nil
	}
	return &address{
		StreetName: c.text(h.Street, streetLength), BuildingNumber: c.text(h.Building, buildingLength),
		PostCode: c.text(h.Postcode, postCodeLength), TownName: c.text(h.Town, townLength), Country: h.Country,
	}
}

// party is a party of the order as the scheme sends it on; nil stays nil, and becomes of a party nothing of which is sent on.
func (c convention) party(given *party) *party {
	if given == nil {
		return nil
	}
	sent := *given
	sent.Name = c.text(given.Name, c.NameLength)
	sent.PostalAddress = c.address(given.PostalAddress)
	sent.ID = c.identification(given.ID)
	if !c.fullParties {
		sent.ContactDetails, sent.CountryOfResidence = nil, ""
	}
	if sent == (party{}) {
		return nil
	}
	return &sent
}

func (c convention) address(given *address) *address {
	if given == nil {
		return nil
	}
	sent := *given
	sent.Department = c.text(given.Department, streetLength)
	sent.SubDepartment = c.text(given.SubDepartment, streetLength)
	sent.StreetName = c.text(given.StreetName, streetLength)
	sent.BuildingNumber = c.text(given.BuildingNumber, buildingLength)
	sent.BuildingName = c.text(given.BuildingName, townLength)
	sent.Floor = c.text(given.Floor, streetLength)
	sent.PostBox = c.text(given.PostBox, postCodeLength)
	sent.Room = c.text(given.Room, streetLength)
	sent.PostCode = c.text(given.PostCode, postCodeLength)
	sent.TownName = c.text(given.TownName, townLength)
	sent.TownLocationName = c.text(given.TownLocationName, townLength)
	sent.DistrictName = c.text(given.DistrictName, townLength)
	sent.CountrySubDivision = c.text(given.CountrySubDivision, townLength)
	sent.AddressLine = c.lines(given.AddressLine, lineLength)
	return &sent
}

func (c convention) lines(given []string, limit int) []string {
	if len(given) == 0 {
		return nil
	}
	sent := make([]string, len(given))
	for i, line := range given {
		sent[i] = c.text(line, limit)
	}
	return sent
}

// identification writes places of birth in the scheme's characters. Identifiers stay as they are.
func (c convention) identification(given *iso20022.Party38Choice) *iso20022.Party38Choice {
	switch {
	case given == nil:
		return nil
	case given.PrivateID != nil && given.PrivateID.DateAndPlaceOfBirth != nil:
		birth := *given.PrivateID.DateAndPlaceOfBirth
		birth.ProvinceOfBirth, birth.CityOfBirth = c.text(birth.ProvinceOfBirth, townLength), c.text(birth.CityOfBirth, townLength)
		return &iso20022.Party38Choice{PrivateID: &iso20022.PersonIdentification13{DateAndPlaceOfBirth: &birth, Other: given.PrivateID.Other}}
	default:
		return given
	}
}

// remittance is the remittance information as the scheme sends it on: texts transliterated, references untouched.
func (c convention) remittance(given *iso20022.RemittanceInformation16) *iso20022.RemittanceInformation16 {
	if given == nil || len(given.Unstructured) == 0 {
		return given
	}
	return &iso20022.RemittanceInformation16{
		Unstructured: c.lines(given.Unstructured, unstructuredLength), Structured: given.Structured,
	}
}

// namesBankOfIBAN reports whether the creditor's bank that an order names, by BIC or by its Swiss code alone, is the one of the IBAN.
// Branches of a bank count as the bank.
func namesBankOfIBAN(transaction reflect.Value) bool {
	order, is := transaction.Interface().(iso20022.CreditTransferTransaction34)
	if !is || order.CreditorAgent == nil || order.CreditorAccount == nil {
		return false
	}
	iban, err := account.Parse(order.CreditorAccount.ID.IBAN)
	if err != nil {
		return false
	}
	named := order.CreditorAgent.FinancialInstitutionID
	if named.LEI != "" {
		return false
	}
	if member := named.ClearingSystemMemberID; member != nil {
		given, err := account.ParseIID(member.MemberID)
		known, found := iban.IID()
		return err == nil && found && given == known
	}
	const bankLength = 8
	bank, found := account.BankOf(iban)
	return found && len(named.BICFI) >= bankLength && !bank.BIC.IsZero() && named.BICFI[:bankLength] == bank.BIC.String()[:bankLength]
}
