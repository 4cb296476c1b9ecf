package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/web/request"
)

// timeLayout is the format of times outside ISO documents: UTC, milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// moment writes a time; the zero time is "", which is left out.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// dayOf is a day, at midnight UTC, as 2026-11-20; "" for none.
func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// header opens every answer.
func (a *API) header(c echo.Context) Header {
	ctx := c.Request().Context()
	return Header{ResponseID: request.Reference(ctx), OriginalRequestID: request.ID(ctx), ResponseTime: moment(a.cfg.Now())}
}

// fields converts findings to JSON.
func fields(findings []payment.Finding) []Field {
	list := make([]Field, 0, len(findings))
	for _, f := range findings {
		list = append(list, Field{FieldMap: f.Pointer, ReasonCode: f.Code, ReasonText: f.Text.String()})
	}
	return list
}

// subject names the message of a refusal: its known identifiers, and the order when it has been read.
type subject struct {
	identifiers Identifiers
	document    *iso20022.CustomerCreditTransferInitiation
	name        iso20022.MessageName // of the document it would be or is; "" for an order
}

// Fail writes an error that concerns no payment. cause is logged for an unexpected problem.
func (a *API) Fail(c echo.Context, p *request.Problem, cause error) error {
	return a.refuse(c, refusal{problem: p, cause: cause})
}

// FailAt writes an error of a middleware or of the router in the form of the calls at this address: token calls have their own form.
func (a *API) FailAt(c echo.Context, p *request.Problem, cause error) error {
	switch {
	case !isTokenCall(c.Path()):
		return a.Fail(c, p, cause)
	case p.Unexpected:
		return a.tokens.refuse(c, cause) // which logs it, and shows nothing of it
	}
	return a.tokens.refuse(c, p)
}

// isTokenCall reports whether a route is one of TokenRoutes.
func isTokenCall(route string) bool {
	return strings.HasPrefix(route, authPath) || strings.HasPrefix(route, metadataPath+authPath)
}

// refusal is everything that the answer to a failed call is made of.
type refusal struct {
	problem *request.Problem
	cause   error
	about   subject
}

// refuse writes the answer of a failed call in the variant of its problem.
func (a *API) refuse(c echo.Context, r refusal) error {
	p := r.problem
	if p.Unexpected {
		a.logUnexpected(c, r.cause)
	}
	if p.Status == http.StatusUnauthorized {
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, challenge(c.Request()))
	}
	p.AskToWait(c.Response().Header())
	return a.refused(c, r).send(c)
}

// reply is the answer to a call, or to one item of several in a call.
type reply struct {
	status   int // HTTP
	body     any
	replayed bool // the first answer to a request that came again
}

// send writes the answer to a call.
func (r reply) send(c echo.Context) error {
	if r.replayed {
		c.Response().Header().Set(replayedHeader, "true")
	}
	return c.JSON(r.status, r.body)
}

// refused returns the answer of a failed call in the variant of its problem.
func (a *API) refused(c echo.Context, r refusal) reply {
	p := r.problem
	switch p.Variant {
	case request.VariantFields:
		return reply{status: p.Status, body: FieldsProblem{Header: a.header(c), Fields: fields(p.Findings)}}
	case request.VariantTimeout:
		a.cfg.Metrics.UnknownOutcome()
		return reply{status: p.Status, body: TimeoutProblem{Header: a.header(c), Error: Failure{Message: p.Text.String()}}}
	case request.VariantRefusal:
		return a.refusedByReport(c, r)
	case request.VariantPlain:
	}
	return reply{status: p.Status, body: Problem{Header: a.header(c), ErrorCode: p.Code, Message: p.Text.String()}}
}

// broken is the answer when an answer could not be written.
func (a *API) broken(c echo.Context, err error) reply {
	a.logUnexpected(c, err)
	return a.refused(c, refusal{problem: request.ProblemOf(err), cause: err})
}

func (a *API) logUnexpected(c echo.Context, err error) {
	ctx := c.Request().Context()
	a.cfg.Log.ErrorContext(ctx, "call failed", "path", c.Path(), "reference", request.Reference(ctx), "error", err)
}

// refusedByReport is a refusal as a status report with RJCT.
func (a *API) refusedByReport(c echo.Context, r refusal) reply {
	document, identifiers, name := r.about.document, r.about.identifiers, r.about.name
	if m := r.problem.Message; m != nil {
		identifiers, name = identifiersOf(*m), documentOf[m.Kind]
		stored, err := payment.DocumentOf(*m)
		if err == nil {
			document = stored
		}
	}
	if refused, is := errors.AsType[*payment.RefusalError](r.cause); is {
		identifiers.RecallID = orEmpty(refused.Recall)
	}
	reasons := r.problem.Findings
	if len(reasons) == 0 {
		reasons = []payment.Finding{{Code: "NARR", Text: r.problem.Text}} // see narrative: no ISO code says it
	}
	reference := strings.ReplaceAll(request.Reference(c.Request().Context()), "-", "")
	report := payment.RefusalReport(document, reference, reasons, a.cfg.Now())
	if name != "" {
		report.OriginalGroupInformationAndStatus.OriginalMessageNameID = string(name)
	}
	message, err := statusMessage(report)
	if err != nil {
		return a.broken(c, err)
	}
	answer := RefusalProblem{Header: a.header(c), Message: message, Identifiers: identifiers, Fields: fields(r.problem.Findings)}
	if m := r.problem.Message; m != nil {
		answer.State = string(m.State)
		if d, decided := m.LastDecision(); decided {
			shown := approvalOf(d)
			answer.Decision = &shown
		}
	}
	return reply{status: r.problem.Status, body: answer}
}

// identifiersOf names a message in an answer. An R-transaction has no instructionId: it would be that of its payment.
func identifiersOf(m payment.Message) Identifiers {
	names := Identifiers{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, CreditID: creditID(m),
		RecallID: orEmpty(m.AnswersID),
	}
	if m.Kind == payment.KindInstruction {
		names.InstructionID = m.Summary.InstructionID
	}
	return names
}

// creditID names the incoming payment that a message is, or that it is about; "" where ours is the payment, as in the answer to our recall.
func creditID(m payment.Message) string {
	switch m.Kind {
	case payment.KindPayment:
		return m.InternalID.String()
	case payment.KindReceivedRecall:
		return orEmpty(m.OriginalID)
	case payment.KindReturn, payment.KindResolution:
		if m.Direction == payment.DirectionOut {
			return orEmpty(m.OriginalID)
		}
	case payment.KindInstruction, payment.KindRecall:
	}
	return ""
}

// kindOf returns the name of a kind in the interface: a received recall is a recall whose direction is in.
func kindOf(m payment.Message) string {
	if m.Kind == payment.KindReceivedRecall {
		return string(payment.KindRecall)
	}
	return string(m.Kind)
}

// documentOf names the ISO 20022 message that a kind is to other banks; "" for an instruction, which is known by its order.
var documentOf = map[payment.Kind]iso20022.MessageName{
	payment.KindRecall: iso20022.Camt056V08, payment.KindReceivedRecall: iso20022.Camt056V08, payment.KindReturn: iso20022.Pacs004V09,
	payment.KindResolution: iso20022.Camt029V09, payment.KindPayment: iso20022.Pacs008V08,
}

// orEmpty writes an id; the zero id is "", which is left out.
func orEmpty(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// statusMessage writes a pain.002 as JSON. The interface spells the pending status PNDG there, while the ISO code is PDNG.
func statusMessage(report *iso20022.CustomerPaymentStatusReport) (StatusMessage, error) {
	if report == nil {
		return StatusMessage{}, errors.New("write the status report: the stored document holds no payment")
	}
	spell(&report.OriginalGroupInformationAndStatus.GroupStatus)
	for i := range report.OriginalPaymentInformationAndStatus {
		information := &report.OriginalPaymentInformationAndStatus[i]
		spell(&information.PaymentInformationStatus)
		for j := range information.TransactionInformationAndStatus {
			spell(&information.TransactionInformationAndStatus[j].TransactionStatus)
		}
	}
	content, err := codec.EncodeJSON(report)
	if err != nil {
		return StatusMessage{}, fmt.Errorf("write the status report: %w", err)
	}
	return StatusMessage{Document: json.RawMessage(content)}, nil
}

func spell(status *string) {
	if *status == "PDNG" {
		*status = "PNDG"
	}
}

// coreOf writes what core banking said of a payment; nil when there is no record.
func coreOf(b *payment.CoreBooking) *Core {
	if b == nil {
		return nil
	}
	if b.Withheld != "" {
		return &Core{Outcome: "withheld", Text: b.Withheld.String()}
	}
	return &Core{
		Outcome: cmp.Or(string(b.Answer.Outcome), "asked"), Code: b.Answer.Code, Text: b.Answer.Text, At: moment(b.Answer.At),
		Told: string(b.Told), ToldAt: moment(b.ToldAt),
	}
}

// payeeOf writes the result of a verification of payee; nil when there was none.
func payeeOf(v payee.Verification) *Payee {
	if !v.Known() {
		return nil
	}
	return &Payee{Result: string(v.Result), MatchedName: v.MatchedName, At: moment(v.At)}
}
