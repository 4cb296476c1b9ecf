package integrity

import (
	"context"
	"slices"
	"strings"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// unfitRows compares the rows of one table with their seals, page by page. unfit returns the finding of a row; without What, the row fits.
func unfitRows[R any](ctx context.Context, action string, page func(last R) ([]R, error), unfit func(R) Violation) ([]Violation, error) {
	var found []Violation
	err := eachRow(ctx, action, page, func(row R) error {
		if v := unfit(row); v.What != "" {
			found = append(found, v)
		}
		return nil
	})
	return found, err
}

// waiting compares the rows that no tree has yet with their seals.
func (a *audit) waiting(ctx context.Context) ([]Violation, error) {
	rows, err := a.snapshot.q.AuditedUnsealedList(ctx, a.sealedBelow)
	of := make(map[string][]store.LeafRow)
	for _, row := range rows {
		of[row.Realm] = append(of[row.Realm], store.LeafRow{Kind: auditlog.Kind(row.Kind), RowID: row.RowID})
	}
	var found []Violation
	for realm, rows := range of {
		for some := range slices.Chunk(rows, auditedPage) {
			leaves, err := store.Leaves(ctx, a.snapshot.q, realm, some, a.snapshot.trail.Strict())
			if err != nil {
				return nil, err
			}
			for _, row := range some {
				if kind := leaves[row.RowID].Kind; kind == kind.Unverified() {
					found = append(found, Violation{
						Realm: realm, Table: tableOf(row.Kind), Key: row.RowID.String(), What: "does not fit its seal: the gateway did not write it",
					})
				}
			}
		}
	}
	return found, err
}

// documents compares each document with its seal.
func (a *audit) documents(ctx context.Context) ([]Violation, error) {
	page := func(last dbsqlc.Document) ([]dbsqlc.Document, error) {
		return a.snapshot.q.AuditedDocumentList(ctx, last.Realm, last.DocumentID, auditedPage)
	}
	return unfitRows(ctx, "check the documents", page, func(d dbsqlc.Document) Violation {
		a.report.Documents++
		facts := store.Kept(d)
		return Violation{
			Realm: d.Realm, Table: "document", Key: d.DocumentID.String(), What: sealUnfit(
				string(facts.Name)+" "+facts.Reference+" of message "+facts.MessageID.String()+": ",
				a.cfg.Seal.CheckStored(facts, store.Seal(d.KeyID, d.Mac)), "its content, its source, its message, its name or its reference",
			),
		}
	})
}

// waited compares each document of clearing that waited for a payment with its seal.
func (a *audit) waited(ctx context.Context) ([]Violation, error) {
	page := func(last dbsqlc.Inbox) ([]dbsqlc.Inbox, error) {
		return a.snapshot.q.AuditedInboxList(ctx, last.Scheme, last.Reference, auditedPage)
	}
	return unfitRows(ctx, "check the inbox", page, func(i dbsqlc.Inbox) Violation {
		return Violation{Table: "inbox", Key: i.Scheme + " " + i.Reference, What: sealUnfit(
			"", a.cfg.Seal.CheckKept(store.Waited(i), store.Seal(store.Text(i.KeyID), i.Seal)), "its content, its name or its payment",
		)}
	})
}

// answers compares each row of the outbox with its seals.
func (a *audit) answers(ctx context.Context) ([]Violation, error) {
	page := func(last dbsqlc.AuditedOutboxListRow) ([]dbsqlc.AuditedOutboxListRow, error) {
		return a.snapshot.q.AuditedOutboxList(ctx, last.Outbox.Scheme, last.Outbox.Reference, auditedPage)
	}
	return unfitRows(ctx, "check the outbox", page, func(row dbsqlc.AuditedOutboxListRow) Violation {
		a.report.Answers++
		return Violation{Table: "outbox", Key: row.Outbox.Scheme + " " + row.Outbox.Reference, What: a.answerUnfit(row)}
	})
}

// answerUnfit returns the difference between a row of the outbox and its seals, "" when both fit.
func (a *audit) answerUnfit(row dbsqlc.AuditedOutboxListRow) string {
	o := row.Outbox
	facts, delivery := store.AnswerFacts(o), store.Seal(store.Text(o.DeliveryKeyID), o.DeliveryMac)
	err := a.cfg.Seal.CheckAnswer(facts, store.Seal(o.KeyID, o.Mac))
	switch {
	case err != nil:
		return sealUnfit("", err, "its content, its name or its reference")
	case facts.Answers != "" && payment.CheckRefusal(row.Refused, facts.Content) != nil: // row.Refused is the received document
		return "refuses another document than the received one, or has more than that one"
	case o.DocumentID != nil && (store.Text(row.DocumentName) != o.Name || store.Text(row.DocumentScheme) != o.Scheme):
		return "the document that it sends again is not there, or is another one"
	case o.RefusedAt != nil:
		return "is marked as refused, though it matches its seal: clearing does not get it"
	case o.DeliveredAt == nil && delivery != (keyring.Seal{}):
		return "the time of its delivery is gone, and its mark is there: it is sent once more"
	case o.DeliveredAt == nil:
		return ""
	}
	err = a.cfg.Seal.CheckDelivery(auditlog.Delivery{Scheme: o.Scheme, Reference: o.Reference, At: *o.DeliveredAt}, delivery)
	if err != nil {
		return "clearing may never have had it: the mark of its delivery " + strings.TrimPrefix(sealUnfit("", err, "its time"), "its seal ")
	}
	return ""
}

// requests compares each key of a request with its seal.
func (a *audit) requests(ctx context.Context) ([]Violation, error) {
	page := func(last dbsqlc.CreationKey) ([]dbsqlc.CreationKey, error) {
		return a.snapshot.q.AuditedRequestKeyList(ctx, dbsqlc.AuditedRequestKeyListParams{
			Realm: last.Realm, ClientID: last.ClientID, Scope: last.Scope, Key: last.Key, PageSize: auditedPage,
		})
	}
	return unfitRows(ctx, "check the keys of requests", page, func(k dbsqlc.CreationKey) Violation {
		a.report.Requests++
		return Violation{
			Realm: k.Realm, Table: "creation_key", Key: k.ClientID + " " + k.Scope + " " + k.Key, What: sealUnfit(
				"of message "+k.MessageID.String()+": ",
				a.cfg.Seal.CheckRequestKey(store.RequestKey(k), store.Seal(k.KeyID, k.Seal)), "its request, its message, its client or its time",
			),
		}
	})
}

// coreBookings compares each record of a payment at core banking with its seal and its version.
func (a *audit) coreBookings(ctx context.Context) ([]Violation, error) {
	page := func(last dbsqlc.CoreBooking) ([]dbsqlc.CoreBooking, error) {
		return a.snapshot.q.AuditedCoreBookingList(ctx, last.Realm, last.MessageID, auditedPage)
	}
	return unfitRows(ctx, "check the records of core banking", page, func(b dbsqlc.CoreBooking) Violation {
		return Violation{
			Realm: b.Realm, Table: "core_booking", Key: b.MessageID.String(),
			What: sealUnfit("", a.cfg.Seal.CheckCore(store.CoreBookingOf(b)), "its answer, its version, its times or its report to core banking"),
		}
	})
}
