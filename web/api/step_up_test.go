package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"countersign/internal/auth"
	"countersign/internal/demo"
)

// TestAnApprovalByAPIShowsASecondFactor: the field of ApprovalDetails, alone and in bulk; what is refused uses no code up.
func TestAnApprovalByAPIShowsASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.DB.Connect(t).Exec(t.Context(), `INSERT INTO policy (realm, policy_id, rank, approvals_required, step_up, pending_seconds,
		created_at) VALUES ('demo', gen_random_uuid(), 900, 1, true, 86400, '2020-01-01')`)
	must(t, err)
	b.DB.SealMasterData(t)
	b.Token(t, checker1) // signed in before there was a factor
	by := b.Person(t, "checker1")
	fresh, err := b.Auth.NewTOTP(by)
	must(t, err)
	code := func() string {
		b.Clock.Add(30 * time.Second)
		text, err := totp.GenerateCode(fresh.Key, b.Clock.Now())
		must(t, err)
		return text
	}
	_, err = b.Auth.Enrol(t.Context(), auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: demo.UserPassword}, Name: "Phone", Held: fresh.Held, Code: code(),
	})
	must(t, err)
	approve := func(id, hash, stepUp string) answer {
		body := `{"identifiers":{"internalId":"` + id + `"},"ApprovalDetails":{"action":"approve","contentHash":"` + hash + `"` + stepUp + `}}`
		return b.Send(t, call{Path: approvePath, Who: checker1, Body: body})
	}
	pending := func() [2]string {
		id := b.Created(t, maker1)
		return [2]string{id, b.hashOf(t, id)}
	}
	first, second := pending(), pending()
	for what, stepUp := range map[string]string{
		"nothing shown": "", "a wrong code": `,"stepUp":{"method":"totp","code":"000000"}`,
	} {
		if a := approve(first[0], first[1], stepUp); a.Status != http.StatusForbidden || a.Text("errorCode") != "403_STEP_UP" {
			t.Errorf("%s: %d %s, want 403_STEP_UP", what, a.Status, a.Body)
		}
	}
	if a := approve(first[0], first[1], `,"stepUp":{"method":"passkey","code":"000000"}`); a.Status != http.StatusBadRequest {
		t.Errorf("a passkey by API: %d %s", a.Status, a.Body)
	}
	kept := code()
	if a := approve(first[0], second[1], `,"stepUp":{"method":"totp","code":"`+kept+`"}`); a.Status != http.StatusBadRequest {
		t.Errorf("other content than that of the message: %d %s", a.Status, a.Body)
	}
	if a := approve(first[0], first[1], `,"stepUp":{"method":"totp","code":"`+kept+`"}`); a.Status != http.StatusOK {
		t.Errorf("a code that a refused approval did not use up: %d %s", a.Status, a.Body)
	}
	bulk := batchOf(`{"identifiers":{"internalId":"` + second[0] + `"},"ApprovalDetails":{"action":"approve","contentHash":"` + second[1] +
		`","stepUp":{"method":"totp","code":"` + code() + `"}}}`)
	a := b.Send(t, call{Path: bulkPath, Who: checker1, Body: bulk})
	if a.Status != http.StatusOK || a.At("results", 0, "status") != float64(http.StatusOK) {
		t.Errorf("in bulk: %d %s", a.Status, a.Body)
	}
	read := b.Send(t, get("/api/common/v1/transaction/"+first[0], supervisor1))
	if read.Text("transaction", "approvals", 0, "stepUp") != "totp" {
		t.Errorf("the read does not say which factor was shown: %s", read.Body)
	}
}
