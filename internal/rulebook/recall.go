package rulebook

import (
	"time"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// CheckRecall returns every rule the request breaks. That the payment is ours, settled and not recalled before is for the caller.
func CheckRecall(asked RTransactionCase) []iso20022.Finding {
	c := check{details: "/RecallDetails"}
	reason, known := c.reason(OfferedRecallReasons(asked.Scheme, asked.terms()), asked.Reason)
	if !known {
		return c.findings
	}
	c.information(reason.Information, asked.Information)
	last, limited := RecallDeadline(asked.Scheme, asked.Reason, asked.Settled, asked.Settings)
	if limited && calendar.Compare(asked.Today, last) > 0 {
		c.report(
			"recall-deadline", "/identifiers/internalId", i18n.Text("The last day to recall this payment for this reason was %s.").
				With(i18n.Day(last)),
		)
	}
	return c.findings
}

// RecallDeadline is the last day on which a payment that settled on a day may be recalled for a reason (a code of RecallReasons);
// limited is false when there is none, as in SIC unless a setting says otherwise. Days are read in their own location.
func RecallDeadline(scheme Scheme, reason string, settled time.Time, settings Settings) (last time.Time, limited bool) {
	if scheme == SchemeSIC {
		return afterBankingDays(settings.BankingDays(scheme, settled), settled, settings.SICRecallDays)
	}
	switch reason {
	case "DUPL", "TECH":
		return afterBankingDays(settings.BankingDays(scheme, settled), settled, recallBankingDays)
	default:
		return calendar.AddMonths(settled, recallMonths), true
	}
}

// RecallReasons are the reasons a payment of the scheme may be recalled for (camt.056), in the order of a form; none for an unknown scheme.
func RecallReasons(scheme Scheme) []Reason {
	oneLine := Information{Allowed: 1, Length: InformationLength}
	switch scheme {
	case SchemeSCT:
		return []Reason{
			{Code: "DUPL", Text: "Payment sent twice by mistake", Usual: true, Source: sourceRecallSCT},
			{Code: "TECH", Text: "Payment sent because of a technical problem", Usual: true, Source: sourceRecallSCT},
			{Code: "FRAD", Text: "Fraud", Information: oneLine, Usual: true, Source: sourceRecallSCT},
			{
				Code: "CUST", Text: "The customer asked for the recall", Originator: OriginatorCustomer, Information: oneLine, Usual: true,
				Source: sourceRequestSCT,
			},
			{
				Code: "AM09", Text: "The customer sent the wrong amount", Originator: OriginatorCustomer, Information: oneLine,
				Usual: true, Source: sourceRequestSCT,
			},
			{
				Code: "AC03", Text: "The customer gave the wrong account", Originator: OriginatorCustomer, Information: oneLine,
				Usual: true, Source: sourceRequestSCT,
			},
		}
	case SchemeSIC:
		return []Reason{
			{Code: "DUPL", Text: "Payment sent twice by mistake", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "TECH", Text: "Payment sent because of a technical problem", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "FRAD", Text: "Fraud", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{
				Code: "CUST", Text: "The customer asked for the recall", Originator: OriginatorCustomer, Information: freeLines,
				Usual: true, Source: sourceRecallSIC,
			},
			{Code: "AGNT", Text: "Wrong bank", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{
				Code: "UPAY", Text: "The payment was not due", Originator: OriginatorCustomer, Information: freeLines, Usual: true,
				Source: sourceRecallSIC,
			},
			{Code: "CUTA", Text: "An inquiry about the payment could not be resolved", Information: freeLines, Usual: true, Source: sourceRecallSIC},
			{Code: "CURR", Text: "Wrong currency", Information: freeLines, Usual: true, Source: sourceRecallSIC},
		}
	default:
		return nil
	}
}
