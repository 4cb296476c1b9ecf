package orderform

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

// Read is the result of reading a file.
type Read struct {
	Message iso20022.MessageName                       // "" when it is no message of ours
	Order   *iso20022.CustomerCreditTransferInitiation // nil when it is no payment order, or was not read to its end
	// Findings are the mistakes in its structure.
	Findings []iso20022.Finding
}

// ReadOrder reads a pain.001.001.09 in XML or as the JSON value of the member Document, or upgrades a pain.001.001.03. An incomplete order
// gives no Order: its unread part would look missing.
func ReadOrder(content []byte, isJSON bool) Read { return readOrder(content, isJSON, codec.Options{}) }

func readOrder(content []byte, isJSON bool, options codec.Options) Read {
	var document iso20022.Document
	var read Read
	if isJSON {
		document, read.Findings = options.DecodeJSON(content, "/Document", iso20022.Pain001V09)
		read.Message = iso20022.Pain001V09
	} else {
		document, read.Findings = options.DecodeXML(content)
	}
	if document != nil {
		read.Message = document.MessageName()
	}
	if slices.ContainsFunc(read.Findings, func(f iso20022.Finding) bool { return f.Final }) {
		return read
	}
	switch order := document.(type) {
	case *iso20022.CustomerCreditTransferInitiation:
		read.Order = order
	case *iso20022.CustomerCreditTransferInitiationV03:
		upgraded, carried := codec.Upgrade(order)
		read.Order = upgraded
		if len(read.Findings) == 0 {
			read.Findings = carried
		}
	}
	return read
}

// Outdated reports whether a message is a pain.001.001.03 on a day on which none is taken any more, with the sentence that says so.
func Outdated(message iso20022.MessageName, today time.Time, rules rulebook.Settings) (finding iso20022.Finding, outdated bool) {
	end := rules.EndOfPrevious()
	if message != iso20022.Pain001V03 || calendar.Compare(today, end) < 0 {
		return iso20022.Finding{}, false
	}
	return iso20022.Finding{
		Rule: rulebook.RulePreviousGeneration, Pointer: "/Document", Code: "FF01",
		Text: i18n.Text("Send the order as pain.001.001.09. The format pain.001.001.03 has not been accepted since %s.").With(i18n.Day(end)),
	}, true
}

// File is a payment order read from an uploaded file.
type File struct {
	BuiltOrder
	Message  iso20022.MessageName // what the file is; "" when it is no message of ours
	Findings []iso20022.Finding
}

// ReadFile reads an order for one payment. Document is nil when the file is none; Findings then say why.
func ReadFile(content []byte) File {
	if !looksLikeXML(content) {
		return File{Findings: []iso20022.Finding{{Pointer: "/Document", Code: "FF01", Text: noOrder(content)}}}
	}
	read := ReadOrder(content, false)
	f := File{Message: read.Message, Findings: read.Findings}
	if read.Order == nil {
		if read.Message != "" && !strings.HasPrefix(string(read.Message), "pain.001.") {
			f.Findings = append(f.Findings, iso20022.Finding{
				Pointer: "/Document", Code: "FF01", Text: i18n.Text("Send a payment order. The file you sent contains a %s message.").
						With(read.Message),
			})
		}
		return f
	}
	f.Document = read.Order
	count := 0
	for _, info := range f.Document.PaymentInformation {
		count += len(info.CreditTransferTransactionInformation)
	}
	if count != 1 {
		f.Findings = append(f.Findings, iso20022.Finding{
			Pointer: "/Document/CstmrCdtTrfInitn/PmtInf", Code: "AM18",
			Text: i18n.Text("The file contains %d payments. Send one file for each payment.").With(count),
		})
		f.Document = nil
		return f
	}
	if len(f.Findings) == 0 {
		f.Transliterated = transliterate(f.Scheme(), f.Document)
	}
	return f
}

// noOrder returns the refusal of a file that is no XML, with its kind when the first bytes show it.
func noOrder(content []byte) i18n.Text {
	switch {
	case bytes.HasPrefix(content, []byte("%PDF-")):
		return "Send the payment order as an XML file, not as a PDF."
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		return "This file is a spreadsheet or an archive. If it is a spreadsheet, save it as CSV in UTF-8. If it is an archive, extract the " +
			"file from it and send that file."
	}
	return "Send the payment order as an XML file. The file you sent is not XML."
}

// looksLikeXML reports by the first character whether a file may be XML: a tag, or the byte order mark of an encoding. The codec refuses
// encodings other than UTF-8.
func looksLikeXML(content []byte) bool {
	content = bytes.TrimLeft(content, " \t\r\n")
	return len(content) > 0 && strings.IndexByte("<\xef\xfe\xff", content[0]) >= 0
}

// Scheme is the one whose currency the file pays in. Of a file in another currency, which the rules of either refuse, it is the one whose
// service level the file names.
func (f File) Scheme() rulebook.Scheme {
	information, tx, single := f.Document.SinglePayment()
	if !single || tx.Amount.InstructedAmount == nil {
		return rulebook.SchemeSIC
	}
	for _, scheme := range rulebook.Schemes() {
		profile, _ := scheme.Profile()
		if string(profile.Currency) == tx.Amount.InstructedAmount.Currency {
			return scheme
		}
	}
	if kind := information.PaymentTypeInformation; kind != nil && len(kind.ServiceLevel) > 0 && kind.ServiceLevel[0].Code == "SEPA" {
		return rulebook.SchemeSCT
	}
	return rulebook.SchemeSIC
}
