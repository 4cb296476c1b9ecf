package payment

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// OrderFingerprint tells a repeated payment order from another one under the same key: scheme and canonical content.
func OrderFingerprint(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (Digest, error) {
	content, err := iso20022.EncodeXML(order)
	if err != nil {
		return Digest{}, fmt.Errorf("write the canonical document: %w", err)
	}
	return orderFingerprint(scheme, content), nil
}

// orderFingerprint is OrderFingerprint of an order whose canonical content is written already.
func orderFingerprint(scheme rulebook.Scheme, content []byte) Digest {
	return fingerprint(string(KindInstruction), string(scheme), string(content))
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
