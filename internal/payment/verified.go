package payment

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// Verified is a released message that passed its seals: the release, the approved bytes, and the identity of the
// message. Only Sealer.Verify makes one, and only a Verified makes documents for clearing. An unchecked message
// therefore cannot be sent.
type Verified struct {
	message Message
	release Release
	content iso20022.Document
}

// Verify checks a released message, loaded with its content, against the release and both seals.
//
// Errors: ErrForged for a mismatch or a missing seal; ErrUnknownKey for a missing key; an error without a kind when
// this program cannot read the approved document.
func (s Sealer) Verify(r Release, m Message) (Verified, error) {
	err := s.CheckVersion(m)
	if err == nil {
		err = s.releases.Verify(r.Seal, r.fields(m))
	}
	if errors.Is(err, ErrUnknownKey) {
		return Verified{}, err
	}
	same := r.Realm == m.Realm && r.InternalID == m.InternalID && r.Version == m.Version && slices.Equal(r.Makers, m.Makers) &&
		r.AcceptedAt.Equal(m.AcceptedAt) && r.ContentHash == m.ContentHash && sha256.Sum256(m.Content) == m.ContentHash
	if err != nil || !same {
		return Verified{}, ErrForged
	}
	// Decoded anew: what leaves is made of the bytes just checked, and of no reading that others had in hand.
	content, findings := codec.DecodeXML(m.Content)
	if len(findings) > 0 {
		return Verified{}, fmt.Errorf("the stored content of %s is not valid: %s", m.InternalID, findings[0].Text)
	}
	return Verified{message: m, release: r, content: content}, nil
}

// Message returns the message as it was verified.
func (v Verified) Message() Message { return v.message }

// Outbound makes the interbank document of the message. The result is deterministic: ids derive from the Global ID,
// times from the last approval; day is that day in the scheme's time zone. It fails with ErrForged when the debited
// account changed since the release.
func (v Verified) Outbound(day time.Time) (Outbound, error) {
	m := v.message
	out := Outbound{message: m, reference: m.Reference()}
	order, instruction := v.content.(*iso20022.CustomerCreditTransferInitiation)
	var err error
	switch {
	case !instruction:
		out.document, err = interbank.Stamp(v.content, m.AcceptedAt, day)
	case m.Account == nil || m.accountDigest() != v.release.Account:
		return Outbound{}, ErrForged
	default:
		in := transferInput(m.Scheme, order, *m.Account, m.routedTo())
		in.TransactionID, in.Reference, in.UETR, in.AcceptedAt, in.Day = string(m.GlobalID), out.reference, m.uetr(), m.AcceptedAt, day
		out.document, err = interbank.CreditTransfer(in)
	}
	return out, err
}

// StatusRequest makes the pacs.028 that requests the status of the message; each has its own number, from 1. sent is the document that was
// sent for it.
func (v Verified) StatusRequest(sent iso20022.Document, number int, at time.Time) (Outbound, error) {
	m := v.message
	out := Outbound{message: m, reference: "P28" + string(m.GlobalID) + "-" + strconv.Itoa(number)}
	request := "Q" + strconv.Itoa(number) + "-" + string(m.GlobalID)
	var err error
	out.document, err = interbank.StatusRequest(interbank.StatusRequestInput{
		Scheme: m.Scheme, About: sent, Reference: out.reference, RequestID: request, At: at,
	})
	return out, err
}
