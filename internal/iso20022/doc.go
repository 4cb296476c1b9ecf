// Package iso20022 holds the payment messages this gateway reads and writes as
// Go types. Package codec decodes, checks and encodes them as XML and JSON;
// package schema is the shape their tables are made of.
//
// The types and the tables are generated from the ISO schemas in
// schema/. Field names are the ISO names in full words, the short element name
// stands in the tag. An absent text is "", any other absent optional value a
// nil pointer, and an element that may repeat is a slice. Amounts are decimals,
// dates and times keep the text they came with, so nothing is lost on the way
// from document to value and back.
package iso20022

//go:generate go run ./xsdgen -schemas schema -output .
