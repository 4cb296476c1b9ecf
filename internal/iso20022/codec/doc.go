// Package codec reads, validates and writes the documents of package iso20022 as XML and JSON: one engine that follows the tables of a
// message.
//
// Decoding returns every mistake of the structure as a Finding: its place (RFC 6901 pointer, line, column), the ISO reason code, and the
// remedy. The codes follow the tables of the Swiss Implementation Guidelines (SPS 2025), with FF01 for all others. Rules of a scheme are
// not checked here.
package codec
