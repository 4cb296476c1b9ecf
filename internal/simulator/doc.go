// Package simulator plays the clearing of both instant schemes towards a gateway. It knows nothing of the gateway but the wire: documents
// come in on POST /clearing/{scheme}, answers go out to {gateway}/clearing/v1/{scheme}/messages, each with a bearer token and an
// X-Message-Id that stays the same on every retry.
//
// The cents of the amount choose what happens to a payment (see behaviourOf). The document a delivery holds takes effect once: a repeat
// of its message id, or of its transaction under another message id, is taken, noted as a duplicate and not acted upon. A repeat sends
// the first answer again only where that answer never arrived.
//
// GET /log tells what came in and went out, in order, with the documents. An incoming entry has "effective": true when the clearing
// acted on it, so the entries of one transaction that are effective must be one.
//
// The same seed and the same deliveries one after another give the same log: message ids are made from the seed, the message id of the
// document that is answered and the number of the answer to it; times come from Config.Now.
//
// Memory is bounded (Config.Remembered): the oldest log entries, message ids and payments are forgotten first. Remember keeps it in a
// file, so that a simulator started anew goes on where the last one stopped; without it nothing is kept on disk. What a simulator never
// received, or forgot, is answered as never received (AG09).
package simulator
