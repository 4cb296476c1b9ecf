package rulebook

import "countersign/internal/iso20022"

// namedParty is a party of a document and its pointer below the part that holds it.
type namedParty struct {
	pointer string
	party   *iso20022.PartyIdentification135
}

// namedAgent is a bank of a document and its pointer below the part that holds it.
type namedAgent struct {
	pointer string
	agent   *iso20022.BranchAndFinancialInstitutionIdentification6
}

const (
	initiatingPartyPointer = "/GrpHdr/InitgPty"
	debtorAgentPointer     = "/DbtrAgt"
	creditorAgentPointer   = "/CdtrAgt"
)

func messageParties(from *iso20022.CustomerCreditTransferInitiation) [3]namedParty {
	return [3]namedParty{{initiatingPartyPointer, &from.GroupHeader.InitiatingParty}}
}

func informationParties(from *iso20022.PaymentInstruction30) [3]namedParty {
	return [3]namedParty{{"/Dbtr", &from.Debtor}, {"/UltmtDbtr", from.UltimateDebtor}}
}

func transactionParties(from *iso20022.CreditTransferTransaction34) [3]namedParty {
	return [3]namedParty{
		{"/UltmtDbtr", from.UltimateDebtor}, {"/Cdtr", from.Creditor}, {"/UltmtCdtr", from.UltimateCreditor},
	}
}

func messageAgents(from *iso20022.CustomerCreditTransferInitiation) [4]namedAgent {
	return [4]namedAgent{{"/GrpHdr/FwdgAgt", from.GroupHeader.ForwardingAgent}}
}

func informationAgents(from *iso20022.PaymentInstruction30) [4]namedAgent {
	return [4]namedAgent{{debtorAgentPointer, &from.DebtorAgent}, {"/ChrgsAcctAgt", from.ChargesAccountAgent}}
}

func transactionAgents(from *iso20022.CreditTransferTransaction34) [4]namedAgent {
	return [4]namedAgent{
		{"/IntrmyAgt1", from.IntermediaryAgent1},
		{"/IntrmyAgt2", from.IntermediaryAgent2},
		{"/IntrmyAgt3", from.IntermediaryAgent3},
		{creditorAgentPointer, from.CreditorAgent},
	}
}
