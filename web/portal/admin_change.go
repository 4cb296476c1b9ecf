package portal

import (
	"slices"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
)

// realmDesk describes the pages on which administrators decide changes.
func (v *Request) realmDesk() ChangeDesk {
	return ChangeDesk{
		ListURL: "/admin", URL: "/admin/changes/", Place: views.PlaceAdministration,
		Heading: func(c administration.Change) i18n.Text { return ChangeHeading(c.Kind, c.Subject) },
		List: func(f store.ChangeFilter) ([]administration.Change, error) {
			return v.Config.Admin.Changes(v.Context(), v.By, f)
		},
		Read: func(id uuid.UUID) (administration.Change, error) { return v.Config.Admin.Change(v.Context(), v.By, id) },
		Decide: func(id uuid.UUID, approve bool, reason string) (Decided, error) {
			decided, err := v.Config.Admin.Decide(v.Context(), v.By, service.DecideInput{ChangeID: id, Approve: approve, Reason: reason})
			return Decided{Change: decided.Change, Secrets: v.secrets(decided)}, err
		},
		Cells: func(c administration.Change, cells []i18n.Text) []i18n.Text {
			return slices.Insert(cells, 1, i18n.Join("; ", effects(c)...))
		},
	}
}

// secrets returns the secrets that the page of an approval shows once.
func (v *Request) secrets(decided service.Decided) []views.ChangeSecret {
	var shown []views.ChangeSecret
	if decided.SetUpPath != "" {
		shown = append(shown, views.ChangeSecret{
			Label: "The set-up link (shown only once)", Value: v.Origin() + decided.SetUpPath,
			Words: i18n.Text("Give the link to %s. %s has the code. The user must use the link and the code within 24 hours.").
				With(decided.Change.Subject, decided.Change.Requester.Name),
		})
	}
	if decided.ClientSecret != "" {
		shown = append(shown, views.ChangeSecret{
			Label: "The secret (shown only once)", Value: decided.ClientSecret,
			Words: "Store the secret where the client can read it. The gateway keeps only a hash of the secret.",
		})
	}
	if decided.WebhookSecret != "" {
		shown = append(shown, views.ChangeSecret{
			Label: "The secret (shown only once)", Value: decided.WebhookSecret,
			Words: "Store the secret in the system that receives the events, so that it can check their signatures. The gateway stores the " +
				"secret encrypted and never shows it again.",
		})
	}
	return shown
}

// showAdminChanges lists the waiting changes, and with ?tab=all the decided ones too.
func showAdminChanges(v *Request) error {
	model := v.administrationList(adminList{
		path: "/admin", label: "Changes", columns: []i18n.Text{"Change (a change)", "Effect", "Requested by", "When", "State"},
		words: "One administrator requests each change, and another approves or rejects it. You cannot decide on a change that you " +
			"requested or that is about you.",
	})
	model.Empty.Text = "No changes are waiting for a decision."
	return v.ShowChanges(v.realmDesk(), model)
}
