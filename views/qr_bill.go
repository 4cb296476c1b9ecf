package views

import (
	"countersign/views/ui"
)

// QRBill asks for the QR code of a bill. POST /payments/qr-bill sends text, or file: a picture.
type QRBill struct {
	Layout   Layout
	Text     string // as pasted
	Limit    string // of the picture: "256 kB"
	Problems []ui.Problem
}

func (m QRBill) text() ui.Field {
	return ui.Field{
		ID: "text", Label: "Text of the QR code", Hint: "As a reader writes it, from SPC on, line by line", Value: m.Text, Rows: 8,
		Problem: ui.ProblemOf(m.Problems, "text"),
	}
}
