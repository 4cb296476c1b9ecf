package portal

import (
	"net/http"
	"slices"
	"strings"

	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// knownCategory reports whether the value is one of the offered reasons of a rejection.
func knownCategory(value string) bool {
	return slices.ContainsFunc(views.RejectCategories, func(category ui.Option) bool { return category.Value == value })
}

// askCategory renders the form again because the category of the reason is missing, with all other problems of the form.
func (v *Request) askCategory(typed views.Reject) error {
	m, err := v.Readable()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	said := readVerdict(m.InternalID, form)
	if !said.whole || said.input.Version != m.Version || *said.input.ContentHash != m.ContentHash {
		return v.refuseDecision(m, &payment.ContentError{Message: m}, typed)
	}
	_, err = m.Reject(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
	if err != nil {
		return v.refuseDecision(m, err, typed)
	}
	added := views.Decision{Reject: typed, Problems: []ui.Problem{{Field: "category", Text: "Choose why you reject it."}}}
	if strings.TrimSpace(typed.Reason) == "" {
		added.Problems = append(added.Problems, ui.Problem{
			Field: "reason", Text: "Enter why you are rejecting it: the maker will see this.", Code: "CH21",
		})
	}
	if !v.Fragment() {
		return v.renderReject(http.StatusUnprocessableEntity, m, added)
	}
	return v.renderDecision(http.StatusUnprocessableEntity, m, added)
}
