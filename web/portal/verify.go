package portal

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/web/request"
)

// verifyAuditTrail compares the trail of the realm with its sealed tree and shows the result above the newest events. It changes nothing,
// but is a form rather than a link, because it takes long.
func verifyAuditTrail(v *Request) error {
	shown := &views.AuditVerification{
		At: v.At, Took: took(0), Failed: true, Sentence: "The audit trail of this gateway is not signed, so there is nothing to verify.",
	}
	if v.Config.Verify != nil {
		began := v.Config.Now()
		found, err := v.Config.Verify(v.Context(), v.By.Realm)
		if err != nil && !errors.Is(err, integrity.ErrVerifying) {
			return err
		}
		shown = verified(found, err)
		shown.At, shown.Took = v.At, took(v.Config.Now().Sub(began))
	}
	return v.wholeTrail(shown)
}

// verified describes the result of a verification.
func verified(found integrity.Verification, err error) *views.AuditVerification {
	shown := &views.AuditVerification{}
	switch {
	case err != nil:
		shown.Failed, shown.Sentence = true, "Somebody else is verifying the audit trail. Try again in a moment."
	case len(found.Found) > 0:
		shown.Failed = true
		shown.Sentence = "The audit trail failed its integrity check. Do not continue. Ask an operator to run “countersign check”."
	case found.Ended:
		shown.Failed = true
		shown.Sentence = i18n.Text("The verification ran out of time after %s of %s rows and documents, with %s checkpoints. To verify "+
			"everything, ask an operator to run “countersign check”.").
			With(i18n.Number(int(found.Looked)), i18n.Number(int(found.Of)), i18n.Number(found.Checkpoints))
	default:
		shown.Sentence = i18n.Text("All %s rows and documents up to the newest checkpoint are unchanged and in order. Signed checkpoints: "+
			"%s.").
			With(i18n.Number(int(found.Looked)), i18n.Number(found.Checkpoints))
	}
	for _, one := range found.Found {
		shown.Found = append(shown.Found, i18n.Text("%s: %s.").With(one.Table+" "+one.Key, one.What))
	}
	return shown
}

// maxExported bounds the events of a table for a spreadsheet.
const maxExported = 10_000

// downloadAuditTrail sends the events of a search for a spreadsheet, newest first, up to ten thousand. For an unreadable search it shows
// the page with the problem, because a table without the filter would mislead.
func downloadAuditTrail(v *Request) error {
	model, ask := v.auditSearch()
	if len(model.Problems) > 0 {
		return v.wholeTrail(nil)
	}
	ask.PageSize = 1000
	rows := [][]request.Cell{
		textCells("at", "event", "actor", "account", "client", "channel", "address", "message", "request", "detail", "id"),
	}
	for len(rows) <= maxExported {
		events, err := v.Config.Reader.AuditTrail(v.Context(), v.By.Realm, ask)
		if err != nil {
			return err
		}
		for _, e := range events {
			message := ""
			if e.MessageID != uuid.Nil {
				message = e.MessageID.String()
			}
			rows = append(rows, textCells(
				e.At.UTC().Format(time.RFC3339Nano), e.Event, e.Actor.String(), e.ActorLogin, e.ClientID, e.Channel, e.SourceAddress, message,
				e.RequestID, e.Detail, e.ID.String(),
			))
		}
		if len(events) < int(ask.PageSize) {
			break
		}
		ask.Before = events[len(events)-1].ID
	}
	return v.table("audit-"+v.At.In(v.Config.Zone).Format(time.DateOnly), "csv", rows)
}
