package request

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// ProblemVariant is the shape of an error's body in the API (interface contract, sections 1 and 5).
type ProblemVariant int

// The variants.
const (
	// VariantPlain: errorCode and message.
	VariantPlain ProblemVariant = iota
	// VariantFields: the request is malformed; one entry for each place.
	VariantFields
	// VariantRefusal: well formed, but a rule or the state of the message refuses it; a status report with RJCT.
	VariantRefusal
	// VariantTimeout: there was no answer in time, and it is not known whether anything was done.
	VariantTimeout
)

// Problem is an error as the caller sees it.
type Problem struct {
	Status  int       // HTTP
	Code    string    // such as 403_FOUR_EYES
	Text    i18n.Text // says what to do
	Variant ProblemVariant
	// Findings are the places of VariantFields, or the broken rules of VariantRefusal; none where the state refuses.
	Findings []payment.Finding
	// Message is the message of VariantRefusal; nil when there is none.
	Message *payment.Message
	// RetryAfter is the time until the next try; 0 when trying again does not help.
	RetryAfter time.Duration
	// Unexpected: an operator must see the error behind it; the caller must not.
	Unexpected bool
}

// Error is the sentence, so that a handler can return a Problem of its own.
func (p *Problem) Error() string { return p.Text.String() }

func (p *Problem) Sentence() i18n.Text { return p.Text }

// AskToWait sets Retry-After, in whole seconds rounded up, where trying again may help.
func (p *Problem) AskToWait(header http.Header) {
	if p.RetryAfter > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
	}
}

// FieldsProblem makes the problem of a malformed request.
func FieldsProblem(findings ...payment.Finding) *Problem {
	return &Problem{
		Status: http.StatusBadRequest, Code: "400_BAD_REQUEST", Variant: VariantFields, Findings: findings,
		Text: "The request is not valid. Correct the listed fields.",
	}
}

// UnsupportedMediaType makes the problem of a body of the wrong type.
func UnsupportedMediaType(wanted string) *Problem {
	return &Problem{
		Status: http.StatusUnsupportedMediaType, Code: "415_UNSUPPORTED_MEDIA_TYPE",
		Text: i18n.ForPrograms("Send the body as %s in UTF-8, without a content encoding.", wanted),
	}
}

// TooLarge makes the problem of a body beyond the limit, such as "256 KiB".
func TooLarge(limit string) *Problem {
	return &Problem{
		Status: http.StatusRequestEntityTooLarge, Code: "413_TOO_LARGE",
		Text: i18n.Text("The request body is too large. Send at most %s.").With(limit),
	}
}

// KeyReused makes the problem of an Idempotency-Key that came before with another request.
func KeyReused() *Problem {
	return &Problem{
		Status: http.StatusUnprocessableEntity, Code: "422_IDEMPOTENCY_KEY_REUSED",
		Text: i18n.ForPrograms("Give this request an Idempotency-Key of its own: this one was used before with other content."),
	}
}

// InFlight makes the problem of an Idempotency-Key whose first request has no answer yet.
func InFlight() *Problem {
	return &Problem{
		Status: http.StatusConflict, Code: "409_IN_FLIGHT", RetryAfter: retry,
		Text: i18n.ForPrograms("The first request with this Idempotency-Key has no answer yet. Send this one again in a moment."),
	}
}

// TooMany makes the problem of a caller above the rate limit. wait is the time until the next call is allowed.
func TooMany(wait time.Duration) *Problem {
	return &Problem{
		Status: http.StatusTooManyRequests, Code: "429_TOO_MANY_REQUESTS", RetryAfter: wait,
		Text: "You are sending too many requests. Wait for the time given in Retry-After, then send fewer requests at a time.",
	}
}

// Overloaded makes the problem of a request that came while the gateway had its hands full. Nothing was done.
func Overloaded() *Problem {
	return &Problem{
		Status: http.StatusServiceUnavailable, Code: "503_UNAVAILABLE", RetryAfter: retry,
		Text: "The gateway is busy and did not process this request. Wait for the time given in Retry-After, then send the request again.",
	}
}

// NotFound makes the problem of an address, or a message of another realm, that the caller cannot see.
func NotFound() *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "404_NOT_FOUND", Text: "Nothing was found at this address. Check the address."}
}

// retry is the Retry-After of an operation that took too long.
const retry = time.Second

// stoppedRetry is the Retry-After while payments are stopped until people acted.
const stoppedRetry = time.Minute

// ProblemOf maps an error to the problem for the caller of a page or a read. It returns a *Problem unchanged.
func ProblemOf(err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	for _, find := range []func(error) *Problem{ofAccess, ofRequest, ofMessage, ofServer} {
		found := find(err)
		if found != nil {
			return found
		}
	}
	return &Problem{
		Status: http.StatusInternalServerError, Code: "500_INTERNAL_ERROR", Unexpected: true,
		Text: "Something went wrong in the gateway. Try again. If the error happens again, report it with the request ID.",
	}
}

// ProblemOfCommand is ProblemOf for creation and approval: an unknown message is refused like one in the wrong state. A time-out and an
// interrupted write have a variant of their own, because the command may have been carried out.
func ProblemOfCommand(err error) *Problem {
	switch {
	case errors.Is(err, payment.ErrKeyReused):
		return KeyReused()
	case errors.Is(err, payment.ErrNotFound):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_UNKNOWN_ID", Variant: VariantRefusal,
			Text: i18n.ForPrograms("There is no message with this internalId."),
		}
	case errors.Is(err, store.ErrUnknown),
		errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrBusy):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_TIMEOUT", Variant: VariantTimeout, RetryAfter: retry,
			Text: i18n.ForPrograms("There was no answer in time, so it is not known whether this was done. Send the same request again, under the " +
				"same externalId or Idempotency-Key: it tells what became of this one and does nothing twice."),
		}
	case errors.Is(err, store.ErrUnavailable):
		return unavailable(i18n.ForPrograms("The gateway cannot reach its database at the moment. Send the same request again: under the same " +
			"externalId or key, and a decision by the same person, it is carried out once."))
	}
	return ProblemOf(err)
}

// ofAccess: who asks may not.
func ofAccess(err error) *Problem {
	var fourEyes *payment.FourEyesError
	var forbidden *payment.ForbiddenError
	var stepUp *payment.StepUpError
	switch {
	case errors.Is(err, auth.ErrUnauthorized):
		return &Problem{
			Status: http.StatusUnauthorized, Code: "401_UNAUTHORIZED",
			Text: i18n.ForPrograms("Send a valid access token as Authorization: Bearer. Get one with login or refresh."),
		}
	case errors.As(err, &fourEyes):
		return &Problem{Status: http.StatusForbidden, Code: "403_FOUR_EYES", Text: fourEyes.Sentence()}
	case errors.As(err, &stepUp):
		return &Problem{Status: http.StatusForbidden, Code: "403_STEP_UP", Text: stepUp.Sentence(), RetryAfter: stepUp.RetryAfter}
	case errors.As(err, &forbidden):
		return &Problem{Status: http.StatusForbidden, Code: "403_FORBIDDEN", Text: forbidden.Sentence()}
	case errors.Is(err, store.ErrNoPolicy):
		return &Problem{
			Status: http.StatusForbidden, Code: "403_FORBIDDEN",
			Text: "None of the approval policies of your institution apply to this payment. Ask an administrator for help.",
		}
	}
	return nil
}

// ofRequest maps the errors of a malformed request, and of one that breaks rules.
func ofRequest(err error) *Problem {
	var malformed *payment.FieldError
	var refused *payment.RefusalError
	var tooLarge *http.MaxBytesError
	var mediaType *MediaTypeError
	switch {
	case errors.As(err, &mediaType):
		return UnsupportedMediaType(mediaType.Wanted)
	case errors.As(err, &malformed):
		return FieldsProblem(malformed.Findings...)
	case errors.As(err, &refused):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_REFUSED", Variant: VariantRefusal, Findings: refused.Findings,
			Text: "The payment breaks rules of the scheme or of your institution. Correct the listed fields.",
		}
	case errors.As(err, &tooLarge):
		return TooLarge(strconv.FormatInt(tooLarge.Limit>>10, 10) + " KiB")
	case errors.Is(err, ErrSlowBody):
		return &Problem{
			Status: http.StatusRequestTimeout, Code: "408_REQUEST_TIMEOUT", Text: "The request body did not arrive in time. Send the request again.",
		}
	case errors.Is(err, ErrBrokenBody):
		return FieldsProblem(payment.Finding{Code: "FF01", Text: "The request body is incomplete. Send the whole body again."})
	}
	return nil
}

// ofMessage: the message is not there, or not where it would have to be.
func ofMessage(err error) *Problem {
	var state *payment.StateError
	var content *payment.ContentError
	var withheld *payment.WithheldError
	var mismatch *payment.MismatchError
	var conflict *administration.ConflictError
	var archived *payment.ArchivedError
	switch {
	case errors.As(err, &conflict):
		return &Problem{Status: http.StatusBadRequest, Code: "400_STATE", Text: conflict.Sentence()}
	case errors.As(err, &archived):
		return &Problem{
			Status: http.StatusNotFound, Code: "404_ARCHIVED",
			Text: i18n.Text("This payment was moved to the archive of %s.").With(i18n.ISODate(archived.Month)),
		}
	case errors.Is(err, payment.ErrNotFound):
		return NotFound()
	case errors.As(err, &state):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_STATE", Variant: VariantRefusal, Message: &state.Message, Text: state.Sentence(),
		}
	case errors.As(err, &content):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_CONTENT_CHANGED", Variant: VariantFields, Message: &content.Message, Text: content.Sentence(),
			Findings: []payment.Finding{{Pointer: "/ApprovalDetails/contentHash", Code: contentCode(content), Text: i18n.OfError(content)}},
		}
	case errors.As(err, &withheld):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_WITHHELD", Variant: VariantRefusal, Message: &withheld.Message, Text: withheld.Sentence(),
		}
	case errors.As(err, &mismatch):
		return &Problem{
			Status: http.StatusBadRequest, Code: "400_WRONG_PATH", Variant: VariantRefusal, Message: &mismatch.Message, Text: mismatch.Sentence(),
		}
	}
	return nil
}

// contentCode returns the ISO code of a decision whose digest is missing or differs.
func contentCode(e *payment.ContentError) string {
	if e.Unnamed {
		return "CH21"
	}
	return "CH16"
}

// ofServer: the server cannot, or there is nothing to be done at this address.
func ofServer(err error) *Problem {
	var status *echo.HTTPError
	switch {
	case errors.Is(err, store.ErrUnknown):
		return unavailable("The connection to the database was lost during this request. Before you send the request again, check whether " +
			"the data was stored.")
	case errors.Is(err, store.ErrStopped):
		return &Problem{Status: http.StatusServiceUnavailable, Code: "503_STOPPED", RetryAfter: stoppedRetry, Text: "Payments are stopped " +
			"because the database lost stored data. Two administrators of your institution must compare the stored payments with the " +
			"statement from clearing, and then resume payments."}
	case errors.Is(err, store.ErrUnavailable):
		return unavailable("The gateway cannot reach its database. Try again in a moment.")
	case TookTooLong(err):
		return unavailable("The gateway took too long to answer. Try again in a moment.")
	case errors.Is(err, context.Canceled):
		return unavailable("The request was interrupted because the connection was closed or the gateway is being stopped. Try again " +
			"in a moment.")
	case !errors.As(err, &status):
		return nil
	}
	switch status.Code {
	case http.StatusNotFound:
		return NotFound()
	case http.StatusMethodNotAllowed:
		return &Problem{Status: status.Code, Code: "405_METHOD_NOT_ALLOWED", Text: "This address does not accept this HTTP method."}
	}
	return nil
}

// unavailable asks to come again.
func unavailable(text i18n.Text) *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, Code: "503_UNAVAILABLE", RetryAfter: retry, Text: text}
}

// TookTooLong reports whether a call ended by a deadline, or by a wait in the database.
func TookTooLong(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrBusy)
}
