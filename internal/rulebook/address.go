package rulebook

import (
	"slices"
	"strings"
	"unicode"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/iso20022"
)

const addressElement = documentPointer + "{party}/PstlAdr"

var addressRules = []Rule{
	{
		ID: "address-needs-name", Element: documentPointer + "{party}/Nm", Code: "CH21", level: levelParty,
		Text:   "Enter the name that belongs to the address, or remove the address.",
		Source: "SPS 3.11", broken: func(i *inspection) bool {
			isCreditor := i.tail == "/Cdtr" // whose name is always asked for
			return i.party.PostalAddress != nil && i.party.Name == "" && !isCreditor
		},
	},
	{
		ID: "address-type", Element: addressElement + "/AdrTp", Code: "CH17", level: levelParty,
		Text:   "Remove the address type.",
		Source: "SPS 3.11",
		broken: func(i *inspection) bool {
			return i.party.PostalAddress != nil && i.party.PostalAddress.AddressType != nil
		},
	},
	{
		ID: "address-town", Element: addressElement + "/TwnNm", Code: "CH21", level: levelParty,
		Text:   "Enter the town of the address.",
		Source: "SPS 3.11; EPC, structured and hybrid address", broken: func(i *inspection) bool {
			address := i.party.PostalAddress
			return address != nil && (address.TownName == "" && !isUnstructured(address) || isPlaceholder(address.TownName))
		},
	},
	{
		ID: "address-country", Element: addressElement + "/Ctry", Code: "CH21", level: levelParty,
		Text:   "Enter the country of the address as a two-letter code.",
		Source: "SPS 3.11; EPC, structured and hybrid address", broken: func(i *inspection) bool {
			address := i.party.PostalAddress
			return address != nil && address.Country == "" && !isUnstructured(address)
		},
	},
	{
		ID: "address-country-exists", Element: addressElement + "/Ctry", Code: "BE09", level: levelParty,
		Text:   "Check the country of the address. The country code you entered does not exist.",
		Source: "SPS 4.3; ISO 3166-1", broken: func(i *inspection) bool {
			address := i.party.PostalAddress
			return address != nil && address.Country != "" && !account.CountryExists(address.Country)
		},
	},
	{
		ID: "address-unstructured", Element: addressElement + "/AdrLine", Code: "CH17", level: levelParty,
		Text:   "Enter the town and the country in their own elements: fully unstructured addresses are no longer accepted.",
		Source: "SPS 2026 (IG 2.3, in force from 14 November 2026), 3.11; EPC rulebook 2025 v1.1 (15 November 2026)",
		broken: func(i *inspection) bool {
			address := i.party.PostalAddress
			return address != nil && isUnstructured(address) && calendar.Compare(i.input.Today, i.unstructuredEnd) >= 0
		},
	},
	{
		ID: "address-lines", Element: addressElement + "/AdrLine", Code: "CH17", level: levelParty,
		Text:   "Use at most two address lines in addition to the town and the country.",
		Source: "SPS 3.11; EPC, hybrid address", broken: func(i *inspection) bool {
			address := i.party.PostalAddress
			return address != nil && len(address.AddressLine) > 2 && !isUnstructured(address)
		},
	},
	{
		ID: "address-repeats", Element: addressElement + "/AdrLine/0", Code: "CH17", level: levelParty,
		Text:   "Remove the address line, because it repeats another element of the address.",
		Source: "SPS 3.11", Check: checkAddressRepeats,
	},
}

// isUnstructured reports whether an address has free lines and no town of its own: the kind that ends in November 2026.
func isUnstructured(address *iso20022.PostalAddress24) bool {
	return len(address.AddressLine) > 0 && address.TownName == ""
}

// isPlaceholder reports whether a town is none: it has no letter, or says that it is missing. Banks refuse such an address.
func isPlaceholder(town string) bool {
	missing := []string{"NOTPROVIDED", "NOT PROVIDED", "UNKNOWN", "N/A", "NA", "NONE"}
	return town != "" && (!strings.ContainsFunc(town, unicode.IsLetter) || slices.Contains(missing, strings.ToUpper(strings.TrimSpace(town))))
}

func checkAddressRepeats(i *inspection) {
	address := i.party.PostalAddress
	if address == nil {
		return
	}
	for index, line := range address.AddressLine {
		if repeats(address, line) {
			i.report(indexed("/PstlAdr/AdrLine/", index))
		}
	}
}

// repeats reports whether a line is a structured element of the address, or street and number or post code and town put together.
func repeats(address *iso20022.PostalAddress24, line string) bool {
	line = strings.TrimSpace(line)
	for _, value := range []string{
		address.Department, address.SubDepartment, address.StreetName, address.BuildingName, address.PostBox,
		address.PostCode, address.TownName, address.TownLocationName, address.DistrictName, address.CountrySubDivision,
	} {
		if value != "" && strings.EqualFold(line, value) {
			return true
		}
	}
	street := strings.TrimSpace(address.StreetName + " " + address.BuildingNumber)
	town := strings.TrimSpace(address.PostCode + " " + address.TownName)
	return street != "" && strings.EqualFold(line, street) || town != "" && strings.EqualFold(line, town)
}
