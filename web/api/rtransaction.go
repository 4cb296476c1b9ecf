package api

import (
	"errors"

	"github.com/labstack/echo/v4"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/web/request"
)

// createRTransaction makes a recall, return or resolution.
func (a *API) createRTransaction(f RTransactionForm, scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.read(c, f.Form, scheme)
		command.request = f
		if err != nil {
			return a.failCommand(c, command, err)
		}
		key, end, err := a.keyed(c)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		defer end()
		asked, err := a.rTransaction(c, command)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		asked.IdempotencyKey = key
		created, err := a.submitRTransaction(c, command, asked)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		return a.sendCreated(c, a.storedReply(c, atCreation(created.Message)), created)
	}
}

// rTransaction reads the request for an R-transaction; ids may be internalIds or Global IDs. Errors: payment.RefusalError for an unknown id
// and for a charge in a foreign currency, payment.FieldError for a malformed charge.
func (a *API) rTransaction(c echo.Context, o command) (payment.RTransaction, error) {
	asked, err := o.request.RTransaction(o.Body, o.asked.Scheme)
	if err != nil {
		return asked, err
	}
	asked.OriginalID, err = a.find(c, o.Text("identifiers", o.request.OriginalMember(o.Body)))
	if errors.Is(err, payment.ErrNotFound) {
		return asked, unknownOriginal(o)
	}
	if err != nil || asked.Kind != payment.KindResolution {
		return asked, err
	}
	asked.RecallID, err = a.find(c, o.Text("identifiers", "recallId"))
	if errors.Is(err, payment.ErrNotFound) {
		return asked, a.unknown(c, o, asked)
	}
	return asked, err
}

// submitRTransaction passes the request to the service. Errors: those of service.Payments.CreateRTransaction, where an unknown id is a
// payment.RefusalError; those of checkRepeat for a repeat.
func (a *API) submitRTransaction(c echo.Context, o command, asked payment.RTransaction) (service.Result, error) {
	created, err := a.cfg.Submission.CreateRTransaction(c.Request().Context(), principal(c), asked)
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return created, a.unknown(c, o, asked)
	case err != nil || !created.Replayed:
		return created, err
	}
	return created, checkRepeat(asked, created.Message)
}

// checkRepeat compares a repeated request of the same content with the first one in the remaining parts: the scheme of the path, and the
// externalId beside a key.
func checkRepeat(asked payment.RTransaction, first payment.Message) error {
	switch {
	case first.Scheme == asked.Scheme && first.ExternalID == asked.ExternalID:
		return nil
	case first.ExternalID != "" && first.ExternalID == asked.ExternalID:
		return &payment.RefusalError{Findings: []payment.Finding{{
			Pointer: "/identifiers/externalId", Code: "DU01",
			Text: "Give the request an externalId of its own: this one was used before with other content.",
		}}}
	}
	return request.KeyReused()
}

// unknown names the id of a request that does not exist in this realm. An id of another realm is unknown too.
func (a *API) unknown(c echo.Context, o command, asked payment.RTransaction) error {
	if asked.Kind != payment.KindResolution {
		return unknownOriginal(o)
	}
	_, err := a.cfg.Reader.Message(c.Request().Context(), principal(c).Realm, asked.OriginalID)
	if errors.Is(err, payment.ErrNotFound) {
		return unknownOriginal(o)
	}
	if err != nil {
		return err
	}
	return unknownID("recallId", "There is no recall with this recallId.")
}

func unknownOriginal(o command) error {
	return unknownID(o.request.Original, "There is no payment with this "+o.request.OriginalMember(o.Body)+".")
}

func unknownID(member, text string) error {
	return &payment.RefusalError{Findings: []payment.Finding{{
		Rule: rulebook.RuleOriginalState, Pointer: "/identifiers/" + member, Code: "NARR", Text: i18n.Data(text),
	}}}
}
