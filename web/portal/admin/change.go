package admin

import (
	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/internal/service"
	adminpkg "countersign/internal/store/admin"
	"countersign/views"
	"countersign/web/portal/page"
)

// desk describes the changes that administrators decide.
func (v *visit) desk() page.ChangeDesk {
	return page.ChangeDesk{
		ListURL: "/admin", URL: "/admin/changes/", Place: views.PlaceAdministration,
		Heading: func(c administration.Change) language.Text { return page.ChangeHeading(c.Kind, c.Subject) },
		List: func(f adminpkg.Filter) ([]administration.Change, error) {
			return v.station.Changes(v.Context(), v.By, f)
		},
		Read: func(id uuid.UUID) (administration.Change, error) { return v.station.Change(v.Context(), v.By, id) },
		Decide: func(id uuid.UUID, approve bool, reason string) (page.Decided, error) {
			decided, err := v.station.Decide(v.Context(), v.By, service.DecideInput{ChangeID: id, Approve: approve, Reason: reason})
			return page.Decided{Change: decided.Change, Secrets: v.secrets(decided)}, err
		},
		Tried: v.triedBefore,
		Cells: func(_ administration.Change, cells []language.Text) []language.Text { return cells },
	}
}

// secrets returns the secrets that the page of an approval shows once.
func (v *visit) secrets(decided service.Decided) []views.ChangeSecret {
	var shown []views.ChangeSecret
	if decided.SetUpPath != "" {
		shown = append(shown, views.ChangeSecret{
			Label: "The link, shown this once", Value: v.Origin() + decided.SetUpPath,
			Words: language.Text("Give it to %s. %s has the code. Both are needed, within 24 hours.").
				With(decided.Change.Subject, decided.Change.Requester.Name),
		})
	}
	if decided.ClientSecret != "" {
		shown = append(shown, views.ChangeSecret{
			Label: "The secret, shown this once", Value: decided.ClientSecret,
			Words: "Put it where the client reads it. Only its digest is kept here.",
		})
	}
	return shown
}

// showChanges lists the changes that wait, and with ?tab=all those that were decided too.
func showChanges(v *visit) error {
	model := v.list("/admin", "Changes",
		"What one administrator asked for and another decides. Nobody decides what they asked for, nor what is about them.")
	model.Empty.Text = "No change waits for a decision."
	model.Columns = []language.Text{"Change", "Asked for by", "When", "State"}
	return v.ShowChanges(v.desk(), model)
}

func showChange(v *visit) error { return v.ShowChange(v.desk()) }

func approve(v *visit) error { return v.DecideChange(v.desk(), true) }

func reject(v *visit) error { return v.DecideChange(v.desk(), false) }
