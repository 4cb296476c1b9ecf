// Package iso20022 holds the payment messages this gateway reads and writes as Go types. Package codec decodes, validates and encodes them
// as XML and JSON. shape.go defines the types of their tables, which the generator fills from the schemas.
//
// The types and the tables are generated from the ISO schemas in schema/. Field names are the ISO names in full words; the tag holds the
// short element name. An absent text is "", any other absent optional value a nil pointer, and an element that may repeat is a slice.
// Amounts are decimals; dates and times keep their text, so a document survives reading and writing unchanged.
//
// Each generated file holds the types or the tables of one message; those common to several messages are in shared.go and shared_table.go.
// The simple types, the enumerations and the list of messages have files of their own.
package iso20022

//go:generate go run ../../tools/xsdgen -schemas schema -output .
