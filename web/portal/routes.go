package portal

import (
	"net/http"

	"countersign/web/request"
)

// Routes lists every page in the order in which people meet them.
func (p *Portal) Routes() []request.Route {
	get := func(path string, handle handler) request.Route {
		return request.Route{Method: http.MethodGet, Path: path, Handle: p.signedIn(handle)}
	}
	post := func(path string, handle handler) request.Route {
		return request.Route{Method: http.MethodPost, Path: path, Handle: p.signedIn(handle)}
	}
	routes := []request.Route{
		{Method: http.MethodGet, Path: "/signin", Handle: p.open(showSignIn)},
		{Method: http.MethodPost, Path: "/signin", Handle: p.open(signIn)},
		{Method: http.MethodPost, Path: "/signout", Handle: p.open(signOut)},
		{Method: http.MethodGet, Path: "/signedout", Handle: p.open(showSignedOut)},

		get("/", showDashboard),

		get("/payments/new", showNewPayment),
		post("/payments/new", checkNewPayment),
		get("/payments/iban", showIBAN),
		get("/payments/upload", showUpload),
		post("/payments/upload", readUpload),
		get("/payments/:id/edit", showEdit),
		post("/payments/:id/edit", checkEdit),
		get("/payments/:id/check", showCheck),
		post("/payments/:id/submit", submit),
		get("/payments/:id/submitted", showSubmitted),

		get("/mine", showMine),
		get("/payments/:id/amend", showAmend),
		post("/payments/:id/amend", checkAmend),
		get("/payments/:id/withdraw", showWithdraw),
		post("/payments/:id/withdraw", withdraw),

		get("/payments/:id/recall", showRecall),
		post("/payments/:id/recall", checkRecall),
		get("/payments/:id/return", showReturn),
		post("/payments/:id/return", checkReturn),
		get("/recalls/:id/resolve", showResolve),
		post("/recalls/:id/resolve", checkResolve),

		get("/queue", showQueue),
		get(eventsPath, events),
		get("/queue/:id", showDecision),
		post("/queue/:id/approve", approve),
		get("/queue/:id/reject", showReject),
		post("/queue/:id/reject", reject),

		get("/payments", showPayments),
		get("/search", showPayments),
		get("/incoming", showIncoming),
		get("/recalls", showReceivedRecalls),
		get("/recalls/:id", showReceivedRecall),
		get("/payments/:id", showPayment),
		get("/payments/:id/:part", showPaymentPart),
		get("/payments/:id/messages/:document", showDocument),
		get("/payments/:id/messages/:document/download", downloadDocument),

		get("/quarantine", showQuarantine),
		get(quarantinedPath, showQuarantined),
		get(quarantinedPath+"/download", downloadQuarantined),

		get("/me", showProfile),
		post("/me", saveProfile),
	}
	if p.cfg.SimulatorURL == "" {
		return routes
	}
	return append(routes,
		get("/simulator", showSimulator), post("/simulator/payment", sendPayment), post("/simulator/recall", sendRecall))
}
