// Package payee implements verification of payee, which Regulation (EU) 2024/886 requires for payments in euro: the name in an order is
// compared with the holder of the account. It holds the question and the answer, the interface of a verifier (Verifier), and the comparison
// of names for questions about accounts kept here (Compare). It is pure: no clock and no I/O. See docs/interface.md.
package payee
