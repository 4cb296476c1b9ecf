package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/iso20022"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/web/request"
)

// batchPaths are the addresses of batches, which have the time-out of many decisions.
var batchPaths = [2]string{"/api/sic-inst/v1/instruction/batch", "/api/sct-inst/v1/instruction/batch"}

// documentType is the content type of a batch that is the document itself.
const documentType = "application/xml"

// States of a batch.
const (
	batchProcessing = "Processing"
	batchCompleted  = "Completed"
)

// acceptBatch stores a batch of payments, which the dispatcher makes later.
func (a *API) acceptBatch(scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		order, o, err := a.readBatch(c, scheme)
		if err != nil {
			return a.failCommand(c, o, err)
		}
		b, replayed, err := a.cfg.Batches.Accept(c.Request().Context(), principal(c), order)
		if malformed, is := errors.AsType[*payment.FieldError](err); is {
			err = &payment.FieldError{Findings: Told(malformed.Findings)}
		}
		if err != nil {
			return a.failCommand(c, o, err)
		}
		return reply{status: http.StatusAccepted, body: BatchAccepted{Header: a.header(c), Batch: batchOf(b)}, replayed: replayed}.send(c)
	}
}

// readBatch reads a batch in JSON, or as a document in XML.
func (a *API) readBatch(c echo.Context, scheme rulebook.Scheme) (service.BatchOrder, command, error) {
	order := service.BatchOrder{Scheme: scheme}
	if strings.HasPrefix(c.Request().Header.Get(echo.HeaderContentType), documentType) {
		var err error
		order.Document, err = request.ReadTyped(c, documentType, orderform.MaxFile)
		return order, command{}, err
	}
	read, err := readBody(c, a.forms.Batch, orderform.MaxFile)
	order.JSON, order.Document, order.ExternalID = true, read.DocumentRaw, read.Text("identifiers", "externalId")
	return order, command{Body: read, identifiers: Identifiers{ExternalID: order.ExternalID}}, err
}

// showBatch shows the progress of a batch, and the result of each payment so far.
func (a *API) showBatch(c echo.Context) error {
	id, err := parseID(c.Param("batchId"))
	var b store.OrderBatch
	var results []store.BatchResult
	if err == nil {
		b, results, err = a.cfg.Batches.Get(c.Request().Context(), principal(c), id)
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list := make([]BatchResult, len(results))
	for i, r := range results {
		list[i] = BatchResult{
			Position: r.Position, InternalID: orEmpty(r.MessageID), GlobalID: string(r.GlobalID), ExternalID: r.ExternalID,
			State: string(r.State),
		}
		if len(r.Findings) > 0 {
			list[i].Fields = fields(Told(append([]payment.Finding{}, r.Findings...)))
		}
	}
	return c.JSON(http.StatusOK, BatchAnswer{Header: a.header(c), Batch: batchOf(b), Results: list})
}

func batchOf(b store.OrderBatch) Batch {
	shown := Batch{
		BatchID: b.ID.String(), ExternalID: b.ExternalID, Scheme: string(b.Sender.Scheme), State: batchProcessing, Payments: b.Payments,
		Accepted: b.Accepted, Refused: b.Refused, CreatedAt: moment(b.CreatedAt), CompletedAt: moment(b.DoneAt),
	}
	if !b.DoneAt.IsZero() {
		shown.State = batchCompleted
	}
	return shown
}

// OrderFile is a file that holds the body of a call to instruction/create.
type OrderFile struct {
	// Prefix is the pointer to the order in the file: "" when it sits flat, else /paymentRequest.
	Prefix string
	// Document is the payment order; nil when it was not read to its end.
	Document *iso20022.CustomerCreditTransferInitiation
	// Structure holds the findings inside the order, at pointers within it; Outside those around it, at pointers within the file.
	Structure, Outside []payment.Finding
}

// ReadOrderFile reads a file as the API reads the body of a call to instruction/create, to check it before it is sent. It fails when the
// context ends first.
func ReadOrderFile(ctx context.Context, content []byte) (OrderFile, error) {
	forms, err := Compile()
	if err != nil {
		return OrderFile{}, err
	}
	if len(content) > MaxSize {
		return OrderFile{Outside: []payment.Finding{{Code: "FF01", Text: "Send at most 256 KiB in one order."}}}, nil
	}
	read, err := forms.Create.Read(ctx, content)
	file := OrderFile{Prefix: read.Prefix, Document: read.Document}
	var malformed *MalformedError
	if err != nil && !errors.As(err, &malformed) {
		return file, err
	}
	if malformed == nil {
		return file, nil
	}
	for _, f := range malformed.Findings {
		within, cut := strings.CutPrefix(f.Pointer, file.Prefix+"/Document")
		if cut {
			f.Pointer = "/Document" + within
			file.Structure = append(file.Structure, f)
		} else {
			file.Outside = append(file.Outside, f)
		}
	}
	return file, nil
}
