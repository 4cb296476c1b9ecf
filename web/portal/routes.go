package portal

import (
	"net/http"
	"slices"

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
			open(http.MethodPost, "/signin", signIn),
			open(http.MethodGet, "/signin/provider", beginAtProvider),
			open(http.MethodGet, "/signin/provider/:realm/answer", cameBack),
			open(http.MethodGet, "/signin/factor", showSignInFactor),
			open(http.MethodPost, "/signin/factor", signInFactor),
			open(http.MethodPost, "/signout", signOut),
			open(http.MethodGet, "/signedout", showSignedOut),
			open(http.MethodGet, "/set-up/done", showSetUpDone),
			open(http.MethodGet, "/set-up/:realm/:link", showSetUp),
			open(http.MethodPost, "/set-up/:realm/:link", setUp),

			get("/", showDashboard),
			stream(get(EventsPath, p.events)),
			post(StayPath, stay),
			get(operationPath, showOperation),
			post(operationPath+"/retry", tryAgain),
			get("/reconcile", showReconcile),
			post("/reconcile", compareStatement),
			get("/me", showProfile),
			post("/me", saveProfile),
			post("/me/density", saveDensity),
			post("/me/notices", saveNotices),
			post("/me/password", changePassword),
			post("/me/sessions/end", endSessions),
			post("/me/sessions/:id/end", endSession),
			get(FactorsPath, showFactors),
			get(FactorsPath+"/app", showNewApp),
			post(FactorsPath+"/app", enrolApp),
			get(FactorsPath+"/passkey", showNewPasskey),
			post(FactorsPath+"/passkey", enrolPasskey),
			get(FactorsPath+"/codes", showRecoveryCodes),
			post(FactorsPath+"/codes", newRecoveryCodes),
			get(FactorsPath+"/:id/remove", showRemoveFactor),
			post(FactorsPath+"/:id/remove", removeFactor),
		},
		p.paymentRoutes(), p.administrationRoutes())
	if p.Config.SimulatorURL == "" {
		return routes
	}
	return append(routes,
		get("/simulator", p.showSimulator), post("/simulator/payment", p.sendPayment), post("/simulator/recall", p.sendRecall))
}
