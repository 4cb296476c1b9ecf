package maker

import (
	"errors"
	"strconv"

	"countersign/internal/entry"
	"countersign/internal/payment"
	"countersign/web/portal/page"
)

// Keep keeps a payment form that was sent after the session had run out, as a draft of the person whose session it was. The address
// returned opens it again; it is "" for another form.
func Keep(v *page.Visit) (string, error) {
	path := v.Echo.Path()
	if path != "/payments/new" && path != "/payments/:id/edit" && path != "/payments/:id/amend" {
		return "", nil
	}
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	draft, err := (&visit{v}).newDraft(page.SchemeOf(form.Get("scheme")), entry.ReadForm(form))
	if err != nil {
		return "", err
	}
	switch path {
	case "/payments/:id/edit":
		earlier, err := v.OpenDraft()
		if err != nil && !errors.Is(err, payment.ErrNotFound) {
			return "", err
		}
		draft.Amends, draft.AmendsVersion = earlier.Amends, earlier.AmendsVersion
	case "/payments/:id/amend":
		m, err := v.Message()
		if errors.Is(err, payment.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		version, err := strconv.Atoi(v.Echo.QueryParam("version"))
		if err != nil || version < 1 || version > m.Version {
			version = m.Version
		}
		draft.Amends, draft.AmendsVersion = m.InternalID, version
	}
	err = v.Config.Drafts.Add(v.Context(), v.By, draft)
	if err != nil {
		return "", err
	}
	return "/payments/" + draft.ID.String() + "/edit", nil
}
