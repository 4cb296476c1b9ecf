// Package admin holds the pages of a realm's administrators: lists of people, clients, accounts, policies, limits and providers, the form
// of each change, and the decision of a second administrator on it.
package admin

import (
	"countersign/internal/service"
	"countersign/web/portal/page"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type visit struct {
	*page.Visit
	station *service.Administration
}

// Routes lists the pages of this room in the order in which people meet them.
func Routes(site *page.Site) []request.Route {
	get, post := page.Room(site, func(v *page.Visit) *visit { return &visit{v, v.Config.Admin} })
	return []request.Route{
		get("/admin", showChanges),
		get("/admin/users", showUsers),
		get("/admin/clients", showClients),
		get("/admin/accounts", showAccounts),
		get("/admin/policies", showPolicies),
		get("/admin/provider", showProvider),
		get("/admin/limits", showLimits),
		get("/admin/ask/:kind", showForm),
		post("/admin/ask/:kind", ask),
		get("/admin/changes/:id", showChange),
		post("/admin/changes/:id/approve", approve),
		post("/admin/changes/:id/reject", reject),
	}
}
