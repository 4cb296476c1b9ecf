package service_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// swissAccount is the debtor account of stationtest's orders in francs.
const swissAccount = "CH5021977000004331346"

// limit has two administrators set a limit.
func limit(t *testing.T, h *servicetest.Env, values administration.Values) {
	t.Helper()
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{Kind: administration.KindLimitSet, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	if err != nil {
		t.Fatal(err)
	}
}

// paid is a payment of maker1 in francs that waits.
func paid(t *testing.T, h *servicetest.Env, amount string) payment.Message {
	t.Helper()
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, amount)
	created, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	if err != nil {
		t.Fatal(err)
	}
	return created.Message
}

func wantLimit(t *testing.T, what string, err error, words string) {
	t.Helper()
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || refused.Findings[0].Rule != rulebook.RuleSpendingLimit || refused.Findings[0].Code != "AM14" ||
		!strings.Contains(refused.Findings[0].Text.String(), words) {
		t.Errorf("%s: got %v, want a limit with the words %q", what, err, words)
	}
}

// TestLimitsHoldAtSubmissionAndApproval: of account, client, maker and checker, at a time and on a day, whichever comes first.
func TestLimitsHoldAtSubmissionAndApproval(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t, "I6") // a day goes by, and nobody sends anything
	large, small := paid(t, h, "900.00"), paid(t, h, "600.00")
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perPayment": "800.00", "perDay": "1000.00"})
	h.Clock.Add(time.Second)
	checker := h.Person(t, "checker1")
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: large.InternalID})
	wantLimit(t, "approval of what is too large at a time", err, "CHF 800.00 per payment")
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "800.01")
	_, err = h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	wantLimit(t, "submission of what is too large at a time", err, "the account CH50 … 1346 is CHF 800.00 per payment")
	_, err = h.Submission.Amend(ctx, h.Person(t, "maker1"), small.InternalID, order)
	wantLimit(t, "an amendment that is too large", err, "CHF 800.00 per payment")

	_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: small.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	servicetest.SetAmount(order.Document, "400.01")
	findings, err := h.Submission.Validate(ctx, h.Person(t, "maker1"), order)
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].Text.String(), "of which CHF 600.00 has already been used") {
		t.Errorf("a dry run: %v %v", findings, err)
	}
	rest := paid(t, h, "400.00")
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker2", Client: "demo-straight", Channel: identity.ChannelAPI})
	servicetest.SetAmount(order.Document, "400.00")
	_, err = h.Submission.Create(ctx, straight, order)
	if err != nil {
		t.Fatalf("what needs no approval and just fits: %v", err)
	}
	_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: rest.InternalID})
	wantLimit(t, "approval of what was entered while it fitted", err, "of which CHF 1'000.00 has already been used")
	events, err := h.Reader.Audit(ctx, "demo", rest.InternalID)
	if err != nil || len(events) != 2 || events[1].Event != "instruction.approve-refused" ||
		!strings.Contains(events[1].Detail, "daily limit") {
		t.Errorf("the audit trail: %+v %v", events, err)
	}
	h.Clock.Add(24 * time.Hour)
	tomorrow := paid(t, h, "400.00")
	_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: tomorrow.InternalID})
	if err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

// TestALimitOfAPersonCountsWhatTheyEnterAndApprove, by whichever account; and one that was taken away binds nobody.
func TestALimitOfAPersonCountsWhatTheyEnterAndApprove(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	limit(t, h, administration.Values{"limitOf": "person", "holder": "both1", "currency": "CHF", "perDay": "500.00"})
	h.Clock.Add(time.Second)
	one, two := paid(t, h, "300.00"), paid(t, h, "300.00")
	both := h.Person(t, "both1")
	_, err := h.Approval.Approve(ctx, both, service.Input{InternalID: one.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Approval.Approve(ctx, both, service.Input{InternalID: two.InternalID})
	wantLimit(t, "a second approval", err, "the person")
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "200.01")
	_, err = h.Submission.Create(ctx, both, order)
	wantLimit(t, "an order of who approved", err, "of which CHF 300.00 has already been used")
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: two.InternalID})
	if err != nil {
		t.Errorf("somebody else: %v", err)
	}
	limit(t, h, administration.Values{"limitOf": "person", "holder": "both1", "currency": "CHF"})
	three := paid(t, h, "5000.00")
	_, err = h.Approval.Approve(ctx, both, service.Input{InternalID: three.InternalID})
	if err != nil {
		t.Errorf("after it was taken away: %v", err)
	}
}

// TestTwoApprovalsThatTogetherPassADailyLimit race: of forty payments as many are released as the day lets through, and not one more, and
// the uses add up.
func TestTwoApprovalsThatTogetherPassADailyLimit(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	const payments, fit = 40, 10
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perDay": "1000.00"})
	limit(t, h, administration.Values{"limitOf": "client", "holder": "demo-backoffice", "currency": "CHF", "perDay": "5000.00"})
	h.Clock.Add(time.Second)
	people := checkers(t, h, 8)
	h.Clock.Add(time.Second)
	waiting := make(chan payment.Message, payments)
	for range payments {
		waiting <- paid(t, h, "100.00")
	}
	close(waiting)
	var released, refused atomic.Int64
	var group sync.WaitGroup
	gateways := []*servicetest.Env{h, restarted(t, h)}
	gateways[1].Clock.Set(h.Clock.Now())
	for i, who := range people {
		group.Go(func() {
			for m := range waiting {
				_, err := gateways[i%2].Approval.Approve(ctx, who, service.Input{InternalID: m.InternalID})
				var passed *payment.RefusalError
				switch {
				case err == nil:
					released.Add(1)
				case errors.As(err, &passed) && passed.Findings[0].Rule == rulebook.RuleSpendingLimit:
					refused.Add(1)
				default:
					t.Errorf("neither released nor refused: %v", err)
				}
			}
		})
	}
	group.Wait()
	var stored, sum int64
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM release),
		(SELECT max(used_after) FROM limit_use WHERE limit_of = 'account')`).Scan(&stored, &sum)
	if err != nil || released.Load() != fit || refused.Load() != payments-fit || stored != fit || sum != fit*100_00 {
		t.Errorf("%d released, %d refused, %d stored, %d used: %v", released.Load(), refused.Load(), stored, sum, err)
	}
}

// TestALimitThatIsNotWhatWasSetLetsNothingThrough: raised by hand, by somebody who may write into the table.
func TestALimitThatIsNotWhatWasSetLetsNothingThrough(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perDay": "100.00"})
	h.Clock.Add(time.Second)
	m := paid(t, h, "50.00")
	for _, edit := range []string{"per_day = 100000000", "currency = 'EUR'"} {
		_, err := h.DB.Owner(t).Exec(ctx, "UPDATE spending_limit SET "+edit)
		must(t, err)
		_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
		wantLimit(t, "under a limit changed by hand: "+edit, err, "countersign check")
	}
}

// TestUsesOfALimitThatAreGoneStillCount: a superuser deletes the uses of a limit on a day, or the limit itself. The gateway that made
// the uses lets nothing through, nor does one that is started afterwards, and the check names the missing rows.
func TestUsesOfALimitThatAreGoneStillCount(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perDay": "1000.00"})
	h.Clock.Add(time.Second)
	checker := h.Person(t, "checker1")
	first, second := paid(t, h, "400.00"), paid(t, h, "500.00")
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: first.InternalID})
	must(t, err)
	conn := h.DB.Connect(t)
	_, err = conn.Exec(ctx, "SET session_replication_role = replica; CREATE TEMP TABLE kept AS SELECT * FROM limit_use; DELETE FROM limit_use")
	must(t, err)
	straight := h.Principal(t, straight)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "500.00")
	gateways := []*servicetest.Env{h, h.WithKeys(t, storetest.Key)}
	for _, gone := range []string{"limit_use", "spending_limit"} {
		for _, gateway := range gateways {
			_, err = gateway.Approval.Approve(ctx, checker, service.Input{InternalID: second.InternalID})
			wantLimit(t, "an approval without "+gone, err, "countersign check")
			_, err = gateway.Submission.Create(ctx, straight, order)
			wantLimit(t, "a payment without "+gone, err, "countersign check")
		}
		named(t, h, map[string]string{"limit_use": "audit_event", "spending_limit": "spending_limit"}[gone], "")
		_, err = conn.Exec(ctx, "INSERT INTO limit_use SELECT * FROM kept ON CONFLICT DO NOTHING; DELETE FROM spending_limit")
		must(t, err)
		gateways = gateways[:1] // without the limit another one finds no policy either
	}
}

// TestTheSchemaTakesNoSecondUseFromTheSameSum: as the service's role, which may add uses and nothing else.
func TestTheSchemaTakesNoSecondUseFromTheSameSum(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perDay": "1000.00"})
	h.Clock.Add(time.Second)
	for range 2 {
		m := paid(t, h, "300.00")
		_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
		if err != nil {
			t.Fatal(err)
		}
	}
	conn := h.DB.ConnectAsApplication(t, "demo")
	for what, statement := range map[string]string{
		"a use from the same sum": `INSERT INTO limit_use SELECT realm, message_id, limit_id, limit_of, holder, currency, day, 30000, 1, 30001,
			allowed, 30000 FROM limit_use WHERE used_before = 0`,
		"a use above what is allowed": `INSERT INTO limit_use SELECT realm, message_id, limit_id, limit_of, holder, currency, day + 1, 0, 100001,
			100001, allowed, NULL FROM limit_use WHERE used_before = 0`,
		"a use from nowhere": `INSERT INTO limit_use SELECT realm, message_id, limit_id, limit_of, holder, currency, day + 1, 5, 1, 6, allowed, 5
			FROM limit_use WHERE used_before = 0`,
		"another amount":    `UPDATE limit_use SET amount = 1`,
		"a use less":        `DELETE FROM limit_use`,
		"a limit by hand":   `INSERT INTO spending_limit SELECT realm, gen_random_uuid(), limit_of, holder, 'EUR', 1, NULL, NULL, now() FROM spending_limit`,
		"a raise by hand":   `UPDATE spending_limit SET per_day = 100000000`,
		"a limit less":      `DELETE FROM spending_limit`,
		"a holder by hand":  `UPDATE spending_limit SET holder = 'another'`,
		"an amount by hand": `UPDATE limit_use SET allowed = allowed + 1`,
	} {
		_, err := conn.Exec(ctx, statement)
		if err == nil {
			t.Errorf("%s: the schema takes it", what)
		}
	}
}
