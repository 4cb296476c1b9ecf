package portal

import (
	"github.com/google/uuid"

	"countersign/web/request"
)

// visit is one request for a page of this room.
type checkerVisit struct {
	*Visit

	lookers map[uuid.UUID][]string // who else looks at which message
}

// Routes lists the pages of this room in the order in which people meet them.
func CheckerRoutes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *checkerVisit { return &checkerVisit{Visit: v} })
	return []request.Route{
		get("/queue", showQueue),
		get("/queue/bulk", showBulk),
		post("/queue/bulk", approveBulk),
		get("/queue/views", showViews),
		post("/queue/views", saveView),
		post("/queue/views/:id", changeView),
		get("/queue/:id", showDecision),
		post("/queue/:id/approve", approve),
		get("/queue/:id/reject", showReject),
		post("/queue/:id/reject", reject),
		post("/queue/:id/reject/keep", keepReject),
	}
}
