package page

import (
	"strings"

	"countersign/internal/administration"
	"countersign/internal/language"
)

// KindWords names a kind of change for people: the label of a link, the heading with a subject, and the words inside a sentence.
type KindWords struct{ Label, Heading, Words language.Text }

// kindWords are the kinds of changes of administrators as people call them.
var kindWords = map[administration.Kind]KindWords{
	administration.KindUserCreate: {
		"New account (user)", "Make a user account",
		"Another administrator approves it and gets a link; you get a code. " +
			"With both the person sets a password.",
	},
	administration.KindUserRoles:    {"Roles", "Change the roles of %s", "A role given now does not decide what waits already."},
	administration.KindUserSuppress: {"Suppress", "Suppress the account %s", "Everything it is signed in with ends."},
	administration.KindUserRestore:  {"Restore", "Restore the account %s", "It can sign in again, with the password it had."},
	administration.KindUserReset: {
		"Reset", "Reset the account %s",
		"Everything it is signed in with ends, and the person sets a new password by link and code.",
	},
	administration.KindUserLink: {
		"Link", "Link with the identity provider the account %s",
		"Whoever the provider knows under the subject signs in as this account. The subject is what the provider calls the person for ever: " +
			"the sign-in page shows it to somebody who is not linked yet.",
	},
	administration.KindUserUnlink: {
		"Unlink", "Unlink from the identity provider the account %s",
		"Nobody signs in to it through the provider any more, and everything it is signed in with ends.",
	},
	administration.KindProviderSet: {
		"Set the identity provider", "Set the identity provider",
		"It takes the place of the one before. Register this portal there with the code flow, and as redirect address the address of the " +
			"portal followed by /signin/provider/, the name of the realm and /answer. The secret is stored hidden and never shown; left empty it " +
			"stays as it is.",
	},
	administration.KindProviderRetire: {
		"Retire", "Retire the identity provider",
		"Everybody signs in by password from then on. Links stay, and count again with the same issuer.",
	},
	administration.KindClientCreate: {"New client", "Make a client", "Whoever approves it is shown the secret, once."},
	administration.KindClientSecret: {
		"New secret", "Make a new secret of %s",
		"The old secret ends at once. Whoever approves it is shown the new one, once.",
	},
	administration.KindClientPayee: {
		"Payees", "Say whether payees are verified of what is sent by the client %s",
		"Payees may be left unverified for payers who are no consumers and send files of many payments, which this client unpacks.",
	},
	administration.KindClientSuppress: {"Suppress", "Suppress the client %s", "Nobody can act through it any more, for good."},
	administration.KindAccountCreate:  {"New account", "Add a debtor account", "Payments can be made from it as soon as it is approved."},
	administration.KindAccountUpdate:  {"Change", "Change the account %s", "Payments name the holder as it stands here."},
	administration.KindAccountClose:   {"Close", "Close the account %s", "Nothing can be paid from it any more, for good."},
	administration.KindPolicyCreate: {
		"New policy", "Make a policy",
		"Of the policies that match a message, the one of the highest rank counts, and of equal ranks the " +
			"younger. Empty fields match everything. It counts for messages that are entered afterwards.",
	},
	administration.KindRealmFactors: {
		"Second factors", "Say which roles need a second factor",
		"Whoever has one of these roles and no second factor is signed out as soon as this is approved, and led to take one up at the next " +
			"sign-in in the portal, before anything else. Programs that sign in as such a user have to show a code each time.",
	},
	administration.KindMessageTaken: {
		"Clearing has it", "Say that clearing has the message %s",
		"After a restore from a backup: clearing refuses the message because it has another one under its id. Once this is approved, clearing " +
			"is asked what became of it, and its answer counts. The note says how you know.",
	},
	administration.KindLimitSet: {
		"Limit", "Set a limit",
		"What passes it is refused when it is entered and when it is approved. A limit of a person counts what they enter and what they " +
			"approve, by whichever account. A day is a banking day, and what was released counts, whatever becomes of it. An amount that is " +
			"left out does not bind; with neither the limit is taken away.",
	},
	administration.KindPolicyRetire: {"Retire", "Retire the policy %s", "It counts for no message that is entered afterwards."},
}

// WordsOf are the words of a kind of change.
func WordsOf(kind administration.Kind) KindWords { return kindWords[kind] }

// ChangeHeading names a change. A subject that does not exist yet has no name.
func ChangeHeading(kind administration.Kind, subject string) language.Text {
	words := kindWords[kind].Heading
	switch {
	case strings.Contains(string(words), "%s"):
		return words.With(subject)
	case subject == "" || !kind.Creates() || kind == administration.KindPolicyCreate:
		return words
	}
	return language.Join(" ", words, language.Data(subject))
}
