package api

import (
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/submission"
)

// requestForm is how the body of one kind of R-transaction is written (interface contract, section 3). The zero form is that of none.
type requestForm struct {
	kind     payment.Kind
	schema   *jsonschema.Schema
	details  string // the member that holds reason and additionalInformation, which may also stand beside it
	original string // the identifier of the payment it is about; internalId is taken in the place of creditId
}

// requestForms lists the forms.
func (a *API) requestForms() []requestForm {
	return []requestForm{
		{kind: payment.KindRecall, schema: a.bodies.recall, details: "RecallDetails", original: "internalId"},
		{kind: payment.KindReturn, schema: a.bodies.paymentReturn, details: "ReturnDetails", original: "creditId"},
		{kind: payment.KindResolution, schema: a.bodies.resolution, details: "ResolutionDetails", original: "creditId"},
	}
}

// check finds what the schema cannot say: members that may stand in two places stand in one, and the payment is named once.
func (f requestForm) check(b body) []mistake {
	var found []mistake
	for _, name := range []string{"reason", "additionalInformation"} {
		if b.members[name] != nil && b.value(f.details, name) != nil {
			found = append(found, mistake{pointer: "/" + name, code: "FF01", text: "Remove " + name + " here: it stands in " + f.details + " too."})
		}
	}
	details, isObject := b.value(f.details).(map[string]any)
	_, isThere := b.members[f.details]
	_, inside := details["reason"]
	if !inside && !f.isBeside(b, "reason") && (isObject || !isThere) {
		found = append(found, mistake{pointer: "/" + f.details + "/reason", code: "CH21", text: "Enter reason."})
	}
	return append(found, f.checkOriginal(b)...)
}

func (f requestForm) checkOriginal(b body) []mistake {
	identifiers, isObject := b.value("identifiers").(map[string]any)
	if !isObject || f.original != "creditId" {
		return nil // the schema has said it
	}
	_, credit := identifiers["creditId"]
	_, internal := identifiers["internalId"]
	switch {
	case credit && internal:
		return []mistake{{pointer: "/identifiers/internalId", code: "FF01", text: "Remove internalId: creditId names the payment."}}
	case !credit && !internal:
		return []mistake{{pointer: "/identifiers/creditId", code: "CH21", text: "Enter creditId."}}
	}
	return nil
}

// isBeside reports whether a member stands beside the details and not in them.
func (f requestForm) isBeside(b body, name string) bool {
	_, beside := b.members[name]
	return beside
}

// member returns what stands in the details or beside them.
func (f requestForm) member(b body, name string) any {
	if f.isBeside(b, name) {
		return b.members[name]
	}
	return b.value(f.details, name)
}

// originalMember is the identifier the caller used for the payment.
func (f requestForm) originalMember(b body) string {
	if b.text("identifiers", f.original) == "" {
		return "internalId"
	}
	return f.original
}

// request reads the wish without its ids, which have to be looked up.
func (f requestForm) request(b body, scheme rulebook.Scheme) submission.Request {
	reason, _ := f.member(b, "reason").(string)
	wish := submission.Request{
		Kind: f.kind, Scheme: scheme, Reason: reason, Information: lines(f.member(b, "additionalInformation")),
		ExternalID: b.text("identifiers", "externalId"), Source: b.raw, SourceType: echo.MIMEApplicationJSON,
	}
	wish.Charge = b.decimal(f.details, "chargeAmount")
	if _, isObject := b.value(f.details, "chargeAmount").(map[string]any); isObject {
		wish.Charge = b.decimal(f.details, "chargeAmount", "value")
	}
	return wish
}

// lines reads a text or a list of texts.
func lines(value any) []string {
	switch given := value.(type) {
	case string:
		return []string{given}
	case []any:
		list := make([]string, 0, len(given))
		for _, entry := range given {
			text, _ := entry.(string)
			list = append(list, text)
		}
		return list
	}
	return nil
}

// checkCharge refuses a charge in another currency than that of the scheme, which is that of each of its payments.
func (f requestForm) checkCharge(b body, scheme rulebook.Scheme) error {
	currency := b.text(f.details, "chargeAmount", "Ccy")
	profile, _ := scheme.Profile()
	if currency == "" || currency == string(profile.Currency) {
		return nil
	}
	return &payment.RefusalError{Findings: []payment.Finding{{
		Rule: "charge-currency", Pointer: "/" + f.details + "/chargeAmount/Ccy", Code: "AM03",
		Text: "Enter the charge in " + string(profile.Currency) + ", the currency of the payment.",
	}}}
}

// placed moves findings to the members the caller used: those beside the details, a single line, internalId instead of creditId.
func (f requestForm) placed(b body, findings []payment.Finding) []payment.Finding {
	if f.kind == "" {
		return findings
	}
	moved := make([]payment.Finding, len(findings))
	for i, finding := range findings {
		finding.Pointer = f.place(b, finding.Pointer)
		moved[i] = finding
	}
	return moved
}

func (f requestForm) place(b body, pointer string) string {
	if pointer == "/identifiers/"+f.original {
		return "/identifiers/" + f.originalMember(b)
	}
	name, inside := strings.CutPrefix(pointer, "/"+f.details+"/")
	member, entry, _ := strings.Cut(name, "/")
	if !inside {
		return pointer
	}
	_, isText := f.member(b, member).(string)
	if member == "additionalInformation" && entry != "" && isText {
		pointer = strings.TrimSuffix(pointer, "/"+entry)
	}
	if f.isBeside(b, member) {
		return strings.TrimPrefix(pointer, "/"+f.details)
	}
	return pointer
}
