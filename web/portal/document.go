package portal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// The forms a document can be read in, under the values of their address.
const (
	formXML     = "xml"
	formJSON    = "json"
	formSources = "sources"
)

var formLabels = map[string]i18n.Text{formXML: "XML", formJSON: "JSON", formSources: "Origin"}

// formOf parses a form; unknown text means the document itself.
func formOf(text string) string {
	switch text {
	case formJSON, formSources:
		return text
	}
	return formXML
}

// document loads the document of the path; one of another message does not exist here.
func (v *Request) document() (payment.Message, store.OutboundDocument, error) {
	m, err := v.Readable()
	if err != nil {
		return m, store.OutboundDocument{}, err
	}
	id, err := v.ID("document")
	if err != nil {
		return m, store.OutboundDocument{}, err
	}
	d, err := v.Config.Reader.Document(v.Context(), v.By.Realm, id)
	if err == nil && d.MessageID != m.InternalID {
		err = payment.ErrNotFound
	}
	return m, d, err
}

// showDocument shows one document: as XML or JSON, indented when it can be read, or element by element with where each came from.
func showDocument(v *Request) error {
	m, d, err := v.document()
	if err != nil {
		return err
	}
	form := formOf(v.Echo.QueryParam("form"))
	shown := documentView(m, d)
	model := views.DocumentView{
		Layout: v.layout(i18n.Data(string(d.Name)), placeOf(m)), BackLabel: i18n.Text("Messages related to %s").With(m.GlobalID),
		BackURL: "/payments/" + m.InternalID.String() + "/messages", Document: shown, Note: d.Withheld,
	}
	model.Document.DownloadURL += "?form=" + form
	forms := []string{formXML, formJSON}
	if madeHere(d) {
		forms = append(forms, formSources)
	} else if form == formSources {
		return payment.ErrNotFound
	}
	for _, other := range forms {
		model.Tabs = append(model.Tabs, ui.Tab{Label: formLabels[other], URL: shown.URL + "?form=" + other, Current: other == form})
	}
	if form == formSources {
		model.Sources = interbank.Sources(string(d.Name), d.Content)
	} else {
		model.Text = textOf(d.Content, form)
	}
	return v.Render(http.StatusOK, views.DocumentPage(model))
}

// madeHere reports whether this gateway made the document from others, so that the origin of each element is known.
func madeHere(d store.OutboundDocument) bool {
	return d.Direction == payment.DocumentOut && interbank.Known(string(d.Name))
}

// textOf formats a document for reading; an unreadable one is shown unchanged.
func textOf(content []byte, form string) string {
	if form == formJSON {
		encoded := jsonOf(content)
		var pretty bytes.Buffer
		if encoded != nil && json.Indent(&pretty, encoded, "", "  ") == nil {
			return pretty.String()
		}
	}
	read, findings := codec.DecodeXML(content)
	if read != nil && len(findings) == 0 {
		pretty, err := codec.EncodeXMLIndented(read)
		if err == nil {
			return string(pretty)
		}
	}
	return strings.ToValidUTF8(string(content), "\uFFFD")
}

// jsonOf is the JSON form of a document; nil when it cannot be read.
func jsonOf(content []byte) []byte {
	read, findings := codec.DecodeXML(content)
	if read == nil || len(findings) > 0 {
		return nil
	}
	encoded, err := codec.EncodeJSON(read)
	if err != nil {
		return nil
	}
	return encoded
}

// downloadDocument sends the exact bytes as a file, or the JSON form.
func downloadDocument(v *Request) error {
	m, d, err := v.document()
	if err != nil {
		return err
	}
	return v.sendFile(string(m.GlobalID)+"_"+string(d.Name), d.Content, formOf(v.Echo.QueryParam("form")))
}

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
