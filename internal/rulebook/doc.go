// Package rulebook holds the rules of the two instant schemes for a payment order (pain.001.001.09) as one table. It is pure: it takes the
// document, the day and the settings, and returns findings.
//
// A document that reaches this package matches the schema; rules of the schema (types, lengths, mandatory elements, its own code lists) are
// not repeated. Each row of the table has an id, its schemes, the element, the ISO reason code, a sentence with the remedy, and the source
// of the rule. Rules that need more than the document (accounts of a realm, earlier messages) are rows too; they name the package that
// checks them.
//
// Sources are cited as SPS (SIX, Swiss Payment Standards 2025, Implementation Guidelines for credit transfer, version 2.2), SPS BR (its
// Business Rules, version 3.2), EPC (usage rules of the European Payments Council for SEPA credit transfers) and ISO (the ISO 20022
// schema).
package rulebook

//go:generate go run ../../tools/rulesdoc -output ../../docs/rules.md
