package store

import (
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// AccountColumns are the columns of a debtor account where a query finds one or none.
type AccountColumns struct {
	IBAN, Scheme, Currency, Name, Street, Building, Postcode, Town, Country, BIC, IID *string
	Open                                                                              *bool
}

// AccountOrNone converts the columns to the domain's account; nil when the query found none.
func AccountOrNone(c AccountColumns) *payment.DebtorAccount {
	if c.IBAN == nil {
		return nil
	}
	return &payment.DebtorAccount{
		IBAN: Text(c.IBAN), Scheme: rulebook.Scheme(Text(c.Scheme)), Currency: Text(c.Currency),
		AgentBIC: Text(c.BIC), AgentIID: Text(c.IID),
		Open: OrZero(c.Open),
		Holder: interbank.Holder{
			Name: Text(c.Name), Street: Text(c.Street), Building: Text(c.Building), Postcode: Text(c.Postcode),
			Town:    Text(c.Town),
			Country: Text(c.Country),
		},
	}
}

// Account converts a row to the domain's account.
func Account(a dbsqlc.DebtorAccount) payment.DebtorAccount {
	return payment.DebtorAccount{
		IBAN: a.Iban, Scheme: rulebook.Scheme(a.Scheme), Currency: a.Currency, AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Open: a.Open,
		Holder: interbank.Holder{
			Name: a.HolderName, Street: a.HolderStreet, Building: a.HolderBuilding, Postcode: a.HolderPostcode,
			Town: a.HolderTown, Country: a.HolderCountry,
		},
	}
}
