// Package rtransaction holds the forms of recalls, returns and refusals of recalls, their check page, and the words in which every page
// speaks of them.
package rtransaction

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
		get("/payments/:id/recall", showRecall),
		post("/payments/:id/recall", checkRecall),
		post("/payments/:id/recall/keep", keepRecall),
		get("/payments/:id/return", showReturn),
		post("/payments/:id/return", checkReturn),
		post("/payments/:id/return/keep", keepReturn),
		get("/recalls/:id/resolve", showResolve),
		post("/recalls/:id/resolve", checkResolve),
		post("/recalls/:id/resolve/keep", keepResolve),
	}
}
