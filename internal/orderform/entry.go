// Package orderform turns the answers of a form or a file into a payment order, and an order into the answers of a form. Answers become a
// pain.001 (order.go), a pain.001 becomes answers (prefill.go), an uploaded file is read and checked for one payment (file.go), and every
// place of the document leads to its field of the form (place.go). It returns plain data, without pages or requests.
//
// The rules of the schemes are in package rulebook; package service applies them.
package orderform

import "countersign/internal/i18n"

// Problem is an answer that cannot be taken, under the name of its field.
type Problem struct {
	Field string
	Text  i18n.Text
	Code  string
}

// Change is a text that was written differently, or that differs between two versions.
type Change struct {
	Field  string
	Before string
	After  string
}
