package rulebook

import (
	"slices"

	"countersign/internal/i18n"
	"countersign/internal/iso20022/code"
)

// Originator is whose request a recall, return or resolution carries out.
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
	Text i18n.Text
	// Originator is the originator that the document names.
	Originator  Originator
	Information Information
	// Usual marks the reasons to show first; the rest of a long list may follow behind a click.
	Usual bool
	// Source cites the scheme's list.
	Source string
}

// InformationLength is the most characters of one line of additional information (Max105Text).
const InformationLength = 105

const (
	sourceRecallSCT  = "EPC SCT Inst rulebook 2025; EPC115-06 camt.056 (recall)"
	sourceRequestSCT = "EPC SCT Inst rulebook 2025; EPC115-06 camt.056 (request for recall by the originator)"
	sourceRecallSIC  = "Public form of camt.056.001.08.ch.04; the list of SIC IP itself is not public"
	sourceReturnSCT  = "EPC, Guidance on Reason Codes for SCT Inst R-transactions v7.0 (FOCR); " +
		"EPC135-18 v2.0 for the others, which are of SCT"
	sourceReturnISO     = "ISO, ExternalReturnReason1Code"
	sourceResolutionSCT = "EPC115-06 camt.029; EPC SCT Inst rulebook 2025"
	sourceResolutionSIC = "ISO, ExternalPaymentCancellationRejection1Code; the list of SIC IP itself is not public"
)

// freeLines is the SIC limit for any reason: the schema has none, and ten lines suffice for a form.
var freeLines = Information{Allowed: 10, Length: InformationLength}

// FindReason looks a code up in a list of reasons.
func FindReason(list []Reason, id string) (Reason, bool) {
	index := slices.IndexFunc(list, func(r Reason) bool { return r.Code == id })
	if index < 0 {
		return Reason{}, false
	}
	return list[index], true
}

// OfferedRecallReasons are the reasons for a recall that the clearing of the scheme takes: the scheme's own, or those of the terms.
func OfferedRecallReasons(scheme Scheme, terms Terms) []Reason {
	return offered(RecallReasons(scheme), terms.RecallReasons, code.CancellationReasons)
}

// OfferedReturnReasons are the reasons for a return, likewise.
func OfferedReturnReasons(scheme Scheme, terms Terms) []Reason {
	return offered(ReturnReasons(scheme), terms.ReturnReasons, code.ReturnReasons)
}

// OfferedResolutionReasons are the reasons to refuse a recall, likewise.
func OfferedResolutionReasons(scheme Scheme, terms Terms) []Reason {
	return offered(ResolutionReasons(scheme), terms.ResolutionReasons, code.CancellationRejections)
}

// offered are the reasons of some codes, in their order: as the scheme has them, else as ISO has them.
func offered(list []Reason, codes []string, set code.Set) []Reason {
	if len(codes) == 0 {
		return list
	}
	chosen := make([]Reason, 0, len(codes))
	for _, id := range codes {
		reason, known := FindReason(list, id)
		if !known {
			reason, known = Further(set, id)
		}
		if known {
			chosen = append(chosen, reason)
		}
	}
	return chosen
}

// Further is a reason that the scheme's list does not have and ISO's has: a clearing may take it by its terms.
func Further(set code.Set, id string) (Reason, bool) {
	definition, known := set.Find(id)
	return Reason{
		Code: definition.Code, Text: PlainReason(set, id), Information: freeLines, Usual: true,
		Source: "Terms of the clearing; " +
			definition.Set,
	}, known
}

// terms are those of the clearing on the day of the request.
func (c RTransactionCase) terms() Terms { return c.Settings.TermsOn(c.Scheme, c.Today) }
