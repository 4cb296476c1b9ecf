package api

import (
	"context"
	"errors"
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
)

// OrderFile is a file that holds the body of a call to instruction/create.
type OrderFile struct {
	// Prefix is the pointer to the order in the file: "" when it sits flat, else /paymentRequest.
	Prefix string
	// Document is the payment order; nil when it was not read to its end.
	Document *iso20022.CustomerCreditTransferInitiation
	// Structure holds the findings inside the order, at pointers within it; Outside those around it, at pointers within the file.
	Structure, Outside []payment.Finding
}

// OrderReader reads files as the API reads bodies, to check them before they are sent.
type OrderReader struct{ form Form }

// NewOrderReader compiles the schemas of the OpenAPI document.
func NewOrderReader() (OrderReader, error) {
	forms, err := Compile()
	return OrderReader{form: forms.Create}, err
}

// Read reads the body of a call to instruction/create. It fails when the context ends first.
func (r OrderReader) Read(ctx context.Context, content []byte) (OrderFile, error) {
	if len(content) > MaxSize {
		return OrderFile{Outside: []payment.Finding{{Code: "FF01", Text: "Send at most 256 KiB in one order."}}}, nil
	}
	read, err := r.form.Read(ctx, content)
	file := OrderFile{Prefix: read.Prefix, Document: read.Document}
	var malformed *MalformedError
	if err != nil && !errors.As(err, &malformed) {
		return file, err
	}
	if malformed == nil {
		return file, nil
	}
	for _, f := range malformed.Findings {
		within, cut := strings.CutPrefix(f.Pointer, file.Prefix+"/Document")
		if cut {
			f.Pointer = "/Document" + within
			file.Structure = append(file.Structure, f)
		} else {
			file.Outside = append(file.Outside, f)
		}
	}
	return file, nil
}
