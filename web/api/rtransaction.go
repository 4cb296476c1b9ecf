package api

import (
	"errors"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/web/request"
)

// createRTransaction makes a recall, return or resolution.
func (a *API) createRTransaction(f RTransactionForm, scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.read(c, f.Form, scheme)
		command.request = f
		if err != nil {
			return a.failCommand(c, command, err)
		}
		key, end, err := a.keyed(c)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		defer end()
		asked, err := a.rTransaction(c, command)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		asked.IdempotencyKey = key
		created, err := a.submitRTransaction(c, command, asked)
		if err != nil {
			return a.failCommand(c, command, err)
		}
		return a.sendCreated(c, a.storedReply(c, atCreation(created.Message)), created)
	}
}

// rTransaction reads the request for an R-transaction; ids may be internalIds or Global IDs. Errors: payment.RefusalError for an unknown id
// and for a charge in a foreign currency, payment.FieldError for a malformed charge.
func (a *API) rTransaction(c echo.Context, o command) (payment.RTransaction, error) {
	asked, err := o.request.RTransaction(o.Body, o.asked.Scheme)
	if err != nil {
		return asked, err
	}
	asked.OriginalID, err = a.find(c, o.Text("identifiers", o.request.OriginalMember(o.Body)))
	if errors.Is(err, payment.ErrNotFound) {
		return asked, unknownOriginal(o)
	}
	if err != nil || asked.Kind != payment.KindResolution {
		return asked, err
	}
	asked.RecallID, err = a.find(c, o.Text("identifiers", "recallId"))
	if errors.Is(err, payment.ErrNotFound) {
		return asked, a.unknown(c, o, asked)
	}
	return asked, err
}

// submitRTransaction passes the request to the service. Errors: those of service.Payments.CreateRTransaction, where an unknown id is a
// payment.RefusalError; those of checkRepeat for a repeat.
func (a *API) submitRTransaction(c echo.Context, o command, asked payment.RTransaction) (service.Result, error) {
	created, err := a.cfg.Submission.CreateRTransaction(c.Request().Context(), principal(c), asked)
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return created, a.unknown(c, o, asked)
	case err != nil || !created.Replayed:
		return created, err
	}
	return created, checkRepeat(asked, created.Message)
}

// checkRepeat compares a repeated request of the same content with the first one in the remaining parts: the scheme of the path, and the
// externalId beside a key.
func checkRepeat(asked payment.RTransaction, first payment.Message) error {
	switch {
	case first.Scheme == asked.Scheme && first.ExternalID == asked.ExternalID:
		return nil
	case first.ExternalID != "" && first.ExternalID == asked.ExternalID:
		return &payment.RefusalError{Findings: []payment.Finding{{
			Pointer: "/identifiers/externalId", Code: "DU01",
			Text: "Give the request an externalId of its own: this one was used before with other content.",
		}}}
	}
	return request.KeyReused()
}

// unknown names the id of a request that does not exist in this realm. An id of another realm is unknown too.
func (a *API) unknown(c echo.Context, o command, asked payment.RTransaction) error {
	if asked.Kind != payment.KindResolution {
		return unknownOriginal(o)
	}
	_, err := a.cfg.Reader.Message(c.Request().Context(), principal(c).Realm, asked.OriginalID)
	if errors.Is(err, payment.ErrNotFound) {
		return unknownOriginal(o)
	}
	if err != nil {
		return err
	}
	return unknownID("recallId", "There is no recall with this recallId.")
}

func unknownOriginal(o command) error {
	return unknownID(o.request.Original, "There is no payment with this "+o.request.OriginalMember(o.Body)+".")
}

func unknownID(member, text string) error {
	return &payment.RefusalError{Findings: []payment.Finding{{
		Rule: rulebook.RuleOriginalState, Pointer: "/identifiers/" + member, Code: "NARR", Text: i18n.Data(text),
	}}}
}

// RTransactionForm is the schema of the body of one kind of R-transaction (interface contract, section 3). The zero value is no kind.
type RTransactionForm struct {
	Form

	Kind     payment.Kind
	Original string // the identifier of the payment it is about; internalId is taken in the place of creditId
	details  string // the member that holds reason and additionalInformation, which may also stand beside it
}

// check finds mistakes that the schema cannot express: a member given in both of its two places, and a payment named twice.
func (f RTransactionForm) check(b Body) []mistake {
	var found []mistake
	for _, name := range []string{"reason", "additionalInformation"} {
		if b.members[name] != nil && b.Value(f.details, name) != nil {
			found = append(found, mistake{pointer: "/" + name, code: "FF01", text: "Remove " + name + " here: it stands in " + f.details + " too."})
		}
	}
	details, isObject := b.Value(f.details).(map[string]any)
	_, isThere := b.members[f.details]
	_, inside := details["reason"]
	if !inside && !f.isBeside(b, "reason") && (isObject || !isThere) {
		found = append(found, mistake{pointer: "/" + f.details + "/reason", code: "CH21", text: "Enter reason."})
	}
	return append(found, f.checkOriginal(b)...)
}

func (f RTransactionForm) checkOriginal(b Body) []mistake {
	identifiers, isObject := b.Value("identifiers").(map[string]any)
	if !isObject || f.Original != "creditId" {
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

// isBeside reports whether a member is beside the details and not in them.
func (f RTransactionForm) isBeside(b Body, name string) bool {
	_, beside := b.members[name]
	return beside
}

// member returns a member of the details or beside them.
func (f RTransactionForm) member(b Body, name string) any {
	if f.isBeside(b, name) {
		return b.members[name]
	}
	return b.Value(f.details, name)
}

// OriginalMember is the identifier the caller used for the payment.
func (f RTransactionForm) OriginalMember(b Body) string {
	if b.Text("identifiers", f.Original) == "" {
		return "internalId"
	}
	return f.Original
}

// RTransaction reads the request without its ids, which have to be looked up. Errors: payment.RefusalError for a charge in a foreign
// currency, payment.FieldError for one that is no amount.
func (f RTransactionForm) RTransaction(b Body, scheme rulebook.Scheme) (payment.RTransaction, error) {
	reason, _ := f.member(b, "reason").(string)
	charge, err := f.charge(b, scheme)
	return payment.RTransaction{
		Request: rulebook.Request{Reason: reason, Information: lines(f.member(b, "additionalInformation")), Charge: charge},
		Kind:    f.Kind, Scheme: scheme, ExternalID: b.Text("identifiers", "externalId"), Source: b.Raw, SourceType: MediaType,
	}, err
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

// charge reads the charge of a return, the zero amount for none. It refuses one in another currency than that of the scheme (RefusalError),
// and an unreadable one (FieldError).
func (f RTransactionForm) charge(b Body, scheme rulebook.Scheme) (money.Amount, error) {
	place := []string{f.details, "chargeAmount"}
	pointer := "/" + strings.Join(place, "/")
	profile, _ := scheme.Profile()
	if currency := b.Text(append(place, "Ccy")...); currency != "" && currency != string(profile.Currency) {
		return money.Amount{}, &payment.RefusalError{Findings: []payment.Finding{{
			Rule: "charge-currency", Pointer: pointer + "/Ccy", Code: "AM03",
			Text: i18n.Text("Enter the charge in %s, the currency of the payment.").With(profile.Currency),
		}}}
	}
	if _, isObject := b.Value(place...).(map[string]any); isObject {
		place = append(place, "value")
	}
	text := b.Decimal(place...)
	if text == "" {
		return money.Amount{}, nil
	}
	charge, err := money.Parse(profile.Currency, text)
	var malformed *money.Error
	if errors.As(err, &malformed) {
		return charge, &payment.FieldError{Findings: []payment.Finding{{Pointer: pointer, Code: malformed.Code, Text: malformed.Text}}}
	}
	return charge, err
}

// Placed changes findings to the members of the caller: those beside the details, a single line, internalId instead of creditId.
func (f RTransactionForm) Placed(b Body, findings []payment.Finding) []payment.Finding {
	if f.Kind == "" {
		return findings
	}
	moved := make([]payment.Finding, len(findings))
	for i, finding := range findings {
		finding.Pointer = f.place(b, finding.Pointer)
		moved[i] = finding
	}
	return moved
}

func (f RTransactionForm) place(b Body, pointer string) string {
	if pointer == "/identifiers/"+f.Original {
		return "/identifiers/" + f.OriginalMember(b)
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
