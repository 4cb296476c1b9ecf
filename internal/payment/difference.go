package payment

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// searched is a field that is stored twice: in a column, which lists, pages and searches show, and in the document,
// which is signed and sent.
type searched struct {
	name           i18n.Text // for people
	column, signed string
}

// Difference describes the difference between the columns of a message and its document, "" for none. A page shows
// the columns, but the digest covers only the document. A message with a difference therefore cannot be decided.
func (m Message) Difference() i18n.Text {
	if sha256.Sum256(m.Content) != m.ContentHash {
		return differs("fingerprint")
	}
	document, findings := m.Document()
	if len(findings) > 0 {
		return differs("content that cannot be read")
	}
	fields, err := m.signed(document)
	if err != nil {
		return differs("content, which does not fit this type of message")
	}
	for _, f := range fields {
		if f.column != f.signed {
			return differs(f.name)
		}
	}
	return ""
}

// Trusted refuses a message that is withheld, or whose columns and document differ; also one that was read without its document. Every
// decision calls it, independent of the page. Error: WithheldError.
func (m Message) Trusted() error {
	m.Withheld = cmp.Or(m.Withheld, m.Difference())
	if m.Withheld == "" {
		return nil
	}
	return &WithheldError{Message: m}
}

// WithheldError reports that the stored parts of a message contradict each other, so it cannot be decided.
type WithheldError struct {
	Message Message
}

func (e *WithheldError) Error() string { return e.Sentence().String() }

func (e *WithheldError) Sentence() i18n.Text {
	return i18n.Text("This payment or request is withheld. %s").With(e.Message.Withheld)
}

func (e *WithheldError) Refused() string { return RefusedWithheld }

// RefusedWithheld is the audit word for the refusal of a withheld message. It is an alarm: somebody wrote into the database.
const RefusedWithheld = "withheld"

func differs(field i18n.Text) i18n.Text {
	return i18n.Text("The stored data differs from the document in this part: %s. Do not continue. Ask an operator to run “countersign " +
		"check”.").With(field)
}

// signed lists every searched field with its value in the document. Received answers to our recalls are not decided,
// so they have none.
func (m Message) signed(document iso20022.Document) ([]searched, error) {
	switch content := document.(type) {
	case *iso20022.CustomerCreditTransferInitiation:
		said, err := SummaryOf(content)
		return append(m.against(said), searched{"kind", string(m.Kind), string(KindInstruction)},
			searched{"execution date", m.ExecutionDay.Format(time.DateOnly), m.OrderedDay().Format(time.DateOnly)}), err
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

// against compares the columns of a payment with the fields of its document.
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
		{"instruction ID", s.InstructionID, said.InstructionID},
		{"end-to-end ID", s.EndToEndID, said.EndToEndID},
		{"transaction ID", s.TransactionID, said.TransactionID},
		{"UETR", s.UETR, said.UETR},
	}
}

// derivedAgent returns the creditor's bank of a document that names none; "" in versions without a derived bank. In
// SIC the IBAN identifies the bank. In SEPA a directory supplied the bank; directories change, so only the seal
// proves the value.
func (m Message) derivedAgent() string {
	if m.Kind != KindInstruction || m.Summary.CreditorAgent == "" {
		return ""
	}
	if m.Scheme != rulebook.SchemeSIC {
		return m.Summary.CreditorAgent
	}
	return rulebook.RouteOf(m.Scheme, m.Summary.CreditorAccount, nil)
}

// holderName returns the account holder's name for an order without a debtor name. At approval checkDebtor compares
// the holder and the debtor's bank with the account. The seal covers both.
func (m Message) holderName() string {
	if m.Kind != KindInstruction {
		return ""
	}
	return m.Summary.DebtorName
}

// rtransactionContent holds the fields in the document of an R-transaction.
type rtransactionContent struct {
	original interbank.Original
	amount   money.Amount
	reason   string
	kinds    []Kind
}

// againstOriginal compares the columns of an R-transaction, which equal those of its original, with its document, which repeats some of
// them. Fields that the document omits are not compared.
func (m Message) againstOriginal(said rtransactionContent) []searched {
	kind := said.kinds[0]
	if slices.Contains(said.kinds, m.Kind) {
		kind = m.Kind
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
	maybe(searched{"end-to-end ID", m.Summary.EndToEndID, said.original.EndToEndID})
	maybe(searched{"creditor's account", m.Summary.CreditorAccount, said.original.Copy.CreditorAccount})
	maybe(searched{"debtor's account", m.Summary.DebtorAccount, said.original.Copy.DebtorAccount})
	if m.Summary.TransactionID != "" { // of an original that came in; ours is known by its Global ID
		maybe(searched{"transaction ID", m.Summary.TransactionID, said.original.TransactionID})
	}
	return fields
}
