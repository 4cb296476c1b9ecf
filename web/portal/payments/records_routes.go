package payments

import (
	"countersign/web/portal/page"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type recordsVisit struct{ *page.Visit }

// Routes lists the pages of this room in the order in which people meet them.
func RecordsRoutes(site *page.Site) []request.Route {
	get, post := page.Room(site, func(v *page.Visit) *recordsVisit { return &recordsVisit{v} })
	return []request.Route{
		get("/payments", showPayments),
		get("/search", showPayments),
		get("/incoming", showIncoming),
		get("/recalls", showReceivedRecalls),
		get("/recalls/:id", showReceivedRecall),
		get("/payments/:id", showPayment),
		get(page.FlightPath, showFlight),
		get("/payments/:id/:part", showPaymentPart),
		get("/payments/:id/messages/:document", showDocument),
		get("/payments/:id/messages/:document/download", downloadDocument),

		get("/reference", showReference),
		get("/audit", showAuditTrail),
		post("/audit/verify", verifyAuditTrail),
		get("/audit/table", downloadAuditTrail),
		get("/reports", showReports),
		get("/reports/changes/:id", showReportedChange),
		get("/reports/:report", showReport),
		get("/reports/:report/table", downloadReport),
		get("/quarantine", showQuarantine),
		get(quarantinedPath, showQuarantined),
		get(quarantinedPath+"/download", downloadQuarantined),
	}
}
