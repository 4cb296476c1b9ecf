package portal

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// showFactors lists a person's second factors.
func showFactors(v *Request) error {
	list, err := v.Config.Auth.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.FactorsPage(views.Factors{
		Layout: v.layout("Second factors", views.PlaceProfile), List: mapped(list, factorView), Wanted: v.MustEnrol(),
	}))
}

func factorView(f auth.Factor) views.Factor {
	return views.Factor{
		ID: f.ID.String(), Kind: string(f.Kind), Name: f.Name, MadeAt: f.MadeAt, LastUsedAt: f.LastUsedAt, CodesLeft: f.CodesLeft,
	}
}

// proof returns the factors of a user, and the fields in which the user proves a change of them: the password, and a factor when there is
// one. The page that adds a passkey asks for a code instead, because a page can ask the browser for one passkey only.
func (v *Request) proof(problems []ui.Problem) (list []auth.Factor, proof views.Proof, err error) {
	list, err = v.Config.Auth.Factors(v.Context(), v.By)
	proof = views.Proof{HasFactor: len(list) > 0, Problems: problems}
	if proof.HasFactor {
		proof.Passkey, err = v.PasskeyFor(v.By, identity.PurposeProfile)
	}
	return list, proof, err
}

// factorProblem returns the problem of a change of factors; status 0 is an error of ours.
func factorProblem(err error) (ui.Problem, int) {
	for known, problem := range map[error]ui.Problem{
		auth.ErrFactorName: {Field: "name", Text: "Enter a name of 1 to 64 characters that you will recognise."},
		auth.ErrNewCode: {Field: "code", Text: "The code is wrong. Check that the app uses this key and that the clock on your device is " +
			"correct."},
		auth.ErrEnrolment: {Field: "code", Text: "This page was open for too long. Start again."},
		auth.ErrTooMany: {Field: "name", Text: "You already have ten second factors, which is the maximum. Remove a second factor before " +
			"you add another."},
		auth.ErrNewPasskey: {Field: "name", Text: "The browser did not create a valid passkey. Try again."},
		auth.ErrFactorsChanged: {
			Field: "password", Text: "Your second factors have just changed. Check them, then start again.",
		},
		auth.ErrLastFactor: {
			Field: "password", Text: "Your realm requires a second factor. Add another second factor before you remove this one.",
		},
	} {
		if errors.Is(err, known) {
			return problem, http.StatusUnprocessableEntity
		}
	}
	if problem, status := FactorProblem(err); status != 0 {
		return problem, status
	}
	return passwordProblem("password", err)
}

// passwordProblem describes the refusal of the password of a person who is signed in, at its field.
func passwordProblem(field string, err error) (ui.Problem, int) {
	problem, status := signInProblem(err)
	var refused *auth.AccountError
	if errors.As(err, &refused) && refused.Problem == auth.ProblemIncorrect {
		problem.Text = "Your password is not correct. Check it and try again."
	}
	problem.Field = field
	return problem, status
}

func showNewApp(v *Request) error {
	fresh, err := v.Config.Auth.NewTOTP(v.By)
	if err != nil {
		return err
	}
	return v.renderNewApp(http.StatusOK, fresh, views.NewApp{})
}

func (v *Request) renderNewApp(status int, fresh auth.NewTOTP, model views.NewApp) error {
	var err error
	_, model.Proof, err = v.proof(model.Proof.Problems)
	if err != nil {
		return err
	}
	model.Key, model.QR, model.Held = fresh.Key, fresh.QR, fresh.Held
	model.Layout = v.FormShell("Add an authenticator app", views.PlaceProfile, status)
	return v.Render(status, views.NewAppPage(model))
}

// enrolApp adds an authenticator app.
func enrolApp(v *Request, form url.Values) error {
	in := auth.EnrolInput{FactorChange: v.proofOf(form), Name: form.Get("name"), Held: form.Get("held"), Code: form.Get("code")}
	codes, err := v.Config.Auth.Enrol(v.Context(), in)
	if err == nil {
		return v.enrolled(codes)
	}
	problem, status := factorProblem(err)
	if status == 0 {
		return err
	}
	fresh, err := v.Config.Auth.SameTOTP(v.By, in.Held)
	if err != nil {
		return err
	}
	problems := []ui.Problem{problem}
	return v.renderNewApp(status, fresh, views.NewApp{Name: in.Name, Problems: problems, Proof: views.Proof{Problems: problems}})
}

// enrolled continues after a person added a required factor, and shows new recovery codes, if any.
func (v *Request) enrolled(codes []string) error {
	v.portal.sessions.Remove(v.Context(), keyEnrol)
	if len(codes) == 0 {
		return v.GoTo(FactorsPath, "Second factor added.")
	}
	layout := v.layout("Recovery codes", views.PlaceProfile)
	return v.Render(http.StatusOK, views.RecoveryCodesPage(views.RecoveryCodes{Layout: layout, Codes: codes}))
}

func showNewPasskey(v *Request) error { return v.renderNewPasskey(http.StatusOK, "") }

func (v *Request) renderNewPasskey(status int, name string, problems ...ui.Problem) error {
	list, err := v.Config.Auth.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := views.NewPasskey{Name: name, Problems: problems, Proof: views.Proof{HasFactor: len(list) > 0, Problems: problems}}
	model.Question, err = v.PasskeyFor(v.By, identity.PurposeEnrol)
	if err != nil {
		return err
	}
	model.Layout = v.FormShell("Add a passkey", views.PlaceProfile, status)
	return v.Render(status, views.NewPasskeyPage(model))
}

// enrolPasskey adds a passkey. The proof beside the password is a code: the form can hold the answer of one passkey only, that of the new
// one.
func enrolPasskey(v *Request, form url.Values) error {
	in := auth.EnrolInput{FactorChange: v.proofOf(form), Name: form.Get("name"), Passkey: v.PasskeyAnswer(form)}
	in.Answer = auth.FactorAnswer{Code: form.Get("factorCode")}
	if in.Passkey == nil {
		in.Passkey = &auth.PasskeyAnswer{Origin: v.Origin()}
	}
	codes, err := v.Config.Auth.Enrol(v.Context(), in)
	if err == nil {
		return v.enrolled(codes)
	}
	problem, status := factorProblem(err)
	if status == 0 {
		return err
	}
	return v.renderNewPasskey(status, in.Name, problem)
}

func showRemoveFactor(v *Request) error { return v.renderRemoveFactor(http.StatusOK) }

func (v *Request) renderRemoveFactor(status int, problems ...ui.Problem) error {
	list, proof, err := v.proof(problems)
	if err != nil {
		return err
	}
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(f auth.Factor) bool { return f.ID == id })
	if at < 0 || list[at].Kind == identity.FactorRecovery {
		return payment.ErrNotFound
	}
	others := slices.ContainsFunc(list, func(f auth.Factor) bool { return f.ID != id && f.Kind != identity.FactorRecovery })
	model := views.RemoveFactor{Factor: factorView(list[at]), Last: !others, Proof: proof}
	model.Layout = v.FormShell("Remove a second factor", views.PlaceProfile, status)
	return v.Render(status, views.RemoveFactorPage(model))
}

// removeFactor removes a second factor.
func removeFactor(v *Request) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	err = v.Config.Auth.RemoveFactor(v.Context(), v.proofOf(form), id)
	switch {
	case err == nil:
		return v.GoTo(FactorsPath, "Entry removed.")
	case errors.Is(err, auth.ErrNoSuch):
		return payment.ErrNotFound
	}
	problem, status := factorProblem(err)
	if status == 0 {
		return err
	}
	return v.renderRemoveFactor(status, problem)
}

func showRecoveryCodes(v *Request) error { return v.renderRecoveryCodes(http.StatusOK) }

func (v *Request) renderRecoveryCodes(status int, problems ...ui.Problem) error {
	_, proof, err := v.proof(problems)
	if err != nil {
		return err
	}
	if !proof.HasFactor {
		return v.GoTo(FactorsPath, "")
	}
	layout := v.FormShell("Recovery codes", views.PlaceProfile, status)
	return v.Render(status, views.RecoveryCodesPage(views.RecoveryCodes{Layout: layout, Proof: proof}))
}

// newRecoveryCodes makes recovery codes and shows them once.
func newRecoveryCodes(v *Request, form url.Values) error {
	codes, err := v.Config.Auth.NewRecoveryCodes(v.Context(), v.proofOf(form))
	if err == nil {
		return v.enrolled(codes)
	}
	problem, status := factorProblem(err)
	if status == 0 {
		return err
	}
	return v.renderRecoveryCodes(status, problem)
}

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
		problem.Text = "This code is wrong or was used before. Wait for the next code and enter it."
	case errors.Is(err, auth.ErrNoFactor):
		problem.Text = "You have no second factor. Set one up in your profile, then come back to this page."
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
