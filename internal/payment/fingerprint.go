package payment

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

// OrderFingerprint tells a repeated payment order from another one under the same key, by what it means: scheme and canonical content, where
// trailing zeros of amounts and the time the order was written at (CreDtTm) do not count. Keys of before this counted them: an order that
// differs in one of them from such an old one is another.
func OrderFingerprint(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (Digest, error) {
	content, err := codec.EncodeXML(meaningOf(order))
	if err != nil {
		return Digest{}, fmt.Errorf("write the canonical document: %w", err)
	}
	return fingerprint(string(KindInstruction), string(scheme), string(content)), nil
}

// orderTime stands for the time an order was written at.
var orderTime = iso20022.DateTimeOf(time.Unix(0, 0).UTC())

// meaningOf is a copy of the order in which what means the same reads the same.
func meaningOf(order *iso20022.CustomerCreditTransferInitiation) *iso20022.CustomerCreditTransferInitiation {
	same := *order
	same.GroupHeader.CreationDateTime = orderTime
	same.GroupHeader.ControlSum = trimmed(order.GroupHeader.ControlSum)
	same.PaymentInformation = slices.Clone(order.PaymentInformation)
	for i := range same.PaymentInformation {
		information := &same.PaymentInformation[i]
		information.ControlSum = trimmed(information.ControlSum)
		information.CreditTransferTransactionInformation = slices.Clone(information.CreditTransferTransactionInformation)
		for j := range information.CreditTransferTransactionInformation {
			instructed := &information.CreditTransferTransactionInformation[j].Amount.InstructedAmount
			if *instructed != nil {
				*instructed = &iso20022.Amount{Currency: (*instructed).Currency, Value: (*instructed).Value.Trim(0)}
			}
		}
	}
	return &same
}

// trimmed is a sum without trailing zeros; nil for none.
func trimmed(sum *decimal.Decimal) *decimal.Decimal {
	if sum == nil {
		return nil
	}
	short := sum.Trim(0)
	return &short
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
