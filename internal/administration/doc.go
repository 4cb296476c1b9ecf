// Package administration is the pure domain of the administered nouns of a realm (people with their user accounts, clients, debtor
// accounts, policies, limits, an identity provider and beneficiaries) and of the changes to them. It defines their valid values; the
// operator who makes a realm, two administrators, and for beneficiaries a maker and a checker are held to the same rules. No clock, no I/O.
//
// It is above package payment: a policy refers to payments, and refusals have the same types. Transitions and releases of messages stay in
// package payment.
package administration
