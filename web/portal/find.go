package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// showFind goes to the first page whose name has the text, else to the payments that match it. Without a text it lists the pages.
func showFind(v *Request) error {
	layout := v.layout("Quick search", views.PlaceNone)
	model := views.Find{Layout: layout, Search: views.FindField(strings.TrimSpace(v.Echo.QueryParam("text")))}
	model.GoTo, model.Add = layout.Steps()
	if v.By.Has(identity.RoleAdministrator) {
		for _, list := range adminLists {
			for _, kind := range list.make {
				model.Add = append(model.Add, link(kind, ""))
			}
		}
	}
	text := model.Search.Value
	if text == "" {
		return v.Render(http.StatusOK, views.FindPage(model))
	}
	for _, step := range slices.Concat(model.GoTo, model.Add) {
		if strings.Contains(strings.ToLower(i18n.Say(v.Context(), step.Label)), strings.ToLower(text)) {
			return v.Echo.Redirect(http.StatusSeeOther, step.URL)
		}
	}
	if payment.MayRead(v.By) == nil {
		return v.Echo.Redirect(http.StatusSeeOther, "/payments?"+url.Values{"text": {text}}.Encode())
	}
	model.Search.Problem = ui.Problem{Field: "text", Text: "No page with this name was found. Check the name."}
	return v.Render(http.StatusOK, views.FindPage(model))
}
