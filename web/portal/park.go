package portal

import (
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
)

// parkFor is how long after its end a session still tells whose form came too late.
const parkFor = 15 * time.Minute

// wishForms are the forms for R-transactions by their route.
var wishForms = map[string]payment.Kind{
	"/payments/:id/recall": payment.KindRecall, "/payments/:id/return": payment.KindReturn, "/recalls/:id/resolve": payment.KindResolution,
}

// park keeps a form that was sent after the session had run out, as a draft of the person whose session it was. Nothing is
// checked or submitted; the address returned opens the form again as it was, for that person only. It is "" when there is nothing to
// keep: another form, or a session that was ended or is unknown.
func (v *visit) park() (string, error) {
	path := v.echo.Path()
	kind, wished := wishForms[path]
	if !wished && path != "/payments/new" && path != "/payments/:id/edit" && path != "/payments/:id/amend" {
		return "", nil
	}
	owner, known, err := v.lapsedOwner()
	if err != nil || !known {
		return "", err
	}
	form, err := v.form()
	if err != nil {
		return "", err
	}
	v.by = identity.Principal{Realm: owner.realm, UserID: owner.user}
	defer func() { v.by = identity.Principal{} }()
	if wished {
		return v.parkWish(kind, form)
	}
	draft, err := v.newDraft(schemeOf(form.Get("scheme")), readAnswers(form))
	if err != nil {
		return "", err
	}
	switch path {
	case "/payments/:id/edit":
		earlier, err := v.openDraft()
		if err != nil && !errors.Is(err, payment.ErrNotFound) {
			return "", err
		}
		draft.Amends, draft.AmendsVersion = earlier.Amends, earlier.AmendsVersion
	case "/payments/:id/amend":
		m, err := v.message()
		if errors.Is(err, payment.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		version, err := strconv.Atoi(v.echo.QueryParam("version"))
		if err != nil || version < 1 || version > m.Version {
			version = m.Version
		}
		draft.Amends, draft.AmendsVersion = m.InternalID, version
	}
	err = v.cfg.Drafts.Add(v.ctx(), v.by, draft)
	if err != nil {
		return "", err
	}
	return "/payments/" + draft.ID.String() + "/edit", nil
}

// parkWish keeps the form of an R-transaction.
func (v *visit) parkWish(kind payment.Kind, form url.Values) (string, error) {
	id, err := v.id("id")
	if err != nil {
		return "", nil //nolint:nilerr // a form about nothing is not kept
	}
	s, err := v.subjectOf(kind, id)
	if errors.Is(err, payment.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	w := s.newWish()
	w.read(form)
	draft, err := v.newWishDraft(s.original.Scheme, w)
	if err != nil {
		return "", err
	}
	return w.path() + "?draft=" + draft.ID.String(), v.cfg.Drafts.Add(v.ctx(), v.by, draft)
}

// lapsedOwner is whose session a cookie named until a short while ago.
type lapsedOwner struct {
	realm string
	user  uuid.UUID
}

func (v *visit) lapsedOwner() (lapsedOwner, bool, error) {
	cookie, err := v.echo.Cookie(v.sessions.Cookie.Name)
	if err != nil {
		return lapsedOwner{}, false, nil
	}
	data, found, err := v.cfg.Sessions.LapsedCtx(v.ctx(), cookie.Value, v.at.Add(-parkFor))
	if err != nil || !found {
		return lapsedOwner{}, false, err
	}
	_, values, err := v.sessions.Codec.Decode(data)
	if err != nil {
		return lapsedOwner{}, false, err
	}
	realm, _ := values[keyRealm].(string)
	text, _ := values[keyUser].(string)
	user, err := uuid.Parse(text)
	return lapsedOwner{realm: realm, user: user}, err == nil && realm != "", nil
}
