package portal

import (
	"bytes"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

// Limits of the listed documents of one message: the newest, and before them the first. An unconfirmed payment gets another document every
// quarter of an hour, which must not hide the order and the sent document.
const (
	maxDocuments   = 200
	firstDocuments = 50
)

// documents holds the documents of one message that its page lists.
type documents struct {
	list []store.OutboundDocument // newest first
	// leftOut: some are not in the list, between first, the newest of the first ones, and rest, the oldest of the newest.
	leftOut     bool
	first, rest store.OutboundDocument
}

// between reports whether documents of this time may be missing in the list.
func (d documents) between(at time.Time) bool {
	return d.leftOut && at.After(d.first.At) && at.Before(d.rest.At)
}

// documents reads the newest documents of a message, and the first where there are more.
func (v *Request) documents(m payment.Message) (d documents, err error) {
	d.list, err = v.Config.Reader.Documents(
		v.Context(), v.By.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: maxDocuments},
	)
	if err != nil || len(d.list) < maxDocuments {
		return d, err
	}
	d.rest = d.list[len(d.list)-1]
	first, err := v.documentsAfter(m, uuid.Nil, firstDocuments+1) // one more tells whether any is left out
	if err != nil {
		return d, err
	}
	first = slices.DeleteFunc(first, func(one store.OutboundDocument) bool { return bytes.Compare(one.ID[:], d.rest.ID[:]) >= 0 })
	if len(first) > firstDocuments {
		first, d.leftOut = first[:firstDocuments], true
		d.first = first[len(first)-1]
	}
	slices.Reverse(first)
	d.list = append(d.list, first...)
	return d, nil
}

// documentsAfter reads the documents of a message in their order, after the given one.
func (v *Request) documentsAfter(m payment.Message, after uuid.UUID, most int32) ([]store.OutboundDocument, error) {
	return v.Config.Reader.Documents(v.Context(), v.By.Realm, store.DocumentFilter{
		MessageID: m.InternalID, Before: after, OldestFirst: true, PageSize: most,
	})
}

// listDocuments fills the list of documents: the first and the newest ones, or a page that begins with the document in the address.
func (v *Request) listDocuments(model *views.Payment, m payment.Message, d documents) error {
	path := "/payments/" + m.InternalID.String() + "/messages"
	after, err := uuid.Parse(v.Echo.QueryParam("after"))
	if err != nil || !d.leftOut {
		for _, one := range slices.Backward(d.list) {
			model.Documents = append(model.Documents, documentView(m, one))
		}
		if d.leftOut {
			model.LeftOutURL = path + "?after=" + d.first.ID.String()
		}
		return nil
	}
	list, err := v.documentsAfter(m, after, maxDocuments)
	for _, one := range list {
		model.Documents = append(model.Documents, documentView(m, one))
	}
	model.DocumentPages.FirstURL = path
	if len(list) == maxDocuments {
		model.DocumentPages.NextURL, model.DocumentPages.NextLabel = path+"?after="+list[len(list)-1].ID.String(), "Next page"
	}
	return err
}
