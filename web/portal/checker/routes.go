// Package checker holds the pages of the people who decide: the queue of waiting messages and the decision on one of them. Who may
// decide is asked of package payment, and the approval station carries it out.
package checker

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
		get("/queue", showQueue),
		get("/queue/bulk", showBulk),
		post("/queue/bulk", approveBulk),
		get("/queue/:id", showDecision),
		post("/queue/:id/approve", approve),
		get("/queue/:id/reject", showReject),
		post("/queue/:id/reject", reject),
	}
}
