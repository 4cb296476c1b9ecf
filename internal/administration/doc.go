// Package administration is the pure domain of the administered nouns of a realm (people with their user accounts, clients, debtor
// accounts, policies, limits, an identity provider and beneficiaries) and of the changes to them. It defines their valid values; the
// operator who makes a realm, two administrators, and for beneficiaries a maker and a checker are held to the same rules. No clock, no I/O.
//
// Package payment does not know it, nor it package payment: its tests compare the names of kinds, funds and events that a policy or a
// webhook holds.
package administration
