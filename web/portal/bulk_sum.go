package portal

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/views"
)

// sumBulk renders the number and the sum of the messages that the form of several would approve as it stands. It decides nothing.
func sumBulk(v *Request, form url.Values) error {
	var ids []uuid.UUID
	for _, item := range form[itemField] {
		id, err := uuid.Parse(itemKey(item))
		if err == nil && len(ids) < maxSelected {
			ids = append(ids, id)
		}
	}
	messages, err := v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, ids)
	if err != nil {
		return err
	}
	var amounts []money.Amount
	for _, m := range messages {
		if v.leftOut(m) == "" {
			amounts = append(amounts, m.Summary.Amount)
		}
	}
	return v.Render(http.StatusOK, views.BulkSum(len(amounts), totalsOf(amounts)))
}
