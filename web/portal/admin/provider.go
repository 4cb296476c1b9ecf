package admin

import (
	"net/http"

	"countersign/internal/administration"
	"countersign/internal/language"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// showProvider shows where people of the realm prove who they are besides by a password here.
func showProvider(v *visit) error {
	p, found, err := v.station.Provider(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.list("/admin/provider", "Identity provider",
		"Where people prove who they are besides by a password here. Roles, second factors and four-eyes stay here.")
	model.Empty = ui.Empty{Icon: "list", Title: "No identity provider", Text: "Everybody signs in with user name and password."}
	model.New = links("", administration.KindProviderSet)
	model.Columns = []language.Text{"Issuer", "Client", "Secret", "Redirect address", "Signed in there at most", "Passwords", "Change"}
	if found {
		model.Rows = []views.AdministrationRow{{Links: links(p.Issuer, administration.KindProviderRetire), Cells: []language.Text{
			language.Data(p.Issuer), language.Data(p.ClientID), page.OrDash(p.Values()["providerSecret"]),
			language.Data(p.PortalAddress + administration.RedirectPath(v.By.Realm)),
			language.Text("%s ago").With(p.Values()["signInAge"]), page.FieldValue("", p.Passwords),
		}}}
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}
