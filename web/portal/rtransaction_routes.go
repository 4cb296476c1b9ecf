package portal

import (
	"countersign/internal/payment"
	"countersign/web/request"
)

// visit is one request for a page of this room.
type rTransactionVisit struct{ *Visit }

// Routes lists the pages of this room in the order in which people meet them.
func RTransactionRoutes(site *Site) []request.Route {
	get, post := Room(site, func(v *Visit) *rTransactionVisit { return &rTransactionVisit{v} })
	var all []request.Route
	for _, form := range []struct {
		path string
		kind payment.Kind
	}{
		{"/payments/:id/recall", payment.KindRecall},
		{"/payments/:id/return", payment.KindReturn},
		{"/recalls/:id/resolve", payment.KindResolution},
	} {
		all = append(all,
			get(form.path, func(v *rTransactionVisit) error { return v.showForm(form.kind) }),
			post(form.path, func(v *rTransactionVisit) error { return v.takeForm(form.kind) }),
			post(form.path+"/keep", func(v *rTransactionVisit) error { return v.keepForm(form.kind) }))
	}
	return all
}
