package views

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Product is the name shown in titles and in the navigation.
const Product = "Countersign"

// Theme is the colour scheme a person has chosen.
type Theme string

// The themes. Auto follows the system's setting.
const (
	ThemeAuto  Theme = "auto"
	ThemeLight Theme = "light"
	ThemeDark  Theme = "dark"
)

// Density is the height of rows a person has chosen.
type Density string

// The densities: rows of 32, 36 and 44 pixels.
const (
	DensityCompact     Density = "compact"
	DensityDefault     Density = "default"
	DensityComfortable Density = "comfortable"
)

// Place is the entry of the navigation a page belongs to.
type Place string

// The entries of the navigation.
const (
	PlaceNone       Place = ""
	PlaceDashboard  Place = "dashboard"
	PlaceQueue      Place = "queue"
	PlaceNew        Place = "new"
	PlaceMine       Place = "mine"
	PlacePayments   Place = "payments"
	PlaceIncoming   Place = "incoming"
	PlaceRecalls    Place = "recalls"
	PlaceQuarantine Place = "quarantine"
	PlaceOperation  Place = "operation"
	PlaceAudit      Place = "audit"
	PlaceReports    Place = "reports"
	PlaceSimulator  Place = "simulator"
	PlaceProfile    Place = "profile"
	PlaceHelp       Place = "help"

	PlaceAdministration Place = "administration"
	PlaceBeneficiaries  Place = "beneficiaries"
	PlaceTemplates      Place = "templates"
	PlaceUpload         Place = "upload"
	PlaceBill           Place = "qr-bill"
)

// Person is the signed-in user as the layout shows them. The May fields decide which entries of the navigation appear, nothing else: the
// server checks each request again.
type Person struct {
	UserName  string
	Realm     string
	Roles     []i18n.Text // "Maker", "Checker", "Supervisor", "Administrator"
	MaySubmit bool
	MayDecide bool
	MayRead   bool
	// MayOperate shows the quarantine and the operation of the gateway.
	MayOperate bool
	// MayAdminister shows the administration of the realm.
	MayAdminister bool
	// MayAudit shows the audit trail of the realm.
	MayAudit bool
	// MayReport shows the reports of control.
	MayReport bool
}

// Layout is the layout around the content of every page.
type Layout struct {
	Title       i18n.Text // of the page, without the product's name
	Failed      bool      // the page answers a refused form: the title says "Error: "
	Environment string    // "DEMO", "TEST" or "PROD"; no badge for PROD
	House       House
	Person      Person
	Place       Place
	QueueCount  int       // messages waiting for this person
	Status      i18n.Text // one sentence on what just happened; announced and shown
	Theme       Theme
	Density     Density
	Shortcuts   bool          // single-key shortcuts are on
	EventsURL   string        // stream of live counts; none when empty
	Here        string        // the address of this page, to come back to
	Now         time.Time     // the moment the page was made, for ages
	Simulator   bool          // the demo's clearing simulator has a page
	Idle        time.Duration // after which a session that nobody uses ends
	Life        time.Duration // after which the session ends in any case
	ChangeCount int           // changes of administration, or of beneficiaries, that wait for this person
	// BrokenGlasses are shown on every page of an administrator.
	BrokenGlasses []BrokenGlass
}

// House is the institution whose people use the portal.
type House struct {
	Name string // "" shows the product's name alone
	Logo string // a data address of its picture; "" for none
}

// BrokenGlass is an action of the operator in a realm with two administrators: an account became an administrator's, or got another
// password.
type BrokenGlass struct {
	User     string
	Password bool
	Reason   string
	At       time.Time
}

// heading names the action.
func (g BrokenGlass) heading() i18n.Text {
	if g.Password {
		return i18n.Text("The operator gave %s a new password without your approval").With(g.User)
	}
	return i18n.Text("The operator made %s an administrator without your approval").With(g.User)
}

// maxTitle limits the characters of a title: windows, tabs and the history of browsers cut longer ones, and with them the product's name.
const maxTitle = 70

// title returns the text of the title element. The title of the page is shortened first, because the page shows it in full.
func (s Layout) title(ctx context.Context) string {
	about, product := say(ctx, s.Title), " – "+Product
	if s.Failed {
		about = say(ctx, "Error:") + " " + about
	}
	if s.Environment != "" && s.Environment != "PROD" {
		product += " " + s.Environment
	}
	return shortened(about, maxTitle-utf8.RuneCountInString(product)) + product
}

// shortened cuts a text to at most most characters, after a word and with an ellipsis.
func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	kept := string([]rune(text)[:most-1])
	if end := strings.LastIndexByte(kept, ' '); end > 0 {
		kept = kept[:end]
	}
	return strings.TrimRight(kept, " ,:;–") + "…"
}

// seconds formats a duration for scripts.
func seconds(span time.Duration) string { return strconv.Itoa(int(span / time.Second)) }

// favicon names the icon: tabs of a test system must not look like production.
func (s Layout) favicon() string {
	switch s.Environment {
	case "DEMO":
		return "favicon-demo.svg"
	case "TEST":
		return "favicon-test.svg"
	default:
		return "favicon.svg"
	}
}

func (s Layout) shortcuts() string {
	if s.Shortcuts {
		return "on"
	}
	return "off"
}

// theme is the attribute of the root; auto leaves the choice to the browser.
func (s Layout) theme() string {
	if s.Theme == ThemeLight || s.Theme == ThemeDark {
		return string(s.Theme)
	}
	return string(ThemeAuto)
}

// densityChoice is a row height, drawn as the lines of a list.
type densityChoice struct {
	value Density
	label i18n.Text
	lines string // path of the picture
}

var densityChoices = []densityChoice{
	{DensityCompact, "Compact row spacing", "M2 3h12M2 6.3h12M2 9.7h12M2 13h12"},
	{DensityDefault, "Normal row spacing", "M2 3.5h12M2 8h12M2 12.5h12"},
	{DensityComfortable, "Comfortable row spacing", "M2 4.5h12M2 11.5h12"},
}

func (d densityChoice) pressed(layout Layout) string {
	return strconv.FormatBool(layout.density() == string(d.value))
}

func (s Layout) density() string { return string(cmp.Or(s.Density, DensityDefault)) }

// navigationEntry is one link of the navigation.
type navigationEntry struct {
	place Place
	url   string
	icon  string
	label i18n.Text
	short i18n.Text // on narrow screens
	shown bool      // this person has a use for it
}

// navigation lists the entries this person has a use for.
func (s Layout) navigation() []navigationEntry {
	may := s.Person
	return slices.DeleteFunc([]navigationEntry{
		{PlaceDashboard, "/", "layout-dashboard", "Dashboard", "Home", may.MayRead || may.MaySubmit || may.MayAdminister},
		{PlaceQueue, "/queue", "inbox", "Approval queue", "Queue", may.MayDecide || may.MayRead},
		{PlaceNew, "/payments/new", "plus", "New payment", "New", may.MaySubmit},
		{PlaceMine, "/mine", "file-text", "My submissions", "Mine", may.MaySubmit},
		{PlaceTemplates, "/templates", "copy", "Templates", "Templates", may.MaySubmit},
		{PlaceUpload, "/payments/upload", "upload", "Upload a file", "Upload a file", may.MaySubmit},
		{PlaceBill, "/payments/qr-bill", "download", "QR-bill", "QR-bill", may.MaySubmit},
		{PlaceBeneficiaries, "/beneficiaries", "book-open", "Beneficiaries", "Creditors", may.MaySubmit || may.MayDecide},
		{PlacePayments, "/payments", "arrow-up-right", "Payments", "Payments", may.MayRead},
		{PlaceIncoming, "/incoming", "arrow-down-left", "Incoming payments", "Incoming", may.MayRead},
		{PlaceRecalls, "/recalls", "undo-2", "Received recalls", "Recalls", may.MayRead},
		{PlaceQuarantine, "/quarantine", "triangle-alert", "Quarantine", "Quarantine", may.MayOperate},
		{PlaceOperation, "/operation", "info", "Operation", "Operation", may.MayOperate},
		{PlaceAdministration, "/admin", "user", "Administration", "Admin", may.MayAdminister},
		{PlaceAudit, "/audit", "clock", "Audit trail", "Audit", may.MayAudit},
		{PlaceReports, "/reports", "list", "Control reports", "Reports", may.MayReport},
		{PlaceSimulator, "/simulator", "send", "Simulator", "Simulator", s.Simulator && may.MayRead},
	}, func(e navigationEntry) bool { return !e.shown })
}

// barPlaces limits the places in the bar at the bottom of a narrow screen; with more places the last one opens the others.
const barPlaces = 5

// isFurther reports whether a place of the navigation is behind "More" on narrow screens.
func (s Layout) isFurther(index int) bool {
	return len(s.navigation()) > barPlaces && index >= barPlaces-1
}

// Steps lists the places of the navigation by their labels: pages to go to, and pages that add something.
func (s Layout) Steps() (goTo, add []ui.Step) {
	for _, entry := range s.navigation() {
		step := ui.Step{Label: entry.label, URL: entry.url}
		if slices.Contains([]Place{PlaceNew, PlaceUpload, PlaceBill}, entry.place) {
			add = append(add, step)
		} else {
			goTo = append(goTo, step)
		}
	}
	if s.Person.MaySubmit {
		add = append(add, ui.Step{Label: "New beneficiary", URL: "/beneficiaries/new"})
	}
	return append(goTo, ui.Step{Label: "Help", URL: "/help"}, ui.Step{Label: "Profile", URL: "/me"}), add
}

// beginsGroup reports whether a group of the navigation begins with a place: the records, and the controls.
func (s Layout) beginsGroup(place Place) bool {
	control := PlaceAudit
	switch {
	case s.Person.MayOperate:
		control = PlaceQuarantine
	case s.Person.MayAdminister:
		control = PlaceAdministration
	}
	return place == PlacePayments && (s.Person.MaySubmit || s.Person.MayDecide) || place == control
}

// further are the places behind "More".
func (s Layout) further() []navigationEntry {
	if all := s.navigation(); len(all) > barPlaces {
		return all[barPlaces-1:]
	}
	return nil
}

// among reports whether the open page is one of the places.
func (s Layout) among(places []navigationEntry) bool {
	return slices.ContainsFunc(places, func(entry navigationEntry) bool { return entry.place == s.Place })
}

func (s Layout) roles(ctx context.Context) string {
	return say(ctx, i18n.Join(", ", s.Person.Roles...))
}

// countsChanges reports whether an entry shows the number of waiting changes: those of administration, or of beneficiaries.
func (s Layout) countsChanges(place Place) bool {
	return s.ChangeCount > 0 && (place == PlaceAdministration || place == PlaceBeneficiaries)
}

func (s Layout) queueCount() string { return CountOfWaiting(s.QueueCount) }

func (s Layout) changeCount() string { return CountOfWaiting(s.ChangeCount) }

// htmxConfiguration disables the features that a strict content policy forbids and those that would leave payment data in the browser, and
// lets answers 409 and 422 be shown in place.
const htmxConfiguration = `{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"historyCacheSize":0,` +
	`"defaultSettleDelay":0,"attributesToSettle":["class","width","height"],"refreshOnHistoryMiss":true,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"401","swap":false},` +
	`{"code":"409|422","swap":true,"error":false},{"code":"[45]..","swap":false,"error":true}]}`

// shortcut is one line of the help sheet.
type shortcut struct {
	keys []string
	does i18n.Text
}

// shortcuts are the lines of the help sheet, in its order: the keys that static/app/key.js answers to, outside text fields but for
// Ctrl+Enter, and for Esc in the form to reject.
var shortcuts = []shortcut{
	{[]string{"j"}, "Next row"},
	{[]string{"k"}, "Previous row"},
	{[]string{"o"}, "Open the current row"},
	{[]string{"x"}, "Select the current row"},
	{[]string{"X"}, "Select all rows up to the current row"},
	{[]string{"a", "A"}, "Go to the approval page for the current or selected rows"},
	{[]string{"r"}, "Reject and give a reason"},
	{[]string{"/"}, "Search the list"},
	{[]string{"g", "q"}, "Approval queue"},
	{[]string{"g", "h"}, "Dashboard"},
	{[]string{"g", "n"}, "New payment"},
	{[]string{"g", "m"}, "My submissions"},
	{[]string{"g", "p"}, "Payments"},
	{[]string{"Ctrl", "Enter"}, "Submit the form you are filling in"},
	{[]string{"Esc"}, "Go back to the current row"},
	{[]string{"?"}, "Show this list of shortcuts"},
}

// shortcutsOf leaves out shortcuts to pages that this person cannot use.
func (s Layout) shortcutsOf() []shortcut {
	reach := map[string]bool{}
	for _, entry := range s.navigation() {
		reach[entry.url] = true
	}
	leads := map[string]string{"q": "/queue", "h": "/", "n": "/payments/new", "m": "/mine", "p": "/payments"}
	var useful []shortcut
	for _, one := range shortcuts {
		if len(one.keys) == 2 && one.keys[0] == "g" && !reach[leads[one.keys[1]]] {
			continue
		}
		useful = append(useful, one)
	}
	return useful
}
