// Package administration is the pure domain of what a realm is made of (people with their user accounts, clients, debtor accounts,
// policies, limits, an identity provider and beneficiaries) and of the changes to it. It says what each of them may look like; whoever
// brings them into a realm, the operator at its beginning and two administrators afterwards, or a maker and a checker for beneficiaries, is
// held to the same rules. No clock, no I/O.
//
// It stands beside package payment and above it: a policy speaks of payments, and a refusal is of the same kinds. What makes a transition
// or a release of a message stays there.
package administration
