package payment_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// life says for each event where it leads a message of each kind, state by state. "=" is a state in which the event has no effect; in
// every other state it is refused.
var life = map[payment.Action]map[payment.Kind]string{
	payment.ActionDeliver: {
		payment.KindInstruction: "Approved>Processing Processing>Processing Unconfirmed>Unconfirmed",
		payment.KindReturn:      "Approved>Processing Processing>Processing Unconfirmed>Unconfirmed",
		payment.KindRecall:      "Approved>Processing Processing>Processing",
		payment.KindResolution:  "Approved>Processing Processing>Processing",
	},
	payment.ActionSettle: {
		payment.KindInstruction: "Approved>Settled Processing>Settled Unconfirmed>Settled Settled=",
		payment.KindReturn:      "Approved>Settled Processing>Settled Unconfirmed>Settled Settled=",
	},
	payment.ActionRejectByClearing: {
		payment.KindInstruction: "Approved>Failed Processing>Failed Unconfirmed>Failed Failed=",
		payment.KindReturn:      "Approved>Failed Processing>Failed Unconfirmed>Failed Failed=",
		payment.KindRecall:      "Approved>Failed Processing>Failed Acknowledged>Failed Overdue>Failed Failed=",
		payment.KindResolution:  "Approved>Failed Processing>Failed Failed=",
		payment.KindPayment:     "Accepted>Failed Booked>Failed Failed=",
	},
	payment.ActionBook: {payment.KindPayment: "Accepted>Booked Booked="},
	payment.ActionReport: {
		payment.KindInstruction: "Approved>Approved Processing>Processing Unconfirmed>Unconfirmed ApprovalPending= Question= Scheduled= " +
			"Settled= Failed= Rejected= Withdrawn= " +
			"Expired=",
		payment.KindReturn: "Approved>Approved Processing>Processing Unconfirmed>Unconfirmed ApprovalPending= Question= Settled= Failed= " +
			"Rejected= Withdrawn= " +
			"Expired=",
		payment.KindRecall: "Approved>Approved Processing>Processing Acknowledged>Acknowledged Overdue>Overdue ApprovalPending= Question= " +
			"Accepted= Refused= " +
			"Failed= Rejected= Withdrawn= Expired=",
		payment.KindResolution: "Approved>Approved Processing>Processing ApprovalPending= Question= Communicated= Failed= Rejected= " +
			"Withdrawn= Expired=",
		payment.KindPayment:        "Accepted>Accepted Booked= Failed=",
		payment.KindReceivedRecall: "AwaitingDecision= Answered=",
	},
	payment.ActionWithhold: {
		payment.KindInstruction: "Approved>Failed Processing>Failed", payment.KindReturn: "Approved>Failed Processing>Failed",
		payment.KindRecall: "Approved>Failed Processing>Failed", payment.KindResolution: "Approved>Failed Processing>Failed",
	},
	payment.ActionTimeOut: {
		payment.KindInstruction: "Approved>Unconfirmed Processing>Unconfirmed", payment.KindReturn: "Approved>Unconfirmed Processing>Unconfirmed",
	},
	payment.ActionInquire: {
		payment.KindInstruction: "Unconfirmed>Unconfirmed", payment.KindReturn: "Unconfirmed>Unconfirmed", payment.KindRecall: "Overdue>Overdue",
	},
	payment.ActionAcknowledge: {
		payment.KindRecall:     "Approved>Acknowledged Processing>Acknowledged Overdue>Overdue Acknowledged= Accepted= Refused=",
		payment.KindResolution: "Approved>Communicated Processing>Communicated Communicated=",
	},
	payment.ActionAccept: {
		payment.KindRecall: "Approved>Accepted Processing>Accepted Acknowledged>Accepted Overdue>Accepted Accepted=",
	},
	payment.ActionRefuseRecall: {
		payment.KindRecall: "Approved>Refused Processing>Refused Acknowledged>Refused Overdue>Refused Refused=",
	},
	payment.ActionFallDue: {payment.KindRecall: "Processing>Overdue Acknowledged>Overdue"},
	payment.ActionAnswer:  {payment.KindReceivedRecall: "AwaitingDecision>Answered Answered="},
}

// events ask a message for its move.
var events = map[payment.Action]func(payment.Message) (payment.Transition, bool, error){
	payment.ActionDeliver: func(m payment.Message) (payment.Transition, bool, error) { return m.Deliver(noon, noon) },
	payment.ActionSettle:  func(m payment.Message) (payment.Transition, bool, error) { return m.Settle(noon) },
	payment.ActionRejectByClearing: func(m payment.Message) (payment.Transition, bool, error) {
		return m.RejectByClearing("AC04", "closed", noon)
	},
	payment.ActionWithhold:     func(m payment.Message) (payment.Transition, bool, error) { return always(m.Withhold(noon)) },
	payment.ActionTimeOut:      func(m payment.Message) (payment.Transition, bool, error) { return always(m.TimeOut(time.Minute, noon)) },
	payment.ActionInquire:      func(m payment.Message) (payment.Transition, bool, error) { return always(m.Inquire(noon, noon)) },
	payment.ActionAcknowledge:  func(m payment.Message) (payment.Transition, bool, error) { return m.Acknowledge(noon, noon) },
	payment.ActionAccept:       func(m payment.Message) (payment.Transition, bool, error) { return m.Accept(noon) },
	payment.ActionRefuseRecall: func(m payment.Message) (payment.Transition, bool, error) { return m.RefuseRecall("CUST", "no", noon) },
	payment.ActionBook:         func(m payment.Message) (payment.Transition, bool, error) { return m.Book(noon) },
	payment.ActionReport:       func(m payment.Message) (payment.Transition, bool, error) { return m.Report("PDNG", "pending", noon) },
	payment.ActionFallDue:      func(m payment.Message) (payment.Transition, bool, error) { return always(m.FallDue(noon)) },
	payment.ActionAnswer:       func(m payment.Message) (payment.Transition, bool, error) { return m.Answer(noon) },
}

func always(t payment.Transition, err error) (payment.Transition, bool, error) {
	return t, err == nil, err
}

func TestEachEventInEachState(t *testing.T) {
	t.Parallel()
	for action, ask := range events {
		for _, kind := range payment.Kinds() {
			want := map[string]string{}
			for _, row := range strings.Fields(life[action][kind]) {
				from, to, _ := strings.Cut(strings.ReplaceAll(row, "=", ">="), ">")
				want[from] = to
			}
			for _, state := range payment.States() {
				if !slices.ContainsFunc(payment.Moves(), func(m payment.Move) bool { return m.Kind == kind && m.To == state }) {
					continue
				}
				m := pending(maker, 1)
				m.Kind, m.State, m.StatusCode = kind, state, "AC04"
				m.AcceptedAt, m.AnswerBy = noon.Add(-time.Minute), noon.AddDate(0, 0, -1)
				made, moves, err := ask(m)
				to := want[name(state)]
				switch {
				case to == "" && action == payment.ActionDeliver, to == "=":
					if moves || err != nil {
						t.Errorf("%s of a %s that is %s has an effect: %t %v", action, kind, state, moves, err)
					}
				case to == "":
					if !errors.Is(err, payment.ErrIllegalMove) || moves || made.Valid() {
						t.Errorf("%s of a %s that is %s: %t %v", action, kind, state, moves, err)
					}
				case err != nil || !moves || name(made.Move().To) != to || made.Move().Action != action || made.At() != noon:
					t.Errorf("%s of a %s that is %s leads to %s, want %s: %v", action, kind, state, made.Move().To, to, err)
				}
			}
		}
	}
}

func name(s payment.State) string { return strings.ReplaceAll(string(s), " ", "") }

// What an event leaves with the message: its times, its reason, when to ask again.
func TestWhatEachEventLeaves(t *testing.T) {
	t.Parallel()
	before := noon.Add(-time.Second)
	last := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		action    payment.Action
		kind      payment.Kind
		state     payment.State
		delivered time.Time
		want      payment.Changes
	}{
		{payment.ActionDeliver, payment.KindInstruction, payment.StateApproved, time.Time{}, payment.Changes{DeliveredAt: noon}},
		{payment.ActionDeliver, payment.KindRecall, payment.StateApproved, time.Time{}, payment.Changes{DeliveredAt: noon, AnswerBy: midnight(noon)}},
		{payment.ActionSettle, payment.KindInstruction, payment.StateApproved, time.Time{}, payment.Changes{DeliveredAt: noon, SettledAt: noon}},
		{payment.ActionSettle, payment.KindReturn, payment.StateProcessing, before, payment.Changes{SettledAt: noon}},
		{payment.ActionAccept, payment.KindRecall, payment.StateProcessing, before, payment.Changes{SettledAt: noon}},
		{payment.ActionRejectByClearing, payment.KindInstruction, payment.StateProcessing, before, payment.Changes{StatusCode: "AC04", StatusText: "closed"}},
		{payment.ActionRejectByClearing, payment.KindRecall, payment.StateApproved, time.Time{}, payment.Changes{
			StatusCode: "AC04", StatusText: "closed", DeliveredAt: noon,
		}},
		{payment.ActionRefuseRecall, payment.KindRecall, payment.StateProcessing, before, payment.Changes{StatusCode: "CUST", StatusText: "no"}},
		{payment.ActionAcknowledge, payment.KindRecall, payment.StateProcessing, before, payment.Changes{AnswerBy: midnight(noon)}},
		{payment.ActionAcknowledge, payment.KindResolution, payment.StateProcessing, before, payment.Changes{}},
		{payment.ActionWithhold, payment.KindInstruction, payment.StateApproved, time.Time{}, payment.Changes{
			StatusCode: "DS0H", StatusText: "This payment or request was not sent, because the stored content differs from the approved " +
				"content.", DeliveredAt: noon,
		}},
		{payment.ActionTimeOut, payment.KindInstruction, payment.StateProcessing, before, payment.Changes{InquireAt: noon}},
		{payment.ActionInquire, payment.KindInstruction, payment.StateUnconfirmed, before, payment.Changes{Inquired: true, InquireAt: noon}},
	} {
		m := pending(maker, 1)
		m.Kind, m.State, m.DeliveredAt, m.AcceptedAt = c.kind, c.state, c.delivered, noon.Add(-time.Minute)
		made, moves, err := events[c.action](m)
		if err != nil || !moves || made.Changes() != c.want {
			t.Errorf("%s of a %s that is %s: %+v, want %+v: %v", c.action, c.kind, c.state, made.Changes(), c.want, err)
			continue
		}
		after, want := made.After(), m
		want.State, want.Sequence, want.StateSince = made.Move().To, m.Sequence+1, noon
		if !c.want.DeliveredAt.IsZero() {
			want.DeliveredAt = noon
		}
		want.SettledAt, want.StatusCode, want.StatusText, want.AnswerBy = c.want.SettledAt, c.want.StatusCode, c.want.StatusText, c.want.AnswerBy
		if c.want.Inquired {
			want.Inquiries = 1
		}
		if !reflect.DeepEqual(after, want) {
			t.Errorf("after %s: %+v, want %+v", c.action, after, want)
		}
	}
	overdue := pending(maker, 1)
	overdue.Kind, overdue.State, overdue.DeliveredAt, overdue.AnswerBy = payment.KindRecall, payment.StateOverdue, before, last
	late, _, err := overdue.Acknowledge(noon, noon)
	if err != nil || !late.After().AnswerBy.Equal(last) {
		t.Errorf("a late receipt moves the day of the answer to %s: %v", late.After().AnswerBy, err)
	}
	sepa := pending(maker, 1)
	sepa.Kind, sepa.Scheme, sepa.State = payment.KindResolution, "sct-inst", payment.StateApproved
	taken, _, err := sepa.Deliver(noon, noon)
	if err != nil || taken.Move().To != payment.StateCommunicated {
		t.Errorf("a resolution in SEPA, which has no receipt, is %s once it is taken: %v", taken.Move().To, err)
	}
	failed := pending(maker, 1)
	failed.State, failed.StatusCode = payment.StateFailed, "AM04"
	if _, _, err := failed.RejectByClearing("AC04", "", noon); !errors.Is(err, payment.ErrIllegalMove) {
		t.Errorf("a second refusal with another code: %v", err)
	}
}

func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

func TestTimesRunOutAtTheirMoment(t *testing.T) {
	t.Parallel()
	const limit = 10 * time.Second
	for waited, out := range map[time.Duration]bool{
		limit - time.Nanosecond: false, limit: true, 0: false, -limit + time.Nanosecond: false, -limit: true,
	} {
		m := pending(maker, 1)
		m.State, m.AcceptedAt = payment.StateProcessing, noon.Add(-waited)
		if _, err := m.TimeOut(limit, noon); (err == nil) != out {
			t.Errorf("after %s: %v", waited, err)
		}
	}
	m := pending(maker, 1)
	m.State = payment.StateProcessing
	if _, err := m.TimeOut(limit, noon); !errors.Is(err, payment.ErrIllegalMove) {
		t.Errorf("never accepted: %v", err)
	}
	m.Kind, m.State, m.AnswerBy = payment.KindRecall, payment.StateProcessing, midnight(noon)
	for at, due := range map[time.Time]bool{midnight(noon).AddDate(0, 0, 1).Add(-time.Nanosecond): false, midnight(noon).AddDate(0, 0, 1): true} {
		if _, err := m.FallDue(at); (err == nil) != due {
			t.Errorf("a recall to be answered by %s at %s: %v", m.AnswerBy, at, err)
		}
	}
	m.AnswerBy = time.Time{}
	if _, err := m.FallDue(noon); !errors.Is(err, payment.ErrIllegalMove) {
		t.Errorf("a recall without a day for its answer: %v", err)
	}
	m.Kind = payment.KindReturn
	m.AnswerBy = noon.AddDate(0, 0, -9)
	if _, err := m.FallDue(noon); !errors.Is(err, payment.ErrIllegalMove) {
		t.Errorf("a return falls due: %v", err)
	}
}

// attempt is an approval with everything it depends on.
type attempt struct {
	message payment.Message
	verdict payment.Verdict
	terms   payment.ApprovalContext
}

// approvalFaults each make a good approval bad; of several, the first in this order is told.
var approvalFaults = []struct {
	name   string
	spoil  func(*attempt)
	want   error
	text   string
	reject bool // a rejection is refused for it too
}{
	{
		"no checker", func(a *attempt) { a.verdict.By.Roles = []identity.Role{identity.RoleMaker} },
		&payment.ForbiddenError{}, "checker role", true,
	},
	{"unknown maker", func(a *attempt) { a.message.Makers = append(a.message.Makers, uuid.Nil) }, &payment.FourEyesError{}, "maker of this " +
		"payment or request is unknown", true},
	{
		"its maker", func(a *attempt) { a.message.Makers = append(a.message.Makers, a.verdict.By.PersonID) },
		&payment.FourEyesError{}, "Another person", true,
	},
	{"its client", func(a *attempt) {
		a.verdict.By.Channel, a.message.Clients = identity.ChannelAPI, []string{"x", a.verdict.By.ClientID}
	}, &payment.FourEyesError{}, "changed this payment or request", true},
	{"late grant", func(a *attempt) {
		a.verdict.By.Grants = []identity.Grant{{Role: identity.RoleChecker, GrantedAt: a.message.CreatedAt.Add(time.Second)}}
	}, &payment.ForbiddenError{}, "but this payment or request was entered earlier", true},
	{"state", func(a *attempt) { a.message.State = payment.StateWithdrawn }, &payment.StateError{}, "Withdrawn", true},
	{"time", func(a *attempt) { a.verdict.At = a.message.ExpiresAt }, &payment.StateError{}, "", true},
	{"approved before", func(a *attempt) {
		a.message.Decisions = []payment.Decision{{Action: payment.ActionApprove, PersonID: a.verdict.By.PersonID, Remark: "other words"}}
	}, &payment.FourEyesError{}, "already approved this payment or request", true},
	{
		"digest", func(a *attempt) { a.verdict.ContentHash = &payment.Digest{1} },
		&payment.ContentError{}, "differs from the version you opened", true,
	},
	{"version", func(a *attempt) { a.verdict.Version = 9 }, &payment.ContentError{}, "differs from the version you opened", true},
	{"withheld", func(a *attempt) { a.message.Summary.CreditorName = "Mallory" }, &payment.WithheldError{}, "creditor's name", true},
	{"unnamed", func(a *attempt) {
		a.verdict.ContentHash, a.terms.Policy.ContentHashRequired = nil, true
	}, &payment.ContentError{}, "Send the contentHash of the content you read", false},
	{"remark", func(a *attempt) { a.verdict.Remark = "a\x01b" }, &payment.FieldError{}, "control characters", false},
	{"policy", func(a *attempt) { a.terms.Policy.ApprovalsRequired = 3 }, &payment.RefusalError{}, "3 approvals", false},
	{"rule", func(a *attempt) { a.terms.Rules.SICLimit, _ = money.Parse("CHF", "0.01") }, &payment.RefusalError{}, "0.01", false},
	{"limit", func(a *attempt) {
		a.terms.Limits = []rulebook.SpendingLimit{{Of: rulebook.OfAccount, Name: "A", PerPayment: 19994, Currency: "CHF"}}
	}, &payment.RefusalError{}, "per payment", false},
	{"step-up", func(a *attempt) { a.terms.StepUp = true }, &payment.StepUpError{}, "second factor", false},
}

func TestTheErrorsOfADecisionInTheirOrder(t *testing.T) {
	t.Parallel()
	good := func() attempt {
		return attempt{
			pending(maker, 2), payment.Verdict{By: checker, At: noon, Version: 1, ContentHash: &orderedHash, Remark: "seen"}, terms(sealer(t, 'k')),
		}
	}
	for first := range len(approvalFaults) + 1 {
		spoilt, rejected := good(), good()
		// The maker and client of the next faults are those of the checker as it was.
		for i := len(approvalFaults) - 1; i >= first; i-- {
			approvalFaults[i].spoil(&spoilt)
			if approvalFaults[i].name != "time" || first >= i { // a message in another state says that first
				approvalFaults[i].spoil(&rejected)
			}
		}
		_, approve := spoilt.message.Approve(spoilt.verdict, spoilt.terms)
		_, reject := rejected.message.Reject(rejected.verdict, "No.")
		if first == len(approvalFaults) {
			if approve != nil || reject != nil {
				t.Errorf("a good decision: %v, %v", approve, reject)
			}
			continue
		}
		fault := approvalFaults[first]
		if reflect.TypeOf(approve) != reflect.TypeOf(fault.want) || !strings.Contains(approve.Error(), fault.text) {
			t.Errorf("approve with %s: %T %v, want %T", fault.name, approve, approve, fault.want)
		}
		if fault.reject && (reflect.TypeOf(reject) != reflect.TypeOf(fault.want) || !strings.Contains(reject.Error(), fault.text)) || !fault.reject && reject != nil {
			t.Errorf("reject with %s: %T %v", fault.name, reject, reject)
		}
		alone := good()
		fault.spoil(&alone)
		if _, err := alone.message.Approve(alone.verdict, alone.terms); reflect.TypeOf(err) != reflect.TypeOf(fault.want) {
			t.Errorf("approve with %s alone: %T %v", fault.name, err, err)
		}
	}
}

func TestAnAmendedMessageIsApprovedByItsDigest(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.Version = 2
	for name, test := range map[string]struct {
		hash     *payment.Digest
		stepUp   bool
		version  int
		unnamed  bool
		accepted bool
	}{
		"amended, unnamed":      {nil, false, 2, true, false},
		"amended, named":        {&orderedHash, false, 2, false, true},
		"first, unnamed":        {nil, false, 1, false, true},
		"second factor unnamed": {nil, true, 1, true, false},
	} {
		m.Version = test.version
		on := terms(sealer(t, 'k'))
		on.StepUp = test.stepUp
		_, err := m.Approve(payment.Verdict{By: checker, At: noon, ContentHash: test.hash}, on)
		var content *payment.ContentError
		if is := errors.As(err, &content) && content.Unnamed; is != test.unnamed || (err == nil) != test.accepted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A decision keeps who gave it, for which content, under which grant and with which factor; the last one's release takes of the limits.
func TestWhatADecisionKeeps(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	m.Decisions = []payment.Decision{{Ordinal: 1, Action: payment.ActionApprove, PersonID: second.PersonID}}
	who := checker
	who.Grants = []identity.Grant{{ID: uuid.New(), Role: identity.RoleChecker, GrantedAt: m.CreatedAt}}
	shown := identity.StepUp{UseID: uuid.New(), UserID: who.UserID, Kind: identity.FactorTOTP, For: m.Approval(), At: noon}
	on := terms(sealer(t, 'k'))
	on.Limits = []rulebook.SpendingLimit{{Of: rulebook.OfAccount, PerDay: 50000, Currency: "CHF"}}
	done, err := m.Approve(payment.Verdict{By: who, At: noon, ContentHash: &orderedHash, StepUp: &shown, Remark: " seen\n"}, on)
	if err != nil {
		t.Fatal(err)
	}
	want := payment.Decision{
		Ordinal: 2, Action: payment.ActionApprove, UserID: who.UserID, PersonID: who.PersonID, Name: "checker", Login: "checker", ClientID: "portal",
		Channel: identity.ChannelPortal, Remark: "seen", DecidedAt: noon, ForVersion: 1, Grant: who.Grants[0],
		FactorUse: shown.UseID, FactorKind: identity.FactorTOTP,
	}
	if got := *done.Decision(); got != want || done.Reason().String() != "seen" || done.Grant() != who.Grants[0] {
		t.Errorf("kept %+v, want %+v; %q %v", got, want, done.Reason(), done.Grant())
	}
	if uses := done.LimitUses(); len(uses) != 1 || uses[0].Amount != 19995 {
		t.Errorf("the release takes %+v", uses)
	}
	rejected, err := m.Reject(by(who), "No.")
	if got := rejected.Decision(); err != nil || got.Action != payment.ActionReject || got.Reason != "No." ||
		rejected.Reason().String() != "No." || rejected.LimitUses() != nil {
		t.Errorf("kept %+v of a rejection: %v", got, err)
	}
}

func TestWhoMayReadAuditAndChange(t *testing.T) {
	t.Parallel()
	for role, want := range map[identity.Role]string{
		identity.RoleMaker: "read change", identity.RoleChecker: "read", identity.RoleSupervisor: "read audit", identity.RoleAdministrator: "audit",
	} {
		who := person("somebody", role)
		for what, err := range map[string]error{
			"read": payment.MayRead(who), "audit": payment.MayAudit(who), "change": payment.Message{}.MayChange(who),
		} {
			var forbidden *payment.ForbiddenError
			if may := strings.Contains(want, what); may != (err == nil) || err != nil && !errors.As(err, &forbidden) {
				t.Errorf("%s may %s: %v", role, what, err)
			}
		}
	}
}

func TestWhoIsBarredFromADecision(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	m.Decisions = []payment.Decision{{PersonID: second.PersonID}}
	late := checker
	late.Grants = []identity.Grant{{Role: identity.RoleChecker, GrantedAt: m.CreatedAt.Add(time.Microsecond)}}
	for want, who := range map[string]identity.Principal{
		"entered or changed this payment or request": maker, "has already approved this payment or " +
			"request": second, "became a checker only after this payment or " +
			"request was entered": late, "": checker,
	} {
		if got := m.Barred(who); got.String() != want {
			t.Errorf("%s: %q, want %q", who.UserName, got, want)
		}
	}
}

// Each fault makes a good amendment bad; the first of several is told.
func TestTheErrorsOfAnAmendmentInTheirOrder(t *testing.T) {
	t.Parallel()
	type amendment struct {
		message payment.Message
		by      identity.Principal
		draft   payment.Draft
		at      time.Time
	}
	editor := person("editor", identity.RoleMaker)
	faults := []struct {
		name  string
		spoil func(*amendment)
		want  error
	}{
		{"no maker", func(a *amendment) { a.by = checker }, &payment.ForbiddenError{}},
		{"state", func(a *amendment) { a.message.State = payment.StateApproved }, &payment.StateError{}},
		{"time", func(a *amendment) { a.at = a.message.ExpiresAt }, &payment.StateError{}},
		{"withheld", func(a *amendment) { a.message.Withheld = "Not what was entered." }, &payment.WithheldError{}},
		{"version", func(a *amendment) { a.draft.Replaces = 9 }, &payment.ContentError{}},
		{"policy", func(a *amendment) { a.draft.ApprovalsRequired = 3 }, &payment.RefusalError{}},
		{"note", func(a *amendment) { a.draft.Origin.Note = "\x01" }, &payment.FieldError{}},
	}
	for first := range len(faults) + 1 {
		a := amendment{pending(maker, 2), editor, payment.Draft{
			DocumentID: uuid.New(), Content: ordered, Hash: orderedHash, Summary: orderedSummary, ApprovalsRequired: 2, Replaces: 1,
			Origin: payment.Origin{Reference: "another", Note: "typo"},
		}, noon}
		alone := a
		for _, fault := range faults[first:] {
			fault.spoil(&a)
		}
		done, err := a.message.Amend(a.by, a.draft, a.at)
		if first == len(faults) {
			version := done.Version()
			if err != nil || !version.NewReference || done.Reason().String() != "typo" || version.Message.ClientID != "back-office" ||
				!slices.Equal(version.Message.Clients, []string{"back-office", "portal"}) {
				t.Errorf("a good amendment: %+v %v", version, err)
			}
			continue
		}
		faults[first].spoil(&alone)
		_, single := alone.message.Amend(alone.by, alone.draft, alone.at)
		if reflect.TypeOf(err) != reflect.TypeOf(faults[first].want) || reflect.TypeOf(single) != reflect.TypeOf(faults[first].want) {
			t.Errorf("%s: %T %v, alone %T %v", faults[first].name, err, err, single, single)
		}
	}
}

// The same step again is told as such; anything else about it is a refusal.
func TestWhichStepsAreRepeats(t *testing.T) {
	t.Parallel()
	done, err := pending(maker, 1).Approve(payment.Verdict{By: checker, At: noon, Remark: "seen"}, terms(sealer(t, 'k')))
	if err != nil {
		t.Fatal(err)
	}
	m := done.After()
	good := payment.Verdict{By: checker, At: noon, Remark: "seen"}
	for name, test := range map[string]struct {
		change func(*payment.Message, *payment.Verdict)
		repeat bool
	}{
		"the same":         {func(*payment.Message, *payment.Verdict) {}, true},
		"named":            {func(_ *payment.Message, v *payment.Verdict) { v.ContentHash, v.Version = &orderedHash, 1 }, true},
		"other words":      {func(_ *payment.Message, v *payment.Verdict) { v.Remark = "" }, false},
		"another person":   {func(_ *payment.Message, v *payment.Verdict) { v.By = second }, false},
		"another content":  {func(_ *payment.Message, v *payment.Verdict) { v.ContentHash = &payment.Digest{1} }, false},
		"another version":  {func(_ *payment.Message, v *payment.Verdict) { v.Version = 2 }, false},
		"amended, unnamed": {func(m *payment.Message, _ *payment.Verdict) { m.Version = 2 }, false},
		"withheld":         {func(m *payment.Message, _ *payment.Verdict) { m.Withheld = "Forged." }, false},
		"no checker now":   {func(_ *payment.Message, v *payment.Verdict) { v.By.Roles = nil }, false},
		"rejected by them": {func(m *payment.Message, _ *payment.Verdict) {
			m.Decisions = []payment.Decision{{Action: payment.ActionReject, PersonID: checker.PersonID, Remark: "seen"}}
		}, false},
	} {
		of, v := m, good
		test.change(&of, &v)
		_, err := of.Approve(v, terms(sealer(t, 'k')))
		var repeat *payment.RepeatError
		if is := errors.As(err, &repeat); err == nil || is != test.repeat {
			t.Errorf("%s: %v", name, err)
		} else if is && (repeat.Taken != payment.Taken{
			Action: payment.ActionApprove, Version: 1, PersonID: checker.PersonID, Reason: "seen", At: noon,
		}) {
			t.Errorf("%s: taken %+v", name, repeat.Taken)
		}
	}
	for state, want := range map[payment.State]bool{payment.StateWithdrawn: true, payment.StateRejected: false, payment.StateApproved: false} {
		m.State = state
		var repeat *payment.RepeatError
		var wrong *payment.StateError
		if _, err := m.Withdraw(maker, "", noon); errors.As(err, &repeat) != want || !errors.As(err, &wrong) {
			t.Errorf("withdraw what is %s: %v", state, err)
		}
	}
}

// A message as one of its steps left it says nothing of later ones.
func TestAMessageAsOfAStep(t *testing.T) {
	t.Parallel()
	m := pending(maker, 2)
	later := noon.Add(time.Nanosecond)
	m.Decisions = []payment.Decision{{Ordinal: 1, DecidedAt: noon}, {Ordinal: 2, DecidedAt: later}}
	m.State, m.Sequence, m.AcceptedAt, m.DeliveredAt, m.SettledAt, m.StatusCode = payment.StateSettled, 9, noon, later, later, "AC04"
	was := m.AsOf(payment.StateApprovalPending, 2, noon)
	if was.State != payment.StateApprovalPending || was.Sequence != 2 || was.StateSince != noon || len(was.Decisions) != 1 ||
		was.AcceptedAt != noon || !was.DeliveredAt.IsZero() || !was.SettledAt.IsZero() || was.StatusCode != "" || len(m.Decisions) != 2 {
		t.Errorf("%+v", was)
	}
}

func TestEachRefusalHasItsWord(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"rule": &payment.RefusalError{}, "state": &payment.StateError{}, "four-eyes": &payment.FourEyesError{}, "role": &payment.ForbiddenError{},
		"content": &payment.ContentError{}, "step-up": &payment.StepUpError{}, "withheld": &payment.WithheldError{},
	} {
		if got, refused := payment.Refused(fmt.Errorf("wrapped: %w", err)); !refused || got != want {
			t.Errorf("%T is refused as %q %t", err, got, refused)
		}
	}
	for _, err := range []error{&payment.FieldError{}, payment.ErrNotFound, payment.ErrIllegalMove} {
		if _, refused := payment.Refused(err); refused {
			t.Errorf("%v is a refusal", err)
		}
	}
}
