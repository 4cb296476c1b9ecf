package lifecycle

import "countersign/internal/store/internal/dbsqlc"

// A row of MessageConsiderAll is three in one: the message as lists have it, its content with the account it is paid from, and what holds
// in the realm. Here it is taken apart (considered_test.go holds that nothing is left behind).

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

// factsRow is what holds in the realm.
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
