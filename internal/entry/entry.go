// Package entry turns what a person hands in into a payment order, and an order back into what a form shows. A form's answers become a
// pain.001, a pain.001 becomes answers (prefill.go), an uploaded file is read and held against what one payment may be (file.go), and
// every place of the document leads to the field that fills it (place.go). It returns plain data and knows neither pages nor requests.
//
// The rules of the schemes are not asked here: package rulebook holds them, and the submission station asks.
package entry

// Problem is an answer that cannot be taken, under the name of its field.
type Problem struct {
	Field string
	Text  string
	Code  string
}

// Change is a text that was written differently, or that differs between two versions.
type Change struct {
	Field  string
	Before string
	After  string
}
