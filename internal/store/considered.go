package store

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// considered is a message with the data that a decision needs; over marks one that was decided before.
type considered struct {
	message payment.Message
	known   SubmissionFacts
	over    bool
}

// consider reads a message with the data that a decision needs, in a batch. It fails with store.ErrAlone for a
// message that must be decided under a lock: its policy changed, it needs a second factor or several approvals, a
// limit may apply, or a seal fails. Other errors: as store.Gather.Do.
func (s *Messages) consider(ctx context.Context, realm string, id uuid.UUID) (considered, error) {
	row, err := s.considering.Do(ctx, realm, id)
	if err != nil {
		return considered{}, err
	}
	found := messageRow(&row)
	if found.MessageListed.State != string(payment.StateApprovalPending) {
		return considered{over: true}, nil
	}
	if !Undecided(found.MessageListed) {
		return considered{}, ErrAlone // decisions that were read by another statement could be newer than the message
	}
	known, err := s.factsOf(ctx, s.db.Alone(realm, Reading), realm, factsRow(&row))
	if err != nil || known.Policy.StepUp || OrZero(row.PolicyID) != known.Policy.ID {
		return considered{}, ErrAlone // what asks for a second factor, by either policy, is decided by itself
	}
	if known.mayBind(payment.Kind(row.Kind)) {
		return considered{}, ErrAlone // and so is what a limit may bind
	}
	return considered{known: known, message: Whole(s.db.Seal(), found, nil)}, nil
}

// A row of MessageConsiderAll joins three rows: the message as in lists, its content with the debtor account, and the
// context of the realm. These functions split it; considered_test.go checks that no column is lost.

// listedRow is the message as lists have it.
func listedRow(row *dbsqlc.MessageConsiderAllRow) dbsqlc.MessageListed {
	return dbsqlc.MessageListed{
		Realm: row.Realm_2, MessageID: row.MessageID, GlobalID: row.GlobalID, Kind: row.Kind, Scheme: row.Scheme, Direction: row.Direction,
		Channel: row.Channel, ClientID: row.ClientID, ExternalID: row.ExternalID, MakerUser: row.MakerUser, PolicyID: row.PolicyID,
		ApprovalsRequired: row.ApprovalsRequired, ExpiresAt: row.ExpiresAt, OriginalID: row.OriginalID, AnswersID: row.AnswersID,
		AnswerBy: row.AnswerBy, Deadline: row.Deadline, Reason: row.Reason, CreatedAt: row.CreatedAt, Version: row.Version,
		Approvals: row.Approvals, State: row.State, StateSequence: row.StateSequence, StateSince: row.StateSince, AcceptedAt: row.AcceptedAt,
		DeliveredAt: row.DeliveredAt, SettledAt: row.SettledAt, StatusCode: row.StatusCode, StatusText: row.StatusText,
		Inquiries: row.Inquiries, DocumentID: row.DocumentID, ContentHash: row.ContentHash, Makers: row.Makers, Amount: row.Amount,
		Currency: row.Currency, InstructionID: row.InstructionID, EndToEndID: row.EndToEndID, TransactionID: row.TransactionID,
		Uetr: row.Uetr, DebtorName: row.DebtorName, OrderedDebtorName: row.OrderedDebtorName, DebtorAccount: row.DebtorAccount,
		DebtorAgent: row.DebtorAgent, CreditorName: row.CreditorName, CreditorAccount: row.CreditorAccount, CreditorAgent: row.CreditorAgent,
		Remittance: row.Remittance, KeyID: row.KeyID, Seal: row.Seal, RecallState: row.RecallState, ReturnState: row.ReturnState,
		MakerName: row.MakerName, MakerLogin: row.MakerLogin, Clients: row.Clients, PayeeResult: row.PayeeResult, PayeeName: row.PayeeName,
		PayeeAt: row.PayeeAt, VersionKey: row.VersionKey, ListedAmount: row.ListedAmount, MakerPerson: row.MakerPerson,
	}
}

// factsRow returns the context of the realm.
func factsRow(row *dbsqlc.MessageConsiderAllRow) dbsqlc.SubmissionContextRow {
	return dbsqlc.SubmissionContextRow{
		Realm: row.Realm, Policy: row.Policy, ApprovalsAsked: row.ApprovalsAsked, DirectoryID: row.DirectoryID, AccountIban: row.AccountIban,
		AccountScheme: row.AccountScheme, AccountCurrency: row.AccountCurrency, HolderName: row.HolderName, HolderStreet: row.HolderStreet,
		HolderBuilding: row.HolderBuilding, HolderPostcode: row.HolderPostcode, HolderTown: row.HolderTown, HolderCountry: row.HolderCountry,
		AgentBic: row.AgentBic, AgentIid: row.AgentIid, AccountOpen: row.AccountOpen, AccountKeyID: row.AccountKeyID,
		AccountSeal: row.AccountSeal, Limited: row.Limited,
	}
}

// messageRow is the message with its content.
func messageRow(row *dbsqlc.MessageConsiderAllRow) dbsqlc.MessageGetRow {
	return dbsqlc.MessageGetRow{
		MessageListed: listedRow(row), Content: row.Content, AccountIban: row.AccountIban, AccountScheme: row.AccountScheme,
		AccountCurrency: row.AccountCurrency, HolderName: row.HolderName, HolderStreet: row.HolderStreet, HolderBuilding: row.HolderBuilding,
		HolderPostcode: row.HolderPostcode, HolderTown: row.HolderTown, HolderCountry: row.HolderCountry, AgentBic: row.AgentBic,
		AgentIid: row.AgentIid, AccountOpen: row.AccountOpen,
	}
}
