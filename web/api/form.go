package api

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	contract "countersign/api"

	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
)

// Forms holds the schemas of the request bodies, from the OpenAPI document.
type Forms struct {
	Create, Validate, Update, Cancel Form // of an instruction; Cancel of every message
	Batch                            Form // its document is read by the service
	Approval, Bulk, Answer           Form
	Change, ChangeApproval, Policy   Form
	RTransactions                    []RTransactionForm
}

// Form is the schema of one request body.
type Form struct {
	schema    *jsonschema.Schema
	wrappable bool                 // an order may also sit inside paymentRequest
	unread    bool                 // the document stays as it came
	also      func(Body) []mistake // what a schema cannot say; nil for nothing
}

// Compile reads the forms, once at start.
func Compile() (Forms, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(contract.DocumentJSON))
	if err != nil {
		return Forms{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	// The codec reads the document inside a body: it finds more than a schema can, and takes more spellings.
	schemas := document.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	schemas["CreditTransferDocument"] = map[string]any{"type": "object"}
	compiler := jsonschema.NewCompiler()
	err = compiler.AddResource("openapi.json", document)
	if err != nil {
		return Forms{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	recall := RTransactionForm{Kind: payment.KindRecall, Original: "internalId", details: "RecallDetails"}
	paymentReturn := RTransactionForm{Kind: payment.KindReturn, Original: "creditId", details: "ReturnDetails"}
	resolution := RTransactionForm{Kind: payment.KindResolution, Original: "creditId", details: "ResolutionDetails"}
	f := Forms{}
	for _, one := range []struct {
		name      string
		form      *Form
		wrappable bool
	}{
		{"InstructionOrder", &f.Create, true},
		{"BatchOrder", &f.Batch, false},
		{"ValidationOrder", &f.Validate, true},
		{"UpdateOrder", &f.Update, true},
		{"CancelOrder", &f.Cancel, true},
		{"RecallOrder", &recall.Form, true},
		{"ReturnOrder", &paymentReturn.Form, true},
		{"ResolutionOrder", &resolution.Form, true},
		{"ApprovalOrder", &f.Approval, false},
		{"BulkApprovalOrder", &f.Bulk, false},
		{"AnswerOrder", &f.Answer, false},
		{"ChangeOrder", &f.Change, false},
		{"ChangeApprovalOrder", &f.ChangeApproval, false},
		{"AdministrationValues", &f.Policy, false},
	} {
		one.form.wrappable = one.wrappable
		one.form.schema, err = compiler.Compile("openapi.json#/components/schemas/" + one.name)
		if err != nil {
			return Forms{}, fmt.Errorf("compile the schema %s: %w", one.name, err)
		}
	}
	f.Batch.unread = true
	f.Approval.also, f.Bulk.also = wordsOf, wordsOfAll
	f.RTransactions = []RTransactionForm{recall, paymentReturn, resolution}
	for i, one := range f.RTransactions {
		f.RTransactions[i].also = one.check
	}
	return f, nil
}

// Read reads a body strictly and validates it against its form. It fails with a MalformedError that names every mistake; after malformed
// JSON the rest is unknown. The returned body has the readable part also in that case. It fails with the error of the context when the
// caller is gone.
func (f Form) Read(ctx context.Context, raw []byte) (Body, error) {
	r := &strictReader{
		tokens: codec.NewJSONReader(raw), raw: raw, wrappable: f.wrappable,
		places: map[string]int{}, numbers: map[string]string{},
	}
	defer r.tokens.Close()
	b := Body{Raw: raw, numbers: r.numbers}
	b.members, b.Prefix = r.order(resolved(f.schema))
	err := ctx.Err()
	if err != nil {
		return b, fmt.Errorf("hold the body against its schema: %w", err)
	}
	if !r.broken {
		mistakes := mistakesIn(f.schema, b.members)
		if f.also != nil {
			mistakes = append(mistakes, f.also(b)...)
		}
		for _, m := range mistakes {
			r.report(r.place(b.Prefix, m.pointer), b.Prefix+m.pointer, m.code, m.text)
		}
	}
	b.DocumentRaw = r.document
	if !r.broken && !f.unread { // the schema may have found more than is told
		b.Document = r.readDocument()
	}
	b.Broken = r.broken
	if len(r.found) > 0 {
		return b, &MalformedError{payment.FieldError{Findings: r.inOrder()}}
	}
	return b, nil
}

// wordsOf returns the mistakes in the texts of a decision: a rejection needs its reason and a question its text. A question beside another
// action is refused as contradictory.
func wordsOf(b Body) []mistake {
	details := b.Members("ApprovalDetails")
	action := payment.Action(b.Text("ApprovalDetails", "action"))
	name := map[payment.Action]string{payment.ActionReject: "rejectReason", payment.ActionAsk: "question"}[action]
	value, given := details[name]
	text, isText := value.(string)
	var found []mistake
	switch at := "/ApprovalDetails/" + name; {
	case name == "":
	case !given:
		found = []mistake{{at, "CH21", "Enter " + name + "."}}
	case value == nil:
		found = []mistake{{at, "FF01", "Enter " + name + " as string instead of null."}}
	case isText && strings.TrimSpace(text) == "" && name == "rejectReason":
		found = []mistake{{at, "CH21", "Enter a reason for the rejection. The maker will see your reason."}}
	case isText && strings.TrimSpace(text) == "":
		found = []mistake{{at, "CH21", "Enter " + name + ": it must not be empty."}}
	}
	if b.Text("ApprovalDetails", "question") != "" && action != payment.ActionAsk {
		found = append(found, mistake{"/ApprovalDetails/question", "CH17", "Send question with the action ask only."})
	}
	return found
}

// wordsOfAll is wordsOf for each decision of a bulk.
func wordsOfAll(b Body) (found []mistake) {
	for _, decision := range b.Entries("approvals") {
		for _, one := range wordsOf(decision) {
			one.pointer = strings.TrimPrefix(decision.Prefix, b.Prefix) + one.pointer
			found = append(found, one)
		}
	}
	return found
}
