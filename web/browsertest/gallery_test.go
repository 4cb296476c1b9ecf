package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/i18n"
	"countersign/internal/testutil"
	screenspkg "countersign/tools/gallery/screens"
	"countersign/web"
)

// checkEverything asks the checker of accessibility for what breaks a rule and for what it could not decide.
const checkEverything = `async (rules) => {
  const result = await axe.run(document, { resultTypes: ["violations", "incomplete"], runOnly: rules });
  const told = (kind) => (v) => ({ rule: kind + v.id, help: v.help,
    places: v.nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary) });
  return JSON.stringify([...result.violations.map(told("")), ...result.incomplete.map(told("not decided: "))]);
}`

// screen is one exhibit as somebody sees it.
type screen struct {
	exhibit screenspkg.Exhibit
	spoken  i18n.Language
	width   int
	scheme  *playwright.ColorScheme
}

func (s screen) name() string {
	return fmt.Sprintf("%s in %s at %d px, %s", s.exhibit.Name, s.spoken, s.width, *s.scheme)
}

// screens are all exhibits, or those of a list of names with commas, at both widths, in both colour schemes and four languages. Without
// every, each exhibit comes once, and the sixteen ways to see one take turns.
func screens(every bool, of string) []screen {
	var all []screen
	for index, exhibit := range screenspkg.Exhibits() {
		if exhibit.Fragment || of != "" && !slices.Contains(strings.Split(of, ","), exhibit.Name) {
			continue
		}
		turn := 0
		for _, spoken := range i18n.Languages() {
			for _, width := range []int{360, 1440} {
				for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
					if every || turn == index*5%16 {
						all = append(all, screen{exhibit, spoken, width, scheme})
					}
					turn++
				}
			}
		}
	}
	return all
}

// TestEveryScreenIsAccessible has the checker of accessibility look at the screens of the gallery: nothing is broken, and nothing is left
// undecided. Nothing has to be scrolled sideways, lists can be read, and the browser has nothing to complain about, under the portal's
// content policy. make screens looks at all of them, or at those that OF names.
func TestEveryScreenIsAccessible(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	every := os.Getenv("COUNTERSIGN_EVERY_SCREEN") != ""
	address := showGallery(t)
	all := screens(every, os.Getenv("COUNTERSIGN_SCREENS_OF"))
	const eyes = 3
	for eye := range eyes {
		t.Run(fmt.Sprint(eye), func(t *testing.T) {
			t.Parallel()
			p := visitor(t, desktop)
			for index := eye; index < len(all); index += eyes {
				p.inspectScreen(address, all[index])
			}
		})
	}
	t.Logf("%d screens", len(all))
}

// showGallery serves the gallery as make gallery does.
func showGallery(t *testing.T) (address string) {
	t.Helper()
	pages := screenspkg.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.PagePolicy)
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// inspectScreen looks at one screen, in a window so tall that the decision, which stays in sight, lies over nothing.
func (p *person) inspectScreen(address string, s screen) {
	p.t.Helper()
	err := p.page.SetViewportSize(s.width, 2400)
	if err != nil {
		p.t.Fatal(err)
	}
	err = p.page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: s.scheme})
	if err != nil {
		p.t.Fatal(err)
	}
	if status := p.open(address + "/" + string(s.spoken) + "/" + s.exhibit.Name); status != http.StatusOK {
		p.t.Errorf("%s answers %d", s.name(), status)
		return
	}
	if wide := p.evaluate(overflow); wide != "" {
		p.t.Errorf("%s scrolls sideways: %v", s.name(), wide)
	}
	if wrong := p.evaluate(unreadable); wrong != "" {
		p.t.Errorf("%s: %v", s.name(), wrong)
	}
	p.evaluate(shared.axe)
	text, _ := p.evaluate(checkEverything, rules).(string)
	var found []violation
	err = json.Unmarshal([]byte(text), &found)
	if err != nil {
		p.t.Fatalf("%s: %v in %q", s.name(), err, text)
	}
	for _, v := range found {
		p.t.Errorf("%s: %s (%s)\n\t%s", s.name(), v.Rule, v.Help, strings.Join(v.Places, "\n\t"))
	}
}
