package store

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// message makes the domain's message of its row and holds it against the seal of its version: every message that leaves the store says
// whether it is withheld. It never fails: one row that somebody planted must not keep the others from being shown, so an amount that no
// currency has is no amount, which the seal cannot cover.
func (d *Database) message(m dbsqlc.MessageListed) payment.Message {
	amount, err := money.FromMinor(money.Currency(m.Currency), m.Amount)
	message := payment.Message{
		Realm: m.Realm, InternalID: m.MessageID, GlobalID: payment.GlobalID(m.GlobalID), Kind: payment.Kind(m.Kind),
		Scheme: rulebook.Scheme(m.Scheme), Direction: payment.Direction(m.Direction), Channel: identity.Channel(m.Channel), ClientID: text(m.ClientID), ExternalID: text(m.ExternalID),
		OriginalID: orZero(m.OriginalID), AnswersID: orZero(m.AnswersID), AnswerBy: moment(m.AnswerBy), Deadline: moment(m.Deadline), Reason: text(m.Reason),
		MakerUser: orZero(m.MakerUser), MakerName: m.MakerName, MakerLogin: m.MakerLogin, Makers: m.Makers,
		ApprovalsRequired: int(m.ApprovalsRequired), PolicyID: orZero(m.PolicyID), ExpiresAt: moment(m.ExpiresAt), CreatedAt: m.CreatedAt.UTC(),
		Version: int(m.Version), State: payment.State(m.State), Sequence: int(m.StateSequence), StateSince: m.StateSince.UTC(),
		AcceptedAt: moment(m.AcceptedAt), DeliveredAt: moment(m.DeliveredAt), SettledAt: moment(m.SettledAt),
		RecallState: payment.State(m.RecallState), ReturnState: payment.State(m.ReturnState),
		StatusCode: text(m.StatusCode), StatusText: text(m.StatusText), Inquiries: int(m.Inquiries),
		DocumentID: m.DocumentID,
		Summary: payment.Summary{
			Amount: amount, InstructionID: text(m.InstructionID), EndToEndID: m.EndToEndID, TransactionID: text(m.TransactionID), UETR: text(m.Uetr),
			DebtorName: m.DebtorName, OrderedDebtorName: text(m.OrderedDebtorName), DebtorAccount: m.DebtorAccount, DebtorAgent: m.DebtorAgent,
			CreditorName: m.CreditorName, CreditorAccount: m.CreditorAccount, CreditorAgent: m.CreditorAgent, Remittance: m.Remittance,
		},
		Seal: sealFromDB(m.KeyID, m.Seal),
	}
	copy(message.ContentHash[:], m.ContentHash)
	if err != nil {
		err = payment.ErrForged
	} else {
		err = d.seal.CheckVersion(message)
	}
	message.Withheld = payment.WithheldBy(err)
	return message
}

// whole adds to a message what lists do without: its content, its account and the decisions about its current version.
func (d *Database) whole(row dbsqlc.MessageGetRow, decisions []dbsqlc.DecisionListRow) payment.Message {
	message := d.message(row.MessageListed)
	message.Content = row.Content
	message.Account = accountOrNone(accountColumns{
		IBAN: row.AccountIban, Scheme: row.AccountScheme, Currency: row.AccountCurrency, Name: row.HolderName, Street: row.HolderStreet,
		Building: row.HolderBuilding, Postcode: row.HolderPostcode, Town: row.HolderTown, Country: row.HolderCountry,
		BIC: row.AgentBic, IID: row.AgentIid, Open: row.AccountOpen,
	})
	for _, decision := range decisions {
		if int(decision.Version) == message.Version {
			message.Decisions = append(message.Decisions, decisionFromDB(decision))
		}
	}
	return message
}

func decisionFromDB(d dbsqlc.DecisionListRow) payment.Decision {
	return payment.Decision{
		Ordinal: int(d.Ordinal), Action: payment.Action(d.Action), UserID: d.CheckerUser, PersonID: d.CheckerPerson, Name: d.DisplayName,
		ClientID: d.ClientID, Channel: identity.Channel(d.Channel), Reason: text(d.Reason), Remark: text(d.Remark), Login: d.CheckerLogin, DecidedAt: d.DecidedAt.UTC(),
		ForVersion: int(d.Version), Grant: identity.Grant{ID: orZero(d.GrantID), Role: identity.RoleChecker, GrantedAt: moment(d.GrantedAt)},
	}
}

// sealFromDB reads the two columns of a seal; a row without one has the zero Seal.
func sealFromDB(keyID *string, mac []byte) keyring.Seal {
	seal := keyring.Seal{KeyID: text(keyID)}
	copy(seal.MAC[:], mac)
	return seal
}

// digestOrNull writes a digest for a nullable column; the zero digest is NULL.
func digestOrNull(digest payment.Digest) []byte {
	if digest == (payment.Digest{}) {
		return nil
	}
	return digest[:]
}

// text reads a nullable column; NULL is "".
func text(column *string) string {
	if column == nil {
		return ""
	}
	return *column
}

// moment reads a nullable time; NULL is the zero time.
func moment(column *time.Time) time.Time {
	if column == nil {
		return time.Time{}
	}
	return column.UTC()
}

// orNull writes a value for a nullable column; the zero value is NULL.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// actorIDs are the actor's user and person for nullable columns; both are NULL when the gateway acts.
func actorIDs(a identity.Actor) (user, person *uuid.UUID) {
	return orNull(a.UserID), orNull(a.PersonID)
}
