package portal

import (
	"errors"
	"net/http"

	"countersign/internal/auth"
	"countersign/views"
)

func showProfile(v *visit) error { return v.renderProfile(http.StatusOK, false) }

// saveProfile stores how the portal should look for this person.
func saveProfile(v *visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	wanted := auth.Preference{Theme: form.Get("theme"), Density: form.Get("density"), Shortcuts: form.Get("shortcuts") == "on"}
	err = v.Config.Auth.SavePreference(v.Context(), v.By, wanted)
	if errors.Is(err, auth.ErrInvalidPreference) {
		return v.renderProfile(http.StatusUnprocessableEntity, false)
	}
	if err != nil {
		return err
	}
	return v.GoTo("/me", "Settings saved.")
}

func (v *visit) renderProfile(status int, saved bool) error {
	shell := v.Shell("Profile", views.PlaceProfile)
	shell.Failed = status != http.StatusOK
	return v.Render(status, views.ProfilePage(views.Profile{Shell: shell, DisplayName: v.By.DisplayName, Saved: saved}))
}
