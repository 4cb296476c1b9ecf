package checker

import (
	"strings"

	"countersign/views"
	"countersign/web/portal/page"
)

// Keep keeps the reason of a rejection that was sent after the session had run out, for the person whose session it was. The address
// returned opens the message with it; it is "" for another form. An approval has nothing to keep, and leads back to its message.
func Keep(v *page.Visit) (string, error) {
	path := v.Echo.Path()
	if path != "/queue/:id/reject" && path != "/queue/:id/approve" {
		return "", nil
	}
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // a decision about nothing is not kept
	}
	where := "/queue/" + id.String() + page.ReadFilter(v.Echo.QueryParams(), "/queue").Query()
	if path == "/queue/:id/approve" {
		return where, nil
	}
	return v.Park(where, nil, "")
}

// keptReject is what was typed into the form to reject before the session ran out.
func (v *visit) keptReject() (views.Reject, error) {
	kept, err := v.Unpark()
	if err != nil || kept.ID == "" {
		return views.Reject{}, err
	}
	reason := strings.ReplaceAll(kept.Fields.Get("reason"), "\r\n", "\n")
	return views.Reject{Open: true, Category: kept.Fields.Get("category"), Reason: reason}, nil
}
