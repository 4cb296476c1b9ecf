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
		"Wait. Clearing is asked again automatically, and the page of the payment shows each answer.",
		"Settled: there is nothing left to do. Failed: no money moved, and you can correct it and submit it again.",
		"If it stays unconfirmed for more than an hour, tell the operator.",
	}},
	{"recall", "Recall a payment, step by step", []i18n.Text{
		"Find the settled payment and open it. Ctrl+K finds it by name and amount.",
		"Choose “Recall” and the reason. For a SEPA payment, the page names the last day for each reason.",
		"Check and submit it. Another person approves it, and it is sent at once.",
		"The other bank sends the money back or refuses, each with a reason. A payment can be recalled once.",
	}},
	{"received", "Answer the recall of another bank", []i18n.Text{
		"Open it under “Received recalls”. The list shows the days that are left.",
		"Ask the customer who received the money, then grant the recall or refuse it with a reason.",
		"Another person approves the answer, and it is sent at once.",
	}},
	{"administration", "Administer a realm", []i18n.Text{
		"One administrator asks for each change under “Administration”, and another one approves it.",
		"Add a person: the first administrator gives the code to the person, the second one the link. Both are needed to set a password.",
		"Change a policy: try the new values on past payments in the form, then ask for the change.",
		"Retention says after how many months ended payments may move to an archive, a file. " +
			"Erasure makes customers’ names and accounts in archives unreadable. Two administrators approve each, under “Realm”.",
		"After a restore with lost data, payments stop. " +
			"An operator compares them with the statement of clearing; then two administrators let them go on.",
	}},
}

// glossary explains the words of the portal: one word for one thing.
var glossary = []struct{ word, means i18n.Text }{
	{"Payment", "An order to pay one creditor, at once or on a later day."},
	{"Debtor", "The holder of the account that pays."},
	{"Creditor", "The person or company that is paid."},
	{"Beneficiaries", "The list of creditors that two people approved."},
	{"Maker", "The person who enters or amends a payment."},
	{"Checker", "Another person, who compares the payment and approves or rejects it."},
	{"Policy", "The rule that says how many people must approve a payment, and how long it may wait."},
	{"Limits", "The highest amount of a payment or of a day, for a person, a client or an account."},
	{"Clearing", "The system that carries payments between banks: SIC for CHF, SEPA for EUR."},
	{"Rejected", "A checker decided against it. Nothing was sent."},
	{"Refused", "Clearing, core banking or this gateway did not accept it."},
	{"Recall", "A request to the other bank to send a settled payment back."},
	{"Return", "A payment that sends received money back."},
	{"Resolution", "The answer to a recall that keeps the money."},
	{"Reference", "The number of a payment at this gateway and at clearing."},
	{"End-to-end ID", "A reference from maker to creditor, which all banks pass on."},
	{"Second factor", "A code, a passkey or a security key in addition to the password."},
	{"Quarantine", "Messages from clearing that match no payment, until an operator has checked them."},
	{"Realm", "The bank or company whose accounts and people these are."},
	{"Audit trail", "The sealed list of everything that was done and refused."},
}
