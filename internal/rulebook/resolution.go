package rulebook

import (
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

// CheckResolution returns every rule the request breaks. There is no last day: a late refusal is better than none.
func CheckResolution(asked RTransactionCase) []iso20022.Finding {
	c := check{details: "/ResolutionDetails"}
	_, known := c.reason(OfferedResolutionReasons(asked.Scheme, asked.terms()), asked.Reason)
	if known {
		c.information(ResolutionInformation(asked.Scheme, asked.Reason, asked.RecallReason), asked.Information)
	}
	return c.findings
}

// AnswerBy is the last day on which a recall received on a day is to be answered: 15 banking days later unless a setting says otherwise.
func AnswerBy(scheme Scheme, received time.Time, settings Settings) time.Time {
	days := settings.SCTAnswerDays
	if scheme == SchemeSIC {
		days = settings.SICAnswerDays
	}
	if days <= 0 {
		days = answerBankingDays
	}
	return settings.BankingDays(scheme, received).AddBankingDays(received, days)
}

// ResolutionReasons are the reasons a received recall may be refused for (camt.029 with RJCR). Which lines of information go with one
// may depend on the recall too: ask ResolutionInformation.
func ResolutionReasons(scheme Scheme) []Reason {
	list := []Reason{
		{Code: "CUST", Text: "The creditor refused the recall", Originator: OriginatorCustomer, Usual: true},
		{Code: "LEGL", Text: "Legal or regulatory reason", Usual: true},
		{Code: "NOAS", Text: "The creditor has not responded", Usual: true},
		{Code: "AC04", Text: "The account is closed", Usual: true},
		{Code: "AM04", Text: "The account does not have enough money", Usual: true},
		{Code: "ARDT", Text: "The money has already been returned", Usual: true},
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
			Reason{Code: "AGNT", Text: "The bank refuses the recall"},
			Reason{Code: "NARR", Text: "Another reason, in your own words"})
		for i := range list {
			list[i].Source, list[i].Information = sourceResolutionSIC, freeLines
		}
		list[len(list)-1].Information.Required = 1
	default:
		return nil
	}
	return list
}

// The lines of a camt.029 in SCT Inst beyond its first, which the document's maker writes (EPC SCT Inst rulebook 2025 as rendered by
// clearing systems): ATR057 for the legal reason, FRAD in answers to a recall for fraud, ATR078 in answers to a wrong account. None of them
// is required: the legal reason may stand alone.
var (
	legalLines        = Information{Allowed: 2, Length: InformationLength - len("ATR057/"), Prefix: "ATR057/"}
	fraudLines        = Information{Allowed: 10, Length: InformationLength - len("FRAD/"), Prefix: "FRAD/"}
	wrongAccountLines = Information{Allowed: 10, Length: InformationLength - len("ATR078/"), Prefix: "ATR078/"}
)

// ResolutionInformation is which lines go with a reason in the answer to a recall for recallReason; nothing for a reason the scheme
// does not have.
func ResolutionInformation(scheme Scheme, reason, recallReason string) Information {
	found, known := FindReason(ResolutionReasons(scheme), reason)
	if !known {
		found, known = Further(code.CancellationRejections, reason)
	}
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
