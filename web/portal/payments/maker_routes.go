package payments

import (
	"countersign/web/portal/page"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type visit struct{ *page.Visit }

// Routes lists the pages of this room in the order in which people meet them.
func Routes(site *page.Site) []request.Route {
	get, post := page.Room(site, func(v *page.Visit) *visit { return &visit{v} })
	return []request.Route{
		get("/payments/new", showNewPayment),
		post("/payments/new", checkNewPayment),
		post("/payments/keep", keepTyped),
		get(page.IBANPath, showIBAN),
		post(page.OutlookPath, showOutlook),
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
