package rulebook

// The ids of the rules that other packages hold.
const (
	// RuleDebtorAccountOfRealm: the debtor account is one of the realm's, open and of the scheme.
	RuleDebtorAccountOfRealm = "debtor-account-of-realm"
	// RuleCreditorBankReached: the directory knows the bank that keeps the creditor's account, and instant payments reach it.
	RuleCreditorBankReached = "creditor-bank-reached"
	// RulePreviousGeneration: the order is no pain.001.001.03, once that has ended.
	RulePreviousGeneration = "previous-generation"
	// RuleMessageIDUnique: the message id was not used before.
	RuleMessageIDUnique = "message-id-unique"
	// RuleExternalIDUnique: the external id was not used for other content before.
	RuleExternalIDUnique = "external-id-unique"
	// RuleOneRequest: one recall of a payment for ever, one return, and one answer to a received recall.
	RuleOneRequest = "one-request"
	// RuleOriginalState: the payment an R-transaction is about is of the right kind and in the right state.
	RuleOriginalState = "original-state"
	// RuleApprovalPolicy: the content does not need more approvals than the message was entered with.
	RuleApprovalPolicy = "approval-policy"
	// RuleSpendingLimit: the amount is within what person, client and account may pay, at a time and on this day.
	RuleSpendingLimit = "spending-limit"
	// RuleMoreFindings: the document has more problems than are listed.
	RuleMoreFindings = "more-findings"
	// RuleNotForwarded: an element has no place in the interbank documents of the scheme, and leaving it out would lose it silently.
	RuleNotForwarded = "not-forwarded"
	// RuleIdentifierCharacters: an identifier has characters that not every bank of the scheme takes. Texts are transliterated,
	// identifiers never.
	RuleIdentifierCharacters = "identifier-characters"
)

// moreFindings ends a list that is cut short.
var moreFindings = Rule{
	ID: RuleMoreFindings, Element: documentPointer, Code: "FF01", CheckedBy: "internal/rulebook",
	Text:   "Correct the listed problems and check again. There are more problems than those listed.",
	Source: "This gateway: at most 200 findings in one answer",
}

// rulesElsewhere need more than the document. They are rows of the table so that one list shows everything that is asked of a payment.
var rulesElsewhere = []Rule{
	moreFindings,
	{
		ID: RuleNotForwarded, Element: documentPointer + "/{any element}", Code: "CH17", CheckedBy: "internal/interbank",
		Text:   "Remove the element: instant payments do not pass it on to the creditor's bank.",
		Source: "This gateway: nothing of an order is lost silently; SPS 4.3; EPC115-06 pacs.008",
	},
	{
		ID: RuleIdentifierCharacters, Element: documentPointer + "/{any identifier}", Code: "CH16", CheckedBy: "internal/interbank",
		Text: "Replace the characters that some banks in the scheme do not accept. The gateway does not replace them because identifiers " +
			"must not be changed in transit.",
		Source: "SPS 3.1, annex C; EPC217-08, basic character set",
	},
	{
		ID: RuleDebtorAccountOfRealm, Element: debtorAccount + "/IBAN", Code: "AC01", CheckedBy: "internal/payment",
		Text:   "Choose one of your own accounts to debit.",
		Source: "Interface contract of this gateway",
	},
	{
		ID: RuleCreditorBankReached, Element: creditorAccount + "/IBAN", Code: "AGNT", CheckedBy: "internal/rulebook",
		Text:   "The creditor's bank cannot receive instant payments. Check the IBAN with the creditor, or pay in another way.",
		Source: "EPC SCT Inst rulebook 2025, reachability; SIC IP: bank master of SIX, \"IP customer payments, CHF\"; directory of this gateway",
	},
	{
		ID: RulePreviousGeneration, Element: "/Document", Code: "FF01", CheckedBy: "internal/orderform",
		Text:   "Send the order as pain.001.001.09. Since 2026-11-14, pain.001.001.03 is accepted only if the settings allow it.",
		Source: "SPS 2026 (IG credit transfer 2.3), in force from 14 November 2026: end of the parallel phase",
	},
	{
		ID: RuleApprovalPolicy, Element: amountElement, Code: "AM02", CheckedBy: "internal/payment",
		Text:   "The content of the payment now needs more approvals than before. Withdraw the payment and enter it again.",
		Source: "Interface contract of this gateway",
	},
	{
		ID: RuleSpendingLimit, Element: amountElement, Code: "AM14", CheckedBy: "internal/rulebook",
		Text:   "Pay a smaller amount, pay on another day, or ask two administrators to change the limit.",
		Source: "Interface contract of this gateway; ISO, AM14 (limits agreed between bank and client)",
	},
	{
		ID: RuleMessageIDUnique, Element: documentPointer + "/GrpHdr/MsgId", Code: "DU01", CheckedBy: "internal/store",
		Text:   "Give each message its own ID. The ID of this message was used before.",
		Source: "SPS 3.8 (unique for at least 90 days)",
	},
	{
		ID: RuleExternalIDUnique, Element: "/identifiers/externalId", Code: "DU01", CheckedBy: "internal/store",
		Text:   "Enter a new external ID for each payment. The ID you entered was used for a payment with different content.",
		Source: "Interface contract of this gateway",
	},
	{
		ID: RuleOneRequest, Element: "/identifiers/internalId", Code: "AM05", CheckedBy: "internal/store",
		Text:   "This payment has already been recalled. A payment can be recalled only once.",
		Source: "EPC SCT Inst rulebook 2025: one recall or request for recall of a payment",
	},
	{
		ID: RuleOriginalState, Element: "/identifiers/internalId", Code: "NARR", CheckedBy: "internal/payment",
		Text: "You can recall an outgoing payment that is settled, return an incoming payment that is booked, and refuse a recall that has " +
			"not been answered.",
		Source: "Interface contract of this gateway",
	},
	{
		ID: "schema", Element: documentPointer, Code: "FF01", CheckedBy: "internal/iso20022/codec",
		Text:   "Follow the schema of pain.001.001.09 for elements, order, lengths and formats, and do not leave any element empty.",
		Source: "ISO, pain.001.001.09; SPS 3.4, 3.6 (each place has its own code: CH16, CH17, CH21, DT01, ...)",
	},
	{
		ID: "encoding", Element: "/Document", Code: "CH16", CheckedBy: "internal/iso20022/codec",
		Text:   "Send the document in UTF-8, without a byte order mark, CDATA sections or a document type declaration.",
		Source: "SPS 3.1, 3.5",
	},
}
