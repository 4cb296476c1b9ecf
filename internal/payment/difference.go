package payment

import (
	"cmp"
	"crypto/sha256"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/reach"
)

// searched is one field of a message that stands twice: in a column, which lists, pages and searches show, and in the document, which is
// what is signed and sent.
type searched struct {
	name           string // for people
	column, signed string
}

// Difference says in words what the columns of a message tell otherwise than its document, "" when nothing. A page shows the columns and
// a digest proves the document only, so nobody may decide a message in which the two differ: what is shown must be what is signed.
func (m Message) Difference() string {
	if sha256.Sum256(m.Content) != m.ContentHash {
		return differs("digest")
	}
	document, findings := m.Document()
	if len(findings) > 0 {
		return differs("content, which cannot be read")
	}
	fields, err := m.signed(document)
	if err != nil {
		return differs("content, which does not hold what this kind of message is made of")
	}
	for _, f := range fields {
		if f.column != f.signed {
			return differs(f.name)
		}
	}
	return ""
}

// Trusted refuses a message that is withheld, or whose columns and document differ. It is asked when a message is approved, whatever a
// page showed. Error: WithheldError.
func (m Message) Trusted() error {
	m.Withheld = cmp.Or(m.Withheld, m.Difference())
	if m.Withheld == "" {
		return nil
	}
	return &WithheldError{Message: m}
}

// WithheldError says that what is stored of the message does not fit together, so nobody may decide it.
type WithheldError struct {
	Message Message
}

// Error is a sentence for people.
func (e *WithheldError) Error() string { return "This message is withheld. " + e.Message.Withheld }

// Refused is the word for it.
func (e *WithheldError) Refused() string { return RefusedWithheld }

// RefusedWithheld is the word for the refusal of a message that is withheld. It is an alarm: somebody wrote into the database.
const RefusedWithheld = "withheld"

func differs(field string) string {
	return "What is stored beside its document is not what the document says: the " + field +
		". Do not act on it: tell an operator, who runs countersign check."
}

// signed lists every searched field with what the document says of it. An answer to a recall of ours, which came in, is decided by nobody.
func (m Message) signed(document iso20022.Document) ([]searched, error) {
	switch content := document.(type) {
	case *iso20022.CustomerCreditTransferInitiation:
		said, err := SummaryOf(content)
		return append(m.against(said), searched{"kind", string(m.Kind), string(KindInstruction)}), err
	case *iso20022.FIToFICustomerCreditTransfer:
		said, err := interbank.ReadTransfer(content)
		return append(m.against(incomingSummary(said)), searched{"kind", string(m.Kind), string(KindPayment)}), err
	case *iso20022.FIToFIPaymentCancellationRequest:
		said, err := interbank.ReadCancellation(content)
		amount := said.Original.Amount
		return m.againstOriginal(rtransactionContent{said.Original, amount, said.Reason.Code, []Kind{KindRecall, KindReceivedRecall}}), err
	case *iso20022.PaymentReturn:
		if m.Direction == DirectionIn {
			return nil, nil
		}
		said, err := interbank.ReadReturn(content)
		return m.againstOriginal(rtransactionContent{said.Original, said.Amount, said.Reason.Code, []Kind{KindReturn}}), err
	case *iso20022.ResolutionOfInvestigation:
		if m.Direction == DirectionIn {
			return nil, nil
		}
		said, err := interbank.ReadResolution(content)
		return m.againstOriginal(rtransactionContent{said.Original, said.Original.Amount, said.Reason.Code, []Kind{KindResolution}}), err
	}
	return nil, errNotSingle
}

// against holds the columns of a payment against the fields of its document.
func (m Message) against(said Summary) []searched {
	s := m.Summary
	return []searched{
		{"amount", s.Amount.Format(), said.Amount.Format()},
		{"creditor's name", s.CreditorName, said.CreditorName},
		{"creditor's account", s.CreditorAccount, said.CreditorAccount},
		{"creditor's bank", s.CreditorAgent, cmp.Or(said.CreditorAgent, m.derivedAgent())},
		{"debtor's name", cmp.Or(s.OrderedDebtorName, s.DebtorName), cmp.Or(said.DebtorName, m.holderName())},
		{"debtor's account", s.DebtorAccount, said.DebtorAccount},
		{"debtor's bank", s.DebtorAgent, cmp.Or(said.DebtorAgent, s.DebtorAgent)},
		{"remittance", s.Remittance, said.Remittance},
		{"instruction id", s.InstructionID, said.InstructionID},
		{"end-to-end id", s.EndToEndID, said.EndToEndID},
		{"transaction id", s.TransactionID, said.TransactionID},
		{"UETR", s.UETR, said.UETR},
	}
}

// derivedAgent is the creditor's bank of a document that names none; "" in versions of before banks were derived. In SIC the IBAN itself
// tells it. In SEPA a directory told it, which changes, so that only the seal can say what it was.
func (m Message) derivedAgent() string {
	if m.Kind != KindInstruction || m.Summary.CreditorAgent == "" {
		return ""
	}
	if m.Scheme != rulebook.SchemeSIC {
		return m.Summary.CreditorAgent
	}
	return reach.RouteOf(m.Scheme, m.Summary.CreditorAccount, nil)
}

// holderName is the debtor's name of an order that gives none: that of the account's holder. checkDebtor holds it, and the debtor's bank of
// an order that names none, against the account when the message is approved, and the seal says what they were.
func (m Message) holderName() string {
	if m.Kind != KindInstruction {
		return ""
	}
	return m.Summary.DebtorName
}

// rtransactionContent is what the document of an R-transaction says.
type rtransactionContent struct {
	original interbank.Original
	amount   money.Amount
	reason   string
	kinds    []Kind
}

// againstOriginal holds the columns of an R-transaction, which are those of its original, against its document, which repeats a part of
// them. What the document leaves out is not compared.
func (m Message) againstOriginal(said rtransactionContent) []searched {
	kind := said.kinds[0]
	for _, k := range said.kinds {
		if m.Kind == k {
			kind = k
		}
	}
	fields := []searched{{"kind", string(m.Kind), string(kind)}, {"reason", m.Reason, said.reason}}
	maybe := func(f searched) {
		if f.signed != "" {
			fields = append(fields, f)
		}
	}
	if !said.amount.IsZero() {
		maybe(searched{"amount", m.Summary.Amount.Format(), said.amount.Format()})
	}
	maybe(searched{"end-to-end id", m.Summary.EndToEndID, said.original.EndToEndID})
	maybe(searched{"creditor's account", m.Summary.CreditorAccount, said.original.Copy.CreditorAccount})
	maybe(searched{"debtor's account", m.Summary.DebtorAccount, said.original.Copy.DebtorAccount})
	if m.Summary.TransactionID != "" { // of an original that came in; ours is known by its Global ID
		maybe(searched{"transaction id", m.Summary.TransactionID, said.original.TransactionID})
	}
	return fields
}
