package api

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/submission"
	"countersign/web/problem"
)

// createRequest makes a recall, return or resolution.
func (a *API) createRequest(f requestForm, scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		order, err := a.readForm(c, form{schema: f.schema, mode: wrappable, also: f.check})
		order.request = f
		if err != nil {
			return a.failCommand(c, order, err)
		}
		key, err := idempotencyKey(c.Request().Header)
		if err != nil {
			return a.failCommand(c, order, err)
		}
		end, err := a.flights.begin(principal(c), key)
		if err != nil {
			return a.failCommand(c, order, err)
		}
		defer end()
		wish, err := a.wish(c, order, scheme)
		if err != nil {
			return a.failCommand(c, order, err)
		}
		wish.IdempotencyKey = key
		created, err := a.submitRequest(c, order, wish)
		if err != nil {
			return a.failCommand(c, order, err)
		}
		if created.Replayed {
			c.Response().Header().Set(replayedHeader, "true")
		}
		return a.answerStored(c, atCreation(created.Message))
	}
}

// wish reads what the caller wants; ids may be internalIds or Global IDs. Errors: payment.RefusalError for an id that names nothing and
// for a charge in a foreign currency.
func (a *API) wish(c echo.Context, o order, scheme rulebook.Scheme) (submission.Request, error) {
	wish := o.request.request(o.body, scheme)
	err := o.request.checkCharge(o.body, scheme)
	if err != nil {
		return wish, err
	}
	wish.OriginalID, err = a.find(c, o.text("identifiers", o.request.originalMember(o.body)))
	if errors.Is(err, payment.ErrNotFound) {
		return wish, unknownOriginal(o)
	}
	if err != nil || wish.Kind != payment.KindResolution {
		return wish, err
	}
	wish.RecallID, err = a.find(c, o.text("identifiers", "recallId"))
	if errors.Is(err, payment.ErrNotFound) {
		return wish, a.unknown(c, o, wish)
	}
	return wish, err
}

// submitRequest hands the wish to the station. Errors: those of submission.Station.CreateRequest, where an id that names nothing is a
// payment.RefusalError and an Idempotency-Key with other content a Problem.
func (a *API) submitRequest(c echo.Context, o order, wish submission.Request) (submission.Result, error) {
	created, err := a.cfg.Submission.CreateRequest(c.Request().Context(), principal(c), wish)
	var refused *payment.RefusalError
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return created, a.unknown(c, o, wish)
	case errors.As(err, &refused) && refused.Findings[0].Rule == rulebook.RuleMessageIDUnique:
		return created, problem.KeyReused() // a request has no other key than this and its externalId
	case err != nil || !created.Replayed:
		return created, err
	}
	return created, a.checkRepeat(c, wish, created.Message)
}

// checkRepeat holds the content of a repeated request against that of the first. Spaces and the order of members do not count.
func (a *API) checkRepeat(c echo.Context, wish submission.Request, first payment.Message) error {
	document, err := a.cfg.Reader.Document(c.Request().Context(), first.Realm, first.DocumentID)
	if err != nil {
		return fmt.Errorf("read the first request: %w", err)
	}
	was, is := jsontext.Value(bytes.Clone(document.Source)), jsontext.Value(bytes.Clone(wish.Source))
	err = firstOf(was.Canonicalize(), is.Canonicalize())
	switch {
	case err != nil:
		return fmt.Errorf("compare with the first request: %w", err)
	case bytes.Equal(was, is) && first.Scheme == wish.Scheme:
		return nil
	case first.ExternalID != "" && first.ExternalID == wish.ExternalID:
		return &payment.RefusalError{Findings: []payment.Finding{{
			Pointer: "/identifiers/externalId", Code: "DU01",
			Text: "Give the request an externalId of its own: this one was used before with other content.",
		}}}
	}
	return problem.KeyReused()
}

// unknown says which id of a request names nothing in this realm. An id of another realm is one of those.
func (a *API) unknown(c echo.Context, o order, wish submission.Request) error {
	if wish.Kind != payment.KindResolution {
		return unknownOriginal(o)
	}
	_, err := a.cfg.Reader.Message(c.Request().Context(), principal(c).Realm, wish.OriginalID)
	if errors.Is(err, payment.ErrNotFound) {
		return unknownOriginal(o)
	}
	if err != nil {
		return err
	}
	return unknownID("recallId", "There is no recall with this recallId.")
}

func unknownOriginal(o order) error {
	return unknownID(o.request.original, "There is no payment with this "+o.request.originalMember(o.body)+".")
}

func unknownID(member, text string) error {
	return &payment.RefusalError{Findings: []payment.Finding{{
		Rule: rulebook.RuleOriginalState, Pointer: "/identifiers/" + member, Code: "NARR", Text: text,
	}}}
}
