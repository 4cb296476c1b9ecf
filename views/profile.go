package views

import (
	"context"
	"time"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Profile is a person's own page. POST /me sends language, theme, density and shortcuts (on or off); /me/password sends old, new and
// repeated; /me/notices the notices; /me/sessions/end ends everything the account is signed in with.
type Profile struct {
	Layout      Layout
	DisplayName string
	Problems    []ui.Problem // of a new password
	Language    string       // as chosen; "" is as the browser asks
	FactorCount int          // second factors, recovery codes not counted
	Sessions    []Session
	Notices     []ui.Choice // how notices are sent; none where none are
	Silent      bool        // none are sent, because no SMTP server is set
	Address     string      // they go to; "" for none
}

func (m Profile) factors() i18n.Text {
	switch m.FactorCount {
	case 0:
		return "You have no second factor. You sign in with your password only."
	case 1:
		return "You have one second factor. You need it to sign in, and for payments that require a second factor."
	}
	return i18n.Text("You have %d second factors. You need one of them when you sign in, and when a payment requires a second factor.").
		With(m.FactorCount)
}

func (m Profile) password(id string, label i18n.Text, autocomplete string) ui.Field {
	return ui.Field{ID: id, Label: label, Kind: "password", Autocomplete: autocomplete, Problem: ui.ProblemOf(m.Problems, id)}
}

func (m Profile) facts(ctx context.Context) []ui.Row {
	rows := []ui.Row{{Term: "User name", Value: m.Layout.Person.UserName}}
	rows = appendRow(rows, ui.Row{Term: "Name", Value: m.DisplayName})
	return append(rows,
		ui.Row{Term: "Realm", Value: m.Layout.Person.Realm},
		ui.Row{Term: "Roles", Value: m.Layout.roles(ctx)})
}

func (m Profile) shortcuts() ui.Choice {
	return ui.Choice{ID: "shortcuts", Label: "Single-key shortcuts", Value: m.Layout.shortcuts(), Options: []ui.Option{
		{Value: "on", Label: "On", Hint: "Use j, k, o, x, a, r, g, / and ? as shortcuts outside text fields"}, {Value: "off", Label: "Off"},
	}}
}

func (m Profile) themes() ui.Choice {
	return ui.Choice{ID: "theme", Label: "Colours", Value: m.Layout.theme(), Options: []ui.Option{
		{
			Value: string(ThemeAuto), Label: "Same as your device",
		},
		{Value: string(ThemeLight), Label: "Light"},
		{Value: string(ThemeDark), Label: "Dark"},
	}}
}

// languages returns the choice of the portal's languages, each under its own name.
func (m Profile) languages() ui.Choice {
	choice := ui.Choice{ID: "language", Label: "Language", Value: m.Language, Options: []ui.Option{{Label: "Same as your browser"}}}
	for _, offered := range i18n.Languages() {
		choice.Options = append(choice.Options, ui.Option{Value: string(offered), Label: i18n.Data(offered.Name())})
	}
	return choice
}

func (m Profile) densities() ui.Choice {
	return ui.Choice{ID: "density", Label: "Row height", Value: m.Layout.density(), Options: []ui.Option{
		{Value: string(DensityCompact), Label: "Compact"},
		{Value: string(DensityDefault), Label: "Default"},
		{Value: string(DensityComfortable), Label: "Comfortable"},
	}}
}

// Session is a session of the person. POST /me/sessions/{id}/end ends it.
type Session struct {
	ID         string
	Device     i18n.Text
	Address    string
	StartedAt  time.Time
	LastUsedAt time.Time
	Current    bool
}
