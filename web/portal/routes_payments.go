package portal

import (
	"maps"
	"net/http"
	"slices"

	"countersign/internal/administration"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/web/request"
)

// paymentRoutes lists the pages of makers, checkers and supervisors in the order in which people meet them.
func (p *Portal) paymentRoutes() []request.Route {
	routes := slices.Concat(p.entryRoutes(), p.ownRoutes(), p.queueRoutes(), p.readingRoutes(), p.beneficiaryRoutes())
	for _, path := range slices.Sorted(maps.Keys(requestRoutes)) {
		kind := requestRoutes[path]
		routes = append(routes,
			p.get(path, about((*Request).showForm, kind)),
			p.post(path, about((*Request).takeForm, kind)),
			p.post(path+"/keep", about((*Request).keepRequestForm, kind)))
	}
	return routes
}

// entryRoutes lists the pages for the entry of payments.
func (p *Portal) entryRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/payments/new", may(MayMake, showNewPayment)),
		post("/payments/new", may(MayMake, with((*Request).Form, checkNewPayment))),
		post("/payments/keep", may(MayMake, with((*Request).Form, keepTyped))),
		get(IBANPath, may(MayMake, showIBAN)),
		post(OutlookPath, may(MayMake, with((*Request).Form, showOutlook))),
		get("/payments/creditors", may(MayMake, findCreditors)),
		get("/templates", with((*Request).templates, (*Request).listNamed)),
		post("/templates", with((*Request).templates, saveTemplate)),
		post("/templates/pay", may(MayMake, with((*Request).Form, payTemplates))),
		post("/templates/:id", with((*Request).templates, (*Request).changeNamed)),
		get(qrBillPath, may(MayMake, showQRBill)),
		post(qrBillPath, may(MayMake, readQRBill)),
		get("/payments/upload", may(MayMake, showUpload)),
		post("/payments/upload", may(MayMake, readUpload)),
		get("/payments/batches/:id", showBatch),
		post("/payments/batches/:id/submit", submitBatch),
		get("/payments/:id/edit", with((*Request).OpenDraft, (*Request).showDraftForm)),
		post("/payments/:id/edit", may(MayMake, with((*Request).OpenDraft, checkEdit))),
		get("/payments/:id/check", with((*Request).OpenDraft, showCheck)),
		post("/payments/:id/check/keep", with((*Request).OpenDraft, keepAnswer)),
		post("/payments/:id/payee", with((*Request).OpenDraft, usePayee)),
		post("/payments/:id/submit", with((*Request).OpenDraft, submit)),
		get("/payments/:id/submitted", with((*Request).Readable, showSubmitted)),
	}
}

// ownRoutes lists the pages about payments of one's own.
func (p *Portal) ownRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/mine", may(MayMake, showMine)),
		get(views.DiscardPath, may(MayMake, askDiscard)),
		post(views.DiscardPath, may(MayMake, with((*Request).Form, discardDrafts))),
		get("/payments/:id/amend", showAmend),
		post("/payments/:id/amend", with((*Request).amendment, checkAmend)),
		post("/payments/:id/amend/keep", with((*Request).amendment, keepAmend)),
		get("/payments/:id/withdraw", with((*Request).Message, showWithdraw)),
		post("/payments/:id/withdraw", with((*Request).Message, withdraw)),
		post("/payments/:id/withdraw/keep", with((*Request).Message, keepWithdraw)),
		get("/payments/:id/answer", with((*Request).Message, showAnswer)),
		post("/payments/:id/answer", with((*Request).Message, answerQuestion)),
		post("/payments/:id/answer/keep", with((*Request).Message, keepText("answer", payment.Message.MayChange))),
	}
}

// queueRoutes lists the pages for decisions.
func (p *Portal) queueRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/queue", may(payment.MayRead, showQueue)),
		get("/queue/bulk", may(payment.MayRead, showBulk)),
		get("/queue/table", exportOf("/queue", nextWaiting)),
		post("/queue/bulk", may(payment.MayRead, with((*Request).Form, approveBulk))),
		post(views.BulkSumPath, may(payment.MayRead, with((*Request).Form, sumBulk))),
		get("/queue/files/:id", may(payment.MayRead, showFileApproval)),
		get("/queue/views", with((*Request).savedViews, (*Request).listNamed)),
		post("/queue/views", with((*Request).savedViews, (*Request).saveNamed)),
		post("/queue/views/:id", with((*Request).savedViews, (*Request).changeNamed)),
		get("/queue/:id", with((*Request).Readable, showDecision)),
		post("/queue/:id/approve", with((*Request).Form, approve)),
		get("/queue/:id/reject", with((*Request).Readable, showReject)),
		post("/queue/:id/reject", with((*Request).Form, reject)),
		post("/queue/:id/reject/keep", with((*Request).Readable, keepReject)),
		get("/queue/:id/ask", with((*Request).Readable, showAsk)),
		post("/queue/:id/ask", with((*Request).Readable, askMaker)),
		post("/queue/:id/ask/keep", with((*Request).Readable, keepText("question", payment.Message.MayDecide))),
	}
}

// readingRoutes lists the pages about all payments, the audit log and reports.
func (p *Portal) readingRoutes() []request.Route {
	get, post := p.get, p.post
	return []request.Route{
		get("/payments", may(payment.MayRead, showPayments)),
		get("/payments/table", exportOf("/payments", nextPayments)),
		get("/incoming/table", exportOf("/incoming", nextIncoming)),
		get("/recalls/table", exportOf("/recalls", nextRecalls)),
		get("/search", may(payment.MayRead, showPayments)),
		get("/incoming", may(payment.MayRead, showIncoming)),
		get("/recalls", may(payment.MayRead, showReceivedRecalls)),
		get("/recalls/:id", with((*Request).Readable, showReceivedRecall)),
		get("/payments/:id", showPayment),
		get(FlightPath, with((*Request).Readable, showFlight)),
		get("/payments/:id/evidence", downloadEvidence),
		get("/payments/:id/:part", showPaymentPart),
		get("/payments/:id/messages/:document", showDocument),
		get("/payments/:id/messages/:document/download", downloadDocument),

		get("/reference", showReference),
		get("/find", showFind),
		get("/help", func(v *Request) error {
			return v.Render(http.StatusOK, views.HelpPage(v.layout("Help", views.PlaceHelp)))
		}),
		get("/audit", may(payment.MayAudit, showAuditTrail)),
		post("/audit/verify", may(payment.MayAudit, verifyAuditTrail)),
		get("/audit/table", may(payment.MayAudit, downloadAuditTrail)),
		get("/reports", may(mayReport, showReports)),
		get("/reports/changes/:id", showReportedChange),
		get(accessPath, may(mayReport, showAccess)),
		post(accessPath, may(mayReport, with((*Request).Form, confirmAccess))),
		get(accessPath+"/:id", may(mayReport, showAccessReview)),
		get("/reports/:report", showReport),
		get("/reports/:report/table", downloadReport),
		get("/quarantine", may(p.mayOperate, showQuarantine)),
		get(quarantinedPath, with((*Request).quarantined, showQuarantined)),
		get(quarantinedPath+"/download", with((*Request).quarantined, downloadQuarantined)),
	}
}

// beneficiaryRoutes lists the pages about beneficiaries.
func (p *Portal) beneficiaryRoutes() []request.Route {
	get, post := p.get, p.post
	return append([]request.Route{
		get("/beneficiaries", showBook),
		get("/beneficiaries/new", showNew),
		post("/beneficiaries/new", about((*Request).ask, administration.KindBeneficiaryCreate)),
		get("/beneficiaries/:id/change", about((*Request).show, administration.KindBeneficiaryUpdate)),
		post("/beneficiaries/:id/change", about((*Request).ask, administration.KindBeneficiaryUpdate)),
		get("/beneficiaries/:id/remove", about((*Request).show, administration.KindBeneficiaryRemove)),
		post("/beneficiaries/:id/remove", about((*Request).ask, administration.KindBeneficiaryRemove)),
		get("/beneficiaries/changes", showChanges),
	}, p.changeRoutes("/beneficiaries/changes", (*Request).beneficiaryDesk)...)
}

// changeRoutes lists the pages of one change at a desk.
func (p *Portal) changeRoutes(path string, desk func(*Request) ChangeDesk) []request.Route {
	return []request.Route{
		p.get(path+"/:id", func(v *Request) error { return v.ShowChange(desk(v)) }),
		p.post(path+"/:id/approve", func(v *Request) error { return v.DecideChange(desk(v), true) }),
		p.post(path+"/:id/reject", func(v *Request) error { return v.DecideChange(desk(v), false) }),
	}
}
