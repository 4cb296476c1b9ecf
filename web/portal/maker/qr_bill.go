package maker

import (
	"errors"
	"net/http"
	"strings"

	"countersign/internal/entry"
	"countersign/internal/language"
	"countersign/internal/qrbill"
	"countersign/views"
	"countersign/views/making"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// showQRBill asks for the QR code of a bill: its text, or a picture of it.
func showQRBill(v *visit) error {
	err := page.MayMake(v.By)
	if err != nil {
		return err
	}
	return v.renderQRBill(http.StatusOK, making.QRBill{})
}

// readQRBill fills the form from the QR code of a bill. The form is kept as a draft from then on, so nothing is lost on the way.
func readQRBill(v *visit) error {
	err := page.MayMake(v.By)
	if err != nil {
		return err
	}
	picture, _, err := v.uploaded()
	if errors.Is(err, errManyParts) {
		return v.refuseQRBill("", "picture", errManyParts)
	}
	if err != nil {
		return err
	}
	text, field := v.Echo.FormValue("text"), "text"
	if strings.TrimSpace(text) == "" && len(picture) > 0 {
		field = "picture"
		if len(picture) > page.MaxUpload {
			tooLarge := language.Text("Choose a smaller picture: %s at most.").With(uploadLimit())
			return v.refuseQRBill("", field, &qrbill.Error{Text: tooLarge})
		}
		text, err = qrbill.ReadPicture(v.Context(), picture)
		if err != nil {
			return v.refuseQRBill("", field, err)
		}
	}
	if strings.TrimSpace(text) == "" {
		return v.refuseQRBill("", "text", &qrbill.Error{Text: "Paste the text of the QR code, or choose a picture of it."})
	}
	bill, err := qrbill.Parse(text)
	if err != nil {
		return v.refuseQRBill(text, field, err)
	}
	scheme, values, notes, err := entry.OfBill(bill)
	if err != nil {
		return v.refuseQRBill(text, field, err)
	}
	values.EndToEndID = v.newEndToEndID()
	draft, err := v.newDraft(scheme, values)
	if err != nil {
		return err
	}
	err = v.Config.Drafts.Add(v.Context(), v.By, draft)
	if err != nil {
		return err
	}
	notes = append([]language.Text{"Filled in from the QR-bill."}, notes...)
	return v.GoTo("/payments/"+draft.ID.String()+"/edit", language.Join(" ", notes...))
}

// refuseQRBill shows the page again with what is wrong, and with the text as it was pasted.
func (v *visit) refuseQRBill(text, field string, cause error) error {
	words := language.Sentence(cause.Error())
	var refused *qrbill.Error
	if errors.As(cause, &refused) {
		words = refused.Text
	}
	return v.renderQRBill(http.StatusUnprocessableEntity, making.QRBill{
		Text: strings.ReplaceAll(text, "\r\n", "\n"), Problems: []ui.Problem{{Field: field, Text: words}},
	})
}

func (v *visit) renderQRBill(status int, model making.QRBill) error {
	model.Shell = v.Shell("Pay a QR-bill", views.PlaceNew)
	model.Shell.Failed, model.Limit = status != http.StatusOK, uploadLimit()
	return v.Render(status, making.QRBillPage(model))
}
