package clearing_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// slowStep is a tracer under which the step of one message is written for as long as a test wants, when it wants one to be: the steps that
// clearing writes meanwhile wait for it.
type slowStep struct {
	mu           sync.Mutex
	began, ended chan struct{} // of the one that is wanted; nil for none
}

// before has it take so long.
func (s *slowStep) before(_ context.Context, _ *pgx.Conn, sql string, values []any) {
	s.mu.Lock()
	began, ended := s.began, s.ended
	s.mu.Unlock()
	if began != nil && nameOf(sql, values) == "MessageMove" {
		close(began)
		<-ended
	}
}

// want says that the next step is to be written slowly. Call end to let it go on.
func (s *slowStep) want() (began chan struct{}, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.ended = make(chan struct{}), make(chan struct{})
	return s.began, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.ended)
		s.began, s.ended = nil, nil
	}
}

// answeredInLine sends a message whose delivery and whose answer are to be booked while the answer of another one is: they stand in line
// behind that, for so long. Meanwhile something else can happen to the message.
func answeredInLine(
	t *testing.T, h *servicetest.Env, s *slowStep, wait time.Duration, meanwhile func(payment.Message),
) payment.Message {
	t.Helper()
	m, another := approved(t, h, rulebook.SchemeSIC), approved(t, h, rulebook.SchemeSIC)
	receive := func(m payment.Message, id string) {
		err := h.Clearing.Receive(ctx, answer(t, m, id+string(m.GlobalID), "ACSC", ""))
		if err != nil {
			t.Error(err)
		}
	}
	must(t, h.Clearing.Send(ctx, another.Scheme, another.Realm, another.InternalID))
	var work sync.WaitGroup
	h.Network.Refuse = func(d servicetest.Delivery) error {
		if d.Reference != m.Reference() {
			return nil
		}
		began, end := s.want()
		work.Go(func() { receive(another, "B") })
		<-began
		work.Go(func() {
			defer end() // also when what happens meanwhile fails the test
			time.Sleep(wait)
			meanwhile(m)
		})
		work.Go(func() { receive(m, "A") })
		return nil
	}
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	work.Wait()
	h.Network.Refuse = nil
	return m
}

// steps returns the states of a message in order.
func steps(t *testing.T, h *servicetest.Env, m payment.Message) (states []string) {
	t.Helper()
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT array_agg(to_state ORDER BY sequence) FROM message_history WHERE message_id = $1",
		m.InternalID).Scan(&states))
	return states
}

// TestAnAnswerFollowsTheNoteOfItsDelivery: an answer comes before its delivery is noted, because writes before it are slow. The payment was
// in processing all the same.
func TestAnAnswerFollowsTheNoteOfItsDelivery(t *testing.T) {
	t.Parallel()
	s := &slowStep{}
	h := servicetest.Traced(t, storetest.BeforeStatement(s.before), 0)
	defer h.CheckInvariants(t)
	for wait := 25 * time.Millisecond; wait < time.Second; wait *= 2 {
		m := answeredInLine(t, h, s, wait, func(payment.Message) {})
		states := steps(t, h, m)
		if len(states) != 4 || states[2] != string(payment.StateProcessing) || states[3] != string(payment.StateSettled) {
			t.Fatalf("the payment was %v", states)
		}
	}
}

// TestAnAnswerWhoseDeliveryIsNotNotedIsBookedAllTheSame: another process found the payment unconfirmed while the note of its delivery and
// its answer stood in line. Neither is written together with the other then, and each finds its own way.
func TestAnAnswerWhoseDeliveryIsNotNotedIsBookedAllTheSame(t *testing.T) {
	t.Parallel()
	s := &slowStep{}
	h := servicetest.Traced(t, storetest.BeforeStatement(s.before), 0)
	defer h.CheckInvariants(t)
	other := h.Again(t, servicetest.Options{})
	m := answeredInLine(t, h, s, 200*time.Millisecond, func(m payment.Message) {
		_, err := other.Messages.Transact(ctx, m.Realm, m.InternalID, func(m payment.Message) (payment.Transition, error) {
			return m.TimeOut(0, h.Clock.Now().Add(time.Minute))
		})
		if err != nil {
			t.Error(err)
		}
	})
	states := steps(t, h, m)
	now := current(t, h, m)
	if now.State != payment.StateSettled || now.DeliveredAt.IsZero() || states[2] != string(payment.StateUnconfirmed) {
		t.Errorf("the payment was %v, is %s and was delivered at %s", states, now.State, now.DeliveredAt)
	}
	var settled, answers int
	must(t, h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM message_history WHERE message_id = $1 AND to_state = 'Settled'),
		(SELECT count(*) FROM document WHERE message_id = $1 AND name LIKE 'pacs.002%')`, m.InternalID).Scan(&settled, &answers))
	if settled != 1 || answers != 1 {
		t.Errorf("settled %d times, with %d answers kept", settled, answers)
	}
}

// TestAnAnswerMeetsAStepInTheSameMoment: delivery and answer are written by one change of the message, which waits for another process that
// is just finding the payment unconfirmed. When that is done the change finds its place taken, and each of the two finds its own way.
func TestAnAnswerMeetsAStepInTheSameMoment(t *testing.T) {
	t.Parallel()
	s := &slowStep{}
	h := servicetest.Traced(t, storetest.BeforeStatement(s.before), 0)
	defer h.CheckInvariants(t)
	other, owner := h.Again(t, servicetest.Options{}), h.DB.Connect(t)
	_, err := owner.Exec(ctx, `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
		CREATE TRIGGER linger AFTER INSERT ON message_history FOR EACH ROW WHEN (NEW.action = 'time out') EXECUTE FUNCTION linger();
		SELECT pg_advisory_lock(1)`)
	must(t, err)
	defer func() { // before the invariants, one of which is the schema
		_, err = owner.Exec(ctx, "DROP TRIGGER linger ON message_history; DROP FUNCTION linger()")
		must(t, err)
	}()
	waiting := func(where string) func() bool {
		return func() (found bool) {
			must(t, owner.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND "+where+")").
				Scan(&found))
			return found
		}
	}
	var late sync.WaitGroup
	m := answeredInLine(t, h, s, 200*time.Millisecond, func(m payment.Message) {
		late.Go(func() {
			_, err := other.Messages.Transact(ctx, m.Realm, m.InternalID, func(m payment.Message) (payment.Transition, error) {
				return m.TimeOut(0, h.Clock.Now().Add(time.Minute))
			})
			if err != nil {
				t.Error(err)
			}
		})
		eventually(t, "the payment is being found unconfirmed", waiting("wait_event = 'advisory'"))
		late.Go(func() {
			defer func() {
				_, err := owner.Exec(ctx, "SELECT pg_advisory_unlock(1)")
				must(t, err)
			}()
			eventually(t, "the change waits for that", waiting("wait_event_type = 'Lock' AND wait_event <> 'advisory'"))
		})
	})
	late.Wait()
	states := steps(t, h, m)
	now := current(t, h, m)
	if now.State != payment.StateSettled || now.DeliveredAt.IsZero() || states[2] != string(payment.StateUnconfirmed) {
		t.Errorf("the payment was %v, is %s and was delivered at %s", states, now.State, now.DeliveredAt)
	}
}
