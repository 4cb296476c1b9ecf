// Package iso20022 holds the payment messages this gateway reads and writes as Go types. Package codec decodes, checks and encodes them as
// XML and JSON; package schema is the shape their tables are made of.
//
// The types and the tables are generated from the ISO schemas in schema/. Field names are the ISO names in full words, the short element
// name stands in the tag. An absent text is "", any other absent optional value a nil pointer, and an element that may repeat is a slice.
// Amounts are decimals, dates and times keep the text they came with, so nothing is lost on the way from document to value and back.
//
// The generated files hold the types or the tables of one message each, and what two messages or more have in common stands in shared.go
// and shared_table.go; the simple types, the enumerations and the list of messages have a file of their own. Some exceed the 400 lines of
// files that are written by hand: to cut them would only spread over files what nobody edits and what is looked up by name.
package iso20022

//go:generate go run ../../tools/xsdgen -schemas schema -output .
