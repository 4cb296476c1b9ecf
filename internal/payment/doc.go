// Package payment is the pure domain: messages, their states and legal moves, who may decide, and what is sent to clearing.
//
// A message is created by a maker (New…), decided by checkers (Approve, Reject), released by the last approval, delivered to clearing and
// followed to its end. Each step is a method of Message that returns a Transition and changes nothing itself; internal/store writes the
// Transition under a guard. A Transition cannot be made any other way, so what was not checked here cannot be written.
//
// There is no clock, no context, no randomness and no I/O in this package: times and identifiers are arguments.
package payment
