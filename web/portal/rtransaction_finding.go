package portal

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// refusalText returns the first sentence of a refusal.
func refusalText(err error) i18n.Text {
	var refused *payment.RefusalError
	if errors.As(err, &refused) && len(refused.Findings) > 0 {
		return refused.Findings[0].Text
	}
	return i18n.OfError(err)
}

// asked is a form with the results of its check.
type asked struct {
	Subject
	form

	preview  payment.RTransactionPreview
	keeps    money.Amount // the charge, the zero amount for none
	draft    store.Draft  // in which the form is kept, as it was shown; zero for none
	problems []ui.Problem // of the fields; none of a form nobody has filled in yet
}

// barred returns the sentence why the form cannot be sent; "" when it can.
func (a asked) barred() i18n.Text {
	if a.preview.Ineligible == nil {
		return ""
	}
	return refusalText(a.preview.Ineligible)
}

// previewRequest previews a form without its charge.
func (v *Request) previewRequest(f form) (asked, error) {
	preview, err := v.Config.Submission.PreviewRTransaction(v.Context(), v.By, f.asked(uuid.Nil, money.Amount{}))
	if err != nil {
		return asked{}, err
	}
	f.Original = preview.About.Original.InternalID
	return asked{Subject: Subject{RTransactionSubject: preview.About, Kind: f.Kind}, form: f, preview: preview}, nil
}

// check previews a complete form. The same rules are checked again when the form is submitted.
func (v *Request) check(f form) (asked, error) {
	a, err := v.previewRequest(f)
	if err != nil {
		return asked{}, err
	}
	charge, problems, err := f.charge(a.preview.About.Original.Summary.Amount.Currency())
	if err != nil {
		return asked{}, err
	}
	if !charge.IsZero() {
		a.keeps, a.preview = charge, v.Config.Submission.PreviewRTransactionAbout(v.By, f.asked(uuid.Nil, charge), a.preview.About)
	}
	if f.Reason == "" {
		a.problems = append([]ui.Problem{{Field: "reason", Text: "Choose a reason.", Code: "CH21"}}, problems...)
		return a, nil
	}
	a.problems = a.form.problems(problems, a.preview.Findings)
	return a, nil
}

// charge parses the charge of a form in the currency of the payment; the zero amount for none and for an unreadable one.
func (f form) charge(currency money.Currency) (money.Amount, []ui.Problem, error) {
	typed := strings.TrimSpace(f.Charge)
	if typed == "" {
		return money.Amount{}, nil, nil
	}
	charge, err := money.ParseInput(currency, typed)
	var wrong *money.Error
	if errors.As(err, &wrong) {
		return money.Amount{}, []ui.Problem{{Field: "charge", Text: wrong.Text, Code: wrong.Code}}, nil
	}
	return charge, nil, err
}

// reason returns the offer of the chosen reason; the zero value when it is not on offer.
func (a asked) reason() payment.ReasonOnOffer {
	for _, reason := range a.preview.Reasons {
		if reason.Code == a.Reason {
			return reason
		}
	}
	return payment.ReasonOnOffer{}
}

// informationLimits returns the number of lines in the form and their length, for all reasons together.
func (a asked) informationLimits() (lines, length int) {
	for _, reason := range a.preview.Reasons {
		limits := reason.Information
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

// problems places findings beside the fields of the form, after the known problems.
func (f form) problems(known []ui.Problem, findings []payment.Finding) []ui.Problem {
	problems := slices.Clone(known)
	for _, finding := range findings {
		field := f.field(finding.Pointer)
		said := slices.ContainsFunc(problems, func(p ui.Problem) bool { return field != "" && p.Field == field })
		if !said {
			problems = append(problems, ui.Problem{Field: field, Text: finding.Text, Code: finding.Code})
		}
	}
	return problems
}

// field returns the field of the form for a place in the request, "" when there is none. A finding about the information as a whole belongs
// to its first line.
func (f form) field(pointer string) string {
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
	_, numbers := f.lines()
	index, err := strconv.Atoi(place)
	if numbered && err == nil && index < len(numbers) {
		return "information" + strconv.Itoa(numbers[index])
	}
	return "information1"
}

// typed returns the typed values as text, for a user who can no longer send the form; "" for an empty form.
func (a asked) typed() i18n.Text {
	var parts []i18n.Text
	if a.Reason != "" {
		parts = append(parts, views.ReasonText(a.form.Kind, a.preview.About.Original.Scheme, a.Reason))
	}
	lines, _ := a.lines()
	for _, line := range lines {
		parts = append(parts, i18n.Data(line))
	}
	return i18n.Join(" · ", parts...)
}

// offered returns the reasons of the form, the usual ones apart. Reasons that contradict the data of the gateway stand last, with a
// warning.
func (a asked) offered() (usual, others []views.RequestReason) {
	var doubtful []views.RequestReason
	for _, reason := range a.preview.Reasons {
		shown := views.RequestReason{Code: reason.Code, Text: reason.Text, Hint: hint(reason)}
		doubt := a.doubt(reason.Code)
		switch {
		case doubt != "":
			shown.Hint = doubt
			doubtful = append(doubtful, shown)
		case reason.Usual:
			usual = append(usual, shown)
		default:
			others = append(others, shown)
		}
	}
	return usual, append(others, doubtful...)
}

// doubt says what the gateway knows against a reason to send an incoming payment back or to refuse its recall; "" for nothing.
func (a asked) doubt(code string) i18n.Text {
	about := a.preview.About
	returned := slices.ContainsFunc(about.Others, func(m payment.Message) bool {
		return m.Kind == payment.KindReturn && m.State == payment.StateSettled
	})
	switch {
	case about.Original.Direction != payment.DirectionIn:
	case code == "NOOR":
		return i18n.Text("Your institution received this payment on %s.").With(ui.DateTime(about.Original.CreatedAt))
	case code == "AC04" && about.Account != nil && about.Account.Open:
		return "The account is still open at your institution."
	case code == "ARDT" && !returned:
		return "Your institution has not sent a return of this payment."
	}
	return ""
}

// hint says until when a reason may be used, and what else it requires.
func hint(reason payment.ReasonOnOffer) i18n.Text {
	needs, ends := reason.Information.Required > 0, !reason.LastDay.IsZero()
	switch {
	case needs && ends:
		return i18n.Text("Needs additional information (this reason can be used until %s)").With(day(reason.LastDay))
	case needs:
		return "Needs additional information"
	case ends:
		return i18n.Text("Can be used until %s").With(day(reason.LastDay))
	}
	return ""
}
