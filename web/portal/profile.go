package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

func showProfile(v *Request) error { return v.renderProfile(http.StatusOK) }

// notOffered is the problem of a form with a value that it does not offer.
var notOffered = ui.Problem{Text: "Nothing was saved. Choose one of the options in the form."}

// saveProfile stores how the portal should look for this person.
func saveProfile(v *Request, form url.Values) error {
	wanted := auth.Preference{
		Theme: form.Get("theme"), Density: form.Get("density"), Shortcuts: form.Get("shortcuts") == "on",
		Language: form.Get("language"),
	}
	err := v.Config.Auth.SavePreference(v.Context(), v.By, wanted)
	if errors.Is(err, auth.ErrInvalidPreference) {
		return v.renderProfile(http.StatusUnprocessableEntity, notOffered)
	}
	if err != nil {
		return err
	}
	v.KeepLanguage(wanted.Language)
	return v.GoTo("/me", "Settings saved.")
}

// The fields of the form: how notices of a kind are sent, and after which wait.
const noticeField, noticeWaitField = "notice-", "notice-wait"

// noticeChoices are the questions of the form.
func noticeChoices(settings []service.NoticeSetting) []ui.Choice {
	var list []ui.Choice
	for _, s := range settings {
		choice := ui.Choice{ID: noticeField + s.Kind, Label: s.Label, Value: s.Delivery}
		for _, delivery := range service.NoticeDeliveries() {
			choice.Options = append(choice.Options, ui.Option{Value: delivery, Label: deliveryWords[delivery]})
		}
		list = append(list, choice)
		if s.Minutes == 0 {
			continue
		}
		wait := ui.Choice{ID: noticeWaitField, Label: "Notify me of payments waiting longer than", Value: strconv.Itoa(s.Minutes)}
		for _, minutes := range service.NoticeWaits() {
			wait.Options = append(wait.Options, ui.Option{Value: strconv.Itoa(minutes), Label: i18n.Text("%d min").With(minutes)})
		}
		list = append(list, wait)
	}
	return list
}

var deliveryWords = map[string]i18n.Text{
	service.NoticeAtOnce: "Immediately, one e-mail each", service.NoticeHourly: "At most one e-mail per hour",
	service.NoticeDaily: "At most one e-mail per day",
	service.NoticeNone:  "No e-mail",
}

// saveNotices stores which notices the person gets, and when.
func saveNotices(v *Request, form url.Values) error {
	settings, _, err := v.Config.Notices.Settings(v.Context(), v.By)
	if err != nil {
		return err
	}
	if len(settings) == 0 {
		return v.renderProfile(http.StatusUnprocessableEntity, notOffered)
	}
	var wanted []store.NoticeChoice
	for _, s := range settings {
		choice := store.NoticeChoice{Kind: s.Kind, Delivery: form.Get(noticeField + s.Kind)}
		if s.Minutes != 0 {
			minutes, err := strconv.Atoi(form.Get(noticeWaitField))
			if err != nil || minutes == 0 {
				minutes = -1 // no wait, which Choose refuses
			}
			choice.Minutes = minutes
		}
		wanted = append(wanted, choice)
	}
	err = v.Config.Notices.Choose(v.Context(), v.By, wanted)
	if errors.Is(err, service.ErrNoticeChoice) {
		return v.renderProfile(http.StatusUnprocessableEntity, notOffered)
	}
	if err != nil {
		return err
	}
	return v.GoTo("/me", "Settings saved.")
}

// saveDensity stores the row height that this person chose, and returns to the list.
func saveDensity(v *Request, form url.Values) error {
	wanted, err := v.Config.Auth.Preference(v.Context(), v.By)
	if err != nil {
		return err
	}
	wanted.Density = form.Get("density")
	err = v.Config.Auth.SavePreference(v.Context(), v.By, wanted)
	if errors.Is(err, auth.ErrInvalidPreference) {
		return v.renderProfile(http.StatusUnprocessableEntity, notOffered)
	}
	if err != nil {
		return err
	}
	return v.GoTo(LocalPath(form.Get("next")), "")
}

// changePassword gives the person's account a new password. It ends all sessions, this one included.
func changePassword(v *Request, form url.Values) error {
	if form.Get("new") != form.Get("repeated") {
		return v.renderProfile(http.StatusUnprocessableEntity, ui.Problem{Field: "repeated", Text: "Enter the same password twice."})
	}
	err := v.Config.Auth.ChangePassword(v.Context(), auth.ChangePasswordInput{By: v.By, Old: form.Get("old"), New: form.Get("new")})
	if errors.Is(err, auth.ErrWeakPassword) {
		return v.renderProfile(http.StatusUnprocessableEntity, ui.Problem{
			Field: "new", Text: "Choose a password of 12 characters or more that is hard to guess and different from the old one. A few words " +
				"are enough.",
		})
	}
	if err != nil {
		problem, status := passwordProblem("old", err)
		if status == 0 {
			return err
		}
		return v.renderProfile(status, problem)
	}
	return v.signInAnew()
}

// endSessions ends all sessions and tokens of the person's account.
func endSessions(v *Request) error {
	err := v.Config.Auth.EndSessions(v.Context(), v.By)
	if err != nil {
		return err
	}
	return v.signInAnew()
}

// endSession ends another session of the person.
func endSession(v *Request) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	err = v.Config.Sessions.EndOne(v.Context(), v.By, id, v.At)
	if err != nil {
		return err
	}
	return v.GoTo("/me", "The other session has ended.")
}

func (v *Request) signInAnew() error {
	err := v.EndSession()
	if err != nil {
		return err
	}
	return v.Echo.Redirect(http.StatusSeeOther, "/signin?ended=yes&next=/me")
}

func (v *Request) renderProfile(status int, problems ...ui.Problem) error {
	list, err := v.Config.Auth.Factors(v.Context(), v.By)
	if err != nil {
		return err
	}
	layout := v.FormShell("Profile", views.PlaceProfile, status)
	model := views.Profile{Layout: layout, DisplayName: v.By.DisplayName, Language: v.preference.Language, Problems: problems}
	for _, f := range list {
		if f.Kind != identity.FactorRecovery {
			model.FactorCount++
		}
	}
	settings, address, err := v.Config.Notices.Settings(v.Context(), v.By)
	if err != nil {
		return err
	}
	model.Address, model.Notices, model.Silent = address, noticeChoices(settings), v.Config.Notices.Silent(v.By)
	sessions, err := v.Sessions()
	if err != nil {
		return err
	}
	for _, s := range sessions {
		model.Sessions = append(model.Sessions, views.Session{
			ID: s.ID.String(), Device: DeviceName(s.Device), Address: s.Address, StartedAt: s.StartedAt,
			LastUsedAt: s.LastUsedAt, Current: s.Current,
		})
	}
	return v.Render(status, views.ProfilePage(model))
}
