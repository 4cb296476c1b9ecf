package api

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/web/request"
)

// replayedHeader marks the repeated answer to a repeated request.
const replayedHeader = "Idempotent-Replayed"

// create makes a payment.
func (a *API) create(scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.read(c, a.forms.Create, scheme)
		if err != nil {
			return a.failCommand(c, command, a.withRules(c, command, err))
		}
		key, end, err := a.keyed(c)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		defer end()
		command.asked.IdempotencyKey = key
		created, err := a.cfg.Submission.Create(c.Request().Context(), principal(c), command.asked)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		first := a.reportReply(c, atCreation(created.Message), command.Document).
			noting(notesOf(command, scheme), created.Message.Payee)
		return a.sendCreated(c, first, created)
	}
}

// sendCreated sends the first answer to a creation, with the values that an approval needs.
func (a *API) sendCreated(c echo.Context, first reply, created service.Result) error {
	m := atCreation(created.Message)
	hash := m.ContentHash[:]
	if m.Version > 1 { // a repeat: the first answer named the first version
		versions, err := a.cfg.Reader.Versions(c.Request().Context(), m.Realm, m.InternalID)
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
		hash = versions[0].Hash
	}
	transaction := &CreatedTransaction{
		InternalID: m.InternalID.String(), State: string(m.State), ContentHash: hex.EncodeToString(hash), ApprovalsRequired: m.ApprovalsRequired,
	}
	switch answer := first.body.(type) {
	case InstructionAnswer:
		answer.Transaction = transaction
		first.body = answer
	case DecisionAnswer:
		answer.Transaction = transaction
		first.body = answer
	}
	first.replayed = created.Replayed
	return first.send(c)
}

// atCreation returns the message in its state right after creation: a replayed request repeats the first answer.
func atCreation(m payment.Message) payment.Message {
	m.State, m.Sequence, m.StateSince = payment.StateApprovalPending, 1, m.CreatedAt
	switch {
	case m.ApprovalsRequired > 0:
	case m.IsForLaterThan(m.CreatedAt):
		m.State = payment.StateScheduled
	default:
		m.State = payment.StateProcessing
	}
	return m
}

// validate checks a payment by the same rules without storing it.
func (a *API) validate(scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.read(c, a.forms.Validate, scheme)
		command.asked.ManyTransactions = true
		err = a.withRules(c, command, err)
		var malformed *request.Problem
		if errors.As(err, &malformed) && malformed.Variant == request.VariantFields {
			return a.answerInvalid(c, malformed.Findings)
		}
		if err != nil {
			return a.failCommand(c, command, err)
		}
		verified, findings, err := a.cfg.Submission.ValidateWithPayee(c.Request().Context(), principal(c), command.asked)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		if len(findings) > 0 {
			return a.answerInvalid(c, command.at(findings))
		}
		return c.JSON(http.StatusOK, ValidationAnswer{
			Header: a.header(c), Success: Success{Status: "Success", Notes: notesOf(command, scheme), Payee: payeeOf(verified)},
		})
	}
}

// withRules adds the broken rules of an order to the malformed places of its body, so that a client can correct everything at once. The
// error stays unchanged when the order could not be read to its end, or the caller may not create payments.
func (a *API) withRules(c echo.Context, command command, err error) error {
	in := command.asked
	var malformed *request.Problem
	if !errors.As(err, &malformed) || malformed.Variant != request.VariantFields || command.Document == nil {
		return err
	}
	var outside []payment.Finding // of the order: beside it in the body
	for _, f := range malformed.Findings {
		within, cut := strings.CutPrefix(f.Pointer, command.Prefix)
		if !cut {
			outside = append(outside, f)
			continue
		}
		f.Pointer = within
		in.Structure = append(in.Structure, f)
	}
	findings, ruleErr := a.cfg.Submission.Validate(c.Request().Context(), principal(c), in)
	if ruleErr != nil {
		return err
	}
	return request.FieldsProblem(Told(append(command.at(findings), outside...))...)
}

func (a *API) answerInvalid(c echo.Context, findings []payment.Finding) error {
	return c.JSON(http.StatusBadRequest, ValidationProblem{
		Header: a.header(c), Error: Failure{Message: "The order would be refused. Correct the named fields."}, Errors: fields(Told(findings)),
	})
}

// cancel withdraws a pending message. expect holds the kind and scheme of the path.
func (a *API) cancel(expect service.Expectation) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.readStep(c, a.forms.Cancel, "")
		if err != nil {
			return a.failCommand(c, command, err)
		}
		id, err := a.expected(c, command, expect)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		m, err := a.cfg.Submission.Withdraw(c.Request().Context(), principal(c), id, command.Text("reason"))
		return a.answerStep(c, command, step{message: m, err: err})
	}
}

// answer records the maker's answer to a checker's question about a message of any kind.
func (a *API) answer(c echo.Context) error {
	command, err := a.readStep(c, a.forms.Answer, "")
	if err != nil {
		return a.failCommand(c, command, err)
	}
	id, err := a.find(c, command.Text("identifiers", "internalId"))
	if err != nil {
		return a.failCommand(c, command, err)
	}
	m, err := a.cfg.Submission.Answer(c.Request().Context(), principal(c), id, command.Text("answer"))
	return a.answerStep(c, command, step{message: m, err: err})
}

// update replaces the content of a pending payment.
func (a *API) update(scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.readStep(c, a.forms.Update, scheme)
		if err != nil {
			return a.failCommand(c, command, a.withRules(c, command, err))
		}
		id, err := a.expected(c, command, service.Expectation{Kind: payment.KindInstruction, Scheme: scheme})
		if err != nil {
			return a.failCommand(c, command, err)
		}
		m, err := a.cfg.Submission.Amend(c.Request().Context(), principal(c), id, command.asked)
		s := step{message: m, err: err}
		if s.failed() {
			return a.answerStep(c, command, s)
		}
		return a.stepReply(c, s).noting(notesOf(command, scheme), m.Payee).send(c)
	}
}

// notesOf lists the elements of an order that are not forwarded, at the places of the caller's body.
func notesOf(command command, scheme rulebook.Scheme) Notes {
	var notes Notes
	for _, note := range interbank.Notes(scheme, command.Document) {
		notes = append(notes, Note{FieldMap: command.Prefix + note.Pointer, Text: note.Text.String()})
	}
	return notes
}

// noting adds notes and the verification of the payee to the status report of an instruction.
func (r reply) noting(notes Notes, verified payee.Verification) reply {
	if answer, is := r.body.(InstructionAnswer); is {
		answer.Notes, answer.Payee = notes, payeeOf(verified)
		r.body = answer
	}
	return r
}

// expected finds the message that a body names and compares it with the path. Kind and scheme of a message never change, so no lock is
// needed until the next step. Errors: payment.ErrNotFound, payment.MismatchError.
func (a *API) expected(c echo.Context, command command, expect service.Expectation) (uuid.UUID, error) {
	id, err := a.find(c, command.Text("identifiers", "internalId"))
	if err != nil {
		return uuid.Nil, err
	}
	m, err := a.cfg.Reader.Message(c.Request().Context(), principal(c).Realm, id)
	if err != nil {
		return uuid.Nil, err
	}
	if m.Kind != expect.Kind || m.Scheme != expect.Scheme {
		return uuid.Nil, &payment.MismatchError{Message: m}
	}
	return id, nil
}

// command is a body with the message it turned out to be about.
type command struct {
	Body
	identifiers Identifiers
	request     RTransactionForm // of a recall, return or resolution; the zero form for the others
	asked       payment.Order    // for the service, where the body holds a document
}

// readBody reads the body of a call, of at most so many bytes. Errors: a Problem that names the malformed places; those of
// request.ReadTyped.
func readBody(c echo.Context, f Form, most int64) (Body, error) {
	raw, err := request.ReadTyped(c, MediaType, most)
	if err != nil {
		return Body{}, err
	}
	read, err := f.Read(c.Request().Context(), raw)
	malformed, is := errors.AsType[*MalformedError](err)
	if is {
		return read, request.FieldsProblem(malformed.Findings...)
	}
	return read, err
}

// read reads the body of a command. scheme is that of the path, "" for none. The command names its subject as far as readable also on
// failure.
func (a *API) read(c echo.Context, f Form, scheme rulebook.Scheme) (command, error) {
	read, err := readBody(c, f, MaxSize)
	o := command{Body: read, identifiers: Identifiers{
		ExternalID: read.Text("identifiers", "externalId"), InternalID: read.Text("identifiers", "internalId"),
		CreditID: read.Text("identifiers", "creditId"), RecallID: read.Text("identifiers", "recallId"),
	}}
	o.asked = payment.Order{
		Scheme: scheme, ExternalID: o.identifiers.ExternalID, Document: read.Document, Source: read.Raw, SourceType: MediaType,
	}
	return o, err
}

// readStep is read for a step of a message that is there. The step repeats by itself, so an Idempotency-Key is checked and has no effect.
func (a *API) readStep(c echo.Context, f Form, scheme rulebook.Scheme) (command, error) {
	o, err := a.read(c, f, scheme)
	_, keyErr := idempotencyKey(c.Request().Header)
	return o, firstOf(err, keyErr)
}

// at changes findings from places of the domain's order to places of the caller's body.
func (o command) at(findings []payment.Finding) []payment.Finding {
	return o.At(o.request.Placed(o.Body, findings))
}

// about returns the command with the identifiers of a message that was found.
func (o command) about(m payment.Message) command {
	if m.InternalID != uuid.Nil {
		o.identifiers = identifiersOf(m)
	}
	return o
}

// parseID parses an id in its 36-character form, or fails with payment.ErrNotFound. It refuses the zero id, which no message has and which
// filters would treat as none.
func parseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 || id == uuid.Nil {
		return uuid.Nil, payment.ErrNotFound
	}
	return id, nil
}

// failCommand answers a creation or an approval that failed. Findings of a service are moved to their places in the caller's body; findings
// of the body reader are there already.
func (a *API) failCommand(c echo.Context, o command, err error) error {
	return a.refuse(c, commandRefusal(o, err))
}

func commandRefusal(o command, err error) refusal {
	p := request.ProblemOfCommand(err)
	var placed *request.Problem
	if !errors.As(err, &placed) {
		p.Findings = o.at(p.Findings)
	}
	return refusal{problem: p, cause: err, about: subject{identifiers: o.identifiers, document: o.Document, name: documentOf[o.request.Kind]}}
}

// step is the result of a decision, a cancellation or an update.
type step struct {
	message payment.Message
	err     error
}

// answerStep answers a step. A step that the same person took before with the same words gets its first answer again: a caller may repeat
// after a time-out.
func (a *API) answerStep(c echo.Context, o command, s step) error {
	if s.failed() {
		return a.failCommand(c, o.about(s.message), s.err)
	}
	return a.stepReply(c, s).send(c)
}

// failed reports whether the step was not taken, now or before.
func (s step) failed() bool {
	_, repeated := errors.AsType[*payment.RepeatError](s.err)
	return s.err != nil && !repeated
}

// stepReply returns the answer to a step that was taken.
func (a *API) stepReply(c echo.Context, s step) reply {
	repeat, repeated := errors.AsType[*payment.RepeatError](s.err)
	if !repeated {
		return a.storedReply(c, s.message)
	}
	first := a.storedReply(c, repeat.Message)
	first.replayed = first.status == http.StatusOK
	return first
}

// storedReply answers with the state of a stored message: a status report for an instruction, a state for other kinds. An instruction with
// an unreadable order also gets a state: the caller must not believe that the action failed.
func (a *API) storedReply(c echo.Context, m payment.Message) reply {
	if m.Kind == payment.KindInstruction {
		document, err := payment.DocumentOf(m)
		if err == nil {
			return a.reportReply(c, m, document)
		}
	}
	return reply{status: http.StatusOK, body: DecisionAnswer{
		Header: a.header(c), Success: Outcome{Status: string(m.State), Transactionid: string(m.GlobalID)}, Identifiers: identifiersOf(m),
	}}
}

func (a *API) reportReply(c echo.Context, m payment.Message, document *iso20022.CustomerCreditTransferInitiation) reply {
	message, err := statusMessage(payment.StatusReport(m, document, m.StateSince))
	if err != nil {
		return a.broken(c, err)
	}
	return reply{status: http.StatusOK, body: InstructionAnswer{Header: a.header(c), Message: message, Identifiers: identifiersOf(m)}}
}
