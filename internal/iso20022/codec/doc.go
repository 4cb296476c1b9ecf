// Package codec reads, checks and writes the documents of package iso20022 as XML and JSON: one engine that walks along the tables of a
// message. XML comes in tokens from the package xmltoken. It stands apart from the types, because most of the gateway speaks of messages
// and never of their bytes.
//
// Decoding collects every problem of the structure as a Finding: where it is (RFC 6901 pointer, line, column), which ISO reason code fits,
// and what to do. The codes follow the tables of the Swiss Implementation Guidelines (SPS 2025); what they do not name is FF01. Rules of a
// scheme are not checked here.
package codec
