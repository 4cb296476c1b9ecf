package portal

import (
	"countersign/internal/service"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type adminVisit struct {
	*Visit
	station *service.Administration
}

// AdminRoutes lists the pages of administrators in the order in which people meet them.
func AdminRoutes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *adminVisit { return &adminVisit{v, v.Config.Admin} })
	return []request.Route{
		get("/admin", showAdminChanges),
		get("/admin/users", showUsers),
		get("/admin/clients", showClients),
		get("/admin/accounts", showAccounts),
		get("/admin/policies", showPolicies),
		get("/admin/provider", showProvider),
		get("/admin/limits", showLimits),
		get("/admin/ask/:kind", showForm),
		post("/admin/ask/:kind", ask),
		get("/admin/changes/:id", showAdminChange),
		post("/admin/changes/:id/approve", approveChange),
		post("/admin/changes/:id/reject", rejectChange),
	}
}
