package views

import (
	"countersign/internal/i18n"
	"countersign/internal/orderform"
)

// Upload takes a file with one payment or many. POST /payments/upload sends file, or parked: the key of one that is kept.
type Upload struct {
	Layout   Layout
	Accepted []i18n.Text // what is taken, one sentence each
	Limit    string      // "2048 kB"
	Payments int         // most payments of a file
	FileName string      // of the refused file
	Kept     string      // key of a file that was sent after the session had run out; empty for none
	KeptName string
	Findings []Finding
	Scheme   string      // of what the form can take over
	Answers  [][2]string // the payment of the refused file as fields of the form; none where it cannot be read
	Lost     []orderform.Loss
}

// Finding is one thing wrong in a file.
type Finding struct {
	Line    int    // zero when unknown
	Element string // path of element names
	Text    i18n.Text
	Code    string
}
