// Package beneficiary holds the pages of the creditors that two people agreed on: the list, the form by which makers ask for a new one, for
// another name or account or for its end, and the decision of a checker. It stands apart from the rooms of makers and of checkers, because
// both work in it. The rules are those of package administration, and the admin station carries them out.

package payments

import (
	"countersign/internal/service"
	"countersign/web/portal/page"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type beneficiaryVisit struct {
	*page.Visit
	station *service.Administration
}

// Routes lists the pages of this room in the order in which people meet them.
func BeneficiaryRoutes(site *page.Site) []request.Route {
	get, post := page.Room(site, func(v *page.Visit) *beneficiaryVisit { return &beneficiaryVisit{v, v.Config.Admin} })
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
