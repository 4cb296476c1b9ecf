package portal

import "countersign/web/request"

// administrationRoutes lists the pages of administrators in the order in which people meet them.
func (p *Portal) administrationRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/admin", showAdminChanges),
		get("/admin/users", showUsers),
		get("/admin/clients", showClients),
		get("/admin/accounts", showAccounts),
		get("/admin/policies", showPolicies),
		get("/admin/provider", showProvider),
		get("/admin/limits", showLimits),
		get("/admin/webhooks", showWebhooks),
		get("/admin/webhooks/:id", showWebhook),
		post("/admin/webhooks/:id/send", sendWebhook),
		get("/admin/ask/:kind", showForm),
		post("/admin/ask/:kind", ask),
		get("/admin/changes/:id", showAdminChange),
		post("/admin/changes/:id/approve", approveChange),
		post("/admin/changes/:id/reject", rejectChange),
	}
}
