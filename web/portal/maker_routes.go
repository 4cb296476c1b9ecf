package portal

import (
	"countersign/web/request"
)

// visit is one request for a page of this room.
type paymentsVisit struct{ *Visit }

// Routes lists the pages of this room in the order in which people meet them.
func Routes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *paymentsVisit { return &paymentsVisit{v} })
	return []request.Route{
		get("/payments/new", showNewPayment),
		post("/payments/new", checkNewPayment),
		post("/payments/keep", keepTyped),
		get(IBANPath, showIBAN),
		post(OutlookPath, showOutlook),
		get("/payments/creditors", findCreditors),
		get("/templates", showTemplates),
		post("/templates", saveTemplate),
		post("/templates/:id", changeTemplate),
		get("/payments/qr-bill", showQRBill),
		post("/payments/qr-bill", readQRBill),
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

		get("/mine", showMine),
		get("/payments/:id/amend", showAmend),
		post("/payments/:id/amend", checkAmend),
		post("/payments/:id/amend/keep", keepAmend),
		get("/payments/:id/withdraw", showWithdraw),
		post("/payments/:id/withdraw", withdraw),
		post("/payments/:id/withdraw/keep", keepWithdraw),
	}
}
