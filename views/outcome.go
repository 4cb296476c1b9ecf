package views

import (
	"cmp"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022/code"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// failures explains the reason codes of clearing and of other banks, with the remedy. Source of the codes: ISO 20022 external code set
// ExternalStatusReason1Code.
var failures = map[string]i18n.Text{
	"AB05": "The creditor's bank did not answer in time. Nothing was paid.",
	"AB06": "Clearing received no answer in time. Nothing was paid.",
	"AB07": "The creditor's bank could not be reached. Nothing was paid. Try again later.",
	"AB08": "The creditor's bank could not be reached. Nothing was paid. Try again later.",
	"AB09": "The creditor's bank had a technical problem. Nothing was paid. Try again later.",
	"AB10": "The creditor's bank had a technical problem. Nothing was paid. Try again later.",
	"AC01": "The creditor's bank does not know this account number. Check the number against the invoice.",
	"AC03": "The creditor's account number is wrong. Check the number against the invoice.",
	"AC04": "The creditor's account is closed. Ask the creditor for another account.",
	"AC06": "The creditor's account is blocked. Ask the creditor for another account.",
	"AG01": "The account does not accept this type of payment.",
	"AG03": "The creditor's bank does not offer this type of payment.",
	"AG10": "The creditor's bank is not accepting instant payments at the moment. Pay the creditor in another way.",
	"AG11": "The creditor's bank is not accepting instant payments at the moment. Pay the creditor in another way.",
	"AM02": "The amount is too high for an instant payment.",
	"AM04": "There is not enough money in the account for this amount.",
	"AM05": "The payment was refused as a duplicate. Before you pay again, check whether the payment was already made.",
	"AM09": "The amount differs from the expected amount.",
	"AM23": "The amount is too high for an instant payment.",
	"BE04": "The creditor's address is missing or incomplete.",
	"CNOR": "The creditor's bank cannot be reached through this payment scheme.",
	"DNOR": "The debtor's bank is not registered in this payment scheme.",
	"DUPL": "The payment was refused as a duplicate. Before you pay again, check whether the payment was already made.",
	"FF01": "Clearing could not read the payment. Tell an operator.",
	"MD07": "The creditor has died.",
	"MS02": "The creditor's bank refused the payment. Its customer does not allow the bank to give the reason.",
	"MS03": "The creditor's bank refused the payment and gave no reason.",
	"RC01": "The bank's identifier is wrong.",
	"RR04": "A legal requirement prevents this payment. Speak to the compliance team before you try again.",
	"TM01": "The payment reached clearing too late.",
}

// failedReturns are the texts for failed returns, whose creditor is the original debtor. Codes without an entry use the texts of payments.
var failedReturns = map[string]i18n.Text{
	"AB05": "The other bank did not answer in time. Nothing was returned.",
	"AB06": "Clearing received no answer in time. Nothing was returned.",
	"AB07": "The other bank could not be reached. Nothing was returned. Try again later.",
	"AB08": "The other bank could not be reached. Nothing was returned. Try again later.",
	"AB09": "The other bank had a technical problem. Nothing was returned. Try again later.",
	"AB10": "The other bank had a technical problem. Nothing was returned. Try again later.",
	"AC01": "The other bank does not know the account that the payment came from. Contact that bank.",
	"AC03": "The number of the account that the payment came from is wrong. Contact the other bank.",
	"AC04": "The account that the payment came from is closed. Contact the other bank.",
	"AC06": "The account that the payment came from is blocked. Contact the other bank.",
	"AG03": "The other bank does not accept this type of payment.",
	"AG10": "The other bank is not accepting instant payments at the moment. Contact that bank.",
	"AG11": "The other bank is not accepting instant payments at the moment. Contact that bank.",
	"CNOR": "The other bank cannot be reached through this payment scheme.",
	"MD07": "The person who paid has died. Contact the other bank.",
	"MS02": "The other bank refused the return. Its customer does not allow the bank to give the reason.",
	"MS03": "The other bank refused the return and gave no reason.",
}

// ReasonsOf are the lists that the reasons of the kinds come from.
var ReasonsOf = map[payment.Kind]func(rulebook.Scheme) []rulebook.Reason{
	payment.KindRecall: rulebook.RecallReasons, payment.KindReceivedRecall: rulebook.RecallReasons,
	payment.KindReturn: rulebook.ReturnReasons, payment.KindResolution: rulebook.ResolutionReasons,
}

// ReasonText describes a reason with its code; the code alone if it is no reason of the kind.
func ReasonText(kind payment.Kind, scheme rulebook.Scheme, code string) i18n.Text {
	words := ReasonWords(kind, scheme, code)
	if words == "" {
		return i18n.Data(code)
	}
	return i18n.Text("%s (%s)").With(words, code)
}

// ReasonWords describes a reason, without a full stop; "" for a code that is no reason of the kind.
func ReasonWords(kind payment.Kind, scheme rulebook.Scheme, code string) i18n.Text {
	reasons, known := ReasonsOf[kind]
	if !known {
		return ""
	}
	reason, known := rulebook.FindReason(reasons(scheme), code)
	if !known {
		return rulebook.PlainReason(reasonSets[kind], code)
	}
	return reason.Text
}

// Refusal describes why the other bank refused a recall: the reason in plain words with its code, and the bank's own text.
func Refusal(m payment.Message) i18n.Text {
	if ReasonWords(payment.KindResolution, m.Scheme, m.StatusCode) == "" {
		return i18n.Data(strings.TrimSpace(m.StatusCode + " " + m.StatusText))
	}
	words := ReasonText(payment.KindResolution, m.Scheme, m.StatusCode)
	if defined, _ := code.CancellationRejections.Find(m.StatusCode); m.StatusText == "" || m.StatusText == defined.Text {
		return words
	}
	return i18n.Text("%s: %s").With(words, m.StatusText)
}

// reasonSets are the code sets of ISO for the reasons of the kinds.
var reasonSets = map[payment.Kind]code.Set{
	payment.KindRecall: code.CancellationReasons, payment.KindReceivedRecall: code.CancellationReasons,
	payment.KindReturn: code.ReturnReasons, payment.KindResolution: code.CancellationRejections,
}

// StatedReason describes the reason that clearing or another bank gave last for a message, by its code.
func StatedReason(m payment.Message) i18n.Text {
	words := ReasonWords(m.Kind, m.Scheme, m.Reason)
	switch {
	case m.State == payment.StateFailed:
		words, _ = Failure(m)
		return words
	case m.State == payment.StateRefused:
		return Refusal(m)
	case m.Direction == payment.DirectionOut || words == "":
		return i18n.Data(m.StatusText)
	}
	defined, _ := reasonSets[m.Kind].Find(m.Reason)
	return i18n.Join(" ", words, i18n.Data(strings.TrimSpace(strings.TrimPrefix(m.StatusText, defined.Text))))
}

// Failure describes why a message failed, with the received code and text as detail; without ISO's words for the code, and without a text
// that the description contains.
func Failure(m payment.Message) (words i18n.Text, detail string) {
	known, found := code.StatusReasons.Find(m.StatusCode)
	words = failures[m.StatusCode]
	if m.Kind == payment.KindReturn {
		words = cmp.Or(failedReturns[m.StatusCode], words)
	}
	plain := rulebook.PlainReason(code.ReturnReasons, m.StatusCode)
	switch {
	case words != "":
	case plain != "":
		words = i18n.Text("%s. (advice)").With(plain)
	case m.StatusText != "":
		words = i18n.Data(strings.TrimSuffix(m.StatusText, ".") + ".")
	case found:
		words = i18n.Data(known.Text)
	default:
		words = "No reason was given for the refusal."
	}
	detail = m.StatusCode
	said := strings.TrimSpace(strings.TrimPrefix(m.StatusText, known.Text))
	if !strings.Contains(words.String(), strings.TrimSuffix(said, ".")) {
		detail += " " + said
	}
	return words, detail
}
