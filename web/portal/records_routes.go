package portal

import (
	"countersign/web/request"
)

// visit is one request for a page of this room.
type recordsVisit struct{ *Visit }

// Routes lists the pages of this room in the order in which people meet them.
func RecordsRoutes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *recordsVisit { return &recordsVisit{v} })
	return []request.Route{
		get("/payments", showPayments),
		get("/search", showPayments),
		get("/incoming", showIncoming),
		get("/recalls", showReceivedRecalls),
		get("/recalls/:id", showReceivedRecall),
		get("/payments/:id", showPayment),
		get(FlightPath, showFlight),
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
