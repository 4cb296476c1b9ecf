package views

import "countersign/internal/i18n"

// helpSteps are the sections of the help page about tasks.
var helpSteps = []struct {
	id    string
	title i18n.Text
	steps []i18n.Text
}{
	{"unconfirmed", "What to do if a payment is unconfirmed", []i18n.Text{
		"Do not pay again. The first payment could still be settled, and the creditor would then be paid twice.",
		"Wait for the answer. Countersign asks clearing again automatically and shows each answer on the page of the payment.",
		"If the payment is settled, there is nothing left to do. If the payment failed, no money moved. Correct the payment and submit it again.",
		"If the payment is still unconfirmed after an hour, tell the operator.",
	}},
	{"recall", "Recall a payment, step by step", []i18n.Text{
		"Find the settled payment and open it. To search by name or amount, press Ctrl+K.",
		"Choose “Recall”, then choose a reason. For a SEPA payment, the page shows the deadline for each reason.",
		"Check the recall and submit it. The recall is sent as soon as another person has approved it.",
		"The other bank will either return the money, or refuse the recall and give a reason. You can recall a payment only once.",
	}},
	{"received", "Answer a recall from another bank", []i18n.Text{
		"Open the recall under “Received recalls”. The list shows how many days you have left to answer.",
		"Ask the customer who received the money whether it can be sent back. Then accept the recall, or refuse it and give a reason.",
		"The answer is sent as soon as another person has approved it.",
	}},
	{"evidence", "Verify an evidence file", []i18n.Text{
		"A supervisor can download the evidence from the page of the payment. The evidence file names the public key needed to verify its " +
			"signature.",
		"Get the public keys from the operator, who prints them with “countersign key public”. Never use keys that came with the evidence " +
			"file. Compare the public keys with the key named in the evidence file.",
		"On another computer, run “countersign audit verify FILE --public-key-file KEYS”. The command refuses a file that was signed with " +
			"another key.",
	}},
	{"administration", "Administer a realm", []i18n.Text{
		"One administrator requests each change under “Administration”, and another administrator approves it.",
		"To add a user, the first administrator gives that person the code, and the second gives the link. The user needs both to set a " +
			"password.",
		"To change a policy, use the form to test the new values on past payments, then request the change.",
		"Under “Realm”, you can set how many months payments stay in the database before they can be moved to an archive file. You can " +
			"also erase customers’ names and accounts in archives. One administrator requests the change, and another approves it.",
		"If data was lost in a restore, payments are stopped. An operator compares the payments with the statement from clearing. Then two " +
			"administrators resume payments.",
	}},
}

// glossary explains the words of the portal: one word for one thing.
var glossary = []struct{ word, means i18n.Text }{
	{"Payment", "An order to pay one creditor, immediately or on a later day."},
	{"Debtor", "The person or company whose account is debited."},
	{"Creditor", "The person or company that receives the money."},
	{"Beneficiaries", "The list of creditors, each approved by two people."},
	{"Maker", "The person who enters or amends a payment."},
	{"Checker", "A second person who checks the payment and approves or rejects it."},
	{"Policy", "The rule that sets how many people must approve a payment and how long the payment can wait for approval."},
	{"Limits", "The highest amounts that can be paid by a user, by a client or from an account, per payment and per day."},
	{"Clearing", "The system that transfers payments between banks: SIC for CHF and SEPA for EUR."},
	{"Rejected", "A checker refused to approve the payment. Nothing was sent."},
	{"Refused", "Clearing, the core banking system or this gateway did not accept the payment."},
	{"Recall", "A request to the other bank to return the money from a settled payment."},
	{"Return", "A payment that sends back money you have received."},
	{"Refusal of a recall", "The answer to a recall when the money will not be returned. It ends the recall."},
	{"Reference", "The number that identifies a payment in this gateway and at clearing."},
	{"End-to-end ID", "A reference that the maker enters for the payment and that every bank passes on to the creditor."},
	{"Second factor", "A code, a passkey or a security key in addition to the password."},
	{"Quarantine", "The place where messages from clearing that match no payment are kept until an operator has checked them."},
	{"Realm", "The bank or company that the accounts and users belong to."},
	{"Audit trail", "The signed record of every action that was carried out or refused."},
}
