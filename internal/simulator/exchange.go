package simulator

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

// exchange holds the documents that answer one delivery or start one scenario: drafts in order, after a wait. The lock of the simulator
// guards it, except for the drafts while it runs.
type exchange struct {
	scheme  scheme
	cause   string        // message id that is answered; the message ids of the answers are made from it
	wait    time.Duration // before the first draft
	due     bool          // the wait is over
	payment *payment      // whose status is known when the wait is over, or nil
	drafts  []*draft
	next    int // the first draft not yet delivered
	running bool

	delivered chan struct{} // closed when all drafts are delivered, where somebody waits for it; or nil
}

// draft is one document to be sent. It is written when it is sent, so that it has the time of its sending, and then stays the same on every
// retry.
type draft struct {
	name           iso20022.MessageName
	about          original
	status, reason string // for the log
	copies         int    // how many times it is sent
	broken         bool   // sent so that no schema lets it through
	build          func(messageID string, at time.Time) iso20022.Document

	messageID string
	xml       []byte
	delivered int // copies the gateway took
}

// write makes the document, once, in the form that the clearing speaks.
func (d *draft) write(spoken *profile.Profile, messageID string, at time.Time) error {
	if d.xml != nil {
		return nil
	}
	xml, err := spoken.Write(d.build(messageID, at))
	if err != nil {
		return fmt.Errorf("write %s: %w", d.name, err)
	}
	if d.broken {
		xml = breakStatus(xml)
	}
	d.messageID, d.xml = messageID, xml
	return nil
}

// breakStatus makes a status report invalid: a status has four characters at most.
func breakStatus(xml []byte) []byte {
	return bytes.Replace(xml, []byte("</TxSts>"), []byte("-BROKEN</TxSts>"), 1)
}

// entry is the line of the log.
func (d *draft) entry(scheme scheme, at time.Time) *Entry {
	return &Entry{
		Direction:     directionOut,
		At:            at.UTC(),
		Scheme:        scheme.name,
		Name:          string(d.name),
		MessageID:     d.messageID,
		TransactionID: d.about.transactionID,
		EndToEndID:    d.about.endToEndID,
		Status:        d.status,
		Reason:        d.reason,
		Outcome:       outcomeSending,
		XML:           string(d.xml),
	}
}

// identifierLength leaves room for the three letters of the scheme within the 35 characters of Max35Text.
const identifierLength = 26

// identifier makes an id from the seed and the parts: always the same for the same parts, and different from all others for all
// practical purposes (130 bits).
func (s *Simulator) identifier(scheme scheme, parts ...any) string {
	digest := sha256.Sum256(s.recipe(scheme, parts))
	return scheme.short + base32.StdEncoding.EncodeToString(digest[:])[:identifierLength]
}

// recipe returns the bytes an id is derived from. Each part is quoted as text, so that two different lists of parts never give the same
// bytes. (%q of a number would print a character, the same one for all numbers above the last character.)
func (s *Simulator) recipe(scheme scheme, parts []any) []byte {
	text := fmt.Appendf(nil, "%d/%s", s.config.Seed, scheme.name)
	for _, part := range parts {
		text = fmt.Appendf(text, "/%q", fmt.Sprint(part))
	}
	return text
}

// uetr makes a version 4 UUID from the seed and the parts.
func (s *Simulator) uetr(scheme scheme, parts ...any) string {
	digest := sha256.Sum256(append(s.recipe(scheme, parts), "/uetr"...))
	digest[6], digest[8] = digest[6]&0x0f|0x40, digest[8]&0x3f|0x80
	return strings.ToLower(fmt.Sprintf("%x-%x-%x-%x-%x", digest[0:4], digest[4:6], digest[6:8], digest[8:10], digest[10:16]))
}
