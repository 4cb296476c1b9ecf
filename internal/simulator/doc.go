// Package simulator plays the clearing of both instant schemes towards a gateway, over the wire only: documents come in on POST
// /clearing/{scheme}, answers go out to {gateway}/clearing/v1/{scheme}/messages, each with a bearer token and an X-Message-Id that stays
// the same on every retry.
//
// The cents of the amount choose the reaction to a payment (see behaviourOf). A document takes effect once: a repeat of its message id, or
// of its transaction under another message id, is accepted, logged as a duplicate and ignored. A repeat sends the first answer again only
// when that answer was never delivered.
//
// GET /log lists the documents received and sent, in order. An incoming entry has "effective": true when the clearing acted on it: exactly
// one entry of a transaction must have it.
//
// The same seed and the same sequential deliveries give the same log: message ids are derived from the seed, the message id of the answered
// document and the number of the answer to it; times come from Config.Now.
//
// Memory is bounded (Config.Remembered): the oldest log entries, message ids and payments are forgotten first. Remember also stores them in
// a file, from which the next simulator continues. A payment that a simulator never received, or forgot, is answered as never received
// (AG09).
package simulator
