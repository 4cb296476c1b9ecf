package rtransaction

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook/rtransactionrule"
	"countersign/views"
	"countersign/views/ui"
)

// refusalText is the first sentence of a refusal, for a place where one is enough.
func refusalText(err error) string {
	var refused *payment.RefusalError
	if errors.As(err, &refused) && len(refused.Findings) > 0 {
		return refused.Findings[0].Text
	}
	return err.Error()
}

// reasons are the reasons on offer: to answer a recall with the money there is one, and without a recall it is not there.
func (s Subject) reasons() []rtransactionrule.Reason {
	switch s.Kind {
	case payment.KindRecall:
		return rtransactionrule.RecallReasons(s.Original.Scheme)
	case payment.KindResolution:
		return rtransactionrule.ResolutionReasons(s.Original.Scheme)
	case payment.KindReturn:
		return slices.DeleteFunc(rtransactionrule.ReturnReasons(s.Original.Scheme), func(r rtransactionrule.Reason) bool {
			return (r.Code == rtransactionrule.ReturnAfterRecall) != s.Recalled()
		})
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return nil
}

// information is which lines go with a reason.
func (s Subject) information(reason rtransactionrule.Reason) rtransactionrule.Information {
	if s.Kind == payment.KindResolution {
		return rtransactionrule.ResolutionInformation(s.Original.Scheme, reason.Code, s.Recall.Reason)
	}
	return reason.Information
}

// room is how many lines the form offers and how long each may be, whatever the reason.
func (s Subject) room() (lines, length int) {
	for _, reason := range s.reasons() {
		limits := s.information(reason)
		if limits.Allowed == 0 {
			continue
		}
		lines = max(lines, limits.Allowed)
		if length == 0 || limits.Length < length {
			length = limits.Length
		}
	}
	return min(lines, maxLines), length
}

// checked is a wish with what the rules say to it.
type checked struct {
	charge   money.Amount // the zero value for none
	problems []ui.Problem
}

// check asks the rules of the scheme. The station asks them again when the wish is submitted.
func (v *visit) checkWish(s Subject, w wish) checked {
	var out checked
	if w.Reason == "" {
		out.problems = append(out.problems, ui.Problem{Field: "reason", Text: "Choose a reason.", Code: "CH21"})
	}
	if typed := strings.TrimSpace(w.Charge); typed != "" {
		charge, err := money.ParseInput(s.Original.Summary.Amount.Currency(), typed)
		var wrong *money.Error
		if errors.As(err, &wrong) {
			out.problems = append(out.problems, ui.Problem{Field: "charge", Text: wrong.Text, Code: wrong.Code})
		}
		out.charge = charge
	}
	if w.Reason == "" {
		return out
	}
	out.problems = wishProblems(w, out.problems, v.ruleFindings(s, w, out.charge))
	return out
}

func (v *visit) ruleFindings(s Subject, w wish, charge money.Amount) []iso20022.Finding {
	lines, _ := w.lines()
	scheme := s.Original.Scheme
	switch s.Kind {
	case payment.KindRecall:
		return rtransactionrule.CheckRecall(rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: w.Reason, Information: lines}, Scheme: scheme, Settled: v.settledOn(s.Original), Today: v.Today(), Settings: v.Config.Rules,
		})
	case payment.KindReturn:
		return rtransactionrule.CheckReturn(rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: w.Reason, Information: lines, Charge: charge}, Scheme: scheme, Recalled: s.Recalled(), Amount: s.Original.Summary.Amount, Settled: v.settledOn(s.Original), Today: v.Today(), Settings: v.Config.Rules,
		})
	case payment.KindResolution:
		return rtransactionrule.CheckResolution(rtransactionrule.Case{
			Request: rtransactionrule.Request{Reason: w.Reason, Information: lines}, Scheme: scheme, RecallReason: s.Recall.Reason,
		})
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return nil
}

// wishProblems puts findings beside the fields of the form, after what is known already.
func wishProblems(w wish, known []ui.Problem, findings []payment.Finding) []ui.Problem {
	problems := slices.Clone(known)
	for _, f := range findings {
		field := wishField(w, f.Pointer)
		said := slices.ContainsFunc(problems, func(p ui.Problem) bool { return field != "" && p.Field == field })
		if !said {
			problems = append(problems, ui.Problem{Field: field, Text: f.Text, Code: f.Code})
		}
	}
	return problems
}

// wishField finds the field of the form for a place in the request, "" when there is none.
func wishField(w wish, pointer string) string {
	_, rest, found := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case !found || strings.HasPrefix(pointer, "/identifiers/"):
		return ""
	case rest == "reason":
		return "reason"
	case rest == "chargeAmount":
		return "charge"
	}
	place, numbered := strings.CutPrefix(rest, "additionalInformation/")
	_, numbers := w.lines()
	index, err := strconv.Atoi(place)
	if numbered && err == nil && index < len(numbers) {
		return "information" + strconv.Itoa(numbers[index])
	}
	return "information1"
}

// offered are the reasons as the form shows them, the usual ones apart.
func (v *visit) offered(s Subject) (usual, others []views.RequestReason) {
	for _, reason := range s.reasons() {
		shown := views.RequestReason{Code: reason.Code, Text: reason.Text, Hint: v.reasonHint(s, reason)}
		if reason.Usual {
			usual = append(usual, shown)
		} else {
			others = append(others, shown)
		}
	}
	return usual, others
}

// reasonHint says until when a reason may be used, and when it asks for more than itself.
func (v *visit) reasonHint(s Subject, reason rtransactionrule.Reason) string {
	var hints []string
	if s.information(reason).Required > 0 {
		hints = append(hints, "needs additional information")
	}
	settled := v.settledOn(s.Original)
	switch s.Kind {
	case payment.KindRecall:
		if last, limited := rtransactionrule.RecallDeadline(s.Original.Scheme, reason.Code, settled, v.Config.Rules); limited {
			hints = append(hints, "until "+day(last))
		}
	case payment.KindReturn:
		if last, limited := rtransactionrule.ReturnWindow(s.Original.Scheme, reason.Code, settled, v.Config.Rules); limited {
			hints = append(hints, "until "+day(last))
		}
	case payment.KindResolution, payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	text := strings.Join(hints, ", ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
