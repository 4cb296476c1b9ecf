package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTwoAdministratorsSetALimitThatBindsAtOnce by JSON: it is set, listed, binds at creation and approval, is changed under its id and
// taken away; nobody sets their own.
func TestTwoAdministratorsSetALimitThatBindsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	set := b.changed(t, "limit.set", "",
		`{"limitOf":"account","holder":"CH50 2197 7000 0043 3134 6","perPayment":"150.00","perDay":"1000.00"}`)
	id := set.Text("change", "subject")
	b.Clock.Add(time.Second)
	listed := b.Send(t, get("/api/admin/v1/limit/list", admin1))
	if listed.Status != http.StatusOK || listed.Text("limits", 0, "limitId") != id || listed.Text("limits", 0, "currency") != "CHF" ||
		listed.Text("limits", 0, "usedToday") != "0.00" {
		t.Errorf("the list: %s", listed.Body)
	}
	refused := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	if refused.Status != http.StatusBadRequest || refused.Text("fields", 0, "reasonCode") != "AM14" ||
		refused.Text("fields", 0, "fieldMap") != "/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/0/Amt/InstdAmt" ||
		!strings.Contains(refused.Text("fields", 0, "reasonText"), "CHF 150.00 per payment") {
		t.Errorf("above the limit: %d %s", refused.Status, refused.Body)
	}
	b.changed(t, "limit.set", id, `{"perDay":"250.00"}`)
	one, two := b.Created(t, maker1), b.Created(t, maker1)
	approveTwo := call{Path: approvePath, Who: checker1, Body: verdict(two, "approve")}
	if a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(one, "approve")}); a.Status != http.StatusOK {
		t.Fatalf("the first: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, approveTwo); a.Status != http.StatusBadRequest || a.Text("fields", 0, "reasonCode") != "AM14" {
		t.Errorf("the second: %d %s", a.Status, a.Body)
	}
	listed = b.Send(t, get("/api/admin/v1/limit/list", admin1))
	if listed.Text("limits", 0, "usedToday") != "199.95" {
		t.Errorf("after a payment of 199.95: %s", listed.Body)
	}
	b.changed(t, "limit.set", id, `{}`)
	if a := b.Send(t, approveTwo); a.Status != http.StatusOK {
		t.Errorf("after it was taken away: %d %s", a.Status, a.Body)
	}
	b.CheckInvariants(t)
}

// TestALimitIsRefusedWithAllThatIsWrong goes through what a request can get wrong; nothing of it is stored.
func TestALimitIsRefusedWithAllThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for values, place := range map[string]string{
		`{"limitOf":"person","holder":"nobody","currency":"CHF","perDay":"1.00"}`:                "/values/holder",
		`{"limitOf":"client","holder":"demo2-backoffice","currency":"CHF","perDay":"1.00"}`:      "/values/holder",
		`{"limitOf":"account","holder":"DE02120300000000202051","perDay":"1.00"}`:                "/values/holder",
		`{"holder":"maker1","currency":"CHF","perDay":"1.00"}`:                                   "/values/limitOf",
		`{"limitOf":"everybody","holder":"maker1","currency":"CHF","perDay":"1.00"}`:             "/values/holder",
		`{"limitOf":"person","currency":"CHF","perDay":"1.00"}`:                                  "/values/holder",
		`{"limitOf":"person","holder":"maker1","currency":"CHF"}`:                                "/values/perDay",
		`{"limitOf":"person","holder":"maker1","currency":"CHF","perDay":"0.00"}`:                "/values/perDay",
		`{"limitOf":"person","holder":"maker1","currency":"CHF","perDay":"-1"}`:                  "/values/perDay",
		`{"limitOf":"person","holder":"maker1","currency":"CHF","perDay":"1.001"}`:               "/values/perDay",
		`{"limitOf":"person","holder":"maker1","currency":"CHF","perPayment":"2","perDay":"1"}`:  "/values/perPayment",
		`{"limitOf":"person","holder":"maker1","perDay":"1"}`:                                    "/values/currency",
		`{"limitOf":"person","holder":"maker1","currency":"USD","perDay":"1"}`:                   "/values/currency",
		`{"limitOf":"account","holder":"CH5021977000004331346","currency":"EUR","perDay":"1"}`:   "/values/currency",
		`{"limitOf":"account","holder":"CH5021977000004331346","perDay":"1","usedToday":"0.00"}`: "/values/usedToday",
		`{"limitOf":"account","holder":"CH5021977000004331346","perDay":"1","approvals":0}`:      "/values/approvals",
	} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: `{"kind":"limit.set","values":` + values + `}`})
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != place {
			t.Errorf("%s: %d %s, want 400 at %s", values, a.Status, a.Body, place)
		}
	}
	unknown := `{"kind":"limit.set","subject":"019b0a50-0000-7000-8000-000000000001","values":{"perDay":"1"}}`
	if a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: unknown}); a.Status != http.StatusBadRequest {
		t.Errorf("a limit that is not there: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, get(changeList, admin1)); len(a.At("changes").([]any)) != 0 {
		t.Errorf("something was stored: %s", a.Body)
	}
}
