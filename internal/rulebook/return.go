package rulebook

import (
	"slices"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

// OnlyAfterRecall is the finding about a payment that its scheme sends back as the answer to a recall only, and that nobody recalled;
// refused is false when it may go back.
func OnlyAfterRecall(c RTransactionCase) (finding iso20022.Finding, refused bool) {
	if c.Recalled || c.Scheme != SchemeSCT || c.Settings.SCTReturnsWithoutRecall {
		return iso20022.Finding{}, false
	}
	var found check
	found.report("return-without-recall", "/ReturnDetails/reason", "")
	return found.findings[0], true
}

// CheckReturn returns every rule the request breaks. That the payment is ours, booked and not returned before is for the caller.
func CheckReturn(asked RTransactionCase) []iso20022.Finding {
	c := check{details: "/ReturnDetails"}
	reason, known := c.reason(OfferedReturnReasons(asked.Scheme, asked.terms()), asked.Reason)
	if !known {
		return c.findings
	}
	answers := asked.Reason == ReturnAfterRecall
	switch {
	case answers && !asked.Recalled:
		c.report("reason-after-recall", "/ReturnDetails/reason", "Choose another reason. The reason you chose is only for recalled payments, "+
			"and this payment has not been recalled.")
	case !answers && asked.Recalled:
		c.report("reason-after-recall", "/ReturnDetails/reason", "Choose the reason FOCR. This payment was recalled, and the return answers "+
			"the recall.")
	case !answers:
		if finding, refused := OnlyAfterRecall(asked); refused {
			c.findings = append(c.findings, finding)
		}
	}
	c.information(reason.Information, asked.Information)
	c.charge(asked)
	last, limited := ReturnWindow(asked.Scheme, asked.Reason, asked.Settled, asked.Settings)
	if limited && calendar.Compare(asked.Today, last) > 0 {
		c.report("return-deadline", "/identifiers/creditId", i18n.Text("The last day to return this payment was %s.").With(i18n.Day(last)))
	}
	return c.findings
}

func (c *check) charge(asked RTransactionCase) {
	const pointer = "/ReturnDetails/chargeAmount"
	if asked.Charge.IsZero() {
		return
	}
	if asked.Reason != ReturnAfterRecall || !asked.Recalled {
		c.report("charge-without-recall", pointer, "")
	}
	order, err := asked.Charge.Compare(asked.Amount)
	switch {
	case err != nil:
		c.report("charge-currency", pointer, "")
	case order >= 0:
		c.report("charge-too-large", pointer, i18n.Text("Enter a charge lower than %s, the amount of the payment.").With(asked.Amount.Format()))
	}
}

// ReturnWindow is the last day on which an incoming payment that settled on a day may be sent back for a reason (a code of
// ReturnReasons). The answer to a recall has no such limit; in SIC there is none unless a setting says otherwise.
func ReturnWindow(scheme Scheme, reason string, settled time.Time, settings Settings) (last time.Time, limited bool) {
	if reason == ReturnAfterRecall {
		return time.Time{}, false
	}
	if scheme == SchemeSIC {
		return afterBankingDays(settings.BankingDays(scheme, settled), settled, settings.SICReturnDays)
	}
	return afterBankingDays(settings.BankingDays(scheme, settled), settled, returnBankingDays)
}

// ReturnReasons are the reasons an incoming payment of the scheme may be sent back for (pacs.004). ReturnAfterRecall is among them:
// it is the positive answer to a recall, and the only one then.
func ReturnReasons(scheme Scheme) []Reason {
	list := slices.Clone(commonReturnReasons)
	switch scheme {
	case SchemeSCT:
		for _, id := range furtherReturnReasonsSCT {
			list = append(list, Reason{Code: id, Text: PlainReason(code.ReturnReasons, id)})
		}
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
	{Code: ReturnAfterRecall, Text: "Return after a recall", Usual: true},
	{Code: "AC01", Text: "The account number is wrong", Usual: true},
	{Code: "AC04", Text: "The account is closed", Usual: true},
	{Code: "AC06", Text: "The account is blocked", Usual: true},
	{Code: "AG01", Text: "The account does not accept this type of payment", Usual: true},
	{Code: "AM05", Text: "Payment received twice", Usual: true},
	{Code: "BE04", Text: "The creditor's address is missing or wrong", Usual: true},
	{Code: "MD07", Text: "The account holder has died", Usual: true},
	{Code: "MS02", Text: "The customer gave no reason", Originator: OriginatorCustomer, Usual: true},
	{Code: "MS03", Text: "The bank gave no reason", Usual: true},
	{Code: "RR04", Text: "Regulatory reason", Usual: true},
}

// furtherReturnReasonsSCT are the codes that SEPA has beside the usual ones.
var furtherReturnReasonsSCT = []string{"AG02", "CNOR", "ERIN", "RC01", "RR01", "RR02", "RR03"}

// appendISOReturnReasons adds the remaining reasons of the ISO list.
func appendISOReturnReasons(list []Reason) []Reason {
	known := len(list)
	for _, definition := range code.ReturnReasons.All() {
		if slices.ContainsFunc(list[:known], func(r Reason) bool { return r.Code == definition.Code }) {
			continue
		}
		reason := Reason{Code: definition.Code, Text: PlainReason(code.ReturnReasons, definition.Code)}
		if definition.Code == "CUST" || definition.Code == "MD06" {
			reason.Originator = OriginatorCustomer
		}
		list = append(list, reason)
	}
	return list
}
