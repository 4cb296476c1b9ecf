package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestWhatIsNotForwardedIsTold: an order that is taken tells its client what of it the creditor's bank does not get, at the place where the
// client wrote it; the repeat tells the same.
func TestWhatIsNotForwardedIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const element = "/Document/CstmrCdtTrfInitn/PmtInf/0/PmtTpInf/InstrPrty"
	plain := order(sample)
	urgent := strings.Replace(plain, `"PmtTpInf":{`, `"PmtTpInf":{"InstrPrty":"HIGH",`, 1)
	const validate = "/api/sic-inst/v1/instruction/validate"
	for prefix, body := range map[string]string{"": urgent, "/paymentRequest": `{"paymentRequest":` + urgent + `}`} {
		a := b.Send(t, call{Path: validate, Who: maker1, Body: body})
		if a.Status != http.StatusOK || a.Text("success", "notes", 0, "fieldMap") != prefix+element ||
			!strings.HasSuffix(a.Text("success", "notes", 0, "text"), ".") {
			t.Errorf("validate: %d %s", a.Status, a.Body)
		}
	}
	if a := b.Send(t, call{Path: validate, Who: maker1, Body: plain}); a.Status != http.StatusOK || strings.Contains(a.Body, `"notes"`) {
		t.Errorf("nothing stays behind: %d %s", a.Status, a.Body)
	}
	for _, replayed := range []string{"", "true"} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: urgent})
		if a.Status != http.StatusOK || a.Header.Get("Idempotent-Replayed") != replayed || a.Text("notes", 0, "fieldMap") != element {
			t.Errorf("create, replayed %q: %d %s", replayed, a.Status, a.Body)
		}
	}
}
