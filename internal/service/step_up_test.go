package service_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// phone is an authenticator app of a person, in a gateway whose clock the test moves.
type phone struct {
	t   *testing.T
	h   *servicetest.Env
	key string
}

// code is a fresh one: half a minute passes.
func (p phone) code() string {
	p.t.Helper()
	p.h.Clock.Add(30 * time.Second)
	code, err := totp.GenerateCode(p.key, p.h.Clock.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	return code
}

// takeUp gives the checker of these tests a phone with a second factor.
func takeUp(t *testing.T, h *servicetest.Env) (phone, []string) {
	t.Helper()
	by := h.Person(t, "checker1")
	fresh, err := h.Auth.NewTOTP(by)
	if err != nil {
		t.Fatal(err)
	}
	p := phone{t: t, h: h, key: fresh.Key}
	codes, err := h.Auth.Enrol(ctx, auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: demo.UserPassword}, Name: "Phone", Held: fresh.Held, Code: p.code(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, codes
}

// askStepUp makes a policy by which every approval in realm demo needs a second factor.
func askStepUp(t *testing.T, h *servicetest.Env) {
	t.Helper()
	_, err := h.DB.Owner(t).Exec(ctx, `INSERT INTO policy (realm, policy_id, rank, approvals_required, step_up, pending_seconds, created_at)
		VALUES ('demo', gen_random_uuid(), 900, 1, true, 86400, '2020-01-01')`)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
}

func retireStepUp(t *testing.T, h *servicetest.Env) {
	t.Helper()
	_, err := h.DB.Owner(t).Exec(ctx, `UPDATE policy SET retired_at = now() WHERE step_up`)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
}

func showing(m payment.Message, code string) service.Input {
	return service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash, StepUp: identity.FactorAnswer{Code: code}}
}

func wantStepUp(t *testing.T, what string, err error) {
	t.Helper()
	var asked *payment.StepUpError
	if !errors.As(err, &asked) {
		t.Errorf("%s: %v, want a second factor to be asked for", what, err)
	}
}

func TestAnApprovalNeedsTheFactorThatItsPolicyAsksFor(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	askStepUp(t, h)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, checker, showing(m, "123456"))
	wantStepUp(t, "somebody without a factor", err)
	if !strings.Contains(err.Error(), "Set one up") {
		t.Errorf("the sentence does not say what to do: %v", err)
	}
	p, codes := takeUp(t, h)
	_, err = h.Approval.Approve(ctx, checker, showing(m, ""))
	wantStepUp(t, "nothing shown", err)
	_, err = h.Approval.Approve(ctx, checker, showing(m, "000000"))
	wantStepUp(t, "a wrong code", err)
	unnamed := showing(m, p.code())
	unnamed.ContentHash = nil
	var content *payment.ContentError
	_, err = h.Approval.Approve(ctx, checker, unnamed)
	if !errors.As(err, &content) {
		t.Errorf("without the digest of what was read: %v", err)
	}
	_, err = h.Approval.Approve(ctx, maker, showing(m, p.code()))
	var fourEyes *payment.ForbiddenError
	if !errors.As(err, &fourEyes) {
		t.Errorf("the maker: %v", err)
	}
	code := p.code()
	approved, err := h.Approval.Approve(ctx, checker, showing(m, code))
	if err != nil || approved.State != payment.StateApproved {
		t.Fatalf("with a factor: %s, %v", approved.State, err)
	}
	other := h.Create(t, maker, rulebook.SchemeSIC)
	_, err = h.Approval.Approve(ctx, checker, showing(other, code))
	wantStepUp(t, "the code of another payment", err)
	_, err = h.Approval.Approve(ctx, checker, showing(other, codes[0]))
	if err != nil {
		t.Errorf("with a recovery code: %v", err)
	}
	read, err := h.Reader.Message(ctx, "demo", m.InternalID)
	if d, _ := read.LastDecision(); err != nil || d.FactorKind != identity.FactorTOTP {
		t.Errorf("the decision says it was made with %q, %v", d.FactorKind, err)
	}
	rejected := h.Create(t, maker, rulebook.SchemeSIC)
	_, err = h.Approval.Reject(ctx, checker, service.Input{InternalID: rejected.InternalID}, "The invoice is paid.")
	if err != nil {
		t.Errorf("a rejection: %v, want it to need no factor", err)
	}
}

// What a message was entered under stays: retiring the policy afterwards spares nobody the factor.
func TestTheStepUpIsFrozenIntoTheMessage(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	p, _ := takeUp(t, h)
	before := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	askStepUp(t, h)
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), showing(before, ""))
	wantStepUp(t, "a policy that came later", err)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	retireStepUp(t, h)
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), showing(m, ""))
	wantStepUp(t, "a policy that was retired", err)
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), showing(m, p.code()))
	if err != nil {
		t.Error(err)
	}
}

// The factor that was shown is stored with its approval also when the policy that asked for it is retired at that moment, so that nothing
// is asked any more, and other approvals are on their way beside it: the approval is sealed with it.
func TestAFactorThatIsNoLongerAskedForIsStoredWithItsApproval(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	p, _ := takeUp(t, h)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m, held, beside := h.Create(t, maker, rulebook.SchemeSIC), h.Create(t, maker, rulebook.SchemeSIC), h.Create(t, maker, rulebook.SchemeSIC)
	askStepUp(t, h)
	holder, looker := h.DB.Connect(t), h.DB.Connect(t)
	var others sync.WaitGroup
	approve := func(m payment.Message) {
		others.Go(func() {
			_, err := h.Approval.Approve(ctx, checker, showing(m, ""))
			if err != nil {
				t.Errorf("beside it: %v", err)
			}
		})
	}
	station := service.NewApprovals(service.ApprovalsConfig{
		Messages: h.Messages, Seal: h.Seal, Now: h.Clock.Now, Zone: h.Clock.Now().Location(),
		StepUp: func(
			ctx context.Context, by identity.Principal, shows identity.FactorAnswer, of identity.Approval,
		) (identity.StepUp, error) {
			shown, err := h.Auth.StepUp(ctx, by, shows, of)
			retireStepUp(t, h)
			_, failed := holder.Exec(ctx, "BEGIN; SELECT FROM message WHERE message_id = '"+held.InternalID.String()+"' FOR UPDATE")
			if failed != nil {
				t.Error(failed)
			}
			approve(held) // waits for the holder, and what comes meanwhile for it
			for waits := false; !waits && failed == nil; {
				failed = looker.QueryRow(ctx, `SELECT EXISTS (
					SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
			}
			approve(beside)
			return shown, err
		},
	})
	_, err := station.Approve(ctx, checker, showing(m, p.code()))
	if err != nil {
		t.Error(err)
	}
	_, err = holder.Exec(ctx, "ROLLBACK")
	if err != nil {
		t.Error(err)
	}
	others.Wait()
	read, err := h.Reader.Message(ctx, "demo", m.InternalID)
	if d, _ := read.LastDecision(); err != nil || d.FactorKind != identity.FactorTOTP || read.Withheld != "" {
		t.Errorf("the decision says it was made with %q, and the payment is withheld: %q, %v", d.FactorKind, read.Withheld, err)
	}
}

// One code shown for two payments at once approves one of them.
func TestOfTwoApprovalsWithOneCodeOneCounts(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	askStepUp(t, h)
	p, _ := takeUp(t, h)
	checker, code := h.Person(t, "checker1"), p.code()
	var wg sync.WaitGroup
	results := make(chan error, 4)
	for range cap(results) {
		m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		wg.Go(func() {
			_, err := h.Approval.Approve(ctx, checker, showing(m, code))
			results <- err
		})
	}
	wg.Wait()
	close(results)
	approved := 0
	for err := range results {
		if err == nil {
			approved++
			continue
		}
		wantStepUp(t, "the others", err)
	}
	if approved != 1 {
		t.Errorf("one code approved %d payments", approved)
	}
}

// The database holds it against the service's login.
func TestTheDatabaseHoldsTheStepUp(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	askStepUp(t, h)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	checker := h.Person(t, "checker1")
	grant, _ := checker.Grant(identity.RoleChecker)
	conn := h.DB.ConnectAsApplication(t, "demo")
	insert := `INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user,
		checker_person, client_id, channel, action, decided_at, checker_role, grant_id, granted_at, message_created_at, factor_use_id)
		SELECT m.realm, m.message_id, 1, 1, v.makers, v.content_hash, 1, $2, $3, 'portal', 'portal', 'approve', now(), 'checker', $4, $5,
		m.created_at, $6 FROM message m JOIN message_version v USING (realm, message_id) WHERE m.message_id = $1`
	type planted struct {
		use  *string
		code string
	}
	for what, want := range map[string]planted{
		"without a factor": {nil, "42501"}, "with one that nobody showed": {new("019b0a50-0000-7000-8000-000000000001"), "23503"},
	} {
		_, err := conn.Exec(ctx, insert, m.InternalID, checker.UserID, checker.PersonID, grant.ID, grant.GrantedAt, want.use)
		if err == nil || !strings.Contains(err.Error(), want.code) {
			t.Errorf("an approval %s: %v, want %s", what, err, want.code)
		}
	}
}
