package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/demo"
)

// TestResetsLeaveTwoAdministratorsAndAChecker: a person who is reset cannot act until the link was used, so resets take a realm no
// further than suppressions do, not even two at once. Somebody else who checks is enough for a checker to be helped.
func TestResetsLeaveTwoAdministratorsAndAChecker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin3 := b.thirdAdministrator(t)
	first, _ := b.asked(t, admin2, "user.reset", "admin1", "")
	second, _ := b.asked(t, admin2, "user.reset", "admin3", "")
	by := map[string]person{first: admin3, second: admin1}
	for _, who := range by {
		b.Token(t, who)
	}
	held, err := b.DB.Connect(t).Begin(t.Context())
	must(t, err)
	_, err = held.Exec(t.Context(), "SELECT FROM realm_administration WHERE realm = 'demo' FOR UPDATE")
	must(t, err)
	var both sync.WaitGroup
	answers := make([]answer, 2)
	for i, id := range []string{first, second} { // both are let in before either is done
		both.Go(func() { answers[i] = b.approve(t, by[id], id) })
	}
	watch := b.DB.Connect(t)
	for until, waiting := time.Now().Add(time.Minute), 0; waiting < len(by); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the two do not wait for the realm")
		}
		must(t, watch.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`).Scan(&waiting))
	}
	must(t, held.Rollback(t.Context()))
	both.Wait()
	applied := 0
	for _, a := range answers {
		if a.Status == http.StatusOK {
			applied++
		} else if a.Text("errorCode") != "400_STATE" {
			t.Errorf("the second reset: %d %s", a.Status, a.Body)
		}
	}
	if applied != 1 {
		t.Errorf("%d of two resets of three administrators were done", applied)
	}
	var active int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM user_account u JOIN user_role g USING (realm, user_id)
		WHERE u.realm = 'demo' AND g.role = 'administrator' AND g.ended_at IS NULL AND u.status = 'active'`).Scan(&active))
	if active != 2 {
		t.Errorf("%d administrators are left", active)
	}
	b.CheckInvariants(t)
}

func TestACheckerIsHelpedWhileAnotherOneChecks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"checker1", "checker2"} { // both1 checks too
		b.changed(t, "user.reset", name, "")
	}
	a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: `{"kind":"user.reset","subject":"both1"}`})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "At least two people must have the role checker.") {
		t.Errorf("the reset of the last one who checks: %d %s", a.Status, a.Body)
	}
}

// TestWhoLostTheRoleAsksForNothingAnyMore: of a change that one administrator asked for and another approves, both are administrators when
// it is done. It can still be rejected.
func TestWhoLostTheRoleAsksForNothingAnyMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin3 := b.thirdAdministrator(t)
	late, _ := b.asked(t, admin3, "user.create", "", `{"name":"late","displayName":"Late Person","roles":["maker","checker"]}`)
	b.changed(t, "user.suppress", "admin3", "")
	if a := b.approve(t, admin2, late); a.Text("errorCode") != "400_STATE" || !strings.Contains(a.Body, "no longer an active administrator") {
		t.Errorf("what a suppressed administrator asked for: %d %s", a.Status, a.Body)
	}
	b.changed(t, "user.restore", "admin3", "")
	if a := b.approve(t, admin2, late); a.Status != http.StatusOK {
		t.Errorf("when they are back: %d %s", a.Status, a.Body)
	}
	b.changed(t, "user.suppress", "admin3", "")
	more, _ := b.asked(t, admin1, "user.suppress", "maker2", "")
	if a := b.Send(t, call{Path: changeApproval, Who: admin2, Body: changeVerdict(more, "reject")}); a.Status != http.StatusOK {
		t.Errorf("a rejection: %d %s", a.Status, a.Body)
	}
	b.CheckInvariants(t)
}

// TestAPaymentOfAnAccountThatWasClosedIsNotApproved: what was entered while the account was open waits for nothing any more.
func TestAPaymentOfAnAccountThatWasClosedIsNotApproved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	if made.Status != http.StatusOK {
		t.Fatal(made.Body)
	}
	b.changed(t, "account.close", "CH5021977000004331346", "")
	approve := call{Path: approvePath, Who: checker1, Body: verdict(made.Text("identifiers", "internalId"), "approve")}
	if a := b.Send(t, approve); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "AC04") {
		t.Errorf("the approval: %d %s", a.Status, a.Body)
	}
	if sent := b.Network.Delivered(); len(sent) != 0 {
		t.Errorf("%d documents were sent", len(sent))
	}
}

func TestARightTakesEffectAtOnceAndNotForOlderMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	b.Clock.Add(time.Minute)
	b.Token(t, maker2)
	b.changed(t, "user.roles", "maker2", `{"roles":["checker"]}`)
	b.Clock.Add(time.Second)
	if a := b.Send(t, call{Path: createSwiss, Who: maker2, Body: order(sample)}); a.Status != http.StatusForbidden {
		t.Errorf("the old role still makes: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, call{Path: approvePath, Who: maker2, Body: verdict(id, "approve")}); a.Status != http.StatusForbidden {
		t.Errorf("the new role decides what is older: %d %s", a.Status, a.Body)
	}
	b.changed(t, "user.suppress", "maker1", "")
	b.Clock.Add(time.Second)
	if a := b.Send(t, get(listPath, maker1)); a.Status != http.StatusUnauthorized {
		t.Errorf("the suppressed account still reads: %d", a.Status)
	}
	b.changed(t, "user.restore", "maker1", "")
	b.SignOut()
	b.Clock.Add(time.Second)
	if a := b.Send(t, get(listPath, maker1)); a.Status != http.StatusOK {
		t.Errorf("the restored account: %d %s", a.Status, a.Body)
	}
	b.changed(t, "user.reset", "maker1", "")
	b.Clock.Add(time.Second)
	if a := b.Send(t, get(listPath, maker1)); a.Status != http.StatusUnauthorized {
		t.Errorf("the account that was reset still reads: %d", a.Status)
	}
	b.CheckInvariants(t)
}

// TestNeitherTheRequesterNorTheBeneficiaryDecides compares people: a second account is the same person.
func TestNeitherTheRequesterNorTheBeneficiaryDecides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin3 := b.thirdAdministrator(t)
	var third string
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT person_id FROM user_account WHERE name = 'admin3'").Scan(&third))
	id, asked := b.asked(t, admin1, "user.create", "", `{"name":"admin3b","personId":"`+third+`","roles":["administrator"]}`)
	if a := b.approve(t, admin3, id); a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("the beneficiary approves: %d %s", a.Status, a.Body)
	}
	approved := b.approve(t, admin2, id)
	must(t, b.Auth.SetUp(t.Context(), auth.SetUpInput{
		Realm: demo.Realm, Link: strings.TrimPrefix(approved.Text("setupLink"), "/set-up/demo/"), Code: asked.Text("setupCode"),
		Password: demo.UserPassword, SourceAddress: "192.0.2.7",
	}))
	b.Clock.Add(time.Second)
	second := person{Realm: demo.Realm, Client: demo.Backoffice, User: "admin3b"}
	own, _ := b.asked(t, admin3, "user.suppress", "maker2", "")
	if a := b.approve(t, second, own); a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("the same person by another account approves: %d %s", a.Status, a.Body)
	}
	about, _ := b.asked(t, admin1, "user.suppress", "admin3", "")
	if a := b.approve(t, second, about); a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("the beneficiary by another account approves: %d %s", a.Status, a.Body)
	}
	if n := len(b.Send(t, get("/api/common/v1/audit/list?event=change.approve-refused", admin1)).At("events").([]any)); n != 3 {
		t.Errorf("%d refusals in the trail, want 3", n)
	}
	b.CheckInvariants(t)
}

// TestTwoApprovalsCannotTakeTheLastTwoCheckers races two changes that are each harmless alone.
func TestTwoApprovalsCannotTakeTheLastTwoCheckers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin3 := b.thirdAdministrator(t)
	var ids []string
	for _, name := range []string{"checker1", "checker2", "both1"} { // three people check in the demo
		id, _ := b.asked(t, admin1, "user.suppress", name, "")
		ids = append(ids, id)
	}
	var all sync.WaitGroup
	answers := make([]answer, len(ids))
	for _, who := range []person{admin2, admin3} {
		b.Token(t, who)
	}
	for i, id := range ids {
		all.Go(func() { answers[i] = b.approve(t, []person{admin2, admin3}[i%2], id) })
	}
	all.Wait()
	applied := 0
	for _, a := range answers {
		if a.Status == http.StatusOK {
			applied++
		} else if a.Status != http.StatusBadRequest || a.Text("errorCode") != "400_STATE" {
			t.Errorf("the loser is told %d %s", a.Status, a.Body)
		}
	}
	if applied != 1 {
		t.Errorf("%d of three were taken, want 1", applied)
	}
	b.CheckInvariants(t)
}

// TestTheServiceChangesNothingWithoutTwo tries plain SQL in the application's role.
func TestTheServiceChangesNothingWithoutTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.asked(t, admin1, "user.roles", "maker1", `{"roles":["maker","checker"]}`)
	b.changed(t, "user.suppress", "maker2", "") // an approval of before opens nothing
	conn := b.DB.ConnectAsApplication(t, demo.Realm)
	ctx := context.Background()
	decision := func(decider string) string {
		return `INSERT INTO realm_change_decision (realm, change_id, requester_person, beneficiary_person, content_hash, ordinal, action,
			decider_user, decider_person, decider_role, decider_grant_id, decider_granted_at, decider_client, decided_at, key_id, seal)
			SELECT c.realm, c.change_id, c.requester_person, c.beneficiary_person, c.content_hash, 99, 'approve', u.user_id, u.person_id,
			'administrator', g.grant_id, g.granted_at, 'portal', now() + interval '1 year', 'k', sha256('x') FROM realm_change c JOIN user_account u
			ON u.name = '` + decider + `'
			JOIN user_role g ON g.user_id = u.user_id WHERE c.change_id = '` + id + `'`
	}
	for _, statement := range []string{
		"INSERT INTO user_role SELECT realm, user_id, duty, 'checker', now(), gen_random_uuid(), NULL " +
			"FROM user_role WHERE role = 'maker'",
		"UPDATE user_role SET ended_at = now()", "UPDATE user_account SET status = 'active'", "UPDATE user_account SET status = 'suppressed'",
		"UPDATE client SET secret_hash = sha256('x') WHERE kind = 'confidential'", "UPDATE policy SET retired_at = now()",
		"UPDATE debtor_account SET open = false", "UPDATE policy SET approvals_required = 0", "DELETE FROM realm_change", "DELETE FROM policy",
		"UPDATE realm_change SET content = '{}'", "UPDATE realm_change_decision SET action = 'approve'", "DELETE FROM realm_change_decision",
		"INSERT INTO policy SELECT realm, gen_random_uuid(), 999, NULL, NULL, NULL, NULL, NULL, NULL, 0, 60, now(), NULL, false " +
			"FROM policy LIMIT 1",
		decision("admin1"), decision("maker1"),
		strings.Replace(decision("admin1"), "c.requester_person, c.beneficiary_person", "u.person_id, c.beneficiary_person", 1),
		"UPDATE realm_administration SET decided = 0",
	} {
		tag, err := conn.Exec(ctx, statement)
		if err == nil {
			t.Errorf("%s: was taken, %s", statement, tag)
		}
	}
	// What the schema cannot know, the seal does: a decision in another administrator's name brings nothing that counts.
	_, err := conn.Exec(ctx, decision("admin2"))
	must(t, err)
	report := b.Check(t)
	found, err := json.Marshal(report.Invariants)
	must(t, err)
	if !strings.Contains(string(found), "realm_change_decision") {
		t.Error("the auditor does not name the forged decision")
	}
}
