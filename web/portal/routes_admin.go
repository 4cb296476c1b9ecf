package portal

import "countersign/web/request"

// administrationRoutes lists the pages of administrators in the order in which people meet them.
func (p *Portal) administrationRoutes() []request.Route {
	get, post := p.get, p.post
	routes := []request.Route{get("/admin", showAdminChanges)}
	for _, list := range adminLists[1:] {
		routes = append(routes, get(list.path, list.show))
	}
	return append(
		routes,
		get("/admin/webhooks/:id", showWebhook),
		post("/admin/webhooks/:id/send", sendWebhook),
		get("/admin/ask/:kind", with((*Request).kind, showForm)),
		post("/admin/ask/:kind", with((*Request).kind, ask)),
		get("/admin/changes/:id", showAdminChange),
		post("/admin/changes/:id/approve", approveChange),
		post("/admin/changes/:id/reject", rejectChange),
	)
}
