package portal

import (
	"errors"
	"strconv"

	"countersign/internal/orderform"
	"countersign/internal/payment"
)

// KeepPayment saves a form that a maker sent after the session ended, for the same person: a payment form as a draft, answers and files
// unchanged. It returns the address that opens it again; "" for another form.
func KeepPayment(v *Request) (string, error) {
	path := v.Echo.Path()
	switch path {
	case "/payments/new", keepAddress, "/payments/:id/edit", "/payments/:id/amend", "/payments/:id/amend/keep":
		return keepForm(v, path)
	case "/payments/:id/submit":
		return keepAnswers(v, "check")
	case "/payments/:id/withdraw":
		return keepAnswers(v, "withdraw")
	case "/payments/:id/answer":
		return keepAnswers(v, "answer")
	case "/payments/:id/answer/keep":
		return keepWords(v, "answer", "answer")
	case "/payments/:id/check/keep":
		return keepWords(v, "check", "duplicateReason")
	case "/payments/:id/withdraw/keep":
		return keepWords(v, "withdraw", "reason")
	case "/payments/upload":
		return keepFile(v)
	case "/payments/batches/:id/submit":
		id, err := v.ID("id")
		if err != nil {
			return "", nil //nolint:nilerr // there is no such file
		}
		return batchPath(id), nil
	case "/payments/qr-bill":
		return keepQRBill(v)
	}
	return "", nil
}

// keepAnswers saves the text typed beside a draft or a message: the reason for paying again or for withdrawing.
func keepAnswers(v *Request, part string) (string, error) {
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // answers about nothing are not kept
	}
	return v.Park("/payments/"+id.String()+"/"+part, nil, "")
}

// keepWords saves such a text while it is typed, in the field of this name.
func keepWords(v *Request, part, reason string) (string, error) {
	id, err := v.ID("id")
	if err != nil {
		return "", nil //nolint:nilerr // words about nothing are not kept
	}
	return "/payments/" + id.String() + "/" + part, v.KeepTypedLate(id, reason)
}

// keepFile saves an uploaded file of an accepted size.
func keepFile(v *Request) (string, error) {
	content, name, err := v.uploaded(orderform.MaxFile)
	if err != nil || len(content) == 0 || len(content) > orderform.MaxFile {
		return "", err
	}
	return v.Park("/payments/upload", content, name)
}

func keepForm(v *Request, path string) (string, error) {
	form, err := v.Form()
	if err != nil {
		return "", err
	}
	draft, err := v.newDraft(SchemeOf(form.Get("scheme")), orderform.ReadForm(form))
	if err != nil {
		return "", err
	}
	switch path {
	case "/payments/:id/edit":
		earlier, err := v.OpenDraft()
		if err != nil && !errors.Is(err, payment.ErrNotFound) {
			return "", err
		}
		draft.Amends, draft.AmendsVersion = earlier.Amends, earlier.AmendsVersion
	case "/payments/:id/amend", "/payments/:id/amend/keep":
		m, err := v.Message()
		if errors.Is(err, payment.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		version, err := strconv.Atoi(v.Echo.QueryParam("version"))
		if err != nil || version < 1 || version > m.Version {
			version = m.Version
		}
		draft.Amends, draft.AmendsVersion = m.InternalID, version
	}
	kept, _, err := v.keepIn(form, draft)
	var tooMany *payment.ForbiddenError
	if errors.As(err, &tooMany) {
		return "", nil
	}
	return formPath(kept.ID), err
}
