package payment_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

var (
	noon    = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	maker   = person("maker", identity.RoleMaker)
	checker = person("checker", identity.RoleChecker)
	second  = person("second checker", identity.RoleChecker)
	both    = person("both", identity.RoleMaker, identity.RoleChecker)
)

func person(name string, roles ...identity.Role) identity.Principal {
	return identity.Principal{
		Realm: "demo", UserID: uuid.New(), PersonID: uuid.New(), UserName: name, DisplayName: name, Roles: roles,
		ClientID: "portal", Channel: identity.ChannelPortal,
	}
}

func pending(by identity.Principal, approvals int) payment.Message {
	return payment.Message{
		Realm: "demo", InternalID: uuid.New(), GlobalID: "DM00000000000000", Kind: payment.KindInstruction, Scheme: rulebook.SchemeSIC,
		Channel: identity.ChannelAPI, ClientID: "back-office", MakerUser: by.UserID, MakerName: by.DisplayName,
		Makers: []uuid.UUID{by.PersonID}, ApprovalsRequired: approvals, ExpiresAt: noon.Add(time.Hour), CreatedAt: noon.Add(-time.Hour),
		Version: 1, State: payment.StateApprovalPending, Sequence: 1, StateSince: noon.Add(-time.Hour), ContentHash: payment.Digest{1},
	}
}

func sealer(t *testing.T, secret byte) payment.Sealer {
	t.Helper()
	s, err := payment.NewSealer("test", []byte(strings.Repeat(string(rune(secret)), 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func by(p identity.Principal) payment.Verdict { return payment.Verdict{By: p, At: noon} }

func TestTheLastApprovalReleases(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	first, err := pending(maker, 2).Approve(by(checker), seal)
	if err != nil {
		t.Fatal(err)
	}
	if first.Move().To != payment.StateApprovalPending || first.Release() != nil {
		t.Fatalf("one of two approvals: moved to %s with release %v", first.Move().To, first.Release())
	}
	last, err := first.After().Approve(by(second), seal)
	if err != nil {
		t.Fatal(err)
	}
	release := last.Release()
	if last.Move().To != payment.StateApproved || release == nil {
		t.Fatalf("two of two approvals: moved to %s with release %v", last.Move().To, release)
	}
	if len(release.Approvers) != 2 || release.Approvers[0] != checker.PersonID || release.Approvers[1] != second.PersonID {
		t.Errorf("approvers are %v", release.Approvers)
	}
	if last.After().AcceptedAt != noon {
		t.Errorf("accepted at %v, want the time of the last approval", last.After().AcceptedAt)
	}
}

func TestWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	own := pending(both, 1)
	secondAccount := both
	secondAccount.UserID, secondAccount.UserName = uuid.New(), "both-again"
	edited := pending(maker, 1)
	edited.Makers = append(edited.Makers, both.PersonID)
	unknown := pending(maker, 1)
	unknown.Makers = nil
	nobody := pending(maker, 1)
	nobody.Makers = []uuid.UUID{uuid.Nil}
	sameClient := checker
	sameClient.ClientID, sameClient.Channel = "back-office", identity.ChannelAPI
	approvedOnce := pending(maker, 2)
	approvedOnce.Decisions = []payment.Decision{{Ordinal: 1, Action: payment.ActionApprove, PersonID: checker.PersonID}}

	cases := []struct {
		name    string
		message payment.Message
		who     identity.Principal
		want    any
	}{
		{"its maker", own, both, new(*payment.FourEyesError)},
		{"its maker under another account", own, secondAccount, new(*payment.FourEyesError)},
		{"an editor", edited, both, new(*payment.FourEyesError)},
		{"anybody when the maker is unknown", unknown, checker, new(*payment.FourEyesError)},
		{"anybody when the maker is nobody", nobody, checker, new(*payment.FourEyesError)},
		{"a checker through the client that created it", pending(maker, 1), sameClient, new(*payment.FourEyesError)},
		{"a checker who approved before", approvedOnce, checker, new(*payment.FourEyesError)},
		{"a maker without the role checker", pending(both, 1), maker, new(*payment.ForbiddenError)},
		{"a supervisor", pending(maker, 1), person("supervisor", identity.RoleSupervisor), new(*payment.ForbiddenError)},
		{"an administrator", pending(maker, 1), person("admin", identity.RoleAdministrator), new(*payment.ForbiddenError)},
	}
	for _, c := range cases {
		for _, verdict := range []string{"approve", "reject"} {
			var err error
			if verdict == "approve" {
				_, err = c.message.Approve(by(c.who), sealer(t, 'k'))
			} else {
				_, err = c.message.Reject(by(c.who), "no")
			}
			if err == nil || !errors.As(err, c.want) {
				t.Errorf("%s may not %s: got %v", c.name, verdict, err)
			}
		}
	}
}

func TestAClientMayDecideItsOwnWhenItsRealmSaysSo(t *testing.T) {
	t.Parallel()
	who := checker
	who.ClientID, who.Channel, who.ClientMayDecideOwn = "back-office", identity.ChannelAPI, true
	_, err := pending(maker, 1).Approve(by(who), sealer(t, 'k'))
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoStateButPendingCanBeDecided(t *testing.T) {
	t.Parallel()
	for _, state := range instructionStates {
		m := pending(maker, 1)
		m.State = state
		_, approve := m.Approve(by(checker), sealer(t, 'k'))
		_, reject := m.Reject(by(checker), "no")
		_, withdraw := m.Withdraw(maker, "", noon)
		for action, err := range map[string]error{"approve": approve, "reject": reject, "withdraw": withdraw} {
			var wrong *payment.StateError
			if refused := errors.As(err, &wrong); refused == (state == payment.StateApprovalPending) {
				t.Errorf("%s in %s: %v", action, state, err)
			}
		}
	}
	late := pending(maker, 1)
	late.ExpiresAt = noon
	var wrong *payment.StateError
	_, err := late.Approve(by(checker), sealer(t, 'k'))
	if !errors.As(err, &wrong) {
		t.Errorf("approve after the time is up: %v", err)
	}
}

func TestWhatTheCheckerSawIsWhatCounts(t *testing.T) {
	t.Parallel()
	var changed *payment.ContentError
	_, err := pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, ContentHash: &payment.Digest{9}}, sealer(t, 'k'))
	if !errors.As(err, &changed) {
		t.Errorf("another digest: %v", err)
	}
	_, err = pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, Version: 2}, sealer(t, 'k'))
	if !errors.As(err, &changed) {
		t.Errorf("another version: %v", err)
	}
	_, err = pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, Version: 1, ContentHash: &payment.Digest{1}}, sealer(t, 'k'))
	if err != nil {
		t.Errorf("the current content: %v", err)
	}
}

func TestARejectionNeedsAReason(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"", "  \n", strings.Repeat("é", payment.MaxReason+1), "null\x00byte", "bad \xff byte"} {
		var malformed *payment.FieldError
		_, err := pending(maker, 1).Reject(by(checker), reason)
		if !errors.As(err, &malformed) || malformed.Findings[0].Pointer != "/ApprovalDetails/rejectReason" {
			t.Errorf("reason %.20q: %v", reason, err)
		}
	}
	done, err := pending(maker, 1).Reject(by(checker), strings.Repeat("é", payment.MaxReason))
	if err != nil || done.Move().To != payment.StateRejected || done.Release() != nil {
		t.Errorf("a full reason: %v", err)
	}
}

func TestAForgedReleaseIsFound(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	m := pending(maker, 1)
	content := []byte("what was approved")
	m.ContentHash = [32]byte(sha(content))
	approved, err := m.Approve(by(checker), seal)
	if err != nil {
		t.Fatal(err)
	}
	good := *approved.Release()
	if err := seal.Check(good, content); err != nil {
		t.Fatalf("the true release: %v", err)
	}
	forgeries := map[string]func(*payment.Release){
		"another realm":       func(r *payment.Release) { r.Realm = "demo2" },
		"another message":     func(r *payment.Release) { r.InternalID = uuid.New() },
		"another version":     func(r *payment.Release) { r.Version = 2 },
		"another maker":       func(r *payment.Release) { r.Makers = []uuid.UUID{uuid.New()} },
		"another approver":    func(r *payment.Release) { r.Approvers = []uuid.UUID{uuid.New()} },
		"no approver":         func(r *payment.Release) { r.Approvers = nil },
		"another digest":      func(r *payment.Release) { r.ContentHash = payment.Digest{7} },
		"another time":        func(r *payment.Release) { r.AcceptedAt = noon.Add(time.Microsecond) },
		"another key's name":  func(r *payment.Release) { r.KeyID = "other" },
		"another MAC":         func(r *payment.Release) { r.MAC[0] ^= 1 },
		"makers as approvers": func(r *payment.Release) { r.Makers, r.Approvers = append(r.Makers, r.Approvers...), nil },
	}
	for name, forge := range forgeries {
		forged := good
		forge(&forged)
		if err := seal.Check(forged, content); !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := seal.Check(good, []byte("something else")); !errors.Is(err, payment.ErrForged) {
		t.Errorf("other content: %v", err)
	}
	if err := sealer(t, 'x').Check(good, content); !errors.Is(err, payment.ErrForged) {
		t.Errorf("another key: %v", err)
	}
}

var instructionStates = []payment.State{
	payment.StateApprovalPending, payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateSettled,
	payment.StateFailed, payment.StateRejected, payment.StateWithdrawn, payment.StateExpired,
}
