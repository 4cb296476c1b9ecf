package rulebook

import (
	"countersign/internal/account"
	"countersign/internal/i18n"
)

const (
	debtorAccountBelow   = "/DbtrAcct/Id"
	creditorAccountBelow = "/CdtrAcct/Id"
	debtorAccount        = documentPointer + "/PmtInf/0" + debtorAccountBelow
	creditorAccount      = transactionElement + creditorAccountBelow
)

var accountRules = []Rule{
	{
		ID: "debtor-account-missing", Element: debtorAccount + "/IBAN", Code: "CH21", level: levelInformation,
		Text:   "Enter the IBAN of the debtor account.",
		Source: "SPS 4.2; EPC AT-01", broken: func(i *inspection) bool { return i.information.DebtorAccount.ID.IBAN == "" },
	},
	{
		ID: "debtor-account-characters", Element: debtorAccount + "/IBAN", Code: "CH16", level: levelInformation,
		Text:   "Enter the IBAN in capital letters and digits, without spaces.",
		Source: "ISO 13616; SPS 4.2", Check: checkDebtorIBAN,
	},
	{
		ID: "debtor-account-country", Element: debtorAccount + "/IBAN", Code: "BE09", level: levelInformation,
		Text:   "Check the first two letters of the IBAN. They stand for a country that does not use IBANs.",
		Source: "ISO 13616; SPS 4.2", Check: checkDebtorIBAN,
	},
	{
		ID: "debtor-account-number", Element: debtorAccount + "/IBAN", Code: "AC01", level: levelInformation,
		Text:   "Check the length, structure and check digits of the IBAN.",
		Source: "ISO 13616; SPS 4.2", Check: checkDebtorIBAN,
	},
	{
		ID: "debtor-account-not-qr", Element: debtorAccount + "/IBAN", Code: "AC01", level: levelInformation,
		Text:   "Enter the normal IBAN of the account, because a QR-IBAN can only receive payments.",
		Source: "SPS 4.2", broken: func(i *inspection) bool { return i.debtorAccount.iban.IsQR() },
	},
	{
		ID: "charges-account-number", Element: documentPointer + "/PmtInf/0/ChrgsAcct/Id/IBAN", Code: "AC01", level: levelInformation,
		Text:   "Check the IBAN of the charges account.",
		Source: "SPS 4.2", Check: checkChargesAccount,
	},
	{
		ID: "creditor-account-missing", Element: creditorAccount + "/IBAN", Code: "CH21", level: levelTransaction,
		Text:   "Enter the IBAN of the creditor.",
		Source: "SPS 4.3; EPC AT-20", broken: func(i *inspection) bool {
			held := i.transaction.CreditorAccount
			return held == nil || held.ID.IBAN == "" && held.ID.Other == nil
		},
	},
	{
		ID: "creditor-account-other", Element: creditorAccount + "/Othr", Code: "CH17", level: levelTransaction,
		Text:   "Enter the IBAN of the creditor. Other account numbers are not accepted.",
		Source: "SPS 4.3; EPC AT-20",
		broken: func(i *inspection) bool {
			return i.transaction.CreditorAccount != nil && i.transaction.CreditorAccount.ID.Other != nil
		},
	},
	{
		ID: "creditor-account-proxy", Scheme: SchemeSIC, Element: transactionElement + "/CdtrAcct/Prxy", Code: "CH17", level: levelTransaction,
		Text:   "Remove the proxy (alias) of the creditor's account.",
		Source: "SPS 4.3",
		broken: func(i *inspection) bool {
			return i.transaction.CreditorAccount != nil && i.transaction.CreditorAccount.Proxy != nil
		},
	},
	{
		ID: "creditor-account-characters", Element: creditorAccount + "/IBAN", Code: "CH16", level: levelTransaction,
		Text:   "Enter the IBAN in capital letters and digits, without spaces.",
		Source: "ISO 13616; SPS 4.3", Check: checkCreditorIBAN,
	},
	{
		ID: "creditor-account-country", Element: creditorAccount + "/IBAN", Code: "BE09", level: levelTransaction,
		Text:   "Check the first two letters of the IBAN. They stand for a country that does not use IBANs.",
		Source: "ISO 13616; SPS 4.3", Check: checkCreditorIBAN,
	},
	{
		ID: "creditor-account-number", Element: creditorAccount + "/IBAN", Code: "AC01", level: levelTransaction,
		Text:   "Check the length, structure and check digits of the IBAN.",
		Source: "ISO 13616; SPS 4.3", Check: checkCreditorIBAN,
	},
	{
		ID: "creditor-account-swiss", Scheme: SchemeSIC, Element: creditorAccount + "/IBAN", Code: "BE09", level: levelTransaction,
		Text:   "Enter an IBAN that starts with CH or LI, because Swiss instant payments cannot be sent to other countries.",
		Source: "SPS 3.17, 4.3", broken: func(i *inspection) bool {
			iban := i.creditorAccount.iban
			return !iban.IsZero() && !iban.InSwissClearing()
		},
	},
	{
		ID: "creditor-account-bank", Scheme: SchemeSIC, Element: creditorAccount + "/IBAN", Code: "AGNT", level: levelTransaction,
		Text:   "Check the IBAN: no bank in Switzerland or Liechtenstein has the bank code in positions 5 to 9.",
		Source: "Bank master of SIX (a setting, off by default)", Check: checkCreditorAccountBank,
	},
	{
		ID: "creditor-account-sepa", Scheme: SchemeSCT, Element: creditorAccount + "/IBAN", Code: "BE09", level: levelTransaction,
		Text:   "Enter the IBAN of an account in a SEPA country, because SEPA payments cannot be sent to other countries.",
		Source: "EPC409-09, list of SEPA scheme countries; Serbia is in SCT only (NBS, 19 May 2026)", broken: func(i *inspection) bool {
			iban := i.creditorAccount.iban
			return !iban.IsZero() && !account.InSEPA(iban.Country(), i.input.Today)
		},
	},
	{
		ID: "creditor-account-not-qr", Scheme: SchemeSCT, Element: creditorAccount + "/IBAN", Code: "AC01", level: levelTransaction,
		Text:   "Enter the normal IBAN of the account, because a QR-IBAN accepts only payments in Swiss francs with a QR reference.",
		Source: "SPS table 11; IG QR-bill v2.4", broken: func(i *inspection) bool { return i.creditorAccount.iban.IsQR() },
	},
}

// checkDebtorIBAN reports the refusal of the debtor's IBAN when it has the code of the rule.
func checkDebtorIBAN(i *inspection) {
	refusal := i.debtorAccount.refusal
	if refusal != nil && refusal.Code == i.rule.Code {
		i.reportText(debtorAccountBelow+"/IBAN", refusal.Text)
	}
}

func checkChargesAccount(i *inspection) {
	refusal := readIBAN(i.information.ChargesAccount).refusal
	if refusal != nil {
		i.reportText("/ChrgsAcct/Id/IBAN", refusal.Text)
	}
}

// checkCreditorIBAN reports the refusal of the creditor's IBAN when it has the code of the rule.
func checkCreditorIBAN(i *inspection) {
	refusal := i.creditorAccount.refusal
	if refusal != nil && refusal.Code == i.rule.Code {
		i.reportText(creditorAccountBelow+"/IBAN", refusal.Text)
	}
}

func checkCreditorAccountBank(i *inspection) {
	iid, swiss := i.creditorAccount.iban.IID()
	if !swiss || !i.input.Settings.KnownBanksOnly {
		return
	}
	_, known := account.BankByIID(iid)
	if !known {
		i.reportText(
			creditorAccountBelow+"/IBAN", i18n.Text("Check the IBAN: no bank in Switzerland or Liechtenstein has the bank code %s.").With(iid),
		)
	}
}
