// Package administrator serves the pages of the administrators of a realm: lists of its parts, the form of each change, the pending
// changes, and the decision on a change. Package administration defines the possible changes and their checkers; the admin station
// executes changes.

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
