package portal

import (
	"net/http"
	"net/url"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
)

// sumBulk renders the number and the sum of the messages that the form of several would approve as it stands. It decides nothing.
func sumBulk(v *Request, form url.Values) error {
	messages, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, keysOf(form[itemField]))
	if err != nil {
		return err
	}
	amounts := map[payment.Kind][]money.Amount{}
	for _, m := range messages {
		if v.leftOut(m) == "" {
			amounts[m.Kind] = append(amounts[m.Kind], m.Summary.Amount)
		}
	}
	return v.Render(http.StatusOK, views.BulkSum(kindTotals(amounts)))
}
