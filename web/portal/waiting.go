package portal

import (
	"net/http"
	"time"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/views"
)

// CountWaiting counts the messages and changes that wait for this person; none for a person who may not decide.
func (v *Request) CountWaiting() error {
	v.Waiting = 0
	var err error
	v.Changes, err = v.Config.Admin.Waiting(v.Context(), v.By, views.MaxWaiting)
	if err != nil {
		return err
	}
	if !v.By.Has(identity.RoleChecker) {
		return nil
	}
	v.Changes, err = v.Config.Admin.BeneficiariesWaiting(v.Context(), v.By, views.MaxWaiting)
	if err != nil {
		return err
	}
	v.totals, err = v.pending(v.checker())
	for _, total := range v.totals {
		v.Waiting += int(total.Count)
	}
	return err
}

// checker selects the messages that this person may decide, by the rules of payment.Message.MayDecide.
func (v *Request) checker() store.Checker {
	grant, _ := v.By.Grant(identity.RoleChecker)
	return store.Checker{Person: v.By.PersonID, Since: grant.GrantedAt}
}

// pending counts the waiting messages that a checker may decide. Pages share their counts. The answer to a form counts by itself, so its
// own effect shows at once.
func (v *Request) pending(of store.Checker) ([]store.Total, error) {
	if v.sent() || v.actedWithin(v.Config.CountsShared) {
		return v.Config.Reader.PendingTotals(v.Context(), v.By.Realm, of, views.MaxWaiting)
	}
	return v.portal.counter.PendingTotals(v.Context(), v.By.Realm, of, v.Config.Now())
}

// Figures returns the numbers of first pages: the shared ones, or new ones for a person who acted since the shared ones may have been read.
func (v *Request) Figures() store.Figures {
	if v.sent() || v.actedWithin(v.Config.FiguresShared) {
		return v.Config.Reader
	}
	return v.portal.figures
}

// sent reports whether the request changes something, mostly by a form.
func (v *Request) sent() bool { return v.Echo.Request().Method == http.MethodPost }

// noteAct records that the person just acted: in the session for other instances, and in memory for streams, which read the session once.
func (v *Request) noteAct() {
	if v.sent() && v.By.UserName != "" {
		v.portal.acts.Store(v.By.PersonID, v.Config.Now())
		v.portal.sessions.Put(v.Context(), keyActed, v.Config.Now().UnixMicro())
	}
}

// actedWithin reports whether shared counts may be older than the last action of the person.
func (v *Request) actedWithin(shared time.Duration) bool {
	const clocks = time.Second // by which those of two instances may differ
	acted := time.UnixMicro(v.portal.sessions.GetInt64(v.Context(), keyActed))
	if here, known := v.portal.acts.Load(v.By.PersonID); known {
		if at, _ := here.(time.Time); at.After(acted) {
			acted = at
		}
	}
	return v.Config.Now().Sub(acted) < shared+clocks
}
