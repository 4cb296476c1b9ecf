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
		ID: "text", Label: "Or enter the text of the QR code", Hint: "Paste the text that your QR scanner reads. It has several lines and " +
			"starts with SPC",
		Value: m.Text, Rows: 8,
		Problem: ui.ProblemOf(m.Problems, "text"),
	}
}

func (m QRBill) picture() FileField {
	return FileField{
		ID: "picture", Label: "Picture of the QR code", Accept: "image/*", Camera: true, Problem: ui.ProblemOf(m.Problems, "picture"),
		Hint: i18n.Text("PNG or JPEG, up to %s. This portal reads the picture and then deletes it.").With(m.Limit),
	}
}
