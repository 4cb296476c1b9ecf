package portal

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"time"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/views"
	"countersign/views/ui"
)

// FactorAnswer reads the second factor of a form: a code, or the answer of a passkey.
func (v *Request) FactorAnswer(form url.Values) auth.FactorAnswer {
	answer := auth.FactorAnswer{Code: form.Get("factorCode"), Passkey: v.PasskeyAnswer(form)}
	if answer.Passkey != nil {
		answer.Code = ""
	}
	return answer
}

// PasskeyAnswer reads the answer of a passkey from the form; nil for none.
func (v *Request) PasskeyAnswer(form url.Values) *auth.PasskeyAnswer {
	response := form.Get("passkeyResponse")
	if response == "" {
		return nil
	}
	return &auth.PasskeyAnswer{Origin: v.Origin(), Ticket: form.Get("passkeyTicket"), Response: response}
}

// PasskeyFor starts a request for a passkey of the person; the zero Passkey when the person has none.
func (v *Request) PasskeyFor(by identity.Principal, purpose identity.FactorPurpose) (views.Passkey, error) {
	return v.askPasskey(auth.PasskeyInput{By: by, Purpose: purpose})
}

// PasskeyToApprove starts the request for a passkey with which this person approves one content.
func (v *Request) PasskeyToApprove(about identity.Approval) (views.Passkey, error) {
	return v.askPasskey(auth.PasskeyInput{By: v.By, Purpose: identity.PurposeApproval, For: about})
}

func (v *Request) askPasskey(in auth.PasskeyInput) (views.Passkey, error) {
	in.Origin = v.Origin()
	ask, ok, err := v.Config.Auth.FactorQuestion(v.Context(), in)
	if err != nil || !ok {
		return views.Passkey{}, err
	}
	return views.Passkey{Question: ask.JSON(), Ticket: ask.Ticket}, nil
}

// FactorProblem describes a refused second factor; status 0 is an error of another kind, or none.
func FactorProblem(err error) (ui.Problem, int) {
	var refused *auth.AccountError
	var limited *auth.LimitError
	problem := ui.Problem{Field: "factorCode"}
	switch {
	case errors.Is(err, auth.ErrFactor):
		problem.Text = "Enter a valid code. This one is wrong or was used before: wait for the next one."
	case errors.Is(err, auth.ErrNoFactor):
		problem.Text = "You have no second factor. Set one up in your profile, then come back."
	case errors.Is(err, auth.ErrFactorsForged):
		problem.Text = "Your second factors were changed outside the gateway. Tell an operator."
	case errors.As(err, &refused) && refused.Problem == auth.ProblemLocked:
		problem.Text = i18n.Text("Too many wrong codes. Wait %s before you try again.").With(Wait(refused.RetryAfter))
	case errors.As(err, &limited):
		problem.Text = i18n.Text("Too many attempts from your network. Wait %s before you try again.").With(Wait(limited.RetryAfter))
		return problem, http.StatusTooManyRequests
	default:
		return ui.Problem{}, 0
	}
	return problem, http.StatusUnprocessableEntity
}

// Wait formats a waiting time, rounded up.
func Wait(remaining time.Duration) i18n.Text {
	if remaining < time.Minute {
		return i18n.Text("%d seconds").With(int(math.Ceil(remaining.Seconds())))
	}
	return i18n.Text("%d minutes").With(int(math.Ceil(remaining.Minutes())))
}
