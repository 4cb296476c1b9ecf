package portal

import (
	"net/http"
	"slices"

	"countersign/web/portal/admin"
	"countersign/web/portal/page"
	"countersign/web/portal/payments"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type visit struct{ *page.Visit }

// stream marks a route whose answer goes on until somebody ends it.
func stream(route request.Route) request.Route {
	route.Stream = true
	return route
}

// Routes lists every page in the order in which people meet them.
func (p *Portal) Routes() []request.Route {
	open := func(method, path string, handle func(*visit) error) request.Route {
		return request.Route{Method: method, Path: path, Handle: p.site.Open(func(v *page.Visit) error { return handle(&visit{v}) })}
	}
	get, post := page.Room(p.site, func(v *page.Visit) *visit { return &visit{v} })
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
			stream(get(page.EventsPath, p.events)),
			post(page.StayPath, stay),
			get(operationPath, showOperation),
			post(operationPath+"/retry", tryAgain),
			get("/me", showProfile),
			post("/me", saveProfile),
			post("/me/density", saveDensity),
			post("/me/password", changePassword),
			post("/me/sessions/end", endSessions),
			post("/me/sessions/:id/end", endSession),
			get(page.FactorsPath, showFactors),
			get(page.FactorsPath+"/app", showNewApp),
			post(page.FactorsPath+"/app", enrolApp),
			get(page.FactorsPath+"/passkey", showNewPasskey),
			post(page.FactorsPath+"/passkey", enrolPasskey),
			get(page.FactorsPath+"/codes", showRecoveryCodes),
			post(page.FactorsPath+"/codes", newRecoveryCodes),
			get(page.FactorsPath+"/:id/remove", showRemoveFactor),
			post(page.FactorsPath+"/:id/remove", removeFactor),
		},
		payments.Routes(p.site), payments.RTransactionRoutes(p.site), payments.CheckerRoutes(p.site), payments.RecordsRoutes(p.site), admin.Routes(p.site),
		payments.BeneficiaryRoutes(p.site))
	if p.site.Config.SimulatorURL == "" {
		return routes
	}
	return append(routes,
		get("/simulator", p.showSimulator), post("/simulator/payment", p.sendPayment), post("/simulator/recall", p.sendRecall))
}
