package store

import (
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// accountColumns are the columns of a debtor account where a query finds one or none.
type accountColumns struct {
	IBAN, Scheme, Currency, Name, Street, Building, Postcode, Town, Country, BIC, IID *string
	Open                                                                              *bool
}

// accountOrNone makes the domain's account of the columns; nil when the query found none.
func accountOrNone(c accountColumns) *payment.DebtorAccount {
	if c.IBAN == nil {
		return nil
	}
	return &payment.DebtorAccount{
		IBAN: text(c.IBAN), Scheme: rulebook.Scheme(text(c.Scheme)), Currency: text(c.Currency), AgentBIC: text(c.BIC), AgentIID: text(c.IID),
		Open: orZero(c.Open),
		Holder: interbank.Holder{
			Name: text(c.Name), Street: text(c.Street), Building: text(c.Building), Postcode: text(c.Postcode), Town: text(c.Town),
			Country: text(c.Country),
		},
	}
}

func accountFromDB(a dbsqlc.DebtorAccount) payment.DebtorAccount {
	return payment.DebtorAccount{
		IBAN: a.Iban, Scheme: rulebook.Scheme(a.Scheme), Currency: a.Currency, AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Open: a.Open,
		Holder: interbank.Holder{
			Name: a.HolderName, Street: a.HolderStreet, Building: a.HolderBuilding, Postcode: a.HolderPostcode,
			Town: a.HolderTown, Country: a.HolderCountry,
		},
	}
}
