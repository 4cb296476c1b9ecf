package views

import "countersign/internal/i18n"

// helpSteps are the sections of the help page about tasks.
var helpSteps = []struct {
	id    string
	title i18n.Text
	steps []i18n.Text
}{
	{"unconfirmed", "When a payment is unconfirmed", []i18n.Text{
		"Do not pay again. The first payment may still be settled, and then the creditor has the money twice.",
		"Wait. Clearing is asked again automatically, and the payment's page shows each answer.",
		"Settled: there is nothing left to do. Failed: no money moved, and you can correct it and submit it again.",
		"If it stays unconfirmed for more than an hour, tell the operator.",
	}},
	{"recall", "Recall a payment, step by step", []i18n.Text{
		"Find the settled payment and open it. Ctrl+K finds it by name and amount.",
		"Choose “Recall” and the reason. For a SEPA payment, the page shows the last day for each reason.",
		"Check it and submit it. It is sent as soon as another person has approved it.",
		"The other bank sends the money back or refuses, and gives a reason. A payment can be recalled only once.",
	}},
	{"received", "Answer the recall of another bank", []i18n.Text{
		"Open it under “Received recalls”. The list shows the days that are left.",
		"Ask the customer who received the money, then grant the recall or refuse it with a reason.",
		"The answer is sent as soon as another person has approved it.",
	}},
	{"evidence", "Verify the evidence of a payment", []i18n.Text{
		"A supervisor downloads it on the page of the payment. The file names the public key that its signature needs.",
		"Get the public keys from the operator (countersign key public), never with the file itself, and compare them with that key.",
		"Run on another machine: countersign audit verify FILE --public-key-file KEYS. It refuses a file that another key signed.",
	}},
	{"administration", "Administer a realm", []i18n.Text{
		"One administrator requests each change under “Administration”, and another one approves it.",
		"Add a person: the first administrator gives the code to the person, the second one the link. Both are needed to set a password.",
		"Change a policy: test the new values on past payments in the form, then request the change.",
		"Under “Realm”, set how many months payments stay in the database before they may be moved to an archive file, or erase " +
			"customers’ names and accounts in archives. One administrator requests each of these changes, and another approves it.",
		"After a restore with lost data, payments are stopped. An operator compares them with the statement of clearing; then two " +
			"administrators resume them.",
	}},
}

// glossary explains the words of the portal: one word for one thing.
var glossary = []struct{ word, means i18n.Text }{
	{"Payment", "An order to pay one creditor, immediately or on a later day."},
	{"Debtor", "The holder of the account that pays."},
	{"Creditor", "The person or company that is paid."},
	{"Beneficiaries", "The list of creditors that two people approved."},
	{"Maker", "The person who enters or amends a payment."},
	{"Checker", "Another person, who checks the payment and approves or rejects it."},
	{"Policy", "The rule that says how many people must approve a payment, and how long it may wait."},
	{"Limits", "The highest amounts that a person, a client or an account may pay: per payment and per day."},
	{"Clearing", "The system that carries payments between banks: SIC for CHF, SEPA for EUR."},
	{"Rejected", "A checker decided against it. Nothing was sent."},
	{"Refused", "Clearing, core banking or this gateway did not accept it."},
	{"Recall", "A request to the other bank to send a settled payment back."},
	{"Return", "A payment that sends received money back."},
	{"Refusal of a recall", "The answer that ends a recall without returning the money."},
	{"Reference", "The number of a payment at this gateway and at clearing."},
	{"End-to-end ID", "A reference from the maker to the creditor, passed on by all banks."},
	{"Second factor", "A code, a passkey or a security key in addition to the password."},
	{"Quarantine", "Messages from clearing that match no payment, until an operator has checked them."},
	{"Realm", "The bank or company that these accounts and people belong to."},
	{"Audit trail", "The sealed record of everything that was done or refused."},
}
