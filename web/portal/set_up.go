package portal

import (
	"errors"
	"net/http"
	"net/url"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/views"
	"countersign/views/ui"
)

// showSetUp asks for the code of a set-up link and a new password.
func showSetUp(v *Request) error {
	v.ChooseLanguage(v.Echo.QueryParam("language"))
	in := v.setUpInput()
	name, err := v.Config.Auth.SetUpAccount(v.Context(), in)
	problem, status := setUpProblem(err)
	if err != nil && status == 0 {
		return err
	}
	model := views.SetUp{UserName: name, Over: errors.Is(err, auth.ErrSetUpOver)}
	if problem.Text != "" {
		model.Problems = []ui.Problem{problem}
	}
	return v.renderSetUp(max(status, http.StatusOK), in, model)
}

func (v *Request) setUpInput() auth.SetUpInput {
	return auth.SetUpInput{Realm: v.Echo.Param("realm"), Link: v.Echo.Param("link"), SourceAddress: Address(v.Echo)}
}

func (v *Request) renderSetUp(status int, in auth.SetUpInput, model views.SetUp) error {
	model.Layout = v.layout("Choose your password", views.PlaceNone)
	model.Layout.Failed = len(model.Problems) > 0
	model.Realm, model.Action = in.Realm, identity.SetUpPath(in.Realm, in.Link)
	return v.Render(status, views.SetUpPage(model))
}

// setUp sets the password when link and code belong together.
func setUp(v *Request, form url.Values) error {
	in := v.setUpInput()
	in.Code, in.Password = form.Get("code"), form.Get("password")
	if in.Password != form.Get("repeated") {
		name, err := v.Config.Auth.SetUpAccount(v.Context(), in)
		if err != nil {
			return v.refuseSetUp(in, err)
		}
		problem := ui.Problem{Field: "repeated", Text: "Enter the same password twice."}
		return v.renderSetUp(http.StatusUnprocessableEntity, in, views.SetUp{UserName: name, Problems: []ui.Problem{problem}})
	}
	err := v.Config.Auth.SetUp(v.Context(), in)
	if err != nil {
		return v.refuseSetUp(in, err)
	}
	return v.Echo.Redirect(http.StatusSeeOther, "/set-up/done?"+url.Values{"realm": {in.Realm}}.Encode())
}

// refuseSetUp shows the page again with the problem of the password.
func (v *Request) refuseSetUp(in auth.SetUpInput, err error) error {
	problem, status := setUpProblem(err)
	if status == 0 {
		return err
	}
	model := views.SetUp{Over: errors.Is(err, auth.ErrSetUpOver)}
	if problem.Text != "" {
		model.Problems = []ui.Problem{problem}
	}
	if !model.Over {
		model.UserName, err = v.Config.Auth.SetUpAccount(v.Context(), in)
		model.Over = errors.Is(err, auth.ErrSetUpOver)
		_, known := setUpProblem(err)
		if err != nil && known == 0 {
			return err
		}
	}
	return v.renderSetUp(status, in, model)
}

// setUpProblem returns the problem of setting a password; status 0 is an error of ours.
func setUpProblem(err error) (ui.Problem, int) {
	if text, status := anySignInProblem(err); status != 0 {
		return ui.Problem{Field: "code", Text: text}, status
	}
	switch {
	case errors.Is(err, auth.ErrSetUpOver):
		return ui.Problem{}, http.StatusNotFound
	case errors.Is(err, auth.ErrSetUpCode):
		return ui.Problem{
			Field: "code", Text: "Check the code. It does not belong to this link. After five wrong codes, the link stops working.",
		}, http.StatusUnprocessableEntity
	case errors.Is(err, auth.ErrWeakPassword):
		return ui.Problem{Field: "password", Text: "Choose a password of 12 characters or more that is hard to guess. A few words are enough."},
			http.StatusUnprocessableEntity
	}
	return ui.Problem{}, 0
}

func showSetUpDone(v *Request) error {
	return v.Render(http.StatusOK, views.SetUpDonePage(views.SetUp{
		Layout: v.layout("Your password is set", views.PlaceNone), Realm: v.Echo.QueryParam("realm"),
	}))
}
