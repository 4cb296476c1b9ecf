package portal

import (
	"errors"
	"net/http"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/qrbill"
	"countersign/views"
	"countersign/views/ui"
)

// qrBillPath is the page that reads a QR-bill.
const qrBillPath = "/payments/qr-bill"

// showQRBill asks for the QR code of a bill: its text, or a picture of it.
func showQRBill(v *Request) error {
	return v.renderQRBill(http.StatusOK, views.QRBill{})
}

// readQRBill fills the form from the QR code of a bill and stores it as a draft at once.
func readQRBill(v *Request) error {
	text, field, err := v.billText()
	if err != nil {
		return v.refuseQRBill(text, field, err)
	}
	path, notes, err := v.keepBill(text)
	if err != nil {
		return v.refuseQRBill(text, field, err)
	}
	notes = append([]i18n.Text{"The form was filled in from the QR-bill."}, notes...)
	return v.GoTo(path, i18n.Join(" ", notes...))
}

// billText returns the text of the code, pasted or read from the picture, and its field. Errors: *qrbill.Error, errManyParts, FormError.
func (v *Request) billText() (text, field string, err error) {
	picture, _, err := v.uploaded(MaxUpload)
	if err != nil {
		return "", "picture", err
	}
	text, field = v.Echo.FormValue("text"), "text"
	if strings.TrimSpace(text) != "" {
		return text, field, nil
	}
	switch {
	case len(picture) == 0:
		return "", field, &qrbill.Error{Text: "Paste the text of the QR code, or choose a picture of the code."}
	case len(picture) > MaxUpload:
		return "", "picture", &qrbill.Error{Text: i18n.Text("Choose a picture no larger than %s.").With(sizeOf(MaxUpload))}
	}
	text, err = qrbill.ReadPicture(v.Context(), picture)
	return text, "picture", err
}

// keepBill stores the form filled from a bill as a draft and returns its address. Error: *qrbill.Error for a bill that cannot be paid here.
func (v *Request) keepBill(text string) (path string, notes []i18n.Text, err error) {
	bill, err := qrbill.Parse(text)
	if err != nil {
		return "", nil, err
	}
	scheme, values, notes, err := orderform.OfBill(bill)
	if err != nil {
		return "", nil, err
	}
	values.EndToEndID = v.newEndToEndID()
	draft, err := v.newDraft(scheme, values)
	if err != nil {
		return "", nil, err
	}
	return "/payments/" + draft.ID.String() + "/edit", notes, v.Config.Drafts.Add(v.Context(), v.By, draft)
}

// keepQRBill stores the filled form of a bill that was sent after the session ended, as a draft. Text that is not a bill is dropped.
func keepQRBill(v *Request) (string, error) {
	text, _, err := v.billText()
	if err != nil {
		return "", nil //nolint:nilerr // a text that is no bill fills nothing
	}
	path, _, err := v.keepBill(text)
	var refused *qrbill.Error
	if errors.As(err, &refused) {
		return "", nil
	}
	return path, err
}

// refuseQRBill renders the page with the problem and the pasted or read text. It returns any other error.
func (v *Request) refuseQRBill(text, field string, cause error) error {
	var refused *qrbill.Error
	var words i18n.Text
	switch {
	case errors.As(cause, &refused):
		words = refused.Text
	case errors.Is(cause, errManyParts):
		words = manyFiles
	default:
		return cause
	}
	return v.renderQRBill(http.StatusUnprocessableEntity, views.QRBill{
		Text: strings.ReplaceAll(text, "\r\n", "\n"), Problems: []ui.Problem{{Field: field, Text: words}},
	})
}

func (v *Request) renderQRBill(status int, model views.QRBill) error {
	model.Layout, model.Limit = v.FormShell("Pay a QR-bill", views.PlaceBill, status), sizeOf(MaxUpload)
	return v.Render(status, views.QRBillPage(model))
}
