package payment_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/keyring"
	"countersign/internal/money"
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

// ordered is a document that no rule refuses, and its digest.
var ordered, orderedHash = func() ([]byte, payment.Digest) {
	content, err := os.ReadFile("../iso20022/testdata/sic-inst_01_pain.001.001.09.xml")
	if err != nil {
		panic(err)
	}
	return content, sha256.Sum256(content)
}()

// orderedSummary holds its searched fields.
var orderedSummary = func() payment.Summary {
	amount, err := money.Parse("CHF", "199.95")
	if err != nil {
		panic(err)
	}
	return payment.Summary{
		Amount: amount, InstructionID: "S-INSTR-0001", EndToEndID: "S-E2E-0001", UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		DebtorName: "MUSTER AG", DebtorAccount: "CH7280005000088877766", DebtorAgent: "80005",
		CreditorName: "Peter Haller", CreditorAccount: "CH4821966000009613388", Remittance: "RF18539007547034",
	}
}()

// orderedDay is its execution date.
var orderedDay = payment.Message{Kind: payment.KindInstruction, Content: ordered}.OrderedDay()

func pending(by identity.Principal, approvals int) payment.Message {
	return payment.Message{
		Realm: "demo", InternalID: uuid.New(), GlobalID: "DM00000000000000", Kind: payment.KindInstruction, Scheme: rulebook.SchemeSIC,
		Channel: identity.ChannelAPI, ClientID: "back-office", MakerUser: by.UserID, MakerName: by.DisplayName, Makers: []uuid.UUID{by.PersonID},
		ApprovalsRequired: approvals, ExpiresAt: noon.Add(time.Hour), CreatedAt: noon.Add(-time.Hour), Version: 1,
		State: payment.StateApprovalPending, Sequence: 1, StateSince: noon.Add(-time.Hour), ContentHash: orderedHash, Content: ordered,
		Summary: orderedSummary, ExecutionDay: orderedDay,
		Account: &payment.DebtorAccount{
			IBAN: "CH5021977000004331346", Scheme: rulebook.SchemeSIC, Open: true, Holder: interbank.Holder{Name: "MUSTER AG"},
		},
	}
}

// The interbank document names the bank of the account as it is at the delivery: the approver saw the one it had at the entry.
func TestAnAccountThatMovedToAnotherBankIsEnteredAnew(t *testing.T) {
	t.Parallel()
	maker, checker := person("maker", identity.RoleMaker), person("checker", identity.RoleChecker)
	for name, change := range map[string]struct {
		account func(*payment.DebtorAccount)
		refused bool
	}{
		"the same bank":      {func(a *payment.DebtorAccount) { a.AgentBIC, a.AgentIID = "AAAACHBBXXX", "80005" }, false},
		"an unknown bank":    {func(*payment.DebtorAccount) {}, false},
		"another bank":       {func(a *payment.DebtorAccount) { a.AgentBIC, a.AgentIID = "BBBBCHZZXXX", "21966" }, true},
		"a bank without IID": {func(a *payment.DebtorAccount) { a.AgentBIC = "BBBBDEFFXXX" }, true},
	} {
		m := pending(maker, 1)
		change.account(m.Account)
		_, err := m.Approve(by(checker), terms(sealer(t, 'k')))
		var refused *payment.RefusalError
		is := errors.As(err, &refused) && len(refused.Findings) == 1 && refused.Findings[0].Code == "AGNT" &&
			strings.Contains(refused.Findings[0].Text.String(), "enter it again")
		if is != change.refused || !is && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sealer has one key of its own for each secret.
func sealer(t testing.TB, secret byte) payment.Sealer {
	t.Helper()
	keys, err := keyring.Parse(fmt.Appendf(nil, "test %s", strings.Repeat(fmt.Sprintf("%02x", secret), 32)), "test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := payment.NewSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// terms are those of an approval at noon.
func terms(seal payment.Sealer) payment.ApprovalContext {
	return payment.ApprovalContext{Today: noon, Seal: seal}
}

func by(p identity.Principal) payment.Verdict { return payment.Verdict{By: p, At: noon} }

func TestTheLastApprovalReleases(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	first, err := pending(maker, 2).Approve(by(checker), terms(seal))
	if err != nil {
		t.Fatal(err)
	}
	if first.Move().To != payment.StateApprovalPending || first.Release() != nil {
		t.Fatalf("one of two approvals: moved to %s with release %v", first.Move().To, first.Release())
	}
	last, err := first.After().Approve(by(second), terms(seal))
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
				_, err = c.message.Approve(by(c.who), terms(sealer(t, 'k')))
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
	_, err := pending(maker, 1).Approve(by(who), terms(sealer(t, 'k')))
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoStateButPendingCanBeDecided(t *testing.T) {
	t.Parallel()
	for _, state := range instructionStates {
		m := pending(maker, 1)
		m.State = state
		_, approve := m.Approve(by(checker), terms(sealer(t, 'k')))
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
	_, err := late.Approve(by(checker), terms(sealer(t, 'k')))
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Error(), "could be approved or rejected until "+noon.UTC().Format(time.RFC3339)) {
		t.Errorf("approve after the time is up: %v", err)
	}
}

// TestWhatHasTimeLeftDoesNotExpire: a message expires from the moment its time is up, and only while it waits for a decision.
func TestWhatHasTimeLeftDoesNotExpire(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	_, err := m.Expire(m.ExpiresAt.Add(-time.Nanosecond))
	if !errors.Is(err, payment.ErrIllegalMove) {
		t.Errorf("with a moment left: %v", err)
	}
	for _, state := range instructionStates {
		m.State = state
		_, err := m.Expire(m.ExpiresAt)
		if errors.Is(err, payment.ErrIllegalMove) == (state == payment.StateApprovalPending) {
			t.Errorf("in %s, with its time up: %v", state, err)
		}
	}
}

func TestWhatTheCheckerSawIsWhatCounts(t *testing.T) {
	t.Parallel()
	var changed *payment.ContentError
	_, err := pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, ContentHash: &payment.Digest{9}}, terms(sealer(t, 'k')))
	if !errors.As(err, &changed) {
		t.Errorf("another digest: %v", err)
	}
	_, err = pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, Version: 2}, terms(sealer(t, 'k')))
	if !errors.As(err, &changed) {
		t.Errorf("another version: %v", err)
	}
	_, err = pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, Version: 1, ContentHash: &orderedHash}, terms(sealer(t, 'k')))
	if err != nil {
		t.Errorf("the current content: %v", err)
	}
}

func TestARejectionNeedsAReason(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{
		"", "  \n", " \u00a0\u200b", "\u2060\u202e",
		strings.Repeat("é", payment.MaxReason+1), "null\x00byte", "bad \xff byte", "a\x01b", "\b", "\v", "\x1f", "\ufffe", "\uffff",
	} {
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
	m.Seal = seal.SealVersion(m)
	approved, err := m.Approve(by(checker), terms(seal))
	if err != nil {
		t.Fatal(err)
	}
	released, good := approved.After(), *approved.Release()
	if _, err := seal.Verify(good, released); err != nil {
		t.Fatalf("the true release: %v", err)
	}
	forgeries := map[string]func(*payment.Release, *payment.Message){
		"another realm":    func(r *payment.Release, _ *payment.Message) { r.Realm = "demo2" },
		"another message":  func(r *payment.Release, _ *payment.Message) { r.InternalID = uuid.New() },
		"another version":  func(r *payment.Release, _ *payment.Message) { r.Version = 2 },
		"another maker":    func(r *payment.Release, _ *payment.Message) { r.Makers = []uuid.UUID{uuid.New()} },
		"another approver": func(r *payment.Release, _ *payment.Message) { r.Approvers = []uuid.UUID{uuid.New()} },
		"no approver":      func(r *payment.Release, _ *payment.Message) { r.Approvers = nil },
		"another digest":   func(r *payment.Release, _ *payment.Message) { r.ContentHash = payment.Digest{7} },
		"another account":  func(r *payment.Release, _ *payment.Message) { r.Account = payment.Digest{7} },
		"another time":     func(r *payment.Release, _ *payment.Message) { r.AcceptedAt = noon.Add(time.Microsecond) },
		"another MAC":      func(r *payment.Release, _ *payment.Message) { r.Seal.MAC[0] ^= 1 },
		"makers as approvers": func(r *payment.Release, _ *payment.Message) {
			r.Makers, r.Approvers = append(r.Makers, r.Approvers...), nil
		},

		"a message of another realm":      func(_ *payment.Release, m *payment.Message) { m.Realm = "demo2" },
		"a message of another kind":       func(_ *payment.Release, m *payment.Message) { m.Kind = payment.KindReturn },
		"a message of another scheme":     func(_ *payment.Release, m *payment.Message) { m.Scheme = rulebook.SchemeSCT },
		"a message of another Global ID":  func(_ *payment.Release, m *payment.Message) { m.GlobalID = "DM00000000000001" },
		"a message made at another time":  func(_ *payment.Release, m *payment.Message) { m.CreatedAt = noon },
		"a message of another maker":      func(_ *payment.Release, m *payment.Message) { m.Makers = []uuid.UUID{uuid.New()} },
		"a message with other content":    func(_ *payment.Release, m *payment.Message) { m.Content = []byte("something else") },
		"a message of another digest":     func(_ *payment.Release, m *payment.Message) { m.ContentHash = payment.Digest{7} },
		"a message under another policy":  func(_ *payment.Release, m *payment.Message) { m.PolicyID = uuid.New() },
		"a message that needs less":       func(_ *payment.Release, m *payment.Message) { m.ApprovalsRequired = 0 },
		"a message with another creditor": func(_ *payment.Release, m *payment.Message) { m.Summary.CreditorName = "Mallory" },
		"a message without a seal":        func(_ *payment.Release, m *payment.Message) { m.Seal = keyring.Seal{} },
	}
	for name, forge := range forgeries {
		forged, of := good, released
		forge(&forged, &of)
		if _, err := seal.Verify(forged, of); !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sealer(t, 'x').Verify(good, released); !errors.Is(err, payment.ErrForged) {
		t.Errorf("another key: %v", err)
	}
	renamed := good
	renamed.Seal.KeyID = "other"
	if _, err := seal.Verify(renamed, released); !errors.Is(err, payment.ErrUnknownKey) {
		t.Errorf("another key's name: %v, which must be held, not ended", err)
	}
}

func TestTheAccountThatIsDebitedIsTheOneOfTheRelease(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	m := pending(maker, 1)
	m.Seal = seal.SealVersion(m)
	approved, err := m.Approve(by(checker), terms(seal))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*payment.DebtorAccount){
		"IBAN":     func(a *payment.DebtorAccount) { a.IBAN = "CH4821966000009613388" },
		"scheme":   func(a *payment.DebtorAccount) { a.Scheme = rulebook.SchemeSCT },
		"currency": func(a *payment.DebtorAccount) { a.Currency = "EUR" },
		"holder":   func(a *payment.DebtorAccount) { a.Holder.Name = "Mallory" },
		"street":   func(a *payment.DebtorAccount) { a.Holder.Street = "Nowhere" },
		"building": func(a *payment.DebtorAccount) { a.Holder.Building = "13" },
		"postcode": func(a *payment.DebtorAccount) { a.Holder.Postcode = "0000" },
		"town":     func(a *payment.DebtorAccount) { a.Holder.Town = "Nowhere" },
		"country":  func(a *payment.DebtorAccount) { a.Holder.Country = "KY" },
		"BIC":      func(a *payment.DebtorAccount) { a.AgentBIC = "MALLCHZZXXX" },
		"IID":      func(a *payment.DebtorAccount) { a.AgentIID = "99999" },
	} {
		released := approved.After()
		account := *released.Account
		change(&account)
		released.Account = &account
		verified, err := seal.Verify(*approved.Release(), released)
		if err != nil {
			t.Fatal(err)
		}
		_, err = verified.Outbound(noon)
		if !errors.Is(err, payment.ErrForged) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

func TestNothingIsReleasedThatARuleRefusesOrThatIsWithheld(t *testing.T) {
	t.Parallel()
	small := terms(sealer(t, 'k'))
	limit, err := money.Parse(money.CHF, "0.01")
	if err != nil {
		t.Fatal(err)
	}
	small.Rules.SICLimit = limit
	var refused *payment.RefusalError
	done, err := pending(maker, 1).Approve(by(checker), small)
	if !errors.As(err, &refused) || done.Valid() || done.Release() != nil {
		t.Errorf("above the limit: %v, a transition %v", err, done.Valid())
	}
	m := pending(maker, 1)
	m.Withheld = "It is not what was entered."
	var withheld *payment.WithheldError
	done, err = m.Approve(by(checker), terms(sealer(t, 'k')))
	if !errors.As(err, &withheld) || done.Valid() || !strings.Contains(err.Error(), m.Withheld.String()) {
		t.Errorf("withheld: %v, a transition %v", err, done.Valid())
	}
}

var instructionStates = []payment.State{
	payment.StateApprovalPending, payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed, payment.StateSettled,
	payment.StateFailed, payment.StateRejected, payment.StateWithdrawn, payment.StateExpired,
}
