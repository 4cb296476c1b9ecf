package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestResetsLeaveTwoAdministratorsAndAChecker: whoever is reset is nobody who can act until the link was used, so resets take a realm no
// further than suppressions do, not even two at once. Somebody else who checks is enough for a checker to be helped.
func TestResetsLeaveTwoAdministratorsAndAChecker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin3 := b.thirdAdministrator(t)
	first, _ := b.asked(t, admin3, "user.reset", "admin1", "")
	second, _ := b.asked(t, admin1, "user.reset", "admin3", "")
	for _, who := range []person{admin1, admin2, admin3} {
		b.Token(t, who)
	}
	var both sync.WaitGroup
	answers := make([]answer, 2)
	for i, id := range []string{first, second} {
		both.Go(func() { answers[i] = b.approve(t, admin2, id) })
	}
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
	must(t, b.DB.Connect(t).QueryRow(t.Context(), `SELECT count(*) FROM user_account u JOIN user_role g USING (realm, user_id)
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
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "Give another person the role checker first") {
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
	if a := b.approve(t, admin2, late); a.Text("errorCode") != "400_STATE" || !strings.Contains(a.Body, "no active administrator any more") {
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
