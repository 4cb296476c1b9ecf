//go:build long

package clearing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// crossing is a clearing before which one payment stands still at one moment of its way, until it may go on.
type crossing struct {
	*wire
	eye           *witness
	at, of        string // the moment, and the reference of the payment
	stood         atomic.Bool
	reached, goOn chan struct{}
}

// moments are those at which a payment stands: its approval is committed and nothing else; its document is stored and nobody has it;
// clearing has it and that is not noted; its answer is there and not booked.
var moments = []string{"approved", "leaves", "taken", "answered"}

// stand lets the payment wait, once: what another gateway does with it meanwhile goes on.
func (c *crossing) stand(at, reference string) {
	if at == c.at && reference == c.of && c.stood.CompareAndSwap(false, true) {
		close(c.reached)
		<-c.goOn
	}
}

// Deliver takes a document.
func (c *crossing) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	c.stand("leaves", reference)
	err := c.wire.Deliver(ctx, scheme, reference, content)
	c.stand("taken", reference)
	return err
}

// TestNothingIsSentTwiceInFaultsBetweenDecisionAndDelivery has two gateways of one database at work, whose PostgreSQL is stopped or killed,
// and started again, while one payment stands at one moment of its way and others are under way: every approval that was acknowledged took
// effect once, by one document.
func TestNothingIsSentTwiceInFaultsBetweenDecisionAndDelivery(t *testing.T) {
	rounds := faultRounds(t)
	dumped := dump(t, servicetest.New(t))
	for _, at := range moments {
		for round := range rounds {
			kill := round%2 == 1
			t.Run(fmt.Sprintf("%s %d killed %t", at, round+1, kill), func(t *testing.T) {
				folder, err := os.MkdirTemp("", "csx")
				must(t, err)
				t.Cleanup(func() { _ = os.RemoveAll(folder) })
				must(t, os.Chmod(folder, 0o755))
				server := startServer(t, filepath.Join(folder, "data"))
				into(t, server.Cluster, dumped).Database.Close()
				cross(t, server, at, kill)
			})
		}
	}
}

// twoGateways are two gateways of one database, with connections of their own, whose jobs and clocks run. The answers of clearing come to
// one or the other.
func twoGateways(t *testing.T, server *ownServer, c *crossing) (gateways [2]*servicetest.Env, stop func()) {
	t.Helper()
	c.wire = &wire{took: map[string]string{}, times: map[string]int{}}
	c.eye = &witness{now: runningClock()}
	var stops [2]func()
	for i := range gateways {
		gateways[i] = servicetest.On(t, on(t, server.Cluster), c.eye.sees(t, c, func(db *storetest.DB) string { return db.URL }))
		stops[i] = goingOn(t, gateways[i])
	}
	c.house = gateways[0]
	var turn atomic.Int64
	c.answer = func(ctx context.Context, d clearing.Document) error {
		c.stand("answered", d.Reference[len("ANS"):])
		return gateways[turn.Add(1)%2].Clearing.Receive(ctx, d)
	}
	return gateways, func() { stops[0](); stops[1]() }
}

// crossed is how many payments are under way around the one that stands.
const crossed = 60

func cross(t *testing.T, server *ownServer, at string, kill bool) {
	t.Helper()
	c := &crossing{at: at, reached: make(chan struct{}), goOn: make(chan struct{})}
	gateways, stop := twoGateways(t, server, c)
	ids := pending(t, gateways[0], rulebook.SchemeSIC, crossed)
	stands := crossed / 2
	for ; c.of == "" || silent(c.of); stands++ {
		m, err := gateways[0].Messages.Message(ctx, "demo", ids[stands+1])
		must(t, err)
		c.of = m.Reference()
	}
	checker := gateways[0].Person(t, "checker1")
	approving := make(chan int)
	go func() {
		failed := 0
		for i, id := range ids {
			failed += approveAtLast(t, gateways[i%2], checker, id)
			if i == stands {
				c.stand("approved", c.of)
			}
		}
		approving <- failed
	}()
	<-c.reached
	away := span{from: gateways[0].Now()}
	if kill {
		server.signal(t, syscall.SIGKILL)
	}
	must(t, server.Stop(ctx))
	server.start(t)
	away.to = gateways[0].Now()
	close(c.goOn)
	failed := <-approving
	for _, id := range ids {
		ends(t, id, func(id uuid.UUID) payment.Message {
			m, err := gateways[0].Messages.Message(ctx, "demo", id)
			if err != nil {
				t.Errorf("what was acknowledged is lost: %s: %v", id, err)
			}
			return m
		})
	}
	stop()
	c.answers.Wait()
	c.judge(t)
	late(t, gateways[0], away, false, c.eye)
	t.Logf("%s: %d approvals failed at first; the database was away for %s", at, failed, away.to.Sub(away.from).Round(time.Second/100))
	gateways[0].CheckInvariants(t)
}

// approveAtLast approves until that is acknowledged, and says how often it was not.
func approveAtLast(t *testing.T, h *servicetest.Env, checker identity.Principal, id uuid.UUID) (failed int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: id})
		var done *payment.StateError
		if err == nil || errors.As(err, &done) {
			return failed
		}
		failed++
		if time.Now().After(deadline) {
			t.Errorf("%s cannot be approved: %v", id, err)
			return failed
		}
	}
}

// judge says what clearing got.
func (c *crossing) judge(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	repeated, payments := 0, 0
	for reference, n := range c.times {
		if reference[:2] == "P8" {
			payments++
			repeated += n - 1
		}
	}
	t.Logf("clearing got %d payments, %d deliveries of them again", payments, repeated)
	if len(c.wrong) > 0 || payments != crossed {
		t.Errorf("clearing got %d payments, want %d, and other documents under ids it knew: %v", payments, crossed, c.wrong)
	}
}

// TestNothingIsLostInFaultsOfAFullDisk is TestNothingIsLostInFaultsOfTheNetwork with a PostgreSQL whose disk, a small one of its own, is
// full for five seconds.
func TestNothingIsLostInFaultsOfAFullDisk(t *testing.T) {
	rounds := faultRounds(t)
	dumped := dump(t, servicetest.New(t))
	for round := range rounds {
		t.Run(fmt.Sprintf("full %d", round+1), func(t *testing.T) {
			disk := testutil.SmallDisk(t)
			server := startServer(t, filepath.Join(disk, "data"))
			into(t, server.Cluster, dumped).Database.Close()
			db := on(t, server.Cluster)
			play(t, fault{away: true, begin: func(t *testing.T, _ *storetest.Line) func() {
				free := testutil.FillDisk(t, disk)
				return func() {
					free()
					limited, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					ended := server.Wait(limited) == nil
					t.Logf("the server ended for want of room: %t", ended)
					if ended {
						must(t, server.Stop(ctx))
						server.start(t)
					}
				}
			}}, newScene(t, db, nil))
		})
	}
}
