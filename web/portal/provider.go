package portal

import (
	"net/http"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

// showProvider shows where people of the realm prove who they are besides by a password here.
func showProvider(v *Request) error {
	p, found, err := v.Config.Admin.Provider(v.Context(), v.By)
	if err != nil {
		return err
	}
	model := v.administrationList("/admin/provider", "Identity provider",
		"The provider where people can sign in besides by a password here. Roles, second factors and four-eyes stay here.")
	model.Empty = ui.Empty{Icon: "list", Title: "No identity provider", Text: "Everybody signs in with user name and password."}
	model.New = links("", administration.KindProviderSet)
	model.Columns = []i18n.Text{"Issuer", "Client", "Secret", "Redirect address", "Signed in there at most", "Passwords", "Change"}
	if found {
		model.Rows = []views.AdministrationRow{{Links: links(p.Issuer, administration.KindProviderRetire), Cells: []i18n.Text{
			i18n.Data(p.Issuer), i18n.Data(p.ClientID), OrDash(p.Values()["providerSecret"]),
			i18n.Data(p.PortalAddress + administration.RedirectPath(v.By.Realm)),
			i18n.Text("%s ago").With(p.Values()["signInAge"]), FieldValue("", p.Passwords),
		}}}
	}
	return v.Render(http.StatusOK, views.AdministrationListPage(model))
}
