package payment_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// full is a message with a value in each field that a seal covers.
func full() payment.Message {
	m := pending(maker, 2)
	m.OriginalID, m.AnswersID, m.PolicyID = uuid.New(), uuid.New(), uuid.New()
	m.Direction, m.ExternalID, m.Reason, m.Clients = payment.DirectionOut, "E-1", "DUPL", []string{"back-office", "portal"}
	m.Deadline, m.AnswerBy = noon.AddDate(0, 0, 9), noon.AddDate(0, 0, 12)
	m.Payee = payee.Verification{Result: payee.Match, MatchedName: "Peter Haller", At: noon}
	m.Summary.OrderedDebtorName, m.Summary.TransactionID, m.Summary.CreditorAgent = "Muster", "TX-1", "21966"
	return m
}

// messageChanges change one field of a message that the seal of its version covers.
var messageChanges = map[string]func(*payment.Message){
	"realm":         func(m *payment.Message) { m.Realm = "demo2" },
	"internal id":   func(m *payment.Message) { m.InternalID = uuid.New() },
	"Global ID":     func(m *payment.Message) { m.GlobalID = "DM00000000000001" },
	"kind":          func(m *payment.Message) { m.Kind = payment.KindReturn },
	"scheme":        func(m *payment.Message) { m.Scheme = rulebook.SchemeSCT },
	"direction":     func(m *payment.Message) { m.Direction = payment.DirectionIn },
	"channel":       func(m *payment.Message) { m.Channel = identity.ChannelPortal },
	"client":        func(m *payment.Message) { m.ClientID = "portal" },
	"external id":   func(m *payment.Message) { m.ExternalID = "E-2" },
	"maker":         func(m *payment.Message) { m.MakerUser = uuid.New() },
	"original":      func(m *payment.Message) { m.OriginalID = uuid.New() },
	"answered":      func(m *payment.Message) { m.AnswersID = uuid.New() },
	"policy":        func(m *payment.Message) { m.PolicyID = uuid.New() },
	"reason":        func(m *payment.Message) { m.Reason = "FRAD" },
	"version":       func(m *payment.Message) { m.Version++ },
	"approvals":     func(m *payment.Message) { m.ApprovalsRequired-- },
	"first maker":   func(m *payment.Message) { m.Makers = []uuid.UUID{uuid.New()} },
	"editor":        func(m *payment.Message) { m.Makers = append(m.Makers[:1:1], uuid.New()) },
	"no maker":      func(m *payment.Message) { m.Makers = nil },
	"digest":        func(m *payment.Message) { m.ContentHash[31] ^= 1 },
	"expiry":        func(m *payment.Message) { m.ExpiresAt = m.ExpiresAt.Add(time.Microsecond) },
	"no expiry":     func(m *payment.Message) { m.ExpiresAt = time.Time{} },
	"deadline":      func(m *payment.Message) { m.Deadline = m.Deadline.AddDate(0, 0, 1) },
	"a client less": func(m *payment.Message) { m.Clients = m.Clients[:1] },
	"no clients":    func(m *payment.Message) { m.Clients = nil },
	"payee result":  func(m *payment.Message) { m.Payee.Result = payee.NoMatch },
	"payee name":    func(m *payment.Message) { m.Payee.MatchedName = "Mallory" },
	"payee time":    func(m *payment.Message) { m.Payee.At = noon.Add(time.Second) },
	"no payee":      func(m *payment.Message) { m.Payee = payee.Verification{} },
	"amount": func(m *payment.Message) {
		m.Summary.Amount, _ = money.Parse("CHF", "199.96")
	},
	"currency": func(m *payment.Message) {
		m.Summary.Amount, _ = money.Parse("EUR", "199.95")
	},
}

func TestTheSealOfAVersionCoversEachField(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	changes := map[string]func(*payment.Message){}
	for name, change := range messageChanges {
		changes[name] = change
	}
	texts := 0
	summary := reflect.TypeFor[payment.Summary]()
	for i := range summary.NumField() {
		if summary.Field(i).Type.Kind() == reflect.String {
			texts++
			changes["summary "+summary.Field(i).Name] = func(m *payment.Message) { reflect.ValueOf(&m.Summary).Elem().Field(i).SetString("other") }
		}
	}
	if texts != 12 {
		t.Errorf("the summary has %d texts", texts)
	}
	good := full()
	good.Seal = seal.SealVersion(good)
	if err := seal.CheckVersion(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range changes {
		m := good
		change(&m)
		if err := seal.CheckVersion(m); !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	received := good
	received.Kind = payment.KindReceivedRecall
	received.Seal = seal.SealVersion(received)
	received.AnswerBy = received.AnswerBy.AddDate(0, 0, 1)
	if err := seal.CheckVersion(received); !errors.Is(err, payment.ErrForged) {
		t.Errorf("the answer's day of a received recall: %v", err)
	}
	good.AnswerBy, good.State, good.Sequence = time.Time{}, payment.StateSettled, 9
	if err := seal.CheckVersion(good); err != nil {
		t.Errorf("the life of a message broke its seal: %v", err)
	}
}

func TestTheSealOfARequestKeyCoversEachField(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	good := payment.RequestKey{
		Realm: "demo", ClientID: "portal", Scope: payment.KeyExternalID, Key: "1", MessageID: uuid.New(), Fingerprint: orderedHash, CreatedAt: noon,
	}
	made := seal.SealRequestKey(good)
	if err := seal.CheckRequestKey(good, made); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*payment.RequestKey){
		"realm":       func(k *payment.RequestKey) { k.Realm = "demo2" },
		"client":      func(k *payment.RequestKey) { k.ClientID = "other" },
		"scope":       func(k *payment.RequestKey) { k.Scope = payment.KeyMessageID },
		"key":         func(k *payment.RequestKey) { k.Key = "2" },
		"message":     func(k *payment.RequestKey) { k.MessageID = uuid.New() },
		"fingerprint": func(k *payment.RequestKey) { k.Fingerprint[0] ^= 1 },
		"time":        func(k *payment.RequestKey) { k.CreatedAt = noon.Add(time.Microsecond) },
	} {
		k := good
		change(&k)
		if err := seal.CheckRequestKey(k, made); !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A release is held against the message field by field, and its seal covers each field that both have: a message and a release that were
// changed together do not pass, not even when the version has a true seal.
func TestTheSealOfAReleaseCoversEachField(t *testing.T) {
	t.Parallel()
	seal := sealer(t, 'k')
	m := pending(maker, 1)
	approved, err := m.Approve(by(checker), terms(seal))
	if err != nil {
		t.Fatal(err)
	}
	released, good := approved.After(), *approved.Release()
	released.Seal = seal.SealVersion(released)
	if _, err := seal.Verify(good, released); err != nil {
		t.Fatal(err)
	}
	other, hash := uuid.New(), payment.Digest{7}
	type change = func(*payment.Release, *payment.Message)
	for name, halves := range map[string][2]change{
		"realm":       {func(r *payment.Release, _ *payment.Message) { r.Realm = "demo2" }, func(_ *payment.Release, m *payment.Message) { m.Realm = "demo2" }},
		"internal id": {func(r *payment.Release, _ *payment.Message) { r.InternalID = other }, func(_ *payment.Release, m *payment.Message) { m.InternalID = other }},
		"version":     {func(r *payment.Release, _ *payment.Message) { r.Version = 2 }, func(_ *payment.Release, m *payment.Message) { m.Version = 2 }},
		"makers": {
			func(r *payment.Release, _ *payment.Message) { r.Makers = []uuid.UUID{other} },
			func(_ *payment.Release, m *payment.Message) { m.Makers = []uuid.UUID{other} },
		},
		"time of the release": {
			func(r *payment.Release, _ *payment.Message) { r.AcceptedAt = noon.Add(time.Microsecond) },
			func(_ *payment.Release, m *payment.Message) { m.AcceptedAt = noon.Add(time.Microsecond) },
		},
		"digest": {
			func(r *payment.Release, _ *payment.Message) { r.ContentHash = hash },
			func(_ *payment.Release, m *payment.Message) { m.ContentHash = hash },
		},
		"Global ID": {1: func(_ *payment.Release, m *payment.Message) { m.GlobalID = "DM00000000000001" }},
		"kind":      {1: func(_ *payment.Release, m *payment.Message) { m.Kind = payment.KindReturn }},
		"scheme":    {1: func(_ *payment.Release, m *payment.Message) { m.Scheme = rulebook.SchemeSCT }},
		"entry":     {1: func(_ *payment.Release, m *payment.Message) { m.CreatedAt = noon.Add(time.Microsecond) }},
		"approvers": {func(r *payment.Release, _ *payment.Message) { r.Approvers = []uuid.UUID{other} }},
		"account":   {func(r *payment.Release, _ *payment.Message) { r.Account = hash }},
		"content": {1: func(_ *payment.Release, m *payment.Message) {
			m.Content = append(m.Content[:len(m.Content):len(m.Content)], '\n')
		}},
	} {
		for parts, which := range map[string][]change{"release": halves[:1], "message": halves[1:], "both": halves[:]} {
			r, of, changed := good, released, false
			for _, half := range which {
				if half != nil {
					half(&r, &of)
					changed = true
				}
			}
			of.Seal = seal.SealVersion(of)
			if _, err := seal.Verify(r, of); changed && !errors.Is(err, payment.ErrForged) {
				t.Errorf("%s, changed in %s: %v", name, parts, err)
			}
		}
	}
	stranger := sealer(t, 'x')
	released.Seal = stranger.SealVersion(released)
	if _, err := seal.Verify(good, released); !errors.Is(err, payment.ErrForged) {
		t.Errorf("a version that another key sealed: %v", err)
	}
}

func TestASealServesOnePurpose(t *testing.T) {
	t.Parallel()
	seal, m := sealer(t, 'k'), pending(maker, 1)
	key := payment.RequestKey{Realm: m.Realm, MessageID: m.InternalID}
	m.Seal = seal.SealRequestKey(key)
	if version, request := seal.CheckVersion(m), seal.CheckRequestKey(key, seal.SealVersion(m)); !errors.Is(version, payment.ErrForged) ||
		!errors.Is(request, payment.ErrForged) {
		t.Errorf("exchanged seals: %v, %v", version, request)
	}
}

// The decisions that wait for more are as many as the message counts.
func TestTheDecisionsOfAWaitingMessageAreCounted(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	d := payment.Decision{Ordinal: 1, Action: payment.ActionApprove, PersonID: checker.PersonID, DecidedAt: noon}
	for name, test := range map[string]struct {
		state     payment.State
		decisions []payment.Decision
		stored    payment.Stored
		withheld  bool
	}{
		"as counted":           {payment.StateApprovalPending, []payment.Decision{d}, payment.Stored{Approvals: 1}, false},
		"one too few":          {payment.StateApprovalPending, nil, payment.Stored{Approvals: 1}, true},
		"one too many":         {payment.StateApprovalPending, []payment.Decision{d}, payment.Stored{}, true},
		"moved later":          {payment.StateApprovalPending, []payment.Decision{d}, payment.Stored{Approvals: 1, Later: true}, true},
		"a recall moved later": {payment.StateAwaitingDecision, nil, payment.Stored{Later: true}, true},
		"a recall as it came":  {payment.StateAwaitingDecision, nil, payment.Stored{}, false},
		"asked about":          {payment.StateQuestion, nil, payment.Stored{}, false},
		"after release":        {payment.StateApproved, []payment.Decision{d}, payment.Stored{Approvals: 2, Later: true}, false},
	} {
		m.State = test.state
		got := m.WithDecisions(test.decisions, test.stored)
		if (got.Withheld != "") != test.withheld {
			t.Errorf("%s: %q", name, got.Withheld)
		}
	}
	for err, want := range map[error]string{
		nil: "", payment.ErrUnknownKey: "restore the key", payment.ErrForged: "differs from the content that was entered",
	} {
		if got := payment.WithheldBy(err); !contains(got.String(), want) {
			t.Errorf("%v: %q", err, got)
		}
	}
	if m.RequiringApprovals(2).Withheld != "" || m.RequiringApprovals(3).Withheld == "" {
		t.Error("a message with fewer approvals than its policy asked for passes, or one with as many does not")
	}
}
