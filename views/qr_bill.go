package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// QRBill is the form for the QR code of a bill. POST /payments/qr-bill sends text, or file: a picture.
type QRBill struct {
	Layout   Layout
	Text     string    // as pasted
	Limit    i18n.Text // of the picture: "10 MB"
	Problems []ui.Problem
}

func (m QRBill) text() ui.Field {
	return ui.Field{
		ID: "text", Label: "Or the text of the QR code", Hint: "The text read by a QR scanner: several lines, starting with SPC",
		Value: m.Text, Rows: 8,
		Problem: ui.ProblemOf(m.Problems, "text"),
	}
}

func (m QRBill) picture() FileField {
	return FileField{
		ID: "picture", Label: "Picture of the QR code", Accept: "image/*", Camera: true, Problem: ui.ProblemOf(m.Problems, "picture"),
		Hint: i18n.Text("PNG or JPEG, up to %s. The picture is read by this portal and then deleted.").With(m.Limit),
	}
}
