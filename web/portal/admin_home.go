package portal

import (
	"slices"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// The parts of the list of accounts that an administrator's first page counts, by their value in the address.
const (
	showNoFactor = "no-factor"
	filterSetUp  = "set-up"
)

// shows maps each part of the list of accounts to its title and condition.
var shows = map[string]struct {
	words i18n.Text
	holds func(administration.User) bool
}{
	showNoFactor: {"Users who can sign in but have no second factor.", func(u administration.User) bool {
		return u.Status == administration.StatusActive && !u.HasFactor
	}},
	filterSetUp: {"Users who have not yet set a password with their link and code.", func(u administration.User) bool {
		return u.Status != administration.StatusSuppressed && u.ToBeSetUp
	}},
}

// Home returns the first page of an administrator: tiles, and the changes that have waited longest for this person, at most most.
func Home(v *Request, most int32) (home views.Dashboard, err error) {
	users, err := subjectsOf[administration.User](v, "user")
	if err != nil {
		return home, err
	}
	counts := map[string]int{}
	for _, u := range users {
		for name, part := range shows {
			if part.holds(u) {
				counts[name]++
			}
		}
	}
	asked, err := v.Config.Admin.Changes(v.Context(), v.By, store.ChangeFilter{
		State: administration.StatePending, Requester: v.By.PersonID, PageSize: views.MaxWaiting,
	})
	if err != nil {
		return home, err
	}
	realms, err := subjectsOf[administration.Factors](v, "realm")
	if err != nil {
		return home, err
	}
	var wanted ui.Tone // a missing factor is work only where the realm requires one
	if slices.ContainsFunc(realms, func(r administration.Factors) bool { return len(r.Roles) > 0 }) {
		wanted = ui.ToneWaiting
	}
	home.Tiles = []views.Tile{
		tile("Changes waiting for me", v.Changes, "to approve or reject", "/admin?tab="+ChangesForMe, ui.ToneWaiting),
		tile("Changes I requested", len(asked), "waiting for another administrator", "/admin?tab="+ChangesOfMine, ""),
		tile("Users without a second factor", counts[showNoFactor], "active user accounts", "/admin/users?show="+showNoFactor, wanted),
		tile("Users without a password", counts[filterSetUp], "no password yet, or password reset",
			"/admin/users?show="+filterSetUp, ui.ToneWaiting),
	}
	v.addLost(&home)
	lines := views.Lines{
		Heading: "Changes that have waited longest for my decision", Nothing: "No changes are waiting for you",
		More: ui.Step{Label: "All changes waiting for a decision", URL: "/admin"},
	}
	list, err := v.Config.Admin.Changes(v.Context(), v.By, store.ChangeFilter{
		State: administration.StatePending, DecidableBy: v.By.PersonID, OldestFirst: true, PageSize: most,
	})
	for _, c := range list {
		lines.Rows = append(lines.Rows, ui.Entry{
			ID: c.ID.String(), URL: "/admin/changes/" + c.ID.String(), Name: ChangeHeading(c.Kind, c.Subject), Reference: subjectName(c.Subject),
			Note: i18n.Join("; ", append(effects(c), i18n.Text("requested by %s").With(c.Requester.Name))...), At: c.RequestedAt,
		})
	}
	home.Lists = append(home.Lists, lines)
	return home, err
}

// addLost adds to the first page of an administrator that the payments of the realm are stopped, and the known payments that lost rows.
func (v *Request) addLost(home *views.Dashboard) {
	if v.Config.Sealing == nil {
		return
	}
	standing := v.Config.Sealing()
	if !slices.Contains(standing.Lost, v.By.Realm) {
		return
	}
	reconciled := link(administration.KindRealmReconciled, "").URL
	home.Tiles = append([]views.Tile{tile("Payments stopped", 1, "saved data is missing from the "+
		"database", reconciled, ui.ToneBad)}, home.Tiles...)
	lost := views.Lines{
		Heading: "Known payments with missing data", Nothing: "This gateway has found no payments with missing data. Check the clearing " +
			"statement for payments that were lost completely.",
	}
	for _, id := range standing.Missing[v.By.Realm] {
		lost.Rows = append(lost.Rows, ui.Entry{ID: id, URL: "/payments/" + id, Name: i18n.Data(id)})
	}
	home.Lists = []views.Lines{lost}
}

func tile(label i18n.Text, count int, note i18n.Text, url string, tone ui.Tone) views.Tile {
	shown := views.Tile{Label: label, Value: i18n.Data(views.CountOfWaiting(count)), Note: note, URL: url}
	if count > 0 {
		shown.Tone = tone
	}
	return shown
}
