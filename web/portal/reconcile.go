package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showReconcile asks for a statement of clearing.
func showReconcile(v *Request) error {
	return v.renderReconcile(http.StatusOK, views.Reconcile{})
}

func (v *Request) renderReconcile(status int, model views.Reconcile) error {
	model.Layout = v.FormShell("Compare with clearing", views.PlaceOperation, status)
	model.Limit = sizeOf(orderform.MaxFile)
	model.Schemes.ID, model.Schemes.Label = "scheme", "Scheme"
	for _, scheme := range rulebook.Schemes() {
		model.Schemes.Options = append(model.Schemes.Options, ui.Option{Value: string(scheme), Label: i18n.Data(ui.SchemeLabel(scheme))})
	}
	stored, err := v.Config.Reader.Quarantine(v.Context(), quarantineLimit)
	if err != nil {
		return err
	}
	for _, d := range stored {
		if strings.HasPrefix(string(d.Name), "camt.053") || strings.HasPrefix(string(d.Name), "camt.052") {
			model.Stored = append(model.Stored, views.StoredStatement{Scheme: d.Scheme, Reference: d.Reference, Type: string(d.Name), At: d.At})
		}
	}
	return v.Render(status, views.ReconcilePage(model))
}

// statement reads the statement that the form sends, or names among the stored ones, and its scheme.
func (v *Request) statement() (rulebook.Scheme, []byte, error) {
	if strings.HasPrefix(v.Echo.Request().Header.Get("Content-Type"), "multipart/") {
		content, _, err := v.uploaded(orderform.MaxFile)
		return SchemeOf(v.Echo.FormValue("scheme")), content, err
	}
	form, err := v.Form()
	if err != nil {
		return "", nil, err
	}
	d, err := v.Config.Reader.QuarantinedDocument(v.Context(), SchemeOf(form.Get("scheme")), Searchable(form.Get("reference")))
	return d.Scheme, d.Content, err
}

// compareStatement shows the differences between a statement and the payments here.
func compareStatement(v *Request) error {
	scheme, content, err := v.statement()
	var done service.Reconciliation
	if err == nil {
		done, err = v.Config.Admin.Reconcile(v.Context(), v.By, scheme, content)
	}
	model := views.Reconcile{Schemes: ui.Choice{Value: string(scheme)}, Problem: ui.Problem{Field: "file"}}
	var amount *money.Error
	switch {
	case errors.Is(err, errManyParts), err == nil && len(content) == 0:
		model.Problem.Text = "Choose one statement file that is not empty."
	case len(content) > orderform.MaxFile, errors.Is(err, store.ErrLedgerTooLong):
		model.Problem.Text = "The statement is too large for this page. Use the command “countersign clearing reconcile”."
	case errors.Is(err, interbank.ErrNoStatement), errors.As(err, &amount):
		model.Problem.Text = "Choose a camt.053 or camt.052 file in which each entry lists its transactions and their amounts."
	case err != nil:
		return err
	}
	if model.Problem.Text != "" {
		return v.renderReconcile(http.StatusUnprocessableEntity, model)
	}
	model.Done = v.reconciled(done)
	return v.renderReconcile(http.StatusOK, model)
}

func (v *Request) reconciled(r service.Reconciliation) *views.Reconciled {
	shown := &views.Reconciled{
		Summary: i18n.Text("From %s to %s. Payments on the statement: %d. Differences: %d.").With(i18n.Day(r.Statement.From),
			i18n.Day(r.Statement.To.AddDate(0, 0, -1)), len(r.Statement.Lines), len(r.Differences)),
		MayGoOn: administration.KindRealmReconciled.MayAsk(v.By) == nil,
	}
	for _, d := range r.Differences {
		row := views.DifferenceRow{Kind: differenceWords[d.Kind], Reference: d.Reference, Statement: "None", Here: "None"}
		if d.Line != nil {
			direction := i18n.Text("Outgoing")
			if d.Line.Credit {
				direction = "Incoming"
			}
			row.Statement = i18n.Join(" ", direction, i18n.Data(d.Line.Amount.Format()))
		}
		if d.Item != nil {
			row.Here = i18n.Join(", ", i18n.Join(" ", ui.KindLabel(d.Item.Kind), i18n.Data(string(d.Item.GlobalID)),
				i18n.Data(d.Item.Amount.Format())), ui.StateLabel(d.Item.State), d.Item.Step())
			if d.Item.Realm == v.By.Realm {
				row.URL = "/payments/" + string(d.Item.GlobalID)
			}
		}
		row.Proposal, row.ProposalURL = v.proposal(d, r.Explained[d.Key()])
		shown.Differences = append(shown.Differences, row)
	}
	return shown
}

// proposal shows the change that explains a difference, or leads an administrator to its form.
func (v *Request) proposal(d payment.StatementDifference, made administration.Change) (i18n.Text, string) {
	kind := administration.KindRealmDifference
	mayAsk := kind.MayAsk(v.By) == nil
	if made.Kind != "" && (made.State() != administration.StateRejected || !mayAsk) {
		words := map[administration.State]i18n.Text{
			administration.StatePending: "Waiting for another administrator", administration.StateApplied: "Explained",
			administration.StateRejected: "Explanation rejected",
		}[made.State()]
		if !mayAsk {
			return words, ""
		}
		return words, "/admin/changes/" + made.ID.String()
	}
	if !mayAsk {
		return "No explanation yet", ""
	}
	return kind.Action().Label, "/admin/ask/" + string(kind) + "?" + url.Values{"difference": {d.Key()}}.Encode()
}

// differenceWords are the kinds of differences as a page has them.
var differenceWords = map[payment.DifferenceKind]i18n.Text{
	payment.NotHere:        "Not found in this gateway",
	payment.NotOnStatement: "Not on the statement",
	payment.OtherAmount:    "Different amount",
	payment.OtherWay:       "Different payment direction",
	payment.TwiceStated:    "Twice on the statement",
	payment.NotSettledHere: "Not recorded as settled in this gateway",
	payment.NeverApproved:  "Never approved in this gateway",
}
