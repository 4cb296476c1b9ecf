package api

import (
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/request"
)

// draft is the direction of a document that a checker approves, before it is stamped and sent.
const draft = string(payment.DocumentDraft)

// documentFilters are the parameters of the list of documents besides those of the page. All but type, direction, scheme and the dates are
// about the transaction of a document.
var documentFilters = append([]string{
	"internalId", "type", "direction", "scheme", "creationDateFrom", "creationDateTo", "creditorAccount", "creditorAgent", "creditorName",
	"debtorAccount", "debtorAgent", "debtorName", "endToEndId", "endToendId", "externalId", "globalId", "instructionId",
}, pageParameters...)

// documentTypes are the names of all documents that the gateway reads or writes.
func documentTypes() []string {
	var names []string
	for _, d := range iso20022.Definitions() {
		if !d.Header() {
			names = append(names, string(d.Name))
		}
	}
	return names
}

// documentFilter reads the filters; possible is false when no document can match them.
func documentFilter(q *query) (filter store.DocumentFilter, possible bool) {
	filter = store.DocumentFilter{
		Name: q.oneOf("type", documentTypes()...), Direction: q.oneOf("direction", append(slices.Clone(directions), draft)...),
		Scheme:      q.oneOf("scheme", schemes...),
		CreatedFrom: q.time("creationDateFrom", dayStart), CreatedTo: q.time("creationDateTo", dayEnd),
		ExternalID: q.text("externalId"), InstructionID: q.text("instructionId"), EndToEndID: q.endToEndID(),
		DebtorAccount: q.account("debtorAccount"), DebtorAgent: q.text("debtorAgent"), DebtorName: q.text("debtorName"),
		CreditorAccount: q.account("creditorAccount"), CreditorAgent: q.text("creditorAgent"), CreditorName: q.text("creditorName"),
	}
	possible = true
	if text := q.text("internalId"); text != "" {
		id, err := parseID(text)
		filter.MessageID, possible = id, err == nil
	}
	if text := q.text("globalId"); text != "" {
		id, err := payment.Parse(text)
		filter.GlobalID, possible = string(id), possible && err == nil
	}
	return filter, possible
}

// listDocuments lists every ISO 20022 document of the realm, newest first.
func (a *API) listDocuments(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, documentFilters, nil)
	filter, possible := documentFilter(q)
	page := q.paging()
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	var list []store.OutboundDocument
	if possible {
		filter.OldestFirst, filter.ChangedSince = page.oldestFirst, page.changedSince
		list, err = walk(page, documentKey, func(from uuid.UUID, size int32) ([]store.OutboundDocument, error) {
			filter.Before, filter.PageSize = from, size
			return a.cfg.Reader.Documents(c.Request().Context(), by.Realm, filter)
		})
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
	}
	list, shownPage := cut(list, page, documentKey)
	return c.JSON(http.StatusOK, InterfaceList{Header: a.header(c), Messages: messagesOf(list), Page: shownPage})
}

func documentKey(d store.OutboundDocument) uuid.UUID { return d.ID }

// listMessages lists the documents of one transaction.
func (a *API) listMessages(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list, err := a.cfg.Reader.Documents(c.Request().Context(), m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: maxPageSize})
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, MessagesAnswer{Header: a.header(c), Messages: messagesOf(list)})
}

// showDocument shows one document as JSON, or its exact bytes to a caller who accepts application/xml.
func (a *API) showDocument(c echo.Context) error {
	by := principal(c)
	err := firstOf(payment.MayRead(by), openQuery(c, nil, nil).err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	id, err := parseID(c.Param("id"))
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	d, err := a.cfg.Reader.Document(c.Request().Context(), by.Realm, id)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	if accepts(c.Request(), echo.MIMEApplicationXML) {
		return c.Blob(http.StatusOK, echo.MIMEApplicationXML, d.Content)
	}
	message := messagesOf([]store.OutboundDocument{d})[0]
	message.ContentHash, message.Document = hex.EncodeToString(d.Hash[:]), documentJSON(d.Content)
	return c.JSON(http.StatusOK, InterfaceAnswer{Header: a.header(c), Message: message})
}

// accepts reports whether the caller names a media type before application/json.
func accepts(request *http.Request, wanted string) bool {
	for part := range strings.SplitSeq(request.Header.Get(echo.HeaderAccept), ",") {
		kind, _, err := mime.ParseMediaType(part)
		switch {
		case err != nil:
		case kind == wanted:
			return true
		case kind == echo.MIMEApplicationJSON:
			return false
		}
	}
	return false
}

// documentJSON is a stored document in JSON, or nil when its message is not known here any more.
func documentJSON(content []byte) json.RawMessage {
	document, findings := codec.DecodeXML(content)
	if len(findings) > 0 {
		return nil
	}
	written, err := codec.EncodeJSON(document)
	if err != nil {
		return nil
	}
	return written
}

// messagesOf shows documents.
func messagesOf(list []store.OutboundDocument) []InterfaceMessage {
	shown := make([]InterfaceMessage, 0, len(list))
	for _, d := range list {
		message := InterfaceMessage{
			ID: d.ID.String(), Type: string(d.Name), Direction: string(d.Direction), Scheme: string(d.Scheme), Reference: d.Reference,
			At: moment(d.At), Size: d.Size, Status: "Received",
		}
		if d.MessageID != uuid.Nil {
			message.InternalID = d.MessageID.String()
		}
		switch {
		case d.Withheld != "":
			message.Status = "Withheld"
		case d.Direction == payment.DocumentDraft:
			message.Status = "Draft"
		case d.Direction == payment.DocumentOut && d.Delivered:
			message.Status = "Delivered"
		case d.Direction == payment.DocumentOut:
			message.Status = "Prepared"
		}
		shown = append(shown, message)
	}
	return shown
}
