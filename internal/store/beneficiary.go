package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/administration"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Book narrows the list of beneficiaries; a zero field does not.
type Book struct {
	Search    string // part of a name, a town or an account
	Compact   string // the same without spaces, in upper case
	AfterName string // the last one of the page before
	AfterID   uuid.UUID
	PageSize  int32
}

// Beneficiaries lists the beneficiaries in force by name. A beneficiary that does not fit its seal is left out and replaced by the next
// one; the log raises an alarm.
func (c *Changes) Beneficiaries(ctx context.Context, realm string, of Book) ([]administration.Beneficiary, error) {
	var list []administration.Beneficiary
	err := c.db.InRealm(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		guard := c.db.Guard(q)
		return filled(of.PageSize, &list, func() (read int, err error) {
			rows, err := q.BeneficiaryList(ctx, dbsqlc.BeneficiaryListParams{
				Realm: realm, AfterName: OrNull(of.AfterName), AfterID: of.AfterID, Search: of.Search, Compact: of.Compact,
				PageSize: of.PageSize,
			})
			for _, row := range rows {
				of.AfterName, of.AfterID = row.Name, row.BeneficiaryID
				if guard.Fits(ctx, Beneficiary(row)) {
					list = append(list, beneficiaryOf(row))
				}
			}
			return len(rows), err
		})
	})
	return list, changeError(err, "list beneficiaries")
}

// filled reads until a page is full or the list ends: without it, rows that do not fit their seals would hide the rows after them.
func filled[Row any](page int32, list *[]Row, next func() (read int, err error)) error {
	for {
		read, err := next()
		if err != nil {
			return err
		}
		if len(*list) >= int(page) || read < int(page) {
			*list = (*list)[:min(len(*list), int(page))]
			return nil
		}
	}
}

// Beneficiary returns one beneficiary, removed or not. Error: payment.ErrNotFound, also for a beneficiary that does not fit its seal.
func (c *Changes) Beneficiary(ctx context.Context, realm string, id uuid.UUID) (administration.Beneficiary, error) {
	var found administration.Beneficiary
	err := c.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		row, err := q.BeneficiaryGet(ctx, realm, id)
		if err == nil && !c.db.Guard(q).Fits(ctx, Beneficiary(row)) {
			err = payment.ErrNotFound
		}
		found = beneficiaryOf(row)
		return err
	})
	if errors.Is(err, payment.ErrNotFound) {
		return administration.Beneficiary{}, err
	}
	return found, changeError(err, "read a beneficiary")
}

// beneficiaryFacts reads the beneficiary of a change, and whether another one has the named account.
func (s changeStep) beneficiaryFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	id, err := uuid.Parse(asked.subject)
	if err == nil {
		row, err := s.q.BeneficiaryGet(ctx, s.realm, id)
		switch {
		case err == nil && s.guard.Fits(ctx, Beneficiary(row)):
			known.Found, known.Before = true, beneficiaryOf(row).Values()
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		}
	}
	iban, err := account.ParseInput(asked.values["creditorIban"])
	if err != nil {
		return nil // the rules say what is wrong with it
	}
	row, err := s.q.BeneficiaryByAccount(ctx, s.realm, iban.String())
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	known.Own = administration.BeneficiaryAccount{Taken: row.BeneficiaryID != id}
	return err
}

// applyBeneficiary writes a beneficiary that two people agreed on, and the time from which it or its account is new.
func (s changeStep) applyBeneficiary(ctx context.Context, c administration.Change) error {
	b, err := administration.BeneficiaryOf(c.After, "")
	if err != nil {
		return err
	}
	id, err := uuid.Parse(b.ID)
	if err != nil {
		return err
	}
	row := dbsqlc.Beneficiary{
		Realm: s.realm, BeneficiaryID: id, Name: b.Name, Iban: b.IBAN, Street: b.Street, BuildingNumber: b.BuildingNumber,
		AddressLine1: b.AddressLine1, AddressLine2: b.AddressLine2, Postcode: b.Postcode, Town: b.Town, Country: b.Country, AddedAt: s.at,
		Removed: b.Status == administration.StatusRemoved,
	}
	if c.Kind == administration.KindBeneficiaryCreate {
		return s.ledger.Put(Beneficiary(row), s.q.BeneficiaryInsert(ctx, dbsqlc.BeneficiaryInsertParams(row)))
	}
	before, err := s.q.BeneficiaryGet(ctx, s.realm, id)
	if err != nil {
		return err
	}
	row.AddedAt, row.AccountChangedAt, row.EarlierIban = before.AddedAt.UTC(), before.AccountChangedAt, before.EarlierIban
	if before.Iban != row.Iban {
		row.AccountChangedAt, row.EarlierIban = &s.at, before.Iban
	}
	return s.ledger.Put(Beneficiary(row), One(s.q.BeneficiaryPut(ctx, dbsqlc.BeneficiaryPutParams{
		Name: row.Name, Iban: row.Iban, Street: row.Street, BuildingNumber: row.BuildingNumber, AddressLine1: row.AddressLine1,
		AddressLine2: row.AddressLine2, Postcode: row.Postcode, Town: row.Town, Country: row.Country, AccountChangedAt: row.AccountChangedAt,
		EarlierIban: row.EarlierIban, Removed: row.Removed, Realm: row.Realm, BeneficiaryID: row.BeneficiaryID,
	})))
}

// beneficiaryOf converts a row to the domain's beneficiary.
func beneficiaryOf(row dbsqlc.Beneficiary) administration.Beneficiary {
	b := administration.Beneficiary{
		ID: row.BeneficiaryID.String(), Name: row.Name, IBAN: row.Iban, Street: row.Street, BuildingNumber: row.BuildingNumber,
		AddressLine1: row.AddressLine1, AddressLine2: row.AddressLine2, Postcode: row.Postcode, Town: row.Town, Country: row.Country,
		Status: administration.StatusInForce, AddedAt: row.AddedAt.UTC(), AccountChangedAt: Time(row.AccountChangedAt),
		EarlierIBAN: row.EarlierIban,
	}
	if row.Removed {
		b.Status = administration.StatusRemoved
	}
	return b
}

// Beneficiary is the row of a creditor that two people of payments agreed on.
func Beneficiary(b dbsqlc.Beneficiary) Row {
	return Row{Table: "beneficiary", Realm: b.Realm, Key: b.BeneficiaryID.String()}.
		covers(b.BeneficiaryID, b.Name, b.Iban, b.Street, b.BuildingNumber, b.AddressLine1, b.AddressLine2, b.Postcode, b.Town, b.Country,
			b.AddedAt, b.AccountChangedAt, b.EarlierIban, b.Removed)
}
