package portal

import (
	"countersign/internal/service"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type beneficiaryVisit struct {
	*Visit
	station *service.Administration
}

// Routes lists the pages of this room in the order in which people meet them.
func BeneficiaryRoutes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *beneficiaryVisit { return &beneficiaryVisit{v, v.Config.Admin} })
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
