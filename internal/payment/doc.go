// Package payment is the pure domain: messages, their states and transitions, the rules of decisions, and the
// documents for clearing.
//
// A maker creates a message (New…), checkers decide it (Approve, Reject), and the last approval releases it. Clearing
// then receives it and reports its end. Each step is a method of Message that returns a Transition and changes
// nothing itself; internal/store writes the Transition under a guard. Only these methods make a Transition, so every
// written change passed the checks here.
//
// The package has no clock, context, randomness or I/O: times and identifiers are arguments.
package payment
