package payment

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// OrderFingerprint tells a repeated payment order from another one under the same key: scheme and canonical content.
func OrderFingerprint(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (Digest, error) {
	content, err := iso20022.EncodeXML(order)
	if err != nil {
		return Digest{}, fmt.Errorf("write the canonical document: %w", err)
	}
	return fingerprint(string(KindInstruction), string(scheme), string(content)), nil
}

// Wish is what a request for an R-transaction asks for.
type Wish struct {
	Kind        Kind
	OriginalID  uuid.UUID
	RecallID    uuid.UUID
	Reason      string
	Information []string
	Charge      string
}

// Fingerprint tells a repeated wish from another one under the same key; the ids and times of its draft do not count.
func (w Wish) Fingerprint() Digest {
	return fingerprint(append([]string{string(w.Kind), w.OriginalID.String(), w.RecallID.String(), w.Reason, w.Charge}, w.Information...)...)
}

// fingerprint is the digest of the parts.
func fingerprint(parts ...string) Digest {
	return sha256.Sum256([]byte(joined(parts...)))
}

// joined writes the parts, each with its length before it, so that no two lists read alike.
func joined(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&b, "%d:%s", len(part), part)
	}
	return b.String()
}
