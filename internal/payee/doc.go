// Package payee verifies the payee, as Regulation (EU) 2024/886 asks of payments in euro: whether the name an order gives is that of the
// account it pays to. It holds what is asked and answered, the port through which a verifier is asked (Verifier), and how names are
// compared where others ask about accounts kept here (Compare). It is pure: no clock and no I/O. docs/payee.md tells the rest.
package payee
