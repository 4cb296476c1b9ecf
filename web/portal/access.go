package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

// accessPath is the page of the access review.
const accessPath = "/reports/access"

// showAccess lists who may do what, for a supervisor to confirm.
func showAccess(v *Request) error {
	return v.renderAccess(http.StatusOK, "")
}

func (v *Request) renderAccess(status int, note string, problems ...ui.Problem) error {
	access, err := v.access()
	if err != nil {
		return err
	}
	earlier, err := v.Config.Reader.AccessReviews(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
	model := views.Access{
		Layout: v.FormShell("Access review", views.PlaceReports, status), Accounts: accessRows(access), Clients: clientRows(access),
		Seen: seenAccess(access), Note: note, Problems: problems,
	}
	for _, review := range earlier {
		model.Earlier = append(model.Earlier, ui.Step{
			Label: i18n.Text("%s, by %s").With(ui.DateTime(review.At), review.By), URL: accessPath + "/" + review.ID.String(),
		})
	}
	return v.Render(status, views.AccessPage(model))
}

// access lists all accounts and clients, or fails: a review of a part would confirm accounts that nobody saw.
func (v *Request) access() (store.RealmAccess, error) {
	access, err := v.Config.Reader.Access(v.Context(), v.By.Realm)
	if err == nil && max(len(access.Accounts), len(access.Clients)) > store.MaxAccess {
		return access, &request.Problem{
			Status: http.StatusRequestEntityTooLarge, Code: "413_TOO_LARGE",
			Text: "This institution has too many user accounts or clients for an access review. Ask an operator for help.",
		}
	}
	return access, err
}

// confirmAccess stores the review as it was shown.
func confirmAccess(v *Request, form url.Values) error {
	access, err := v.access()
	if err != nil {
		return err
	}
	note := strings.TrimSpace(form.Get("note"))
	if form.Get("seen") != seenAccess(access) {
		return v.renderAccess(http.StatusConflict, note, ui.Problem{
			Field: "note", Text: "A user account or role was changed after this page was loaded. Nothing was confirmed. Check the list again.",
		})
	}
	if finding := payment.CheckReason(note); note != "" && finding != nil {
		return v.renderAccess(http.StatusUnprocessableEntity, note, ui.Problem{Field: "note", Text: finding.Text})
	}
	err = v.Config.Desk.ReviewAccess(v.Context(), v.By, access, note, v.At)
	if err != nil {
		return err
	}
	return v.GoTo(accessPath, "The access review is confirmed and saved.")
}

// showAccessReview shows a stored review.
func showAccessReview(v *Request) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	review, err := v.Config.Reader.AccessReview(v.Context(), v.By.Realm, id)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.AccessPage(views.Access{
		Layout: v.layout("Access review", views.PlaceReports), Accounts: accessRows(review.RealmAccess), Clients: clientRows(review.RealmAccess),
		Note: review.Note, Kept: i18n.Text("Confirmed by %s on %s.").With(review.By, ui.DateTime(review.At)),
	}))
}

// seenAccess is the digest of the rights without the times of use, which change while they are read.
func seenAccess(access store.RealmAccess) string {
	still := store.RealmAccess{Accounts: slices.Clone(access.Accounts), Clients: slices.Clone(access.Clients)}
	for i := range still.Accounts {
		still.Accounts[i].SignedIn = nil
	}
	for i := range still.Clients {
		still.Clients[i].Used = nil
	}
	content, err := json.Marshal(still)
	if err != nil {
		return uuid.NewString() // confirms nothing
	}
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

func accessRows(access store.RealmAccess) []views.AccessRow {
	rows := make([]views.AccessRow, len(access.Accounts))
	for i, a := range access.Accounts {
		row := views.AccessRow{Name: a.Name, User: a.User, Status: accountStatus[a.Status], Factors: a.Factors, SignedIn: "never"}
		for _, role := range a.Roles {
			row.Roles = append(row.Roles, i18n.Text("%s since %s").With(roleNames([]identity.Role{role.Role})[0], ui.Day(role.Since)))
		}
		if a.SignedIn != nil {
			row.SignedIn = i18n.Data(ui.DateTime(*a.SignedIn))
		}
		rows[i] = row
	}
	return rows
}

// clientRows describes the clients of a review.
func clientRows(access store.RealmAccess) []views.AccessClient {
	rows := make([]views.AccessClient, len(access.Clients))
	for i, c := range access.Clients {
		rows[i] = views.AccessClient{
			Client: c.Client, Kind: FieldValue("kind", c.Kind), Since: i18n.Data(ui.Day(c.Since)), Status: accountStatus[c.Status],
			Approval: ownApproval(c.MayDecideOwn, c.Unapproved), Payees: payees(c.PayeeWaived), Used: "no valid token",
		}
		if len(c.Roles) > 0 {
			rows[i].Roles = RoleWords(c.Roles)
		}
		if c.Used != nil {
			rows[i].Used = i18n.Data(ui.DateTime(*c.Used))
		}
		if c.Kind == administration.ClientPortal {
			rows[i].Used = "by people who sign in to the portal"
		}
	}
	return rows
}

// accountStatus are the words for the states of accounts.
var accountStatus = map[string]i18n.Text{"active": "active", "unverified": "not set up", "suppressed": "suppressed"}
