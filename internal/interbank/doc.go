// Package interbank makes the documents banks exchange about instant payments and reads those that clearing sends.
//
// A pacs.008 is made from a payment order (pain.001) and the master data of the debtor account; every other document is made from the
// payment or recall it is about, whose values it repeats exactly. Nothing here reads a clock or makes an identifier: both are
// arguments, so the same input gives the same bytes. Times are written in UTC with milliseconds at most.
//
// What differs between the schemes is data: rulebook.Profile and the table of conventions. Sources are cited as SPS (SIX, Swiss
// Payment Standards 2025), EPC (inter-PSP usage rules of the European Payments Council) and ISO.
package interbank
