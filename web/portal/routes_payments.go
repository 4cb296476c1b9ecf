package portal

import (
	"net/http"
	"slices"

	"countersign/internal/payment"
	"countersign/views"
	"countersign/web/request"
)

// paymentRoutes lists the pages of makers, checkers and supervisors in the order in which people meet them.
func (p *Portal) paymentRoutes() []request.Route {
	routes := slices.Concat(p.entryRoutes(), p.ownRoutes(), p.queueRoutes(), p.readingRoutes(), p.beneficiaryRoutes())
	for _, form := range []struct {
		path string
		kind payment.Kind
	}{
		{"/payments/:id/recall", payment.KindRecall},
		{"/payments/:id/return", payment.KindReturn},
		{"/recalls/:id/resolve", payment.KindResolution},
	} {
		routes = append(routes,
			p.get(form.path, func(v *Request) error { return v.showForm(form.kind) }),
			p.post(form.path, func(v *Request) error { return v.takeForm(form.kind) }),
			p.post(form.path+"/keep", func(v *Request) error { return v.keepRequestForm(form.kind) }))
	}
	return routes
}

// entryRoutes lists the pages for the entry of payments.
func (p *Portal) entryRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/payments/new", showNewPayment),
		post("/payments/new", checkNewPayment),
		post("/payments/keep", keepTyped),
		get(IBANPath, showIBAN),
		post(OutlookPath, showOutlook),
		get("/payments/creditors", findCreditors),
		get("/templates", showTemplates),
		post("/templates", saveTemplate),
		post("/templates/pay", payTemplates),
		post("/templates/:id", changeTemplate),
		get(qrBillPath, showQRBill),
		post(qrBillPath, readQRBill),
		get("/payments/upload", showUpload),
		post("/payments/upload", readUpload),
		get("/payments/batches/:id", showBatch),
		post("/payments/batches/:id/submit", submitBatch),
		get("/payments/:id/edit", showEdit),
		post("/payments/:id/edit", checkEdit),
		get("/payments/:id/check", showCheck),
		post("/payments/:id/check/keep", keepAnswer),
		post("/payments/:id/payee", usePayee),
		post("/payments/:id/submit", submit),
		get("/payments/:id/submitted", showSubmitted),
	}
}

// ownRoutes lists the pages about payments of one's own.
func (p *Portal) ownRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/mine", showMine),
		get(views.DiscardPath, askDiscard),
		post(views.DiscardPath, discardDrafts),
		get("/payments/:id/amend", showAmend),
		post("/payments/:id/amend", checkAmend),
		post("/payments/:id/amend/keep", keepAmend),
		get("/payments/:id/withdraw", showWithdraw),
		post("/payments/:id/withdraw", withdraw),
		post("/payments/:id/withdraw/keep", keepWithdraw),
		get("/payments/:id/answer", showAnswer),
		post("/payments/:id/answer", answerQuestion),
		post("/payments/:id/answer/keep", keepReply),
	}
}

// queueRoutes lists the pages for decisions.
func (p *Portal) queueRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/queue", showQueue),
		get("/queue/bulk", showBulk),
		get("/queue/table", exportOf("/queue", nextWaiting)),
		post("/queue/bulk", approveBulk),
		post(views.BulkSumPath, sumBulk),
		get("/queue/files/:id", showFileApproval),
		get("/queue/views", showViews),
		post("/queue/views", saveView),
		post("/queue/views/:id", changeView),
		get("/queue/:id", showDecision),
		post("/queue/:id/approve", approve),
		get("/queue/:id/reject", showReject),
		post("/queue/:id/reject", reject),
		post("/queue/:id/reject/keep", keepReject),
		get("/queue/:id/ask", showAsk),
		post("/queue/:id/ask", askMaker),
		post("/queue/:id/ask/keep", keepQuestion),
	}
}

// readingRoutes lists the pages about all payments, the audit log and reports.
func (p *Portal) readingRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/payments", showPayments),
		get("/payments/table", exportOf("/payments", nextPayments)),
		get("/incoming/table", exportOf("/incoming", nextIncoming)),
		get("/recalls/table", exportOf("/recalls", nextRecalls)),
		get("/search", showPayments),
		get("/incoming", showIncoming),
		get("/recalls", showReceivedRecalls),
		get("/recalls/:id", showReceivedRecall),
		get("/payments/:id", showPayment),
		get(FlightPath, showFlight),
		get("/payments/:id/evidence", downloadEvidence),
		get("/payments/:id/:part", showPaymentPart),
		get("/payments/:id/messages/:document", showDocument),
		get("/payments/:id/messages/:document/download", downloadDocument),

		get("/reference", showReference),
		get("/help", func(v *Request) error {
			return v.Render(http.StatusOK, views.HelpPage(v.layout("Help", views.PlaceHelp)))
		}),
		get("/audit", showAuditTrail),
		post("/audit/verify", verifyAuditTrail),
		get("/audit/table", downloadAuditTrail),
		get("/reports", showReports),
		get("/reports/changes/:id", showReportedChange),
		get(accessPath, showAccess),
		post(accessPath, confirmAccess),
		get(accessPath+"/:id", showAccessReview),
		get("/reports/:report", showReport),
		get("/reports/:report/table", downloadReport),
		get("/quarantine", showQuarantine),
		get(quarantinedPath, showQuarantined),
		get(quarantinedPath+"/download", downloadQuarantined),
	}
}

// beneficiaryRoutes lists the pages about beneficiaries.
func (p *Portal) beneficiaryRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/beneficiaries", showBook),
		get("/beneficiaries/new", showNew),
		post("/beneficiaries/new", askNew),
		get("/beneficiaries/:id/change", showUpdate),
		post("/beneficiaries/:id/change", askUpdate),
		get("/beneficiaries/:id/remove", showRemove),
		post("/beneficiaries/:id/remove", askRemove),
		get("/beneficiaries/changes", showChanges),
		get("/beneficiaries/changes/:id", showChange),
		post("/beneficiaries/changes/:id/approve", approveBeneficiary),
		post("/beneficiaries/changes/:id/reject", rejectBeneficiary),
	}
}
