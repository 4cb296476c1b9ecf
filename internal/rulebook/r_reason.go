package rulebook

import (
	"slices"

	"countersign/internal/iso20022/code"
)

// Originator is whose wish a recall, return or resolution carries out.
type Originator int

// The originators.
const (
	OriginatorBank     Originator = iota // named by its BIC
	OriginatorCustomer                   // named by its name
)

// Information says which lines of additional information (AddtlInf) go with a reason.
type Information struct {
	// Required and Allowed are the least and the most lines a person enters.
	Required, Allowed int
	// Length is the most characters of a line; with Prefix they fill the 105 of the element.
	Length int
	// Prefix is written before each line when the document is made.
	Prefix string
}

// Reason is why a payment is recalled or returned, or why a recall is refused.
type Reason struct {
	// Code is the ISO external code.
	Code string
	// Text says the same in plain words, for a choice on a form.
	Text string
	// Originator is who the document names as originator.
	Originator  Originator
	Information Information
	// Usual marks the reasons to show first; the rest of a long list may follow behind a click.
	Usual bool
	// Source is where the scheme's list stands.
	Source string
}

// InformationLength is the most characters of one line of additional information (Max105Text).
const InformationLength = 105

const (
	sourceRecallSCT     = "EPC SCT Inst rulebook 2025; EPC115-06 camt.056 (recall)"
	sourceRequestSCT    = "EPC SCT Inst rulebook 2025; EPC115-06 camt.056 (request for recall by the originator)"
	sourceRecallSIC     = "Public form of camt.056.001.08.ch.04; the list of SIC IP itself is not public"
	sourceReturnSCT     = "EPC135-18 v2.0, list of return reasons"
	sourceReturnISO     = "ISO, ExternalReturnReason1Code"
	sourceResolutionSCT = "EPC115-06 camt.029; EPC SCT Inst rulebook 2025"
	sourceResolutionSIC = "ISO, ExternalPaymentCancellationRejection1Code; the list of SIC IP itself is not public"
)

// freeLines are what SIC takes with any reason: the schema sets no limit, ten lines are enough for a form.
var freeLines = Information{Allowed: 10, Length: InformationLength}

// RecallReasons are the reasons a payment of the scheme may be recalled for (camt.056), in the order of a form; none for an unknown
// scheme.
func RecallReasons(scheme Scheme) []Reason {
	oneLine := Information{Allowed: 1, Length: InformationLength}
	switch scheme {
	case SchemeSCT:
		return []Reason{
			{Code: "DUPL", Text: "Sent twice by mistake", Usual: true, Source: sourceRecallSCT},
			{Code: "TECH", Text: "Sent because of a technical problem", Usual: true, Source: sourceRecallSCT},
			{Code: "FRAD", Text: "Fraud", Information: oneLine, Usual: true, Source: sourceRecallSCT},
			{Code: "CUST", Text: "The customer asks for it", Originator: OriginatorCustomer, Information: oneLine, Usual: true, Source: sourceRequestSCT},
			{Code: "AM09", Text: "The customer sent a wrong amount", Originator: OriginatorCustomer, Information: oneLine, Usual: true, Source: sourceRequestSCT},
			{Code: "AC03", Text: "The customer gave a wrong account", Originator: OriginatorCustomer, Information: oneLine, Usual: true, Source: sourceRequestSCT},
		}
	case SchemeSIC:
		return []Reason{
			{Code: "DUPL", Text: "Sent twice by mistake", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "TECH", Text: "Sent because of a technical problem", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "FRAD", Text: "Fraud", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "CUST", Text: "The customer asks for it", Originator: OriginatorCustomer, Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "AGNT", Text: "Wrong bank", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "UPAY", Text: "The payment was not due", Originator: OriginatorCustomer, Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "CUTA", Text: "An inquiry could not be resolved", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "CURR", Text: "Wrong currency", Information: freeLines, Usual: true, Source: sourceRecallSIC},
		}
	default:
		return nil
	}
}

// ReturnReasons are the reasons an incoming payment of the scheme may be sent back for (pacs.004). ReturnAfterRecall is among them:
// it is the positive answer to a recall, and the only one then.
func ReturnReasons(scheme Scheme) []Reason {
	list := slices.Clone(commonReturnReasons)
	switch scheme {
	case SchemeSCT:
		list = append(list, furtherReturnReasonsSCT...)
		for i := range list {
			list[i].Source = sourceReturnSCT
		}
	case SchemeSIC:
		list = appendISOReturnReasons(list)
		for i := range list {
			list[i].Source, list[i].Information = sourceReturnISO, freeLines
			if list[i].Code == "NARR" {
				list[i].Information.Required = 1
			}
		}
	default:
		return nil
	}
	return list
}

// ReturnAfterRecall is the reason of a return that answers a recall positively.
const ReturnAfterRecall = "FOCR"

// commonReturnReasons are usual in both schemes.
var commonReturnReasons = []Reason{
	{Code: ReturnAfterRecall, Text: "Answer to a recall: the money goes back", Information: Information{Allowed: 1, Length: InformationLength}, Usual: true},
	{Code: "AC01", Text: "The account number is wrong", Usual: true},
	{Code: "AC04", Text: "The account is closed", Usual: true},
	{Code: "AC06", Text: "The account is blocked", Usual: true},
	{Code: "AG01", Text: "The account does not take such payments", Usual: true},
	{Code: "AM05", Text: "Received twice", Usual: true},
	{Code: "BE04", Text: "The creditor's address is missing or wrong", Usual: true},
	{Code: "MD07", Text: "The account holder has died", Usual: true},
	{Code: "MS02", Text: "The customer gives no reason", Originator: OriginatorCustomer, Usual: true},
	{Code: "MS03", Text: "The bank gives no reason", Usual: true},
	{Code: "RR04", Text: "Regulatory reason", Usual: true},
}

var furtherReturnReasonsSCT = []Reason{
	{Code: "AG02", Text: "The kind of payment is wrong"},
	{Code: "CNOR", Text: "The creditor's bank is not registered under this BIC"},
	{Code: "ERIN", Text: "Extended remittance information is not supported"},
	{Code: "RC01", Text: "The BIC is wrong"},
	{Code: "RR01", Text: "Debtor account or identification is missing (regulation)"},
	{Code: "RR02", Text: "Debtor name or address is missing (regulation)"},
	{Code: "RR03", Text: "Creditor name or address is missing (regulation)"},
}

// appendISOReturnReasons adds what the ISO list has beyond, with its own words.
func appendISOReturnReasons(list []Reason) []Reason {
	known := len(list)
	for _, definition := range code.ReturnReasons.All() {
		if slices.ContainsFunc(list[:known], func(r Reason) bool { return r.Code == definition.Code }) {
			continue
		}
		reason := Reason{Code: definition.Code, Text: definition.Text}
		if definition.Code == "CUST" || definition.Code == "MD06" {
			reason.Originator = OriginatorCustomer
		}
		list = append(list, reason)
	}
	return list
}

// ResolutionReasons are the reasons a received recall may be refused for (camt.029 with RJCR). Which lines of information go with one
// may depend on the recall too: ask ResolutionInformation.
func ResolutionReasons(scheme Scheme) []Reason {
	list := []Reason{
		{Code: "CUST", Text: "The creditor refuses", Originator: OriginatorCustomer, Usual: true},
		{Code: "LEGL", Text: "Legal or regulatory reason", Usual: true},
		{Code: "NOAS", Text: "The creditor does not answer", Usual: true},
		{Code: "AC04", Text: "The account is closed", Usual: true},
		{Code: "AM04", Text: "The account has not enough money", Usual: true},
		{Code: "ARDT", Text: "The money went back already", Usual: true},
		{Code: "NOOR", Text: "The payment was never received", Usual: true},
	}
	switch scheme {
	case SchemeSCT:
		for i := range list {
			list[i].Source = sourceResolutionSCT
		}
		list[1].Information = legalLines
	case SchemeSIC:
		list = append(list,
			Reason{Code: "AGNT", Text: "The bank refuses"},
			Reason{Code: "NARR", Text: "Another reason, in words"})
		for i := range list {
			list[i].Source, list[i].Information = sourceResolutionSIC, freeLines
		}
		list[1].Information.Required, list[len(list)-1].Information.Required = 1, 1
	default:
		return nil
	}
	return list
}

// The lines of a camt.029 in SCT Inst beyond its first, which the document's maker writes (EPC SCT Inst rulebook 2025 as rendered by
// clearing systems): ATR057 for the legal reason, FRAD in answers to a recall for fraud, ATR078 in answers to a wrong account.
var (
	legalLines        = Information{Required: 1, Allowed: 2, Length: InformationLength - len("ATR057"), Prefix: "ATR057"}
	fraudLines        = Information{Allowed: 10, Length: InformationLength - len("FRAD"), Prefix: "FRAD"}
	wrongAccountLines = Information{Allowed: 10, Length: InformationLength - len("ATR078"), Prefix: "ATR078"}
)

// ResolutionInformation is which lines go with a reason in the answer to a recall for recallReason; nothing for a reason the scheme
// does not have.
func ResolutionInformation(scheme Scheme, reason, recallReason string) Information {
	found, known := FindReason(ResolutionReasons(scheme), reason)
	if !known || scheme != SchemeSCT || found.Information.Allowed > 0 {
		return found.Information
	}
	switch recallReason {
	case "FRAD":
		return fraudLines
	case "AC03":
		return wrongAccountLines
	default:
		return Information{}
	}
}

// FindReason looks a code up in a list of reasons.
func FindReason(list []Reason, id string) (Reason, bool) {
	index := slices.IndexFunc(list, func(r Reason) bool { return r.Code == id })
	if index < 0 {
		return Reason{}, false
	}
	return list[index], true
}
