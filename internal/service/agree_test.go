package service_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	servicepkg "countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// outcome is an error as the two sides can be compared by; "done" for none.
func outcome(err error) string {
	var forbidden *payment.ForbiddenError
	var fourEyes *payment.FourEyesError
	var state *payment.StateError
	var conflict *administration.ConflictError
	var fields *payment.FieldError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &forbidden):
		return "forbidden"
	case errors.As(err, &fourEyes):
		return "four eyes"
	case errors.As(err, &state), errors.As(err, &conflict):
		return "too late"
	case errors.As(err, &fields):
		return "malformed"
	}
	return err.Error()
}

// service does the deeds of a sequence at the services, on a real database.
type stationsService struct {
	*servicetest.Env
	t        *testing.T
	people   map[servicetest.Door]identity.Principal
	messages []payment.Message
	changes  []uuid.UUID
}

// principal is who does the deed. Nobody's rights change here, so each is read once.
func (s *stationsService) principal(w world, d deed) identity.Principal {
	door := servicetest.Door{Realm: demo.Realm, Name: w.hands[d.hand].name, Client: d.door, Channel: w.principal(d).Channel}
	if _, known := s.people[door]; !known {
		s.people[door] = s.Principal(s.t, door)
	}
	return s.people[door]
}

// do takes one step.
func (s *stationsService) do(w world, d deed) error {
	ctx, by := s.t.Context(), s.principal(w, d)
	switch d.verb {
	case "create":
		made, err := s.Submission.Create(ctx, by, s.Order(rulebook.SchemeSIC))
		if err == nil {
			s.messages = append(s.messages, made.Message)
		}
		return err
	case "ask":
		ask := wishes(by.PersonID)[d.kind]
		made, err := s.Admin.Request(ctx, by, servicepkg.RequestInput{Kind: ask.kind, Subject: ask.subject, Values: ask.values, Note: uuid.NewString()})
		if err == nil {
			s.changes = append(s.changes, made.Change.ID)
		}
		return err
	case "confirm":
		_, err := s.Admin.Decide(ctx, by, servicepkg.DecideInput{ChangeID: s.changes[d.on], Approve: true})
		return err
	}
	return s.move(d, by)
}

// move amends, approves or rejects a message.
func (s *stationsService) move(d deed, by identity.Principal) error {
	ctx, m := s.t.Context(), s.messages[d.on]
	seen := servicepkg.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash, Version: m.Version}
	var after payment.Message
	var err error
	switch d.verb {
	case "amend":
		order := s.Order(rulebook.SchemeSIC)
		after, err = s.Submission.Amend(ctx, by, m.InternalID, payment.Order{Scheme: order.Scheme, Document: order.Document})
	case "approve":
		after, err = s.Approval.Approve(ctx, by, seen)
	default:
		after, err = s.Approval.Reject(ctx, by, seen, "no")
	}
	if err == nil {
		s.messages[d.on] = after
	}
	return err
}

// cheats brings people into realm demo: one who enters and decides by three accounts, another who administers by two, because no person may
// do both, and a third who decides only.
func cheats(t *testing.T, h *servicetest.Env) {
	t.Helper()
	account := func(name string, roles ...identity.Role) store.AccountDefinition {
		return store.AccountDefinition{Name: name, PasswordHash: demo.UserPasswordHash, Status: administration.StatusActive, Roles: roles}
	}
	realm := demo.Realms()[0]
	realm.People = append(realm.People,
		store.PersonDefinition{DisplayName: "One", Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
			account("entry", identity.RoleMaker, identity.RoleChecker), account("entry2", identity.RoleMaker), account("look", identity.RoleChecker),
		}},
		store.PersonDefinition{DisplayName: "One Office", Duty: administration.DutyAdministration, Accounts: []store.AccountDefinition{
			account("office", identity.RoleAdministrator), account("office2", identity.RoleAdministrator),
		}},
		store.PersonDefinition{DisplayName: "Two", Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
			account("look2", identity.RoleChecker),
		}},
	)
	err := store.ApplyRealm(t.Context(), h.DB.Provisioner(t), realm)
	if err != nil {
		t.Fatal(err)
	}
}

// asStored is a realm whose accounts are those of the database.
func asStored(t *testing.T, h *servicetest.Env, names ...string) world {
	t.Helper()
	w := realm()
	for _, name := range names {
		p := h.Person(t, name)
		w.hands = append(w.hands, hand{name: name, person: p.PersonID, user: p.UserID, roles: p.Roles, active: true, ours: true})
	}
	return w
}

// searchSetting is how many sequences are sampled; `make search` asks for 10,000.
const searchSetting = "COUNTERSIGN_SEARCH"

// TestTheServiceAgreesWithTheSearch plays sampled sequences of deeds at the services: every deed ends as the pure domain says.
func TestTheServiceAgreesWithTheSearch(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	sequences, seed := 200, uint64(1)
	if text, given := os.LookupEnv(searchSetting); given {
		var err error
		sequences, err = strconv.Atoi(text)
		seed = uint64(time.Now().UnixNano())
		if err != nil {
			t.Fatal(err)
		}
	}
	h := servicetest.New(t)
	cheats(t, h)
	b := newBench(t)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	alone := asStored(t, h, "entry", "entry2", "look", "office", "office2")
	together := asStored(t, h, "entry", "entry2", "look2")
	released, counts, people := 0, map[string]int{}, map[servicetest.Door]identity.Principal{}
	for i := range sequences {
		from := alone
		if i%4 == 0 {
			from = together
		}
		after := play(&stationsService{Env: h, t: t, people: people}, b, from, random, counts)
		if i%4 != 0 && (after.released > 0 || after.gained > 0) {
			t.Fatalf("one person reached %d releases and %d rights (seed %d)", after.released, after.gained, seed)
		}
		released += after.released
	}
	t.Logf("%d sequences: %v, %d releases by two people", sequences, counts, released)
	if released == 0 {
		t.Error("two people released nothing: the sequences do not reach far")
	}
	h.CheckInvariants(t)
}

// draw takes every verb as often as any other.
func draw(deeds []deed, random *rand.Rand) deed {
	of := map[string][]deed{}
	for _, d := range deeds {
		of[d.verb] = append(of[d.verb], d)
	}
	verbs := slices.Sorted(maps.Keys(of))
	same := of[verbs[random.IntN(len(verbs))]]
	return same[random.IntN(len(same))]
}

// play does one sequence on both sides.
func play(s *stationsService, b *bench, w world, random *rand.Rand, counts map[string]int) world {
	t := s.t
	t.Helper()
	var by []deed
	for range 5 {
		d := draw(w.deeds(), random)
		by = append(by, d)
		after, refused := b.do(w, d)
		said := outcome(s.do(w, d))
		if want := outcome(refused); said != want {
			t.Fatalf("%v: the service says %s, the domain %s", by, said, want)
		}
		counts[d.verb+" "+said]++
		w = after
	}
	for i, m := range w.messages {
		stored, err := s.Reader.Message(t.Context(), demo.Realm, s.messages[i].InternalID)
		if err != nil || stored.State != m.State || stored.Version != m.Version || stored.Approvals() != m.Approvals() {
			t.Fatalf("%v: stored is %s, version %d, the domain has %s, version %d (%v)", by, stored.State, stored.Version, m.State, m.Version, err)
		}
	}
	return w
}
