package api

import (
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/problem"
)

// draft is the direction of a document that a checker approves, before it is stamped and sent.
const draft = string(payment.DocumentDraft)

// listDocuments lists every ISO 20022 document of the realm, newest first.
func (a *API) listDocuments(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, append([]string{"internalId", "type", "direction", "scheme"}, pageParameters...), nil)
	filter := store.DocumentFilter{Name: q.text("type"), Direction: q.oneOf("direction", append(directions, draft)...), Scheme: q.oneOf("scheme", schemes...)}
	possible := true
	if text := q.text("internalId"); text != "" {
		id, err := parseID(text)
		filter.MessageID, possible = id, err == nil
	}
	page := q.paging()
	err := firstOf(mayRead(by), q.err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	var list []store.Document
	if possible {
		filter.Before, filter.Skip, filter.PageSize = page.after, page.skip(), page.ask()
		list, err = a.cfg.Reader.Documents(c.Request().Context(), by.Realm, filter)
		if err != nil {
			return a.Fail(c, problem.Of(err), err)
		}
	}
	list, shownPage := cut(list, page, func(d store.Document) uuid.UUID { return d.ID })
	messages, err := a.messagesOf(c, list)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, InterfaceList{Header: a.header(c), Messages: messages, Page: shownPage})
}

// listMessages lists the documents of one transaction.
func (a *API) listMessages(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	list, err := a.cfg.Reader.Documents(c.Request().Context(), m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: maxPageSize})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	messages, err := a.messagesOf(c, list)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, MessagesAnswer{Header: a.header(c), Messages: messages})
}

// showDocument shows one document as JSON, or its exact bytes to a caller who accepts application/xml.
func (a *API) showDocument(c echo.Context) error {
	by := principal(c)
	err := firstOf(mayRead(by), openQuery(c, nil, nil).err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	id, err := parseID(c.Param("id"))
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	d, err := a.cfg.Reader.Document(c.Request().Context(), by.Realm, id)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	if acceptsXML(c.Request()) {
		return c.Blob(http.StatusOK, echo.MIMEApplicationXML, d.Content)
	}
	messages, err := a.messagesOf(c, []store.Document{d})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	message := messages[0]
	message.ContentHash, message.Document = hex.EncodeToString(d.Hash[:]), documentJSON(d.Content)
	return c.JSON(http.StatusOK, InterfaceAnswer{Header: a.header(c), Message: message})
}

// acceptsXML reports whether the caller names application/xml before application/json.
func acceptsXML(request *http.Request) bool {
	for part := range strings.SplitSeq(request.Header.Get(echo.HeaderAccept), ",") {
		kind, _, err := mime.ParseMediaType(part)
		switch {
		case err != nil:
		case kind == echo.MIMEApplicationXML:
			return true
		case kind == echo.MIMEApplicationJSON:
			return false
		}
	}
	return false
}

// documentJSON is a stored document in JSON, or nil when its message is not known here any more.
func documentJSON(content []byte) json.RawMessage {
	document, findings := iso20022.DecodeXML(content)
	if len(findings) > 0 {
		return nil
	}
	written, err := iso20022.EncodeJSON(document)
	if err != nil {
		return nil
	}
	return written
}

// messagesOf shows documents. Whether an outgoing one is delivered is known of the message it belongs to.
func (a *API) messagesOf(c echo.Context, list []store.Document) ([]InterfaceMessage, error) {
	delivered := map[uuid.UUID]bool{}
	shown := make([]InterfaceMessage, 0, len(list))
	for _, d := range list {
		message := InterfaceMessage{
			ID: d.ID.String(), Type: d.Name, Direction: d.Direction, Scheme: d.Scheme, Reference: d.Reference, At: moment(d.At),
			Size: d.Size, Status: "Received",
		}
		if d.MessageID != uuid.Nil {
			message.InternalID = d.MessageID.String()
		}
		switch d.Direction {
		case draft:
			message.Status = "Draft"
		case string(payment.DocumentOut):
			taken, err := a.isDelivered(c, d.MessageID, delivered)
			if err != nil {
				return nil, err
			}
			message.Status = "Prepared"
			if taken {
				message.Status = "Delivered"
			}
		}
		shown = append(shown, message)
	}
	return shown, nil
}

// isDelivered asks whether clearing has taken a message, once for each.
func (a *API) isDelivered(c echo.Context, id uuid.UUID, known map[uuid.UUID]bool) (bool, error) {
	taken, asked := known[id]
	if asked || id == uuid.Nil {
		return taken, nil
	}
	m, err := a.cfg.Reader.Message(c.Request().Context(), principal(c).Realm, id)
	if err != nil {
		return false, err
	}
	known[id] = !m.DeliveredAt.IsZero()
	return known[id], nil
}
