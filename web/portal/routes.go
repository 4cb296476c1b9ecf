package portal

import (
	"net/http"
	"slices"

	"countersign/internal/payment"
	"countersign/web/request"
)

// stream marks a route whose answer goes on until somebody ends it.
func stream(route request.Route) request.Route {
	route.Stream = true
	return route
}

// Routes lists every page in the order in which people meet them.
func (p *Portal) Routes() []request.Route {
	open := func(method, path string, handle handler) request.Route {
		return request.Route{Method: method, Path: path, Handle: p.Open(handle)}
	}
	get, post := p.get, p.post
	routes := slices.Concat(
		[]request.Route{
			open(http.MethodGet, "/signin", showSignIn),
			open(http.MethodPost, "/signin", with((*Request).Form, signIn)),
			open(http.MethodGet, "/signin/provider", beginAtProvider),
			open(http.MethodGet, "/signin/provider/:realm/answer", cameBack),
			open(http.MethodGet, "/signin/factor", showSignInFactor),
			open(http.MethodPost, "/signin/factor", with((*Request).Form, signInFactor)),
			open(http.MethodPost, "/signout", signOut),
			open(http.MethodGet, "/signedout", showSignedOut),
			open(http.MethodGet, "/set-up/done", showSetUpDone),
			open(http.MethodGet, "/set-up/:realm/:link", showSetUp),
			open(http.MethodPost, "/set-up/:realm/:link", with((*Request).Form, setUp)),

			get("/", showDashboard),
			stream(get(EventsPath, p.events)),
			post(StayPath, stay),
			get(operationPath, may(p.mayOperate, showOperation)),
			post(operationPath+"/retry", may(p.mayOperate, with((*Request).Form, tryAgain))),
			get("/reconcile", may(p.mayOperate, showReconcile)),
			post("/reconcile", may(p.mayOperate, compareStatement)),
			get("/me", showProfile),
			post("/me", with((*Request).Form, saveProfile)),
			post("/me/density", with((*Request).Form, saveDensity)),
			post("/me/notices", with((*Request).Form, saveNotices)),
			post("/me/password", with((*Request).Form, changePassword)),
			post("/me/sessions/end", endSessions),
			post("/me/sessions/:id/end", endSession),
			get(FactorsPath, showFactors),
			get(FactorsPath+"/app", showNewApp),
			post(FactorsPath+"/app", with((*Request).Form, enrolApp)),
			get(FactorsPath+"/passkey", showNewPasskey),
			post(FactorsPath+"/passkey", with((*Request).Form, enrolPasskey)),
			get(FactorsPath+"/codes", showRecoveryCodes),
			post(FactorsPath+"/codes", with((*Request).Form, newRecoveryCodes)),
			get(FactorsPath+"/:id/remove", showRemoveFactor),
			post(FactorsPath+"/:id/remove", removeFactor),
		},
		p.paymentRoutes(), p.administrationRoutes())
	if p.Config.SimulatorURL == "" {
		return routes
	}
	return append(routes,
		get("/simulator", may(payment.MayRead, p.showSimulator)),
		post("/simulator/payment", may(payment.MayRead, with((*Request).Form, p.sendPayment))),
		post("/simulator/recall", may(payment.MayRead, with((*Request).Form, p.sendRecall))))
}

// administrationRoutes lists the pages of administrators in the order in which people meet them.
func (p *Portal) administrationRoutes() []request.Route {
	get, post := p.get, p.post
	routes := []request.Route{get("/admin", showAdminChanges)}
	for _, list := range adminLists[1:] {
		routes = append(routes, get(list.path, list.show))
	}
	routes = append(
		routes,
		get("/admin/webhooks/:id", showWebhook),
		post("/admin/webhooks/:id/send", sendWebhook),
		get("/admin/ask/:kind", with((*Request).kind, showForm)),
		post("/admin/ask/:kind", with((*Request).kind, ask)),
	)
	return append(routes, p.changeRoutes("/admin/changes", (*Request).realmDesk)...)
}
