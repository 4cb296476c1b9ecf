// Package iso20022 holds the payment messages this gateway reads and writes as
// Go types, and one engine that decodes, checks and encodes them as XML and JSON.
// XML comes in tokens from the package xmltoken.
//
// The types and the descriptor tables are generated from the ISO schemas in
// schema/. Field names are the ISO names in full words, the short element name
// stands in the tag. An absent text is "", any other absent optional value a
// nil pointer, and an element that may repeat is a slice. Amounts are decimals,
// dates and times keep the text they came with, so nothing is lost on the way
// from document to value and back.
//
// Decoding collects every problem of the structure as a Finding: where it is
// (RFC 6901 pointer, line, column), which ISO reason code fits, and what to do.
// The codes follow the tables of the Swiss Implementation Guidelines (SPS 2025);
// what they do not name is FF01. Rules of a scheme are not checked here.
package iso20022

//go:generate go run ./xsdgen -schemas schema -output .
