// Package rulebook holds the rules of the two instant schemes for a payment order (pain.001.001.09) as one table. It is pure: the document,
// the day and the settings come in, findings go out.
//
// A document that reaches this package has passed the schema; what the schema already says (types, lengths, mandatory elements, code lists
// of its own) is not said again. Each row of the table has an id, the schemes it holds for, the element, the ISO reason code, a sentence
// that says what to do, and the source of the rule. Rules that need more than the document (accounts of a realm, earlier messages) are rows
// too; they name the package that checks them.
//
// Sources are cited as SPS (SIX, Swiss Payment Standards 2025, Implementation Guidelines for credit transfer, version 2.2), SPS BR (its
// Business Rules, version 3.2), EPC (usage rules of the European Payments Council for SEPA credit transfers) and ISO (the ISO 20022
// schema).
package rulebook

//go:generate go run ../../tools/rulesdoc -output ../../docs/rules.md
