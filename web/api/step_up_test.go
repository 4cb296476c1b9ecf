package api_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"countersign/internal/auth"
	"countersign/internal/demo"
)

// asksStepUp has every approval of realm demo ask for a second factor.
func (b *bundle) asksStepUp(t *testing.T) {
	t.Helper()
	_, err := b.DB.Owner(t).Exec(t.Context(), `INSERT INTO policy (realm, policy_id, rank, approvals_required, step_up, pending_seconds,
		created_at) VALUES ('demo', gen_random_uuid(), 900, 1, true, 86400, '2020-01-01')`)
	must(t, err)
	b.DB.SealMasterData(t)
}

// phone has somebody who is signed in take an authenticator app up: its codes, each of a step of its own, and the recovery codes.
func (b *bundle) phone(t *testing.T, who person) (code func() string, recovery []string) {
	t.Helper()
	b.Token(t, who) // signed in before there was a factor
	by := b.Person(t, who.User)
	fresh, err := b.Auth.NewTOTP(by)
	must(t, err)
	code = func() string {
		b.Clock.Add(30 * time.Second)
		text, err := totp.GenerateCode(fresh.Key, b.Clock.Now())
		must(t, err)
		return text
	}
	recovery, err = b.Auth.Enrol(t.Context(), auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: demo.UserPassword}, Name: "Phone", Held: fresh.Held, Code: code(),
	})
	must(t, err)
	return code, recovery
}

// TestASecondFactorCountsForOnePersonAndOneDecision attacks the step-up with nothing but the contract: a code of another person, one that
// signed in before, one for two payments at once, a recovery code twice, and a right code of somebody who is barred meanwhile.
func TestASecondFactorCountsForOnePersonAndOneDecision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.asksStepUp(t)
	code, recovery := b.phone(t, checker1)
	others, _ := b.phone(t, checker2)
	approve := func(who person, id, shown string) int {
		method := "totp"
		if len(shown) > 6 {
			method = "recovery"
		}
		return b.Send(t, call{Path: approvePath, Who: who, Body: `{"identifiers":{"internalId":"` + id +
			`"},"ApprovalDetails":{"action":"approve","contentHash":"` + b.hashOf(t, id) + `","stepUp":{"method":"` + method + `","code":"` + shown +
			`"}}}`}).Status
	}
	first := b.Created(t, maker1)
	if got := approve(checker1, first, others()); got != http.StatusForbidden {
		t.Errorf("a code of another person: %d", got)
	}
	signed := code()
	_, err := b.Auth.Login(t.Context(), auth.LoginInput{
		Realm: "demo", Client: auth.ClientCredentials{ClientID: demo.Backoffice, ClientSecret: demo.ClientSecret}, Name: "checker1",
		Password: demo.UserPassword, SecondFactor: signed,
	})
	must(t, err)
	if got := approve(checker1, first, signed); got != http.StatusForbidden {
		t.Errorf("a code that signed in before: %d", got)
	}
	if got := approve(checker1, first, recovery[0]); got != http.StatusOK {
		t.Errorf("a recovery code: %d", got)
	}
	if got := approve(checker1, b.Created(t, maker1), recovery[0]); got != http.StatusForbidden {
		t.Errorf("a recovery code twice: %d", got)
	}
	pending, shown, answers := []string{b.Created(t, maker1), b.Created(t, maker1), b.Created(t, maker1)}, code(), make(chan int, 3)
	var group sync.WaitGroup
	for _, id := range pending {
		group.Go(func() { answers <- approve(checker1, id, shown) })
	}
	group.Wait()
	close(answers)
	approved := 0
	for status := range answers {
		if status == http.StatusOK {
			approved++
		}
	}
	if approved != 1 {
		t.Errorf("one code approved %d payments at once, want 1", approved)
	}
	late := code()
	b.changed(t, "user.suppress", "checker1", "")
	b.Clock.Add(time.Second)
	if got := approve(checker1, b.Created(t, maker1), late); got != http.StatusUnauthorized {
		t.Errorf("a right code of somebody who is barred: %d", got)
	}
	b.CheckInvariants(t)
}

// TestAnApprovalByAPIShowsASecondFactor: the field of ApprovalDetails, alone and in bulk; what is refused uses no code up.
func TestAnApprovalByAPIShowsASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.asksStepUp(t)
	code, _ := b.phone(t, checker1)
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
