package rulebook_test

import (
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

const (
	creditorAgentAt = txAt + "/CdtrAgt/FinInstnId"
	debtorAgentAt   = infoAt + "/DbtrAgt/FinInstnId"
)

type agentMaker func(id string) iso20022.BranchAndFinancialInstitutionIdentification6

func creditorAgent(create agentMaker, id string) func(d *document) {
	return func(d *document) {
		made := create(id)
		d.tx.CreditorAgent = &made
	}
}

func debtorAgent(create agentMaker, id string) func(d *document) {
	return func(d *document) { d.info.DebtorAgent = create(id) }
}

// creditorInstitution changes the identification of a creditor's bank that has a good BIC.
func creditorInstitution(change func(f *iso20022.FinancialInstitutionIdentification18)) func(d *document) {
	return func(d *document) {
		made := bicAgent("RAIFCH22005")
		change(&made.FinancialInstitutionID)
		d.tx.CreditorAgent = &made
	}
}

func knownBanksOnly(s *rulebook.Settings) { s.KnownBanksOnly = true }

var agentCases = []ruleCase{
	{rule: "agent-empty", name: "BIC", change: debtorAgent(bicAgent, "RAIFCH22005")},
	{rule: "agent-empty", name: "empty debtor agent", change: debtorAgent(bicAgent, ""), pointer: debtorAgentAt},
	{rule: "agent-empty", name: "empty creditor agent", change: creditorAgent(bicAgent, ""), pointer: creditorAgentAt},
	{rule: "agent-one-identification", name: "IID", change: creditorAgent(iidAgent, "21966")},
	{rule: "agent-one-identification", name: "both", change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
		f.ClearingSystemMemberID = iidAgent("80005").FinancialInstitutionID.ClearingSystemMemberID
	}), pointer: creditorAgentAt + "/ClrSysMmbId"},
	{rule: "agent-bic", name: "8 characters", change: debtorAgent(bicAgent, "RAIFCH22")},
	{rule: "agent-bic", name: "9 characters", change: debtorAgent(bicAgent, "RAIFCH22X"), pointer: debtorAgentAt + "/BICFI"},
	{rule: "agent-bic", name: "no such country", change: func(d *document) {
		made := bicAgent("RAIFZZ22")
		d.tx.IntermediaryAgent1 = &made
	}, pointer: txAt + "/IntrmyAgt1/FinInstnId/BICFI"},
	{rule: "agent-clearing-system", name: "named"},
	{rule: "agent-clearing-system", name: "not named", change: func(d *document) {
		d.info.DebtorAgent.FinancialInstitutionID.ClearingSystemMemberID.ClearingSystemID = nil
	}, pointer: debtorAgentAt + "/ClrSysMmbId/ClrSysId"},
	{rule: "agent-iid", name: "three digits", change: debtorAgent(iidAgent, "762")},
	{rule: "agent-iid", name: "letters", change: debtorAgent(iidAgent, "76X"), pointer: debtorAgentAt + "/ClrSysMmbId/MmbId"},
	{rule: "agent-iid-known", name: "not asked", change: debtorAgent(iidAgent, "99999")},
	{rule: "agent-iid-known", name: "known", change: creditorIBAN(knownBankIBAN), settings: knownBanksOnly},
	{rule: "agent-iid-known", name: "unknown", change: func(d *document) {
		creditorIBAN(knownBankIBAN)(d)
		d.info.DebtorAgent = iidAgent("99999")
	}, settings: knownBanksOnly, pointer: debtorAgentAt + "/ClrSysMmbId/MmbId"},
	{rule: "creditor-agent-country", name: "Liechtenstein", change: creditorAgent(bicAgent, "BLFLLI2XXXX")},
	{rule: "creditor-agent-country", name: "Germany", change: creditorAgent(bicAgent, "AAAADEFF"), pointer: creditorAgentAt + "/BICFI"},
	{rule: "creditor-agent-clearing-code", name: "Swiss", change: creditorAgent(iidAgent, "21966")},
	{rule: "creditor-agent-clearing-code", name: "German", change: func(d *document) {
		creditorAgent(iidAgent, "21966")(d)
		d.tx.CreditorAgent.FinancialInstitutionID.ClearingSystemMemberID.ClearingSystemID.Code = "DEBLZ"
	}, pointer: creditorAgentAt + "/ClrSysMmbId/ClrSysId"},
	{rule: "creditor-agent-bank-code", name: "BIC", base: sepaPayment},
	{
		rule: "creditor-agent-bank-code", name: "bank code", base: sepaPayment, change: creditorAgent(iidAgent, "21966"),
		pointer: creditorAgentAt + "/ClrSysMmbId",
	},
	{rule: "creditor-agent-reach", name: "of the account's country", base: sepaPayment},
	{rule: "creditor-agent-reach", name: "of an overseas territory", base: sepaPayment, change: creditorAgent(bicAgent, "BBBBREPPXXX")},
	{
		rule: "creditor-agent-reach", name: "of a territory outside SEPA", base: sepaPayment, change: creditorAgent(bicAgent, "BBBBNCNXXXX"),
		pointer: creditorAgentAt + "/BICFI",
	},
	{
		rule: "creditor-agent-reach", name: "outside SEPA", base: sepaPayment, change: creditorAgent(bicAgent, "CHASUS33XXX"),
		pointer: creditorAgentAt + "/BICFI",
	},
	{
		rule: "creditor-agent-reach", name: "of another SEPA country", base: sepaPayment, change: creditorAgent(bicAgent, "AAAADEFFXXX"),
		pointer: creditorAgentAt + "/BICFI",
	},
	{
		rule: "creditor-agent-lei", name: "not asked in Switzerland",
		change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
			f.LEI = "529900T8BM49AURSDO55"
		}),
	},
	{rule: "creditor-agent-lei", name: "beside the BIC", base: sepaPayment, change: func(d *document) {
		d.tx.CreditorAgent.FinancialInstitutionID.LEI = "529900T8BM49AURSDO55"
	}, pointer: creditorAgentAt + "/LEI"},
	{rule: "agent-lei", name: "good", change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
		f.LEI = "529900T8BM49AURSDO55"
	})},
	{rule: "agent-lei", name: "check digits", change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
		f.LEI = "529900T8BM49AURSDO65"
	}), pointer: creditorAgentAt + "/LEI"},
	{rule: "creditor-agent-name", name: "none", change: creditorAgent(bicAgent, "RAIFCH22005")},
	{
		rule: "creditor-agent-name", name: "given",
		change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) { f.Name = "Bank" }), pointer: creditorAgentAt + "/Nm",
	},
	{rule: "creditor-agent-address", name: "left out", base: sepaPayment, change: func(d *document) { d.tx.CreditorAgent = nil }},
	{rule: "creditor-agent-address", name: "given", change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
		f.PostalAddress = &iso20022.PostalAddress24{TownName: "Bern", Country: "CH"}
	}), pointer: creditorAgentAt + "/PstlAdr"},
	{rule: "creditor-agent-other", name: "none", change: creditorAgent(iidAgent, "21966")},
	{rule: "creditor-agent-other", name: "given", change: creditorInstitution(func(f *iso20022.FinancialInstitutionIdentification18) {
		f.Other = &iso20022.GenericFinancialIdentification1{ID: "x"}
	}), pointer: creditorAgentAt + "/Othr"},
}

func debtorIBAN(iban string) func(d *document) {
	return func(d *document) { d.info.DebtorAccount = ibanAccount(iban) }
}

func creditorIBAN(iban string) func(d *document) {
	return func(d *document) { d.tx.CreditorAccount = accountPointer(iban) }
}

// abroad pays to another account of SEPA, whose bank follows from the IBAN.
func abroad(iban string) func(d *document) {
	return func(d *document) {
		creditorIBAN(iban)(d)
		d.tx.CreditorAgent = nil
	}
}

// knownBankIBAN has a bank code of the embedded list.
const knownBankIBAN = "CH7280005000088877766"

const (
	debtorIBANAt   = infoAt + "/DbtrAcct/Id/IBAN"
	creditorIBANAt = txAt + "/CdtrAcct/Id/IBAN"
)

var accountCases = []ruleCase{
	{rule: "debtor-account-missing", name: "there"},
	{rule: "debtor-account-missing", name: "missing", change: debtorIBAN(""), pointer: debtorIBANAt},
	{rule: "debtor-account-characters", name: "plain"},
	{rule: "debtor-account-characters", name: "grouped", change: debtorIBAN("CH50 2197 7000 0043 3134 6"), pointer: debtorIBANAt},
	{rule: "debtor-account-country", name: "Liechtenstein", change: debtorIBAN("LI21088100002324013AA")},
	{rule: "debtor-account-country", name: "no IBAN country", change: debtorIBAN("US5021977000004331346"), pointer: debtorIBANAt},
	{rule: "debtor-account-number", name: "good", change: debtorIBAN("CH7280005000088877766")},
	{rule: "debtor-account-number", name: "check digits", change: debtorIBAN("CH5121977000004331346"), pointer: debtorIBANAt},
	{rule: "debtor-account-number", name: "short", change: debtorIBAN("CH502197700000433134"), pointer: debtorIBANAt},
	{rule: "debtor-account-not-qr", name: "plain"},
	{rule: "debtor-account-not-qr", name: "QR-IBAN", change: debtorIBAN(qrIBAN), pointer: debtorIBANAt},
	{
		rule: "charges-account-number", name: "good",
		change: func(d *document) { d.info.ChargesAccount = accountPointer("CH7280005000088877766") },
	},
	{rule: "charges-account-number", name: "check digits", change: func(d *document) {
		d.info.ChargesAccount = accountPointer("CH7380005000088877766")
	}, pointer: infoAt + "/ChrgsAcct/Id/IBAN"},
	{rule: "creditor-account-missing", name: "there"},
	{rule: "creditor-account-missing", name: "missing", change: func(d *document) { d.tx.CreditorAccount = nil }, pointer: creditorIBANAt},
	{rule: "creditor-account-missing", name: "without a number", change: creditorIBAN(""), pointer: creditorIBANAt},
	{rule: "creditor-account-other", name: "IBAN"},
	{rule: "creditor-account-other", name: "other", change: func(d *document) {
		d.tx.CreditorAccount = &iso20022.CashAccount38{
			ID: iso20022.AccountIdentification4Choice{Other: &iso20022.GenericAccountIdentification1{ID: "1"}},
		}
	}, pointer: txAt + "/CdtrAcct/Id/Othr"},
	{rule: "creditor-account-proxy", name: "none"},
	{rule: "creditor-account-proxy", name: "given", change: func(d *document) {
		d.tx.CreditorAccount.Proxy = &iso20022.ProxyAccountIdentification1{ID: "+41791234567"}
	}, pointer: txAt + "/CdtrAcct/Prxy"},
	{rule: "creditor-account-proxy", name: "given in SEPA", base: sepaPayment, change: func(d *document) {
		d.tx.CreditorAccount.Proxy = &iso20022.ProxyAccountIdentification1{ID: "+41791234567"}
	}},
	{rule: "creditor-account-characters", name: "plain"},
	{rule: "creditor-account-characters", name: "lower case", change: creditorIBAN("ch4821966000009613388"), pointer: creditorIBANAt},
	{rule: "creditor-account-country", name: "Liechtenstein", change: creditorIBAN("LI21088100002324013AA")},
	{rule: "creditor-account-country", name: "no such country", change: creditorIBAN("ZZ4821966000009613388"), pointer: creditorIBANAt},
	{rule: "creditor-account-number", name: "unknown bank", change: creditorIBAN("CH9300762011623852957")},
	{rule: "creditor-account-number", name: "one digit wrong", change: creditorIBAN("CH4821966000009613389"), pointer: creditorIBANAt},
	{rule: "creditor-account-swiss", name: "Liechtenstein", change: creditorIBAN("LI21088100002324013AA")},
	{rule: "creditor-account-swiss", name: "Germany", change: creditorIBAN("DE89370400440532013000"), pointer: creditorIBANAt},
	{rule: "creditor-account-bank", name: "not asked", change: creditorIBAN("CH9300762011623852957")},
	{rule: "creditor-account-bank", name: "known", change: creditorIBAN(knownBankIBAN), settings: knownBanksOnly},
	{
		rule: "creditor-account-bank", name: "unknown", change: creditorIBAN("CH9300762011623852957"), settings: knownBanksOnly,
		pointer: creditorIBANAt,
	},
	{rule: "creditor-account-sepa", name: "Switzerland", base: sepaPayment, change: abroad("CH4821966000009613388")},
	{rule: "creditor-account-sepa", name: "joined", base: sepaPayment, change: abroad("AL47212110090000000235698741")},
	{
		rule: "creditor-account-sepa", name: "not yet joined", base: sepaPayment, change: abroad("AL47212110090000000235698741"),
		input: todayIs(2025, time.October, 6), pointer: creditorIBANAt,
	},
	{rule: "creditor-account-sepa", name: "in SCT only", base: sepaPayment, change: abroad("RS35260005601001611379"), pointer: creditorIBANAt},
	{rule: "creditor-account-sepa", name: "Turkey", base: sepaPayment, change: abroad("TR330006100519786457841326"), pointer: creditorIBANAt},
	{rule: "creditor-account-not-qr", name: "plain Swiss", base: sepaPayment, change: abroad("CH4821966000009613388")},
	{rule: "creditor-account-not-qr", name: "QR-IBAN", base: sepaPayment, change: abroad(qrIBAN), pointer: creditorIBANAt},
}
